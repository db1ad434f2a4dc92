"""A session store for the Claude Agent SDK: transcripts line by line, and what was said in them as memory."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from sqlalchemy.engine import Connection

from langgraph_memory.clock import Clock, to_micros
from langgraph_memory.errors import InvalidInput, NotFound
from langgraph_memory.records import Message, Report
from langgraph_memory.scope import Scope
from langgraph_memory.sessions.recorder import LONGEST_NAME, Recorder, check_thread
from langgraph_memory.storage import entries, session_items, transcripts
from langgraph_memory.storage.database import Database, dump_json
from langgraph_memory.storage.scopes import intern
from langgraph_memory.storage.transcripts import Line, TranscriptRow
from langgraph_memory.text.normalise import clean
from langgraph_memory.toolkits.claude_lines import copied_from, said_in, thread_of, uuid_of
from langgraph_memory.toolkits.landing import landed

Fold: TypeAlias = Callable[[Any, Any, Any], Any]
"""Returns a session's summary after these entries: `fold(summary before or None, key, entries)`; it changes nothing."""

Key: TypeAlias = tuple[str, str, str]  # project, session, subpath

_log = logging.getLogger(__name__)


class ClaudeSessionStore:
    """Keeps the transcripts of one scope; made by `memory.session_store(scope=...)`.

    Every verb is awaited, as the SDK asks for it, and works off the event loop. Errors are `InvalidInput` for keys and
    entries that cannot be used and `StorageError` where nothing was written or read.
    """

    def __init__(
        self,
        scope: Scope,
        *,
        database: Callable[[], Database],
        recorder: Callable[[], Recorder],
        clock: Clock,
        erase: Callable[[str], object],
        added: Callable[[Report, str], None],
        fold: Fold,
    ) -> None:
        self._scope = scope
        self._open = database
        self._recorder = recorder
        self._clock = clock
        self._erase = erase
        self._added = added
        self._fold = fold

    async def append(self, key: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> None:
        """Append entries to a transcript: all of them, the summary and what was said, or nothing.

        An entry whose `uuid` stands there already, and is equal, is not stored again; a batch that stands there as a
        whole is a retry, with its entries that have no `uuid`.
        """
        await landed(self._append, _key(key), _lines(entries), list(entries))

    async def load(self, key: Mapping[str, Any]) -> list[Any] | None:
        """Return all entries of a transcript in order, or None where nothing was ever appended to it."""
        return await landed(self._load, _key(key))

    async def list_sessions(self, project_key: str) -> list[Any]:
        """Return the sessions of a project, newest first: `session_id` and `mtime` in milliseconds since 1970."""
        rows = await landed(self._mains, project_key)
        return [{"session_id": row.name, "mtime": row.mtime} for row in rows]

    async def list_session_summaries(self, project_key: str) -> list[Any]:
        """Return the summaries of a project's sessions; one that is damaged is left out, and the SDK makes it anew."""
        rows = await landed(self._mains, project_key)
        summaries = []
        for row in rows:
            data = _read_json(row.summary, f"The summary of {row.name!r}") if row.summary is not None else None
            if isinstance(data, dict):
                summaries.append({"session_id": row.name, "mtime": row.mtime, "data": data})
        return summaries

    async def delete(self, key: Mapping[str, Any]) -> None:
        """Destroy a session with its subpaths and what is recalled of it, or one subpath; as `memory.erase` does."""
        await landed(self._delete, _key(key))

    async def list_subkeys(self, key: Mapping[str, Any]) -> list[str]:
        """Return the subpaths of a session."""
        project, session, _ = _key(key)
        return await landed(self._subpaths, project, session)

    def _append(self, key: Key, lines: Sequence[Line], given: Sequence[Mapping[str, Any]]) -> None:
        if not lines:
            return
        project, session, subpath = key
        thread, now = thread_of(project, session), to_micros(self._clock())
        report = Report()
        with self._open().write() as connection:
            lineage = intern(connection, self._scope)
            talk = entries.open_session(connection, lineage[-1], clean(thread), now)
            transcript = transcripts.find(connection, self._scope, project, session, subpath)
            if transcript is None:
                transcript = transcripts.create(connection, lineage[-1], talk.id, project, session, subpath)
            fresh = _fresh(connection, transcript, lines)
            if not fresh:
                return
            new = [given[place] for place in fresh]
            summary = self._folded(transcript, new) if subpath == "" else None
            transcripts.append(
                connection,
                lineage[-1],
                transcript,
                [lines[place] for place in fresh],
                summary=summary,
                now_ms=now // 1_000,
            )
            said = self._said(connection, key, transcript, new) if subpath == "" else []
            if said:
                report = self._recorder().write(connection, said, self._scope, thread)
        self._added(report, thread)

    def _folded(self, transcript: TranscriptRow, new: Sequence[Mapping[str, Any]]) -> str | None:
        key = {"project_key": transcript.project, "session_id": transcript.name}
        before = None
        if transcript.lines:
            data = None if transcript.summary is None else _read_json(transcript.summary, "A summary")
            if not isinstance(data, dict):
                return None  # folded from the middle it would be wrong; without one the SDK reads the transcript
            before = {"session_id": transcript.name, "mtime": transcript.mtime, "data": data}
        return dump_json(self._fold(before, key, list(new))["data"])

    def _said(
        self, connection: Connection, key: Key, transcript: TranscriptRow, new: Sequence[Mapping[str, Any]]
    ) -> list[Message]:
        """Return what is to be recorded; what a fork has copied is recalled where it was said."""
        said = []
        for place, line in enumerate(new, transcript.lines):
            message = said_in(line, f"line-{place}")
            origin = copied_from(line)
            if message is not None and (origin is None or not self._is_recorded(connection, key[0], *origin)):
                said.append(message)
        return said

    def _is_recorded(self, connection: Connection, project: str, session: str, uuid: str) -> bool:
        talk = session_items.find_session(connection, self._scope, thread_of(project, session))
        if talk is None:
            return False
        if entries.known_by_id(connection, talk, [clean(uuid)]):
            return True
        row = transcripts.find(connection, self._scope, project, session, "")
        return row is not None and bool(transcripts.places(connection, row.id, [uuid]))  # itself the copy of a copy

    def _load(self, key: Key) -> list[Any] | None:
        with self._open().read() as connection:
            transcript = transcripts.find(connection, self._scope, *key)
            if transcript is None:
                return None
            texts = list(transcripts.bodies(connection, transcript.id))
        loaded = [_read_json(text, f"A line of {key[1]!r}") for text in texts]
        return [line for line in loaded if line is not None]

    def _mains(self, project_key: str) -> list[TranscriptRow]:
        project = _name("project_key", project_key)
        with self._open().read() as connection:
            return transcripts.mains(connection, self._scope, project)

    def _subpaths(self, project: str, session: str) -> list[str]:
        with self._open().read() as connection:
            return transcripts.subpaths(connection, self._scope, project, session)

    def _delete(self, key: Key) -> None:
        project, session, subpath = key
        if subpath == "":
            try:
                self._erase(thread_of(project, session))
            except NotFound:
                return  # never written: then it is gone
            return
        with self._open().write() as connection:
            transcript = transcripts.find(connection, self._scope, project, session, subpath)
            if transcript is not None:
                transcripts.erase_one(connection, transcript.id)
        if self._open().is_sqlite:
            self._open().truncate_log()


def _fresh(connection: Connection, transcript: TranscriptRow, lines: Sequence[Line]) -> list[int]:
    """Return the places of the lines that do not stand in the transcript yet."""
    named = [(place, line.uuid, line.digest) for place, line in enumerate(lines) if line.uuid is not None]
    known = transcripts.places(connection, transcript.id, [uuid for _, uuid, _ in named]) if transcript.lines else {}
    if known:
        first, uuid, _ = named[0]
        for position, _ in known.get(uuid, ()):
            start = position - first
            if start >= 0 and transcripts.run(connection, transcript.id, start, len(lines)) == [
                line.digest for line in lines
            ]:
                return []
    standing = {(uuid, digest) for uuid, found in known.items() for _, digest in found}
    fresh = []
    for place, line in enumerate(lines):
        if line.uuid is not None:
            if (line.uuid, line.digest) in standing:
                continue
            standing.add((line.uuid, line.digest))
        fresh.append(place)
    return fresh


def _lines(given: Any) -> list[Line]:
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Sequence):
        raise InvalidInput("entries is a list of dicts, one for each line of the transcript.")
    lines = []
    for index, entry in enumerate(given):
        if not isinstance(entry, Mapping):
            raise InvalidInput(f"Entry {index} is no dict but {type(entry).__name__}. Nothing was appended.")
        try:
            same = json.dumps(dict(entry), sort_keys=True, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise InvalidInput(
                f"Entry {index} holds something that JSON does not know ({error}). Nothing was appended."
            ) from None
        uuid = uuid_of(entry)
        digest = hashlib.md5(same.encode("ascii"), usedforsecurity=False).hexdigest()
        lines.append(Line(None if uuid is None else clean(uuid), digest, dump_json(dict(entry))))
    return lines


def _key(key: Any) -> Key:
    if not isinstance(key, Mapping):
        raise InvalidInput('A key is a dict. Write {"project_key": "shop", "session_id": "..."}.')
    project, session = _name("project_key", key.get("project_key")), _name("session_id", key.get("session_id"))
    check_thread(thread_of(project, session))
    subpath = key.get("subpath")
    return project, session, "" if subpath is None else _name("subpath", subpath)


def _name(what: str, given: Any) -> str:
    if not isinstance(given, str) or not given.strip() or "\0" in given:
        raise InvalidInput(f"{what} is non-blank text, not {given!r:.80}.")
    if len(given.encode("utf-8", "replace")) > LONGEST_NAME // 3:  # three of them are indexed together
        raise InvalidInput(f"{what} takes more than {LONGEST_NAME // 3:,} bytes; it is a name, not a text.")
    return clean(given)


def _read_json(text: str, what: str) -> Any:
    """Return the value, or None for what is damaged, which is told in the log: one line must not cost a session."""
    try:
        return json.loads(text)
    except ValueError:
        _log.warning("%s is damaged and left out.", what)
        return None
