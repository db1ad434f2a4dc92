"""Ingesting reads a file of conversations or an export into a memory, part by part, and reports what became of it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from langgraph_memory.clock import Clock, to_micros
from langgraph_memory.errors import InvalidInput
from langgraph_memory.importing import ImportedMemory, ImportedSession, Refusal, read_file
from langgraph_memory.importing.export import memory_from_line
from langgraph_memory.records import Change, MemoryRecord, Message
from langgraph_memory.scope import Scope
from langgraph_memory.sessions.messages import message_digest, to_moment
from langgraph_memory.sessions.recorder import Recorder
from langgraph_memory.storage import entries, evidence, journal, memories
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.scopes import intern
from langgraph_memory.text.normalise import clean, normalise
from langgraph_memory.writing.curator import Curator
from langgraph_memory.writing.proposal import key_of

ACTOR = "import"
"""Who hides a message in its history when the file says that it was forgotten."""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What became of a file; nothing in it is missing from this.

    Attributes:
        path: the file.
        format: what it was read as, a name from `importing.FORMATS`.
        sessions: conversations that it holds.
        messages_added, messages_skipped: recorded now; recorded already.
        memories_added, memories_skipped: the same for the memories of an export.
        refusals: what was not taken, with its line and the reason.
    """

    path: str
    format: str
    sessions: int = 0
    messages_added: int = 0
    messages_skipped: int = 0
    memories_added: int = 0
    memories_skipped: int = 0
    refusals: tuple[Refusal, ...] = ()


OnProgress = Callable[[IngestReport], None]
"""Called after each session and each memory with the report so far."""


def ingest_file(
    path: str | os.PathLike[str],
    scope: Scope,
    *,
    database: Database,
    recorder: Recorder,
    curator: Curator,
    clock: Clock,
    format: str | None = None,
    on_progress: OnProgress | None = None,
) -> IngestReport:
    """Record everything that the file holds; see `Memory.ingest`.

    Each session (or thousand messages of it) is one transaction, so an interruption leaves whole ones, and
    repeating the call does the rest.
    """
    file = read_file(path, format)
    ingest = _Ingest(database, recorder, curator, clock, scope, IngestReport(os.fspath(path), file.format))
    for part in file:
        if isinstance(part, Refusal):
            ingest.refuse(part)
            continue
        if isinstance(part, ImportedSession):
            ingest.record(part)
        else:
            ingest.adopt(part)
        if on_progress is not None:
            on_progress(ingest.report)
    ingest.link()
    return ingest.report


@dataclass
class _Ingest:
    """One run over one file, with its tally."""

    database: Database
    recorder: Recorder
    curator: Curator
    clock: Clock
    scope: Scope
    tally: IngestReport
    refusals: list[Refusal] = field(default_factory=list)
    said: dict[tuple[tuple[str, ...], str], int] = field(default_factory=dict)
    unlinked: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def report(self) -> IngestReport:
        return replace(self.tally, sessions=len(self.said), refusals=tuple(self.refusals))

    def refuse(self, refusal: Refusal) -> None:
        self.refusals.append(refusal)

    def record(self, part: ImportedSession) -> None:
        """Record one part of a session, and hide again what was forgotten before the export."""
        key = (part.scope_suffix, part.session_id)
        start = self.said.get(key, 0)
        self.said[key] = start + len(part.messages)
        named = [_named(message, place) for place, message in enumerate(part.messages, start)]
        messages = [_without_mark(message) for message in named]
        scope = self._inside(part.scope_suffix)
        added = self._record(messages, scope, part.session_id)
        hidden = {_key(message): moment for message in named if (moment := _forgotten_at(message)) is not None}
        if hidden:
            self._hide(hidden, scope, part.session_id, added)

    def _record(self, messages: Sequence[Message], scope: Scope, thread_id: str) -> set[str | None]:
        """Record messages and return the ids of the new ones; what the store does not take is refused singly."""
        try:
            report = self.recorder.record(messages, scope, thread_id)
        except InvalidInput as error:
            if len(messages) > 1:
                return set().union(*(self._record([message], scope, thread_id) for message in messages))
            self.refuse(Refusal(None, f"session {thread_id[:80]}", str(error)))
            return set()
        self.tally = replace(
            self.tally,
            messages_added=self.tally.messages_added + len(report.added),
            messages_skipped=self.tally.messages_skipped + len(report.skipped) + len(report.restored),
        )
        return {outcome.id for outcome in report.added}

    def _hide(
        self, hidden: Mapping[tuple[str, str], datetime], scope: Scope, thread_id: str, added: set[str | None]
    ) -> None:
        """Hide these messages, given by id and digest, except where somebody here has decided otherwise since."""
        now = self.clock()
        with self.database.write() as connection:
            lineage = intern(connection, scope)
            session = entries.open_session(connection, lineage[-1], clean(thread_id), to_micros(now))
            known = entries.known_by_id(connection, session, [message_id for message_id, _ in hidden])
            seqs = {(message_id, digest): seq for message_id, found in known.items() for seq, digest, _ in found}
            stored = entries.by_seq(connection, scope, [seqs[key] for key in hidden if key in seqs])
            for key, moment in hidden.items():
                entry = stored.get(seqs.get(key, -1))
                if entry is None or entry.retired_at is not None:
                    continue
                if entry.message_id not in added and journal.history(connection, entry.message_id):
                    continue  # it was hidden by an earlier run and restored by a person
                change = Change(now, "retired", ACTOR, entry.message_id, None, None, "forgotten before the export")
                seq = self.database.take_seqs(connection, 1)
                journal.log(connection, [(seq, lineage[-1], change)])
                entries.set_retired(connection, lineage, entry.seq, to_micros(moment), seq)

    def adopt(self, part: ImportedMemory) -> None:
        """Take over one exported memory."""
        scope = self._inside(part.scope_suffix)
        try:
            record = _checked({**part.data, "scope": list(scope.segments)})
        except InvalidInput as error:
            self.refuse(Refusal(part.line, f"line {part.line}", str(error)))
            return
        report = self.curator.adopt(record)
        if report.added:
            self.tally = replace(self.tally, memories_added=self.tally.memories_added + 1)
        with self.database.read() as connection:
            kept = memories.by_id(connection, record.id)
        if kept is not None and kept.scope != scope:
            reason = (
                f"The memory {record.id} is kept in {kept.scope} already, and an id has one place in a store. "
                "Ingest it into that scope, or into a folder of its own."
            )
            self.refuse(Refusal(part.line, f"line {part.line}", reason))
        elif not report.added:
            self.tally = replace(self.tally, memories_skipped=self.tally.memories_skipped + 1)
        if kept is not None and not set(record.evidence) <= set(kept.evidence):
            self.unlinked[record.id] = record.evidence

    def link(self) -> None:
        """Link memories to the memories they rest on, which may stand further down in the file."""
        for memory_id, sources in self.unlinked.items():
            with self.database.write() as connection:
                found = [memories.by_id(connection, source) for source in (memory_id, *sources)]
                record, *rest = found
                if record is not None:
                    evidence.link(connection, record.seq, [other.seq for other in rest if other is not None])

    def _inside(self, suffix: Sequence[str]) -> Scope:
        return Scope((*self.scope.segments, *suffix))


def _named(message: Message, place: int) -> Message:
    """Give a message without an id one from its place in the session and what it says.

    A file that is read again, or is cut into parts elsewhere, then gives the same ids, and two equal lines
    in a row stay two.
    """
    if message.id is not None:
        return message
    digest = message_digest(message)
    if message.observed_at is not None:  # "hi" at another time is another "hi"
        digest = hashlib.md5(f"{digest}{to_micros(message.observed_at)}".encode(), usedforsecurity=False).hexdigest()
    return replace(message, id=f"{place}-{digest[:12]}")


def _key(message: Message) -> tuple[str, str]:
    return clean(message.id or ""), message_digest(message)


def _without_mark(message: Message) -> Message:
    if "forgotten_at" not in message.extra:
        return message
    return replace(message, extra={key: value for key, value in message.extra.items() if key != "forgotten_at"})


def _forgotten_at(message: Message) -> datetime | None:
    try:
        return to_moment(message.extra.get("forgotten_at"))
    except ValueError:
        return None


def _checked(data: dict[str, object]) -> MemoryRecord:
    """Return the record of a line, whose text may have been edited by hand since.

    Raises:
        InvalidInput: it is incomplete, malformed or blank.
    """
    record = memory_from_line(data)
    text = clean(record.text).strip()
    if not normalise(text):
        raise InvalidInput("This memory line cannot be read: its text is blank.")
    return replace(
        record,
        text=text,
        hash=key_of(text, record.schema, record.data, private_to=record.actor if record.private else None),
    )
