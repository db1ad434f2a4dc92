"""Entries: what was said, verbatim, appended once and never rewritten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from langgraph_memory.clock import from_micros
from langgraph_memory.records import Entry
from langgraph_memory.scope import Scope
from langgraph_memory.storage import outbox, text_index
from langgraph_memory.storage.database import dump_json, load_json
from langgraph_memory.storage.schema import entries, scopes, sessions
from langgraph_memory.storage.scopes import INSIDE, bounds, ids_inside, touch
from langgraph_memory.text.line import spoken_line
from langgraph_memory.text.normalise import clean
from langgraph_memory.text.tokenise import index_terms


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as its row in the database."""

    id: int
    scope_id: int
    entries: int
    started_at: int
    last_at: int


@dataclass(frozen=True, slots=True)
class NewEntry:
    """A message made ready to be stored: times in microseconds, content JSON-plain."""

    message_id: str
    digest: str
    role: str
    speaker: str
    text: str
    content: Any
    extra: Mapping[str, Any]
    observed_at: int


def open_session(connection: Connection, scope_id: int, thread_id: str, now: int) -> SessionRow:
    """Return the session's row, creating it at its first message."""
    row = connection.execute(_SESSION, {"scope": scope_id, "thread": thread_id}).one_or_none()
    if row is None:
        new = {"scope_id": scope_id, "thread_id": thread_id, "entries": 0, "started_at": now, "last_at": now}
        row = connection.execute(_NEW_SESSION, new).one()
    return SessionRow(row.id, row.scope_id, row.entries, row.started_at, row.last_at)


def known_by_id(
    connection: Connection, session: SessionRow, message_ids: Sequence[str]
) -> dict[str, list[tuple[int, str, int | None]]]:
    """Return `(seq, digest, replaced_by)` of the entries that these ids have in the session, oldest first."""
    found: dict[str, list[tuple[int, str, int | None]]] = {}
    for start in range(0, len(message_ids), 5_000):
        some = list(message_ids[start : start + 5_000])
        rows = connection.execute(_BY_MESSAGE_ID, {"session": session.id, "ids": some})
        for row in rows:
            found.setdefault(row.message_id, []).append((row.seq, row.digest, row.replaced_by))
    return found


def tail(connection: Connection, session: SessionRow, count: int) -> list[tuple[str, str, int]]:
    """Return `(message_id, digest, observed_at)` of the session's last `count` entries, in order."""
    rows = connection.execute(_TAIL, {"session": session.id, "count": count}).all()
    return [tuple(row) for row in reversed(rows)]


def runs_from(
    connection: Connection, session: SessionRow, digest: str, length: int
) -> list[list[tuple[str, str, int]]]:
    """Return every run of up to `length` consecutive entries that starts with this digest."""
    starts = connection.execute(_PLACES, {"session": session.id, "digest": digest}).scalars().all()
    runs = []
    for start in starts:
        rows = connection.execute(_RUN, {"session": session.id, "start": start, "end": start + length})
        runs.append([tuple(row) for row in rows])
    return runs


def behind(connection: Connection, session: SessionRow, message_id: str) -> list[tuple[str, str, int]]:
    """Return the entries directly behind those with this message id."""
    return [tuple(row) for row in connection.execute(_BEHIND, {"session": session.id, "id": message_id})]


def append(
    connection: Connection,
    *,
    lineage: list[int],
    session: SessionRow,
    first_seq: int,
    new: Sequence[NewEntry],
    now: int,
) -> None:
    """Store entries under consecutive numbers from `first_seq`, with their terms and what they owe the indexes."""
    seqs = range(first_seq, first_seq + len(new))
    connection.execute(
        _NEW_ENTRY,
        [
            {
                "seq": seq,
                "scope_id": session.scope_id,
                "session_id": session.id,
                "position": session.entries + offset,
                "message_id": entry.message_id,
                "digest": entry.digest,
                "role": entry.role,
                "speaker": entry.speaker,
                "text": entry.text,
                "content": None if entry.content == entry.text else dump_json(entry.content),
                "extra": dump_json(dict(entry.extra)) if entry.extra else None,
                "observed_at": entry.observed_at,
                "recorded_at": now,
            }
            for offset, (seq, entry) in enumerate(zip(seqs, new, strict=True))
        ],
    )
    text_index.put(
        connection,
        (
            text_index.IndexedText(seq, lineage, spoken_terms(entry.speaker, entry.observed_at, entry.text))
            for seq, entry in zip(seqs, new, strict=True)
        ),
    )
    outbox.post(connection, [seq for seq, entry in zip(seqs, new, strict=True) if entry.text.strip()], "embed")
    moments = [entry.observed_at for entry in new]
    started = min(moments) if session.entries == 0 else min(session.started_at, *moments)
    last = max(moments) if session.entries == 0 else max(session.last_at, *moments)
    size = session.entries + len(new)
    connection.execute(_GROWN, {"row": session.id, "entries": size, "started_at": started, "last_at": last})
    touch(connection, lineage, last_seq=seqs[-1])


def spoken_terms(speaker: str, observed_at: int, text: str) -> list[str]:
    """Return the terms under which a line is found: its own, its speaker's and its date's."""
    return index_terms(spoken_line(speaker, from_micros(observed_at), text))


def mark_replaced(connection: Connection, replaced: Mapping[int, int | None], changed_seq: int) -> None:
    """Note which versions stand for others: `{old seq: new seq}`, None for one that is current again; texts stay."""
    for old, new in replaced.items():
        connection.execute(
            sa.update(entries).where(entries.c.seq == old).values(replaced_by=new, changed_seq=changed_seq)
        )


def find(connection: Connection, scope: Scope, message_id: str, thread_id: str | None) -> list[Entry]:
    """Return the entries inside the scope with this message id, newest version of each session only."""
    query = _entries_in(scope).where(entries.c.message_id == clean(message_id), entries.c.replaced_by.is_(None))
    if thread_id is not None:
        query = query.where(sessions.c.thread_id == clean(thread_id))
    return [_entry(row) for row in connection.execute(query.order_by(entries.c.seq))]


def set_retired(connection: Connection, lineage: list[int], seq: int, retired_at: int | None, changed_seq: int) -> None:
    """Hide an entry from recall, or show it again (None); its text stays."""
    connection.execute(
        sa.update(entries).where(entries.c.seq == seq).values(retired_at=retired_at, changed_seq=changed_seq)
    )
    touch(connection, lineage, changed_seq=changed_seq)


def by_seq(connection: Connection, scope: Scope, seqs: Sequence[int]) -> dict[int, Entry]:
    """Return those of the entries that lie inside the scope, by `seq`."""
    found: dict[int, Entry] = {}
    for start in range(0, len(seqs), 5_000):
        asked = {**bounds(scope), "seqs": list(seqs[start : start + 5_000])}
        found.update((row.seq, _entry(row)) for row in connection.execute(_BY_SEQ, asked))
    return found


def page(
    connection: Connection,
    scope: Scope,
    thread_id: str,
    *,
    after: int | None,
    limit: int | None,
    newest_first: bool,
    include_history: bool,
) -> list[Entry]:
    """Return entries of one session in order (or newest first), beyond the position `after`."""
    query = _ENTRIES.where(scopes.c.path == scope.path, sessions.c.thread_id == clean(thread_id))
    if not include_history:
        query = query.where(entries.c.replaced_by.is_(None), entries.c.retired_at.is_(None))
    if after is not None:
        query = query.where(entries.c.position < after if newest_first else entries.c.position > after)
    order = entries.c.position.desc() if newest_first else entries.c.position
    return [_entry(row) for row in connection.execute(query.order_by(order).limit(limit))]


def after_seq(connection: Connection, scope: Scope, seq: int, limit: int) -> list[Entry]:
    """Return the next entries inside the scope recorded after `seq`, in order of recording."""
    query = _entries_in(scope).where(entries.c.seq > seq).order_by(entries.c.seq).limit(limit)
    return [_entry(row) for row in connection.execute(query)]


def taken_back(connection: Connection, scope: Scope) -> dict[int, list[Entry]]:
    """Return the replaced versions that were recorded after the current one, in order, by the current one's `seq`."""
    current = entries.alias()
    query = (
        _entries_in(scope)
        .add_columns(current.c.seq.label("current_seq"))
        .join(
            current,
            sa.and_(
                current.c.session_id == entries.c.session_id,
                current.c.message_id == entries.c.message_id,
                current.c.replaced_by.is_(None),
                current.c.seq < entries.c.seq,
            ),
        )
        .where(entries.c.replaced_by.is_not(None))
        .order_by(entries.c.seq)
    )
    found: dict[int, list[Entry]] = {}
    for row in connection.execute(query):
        found.setdefault(row.current_seq, []).append(_entry(row))
    return found


def of_session(
    connection: Connection, scope: Scope, session_row: int, *, after: int = 0, before: int | None = None, limit: int
) -> list[Entry]:
    """Return a session's entries between two `seq`, both excluded: the first ones, or the last ones before `before`."""
    asked = {"path": scope.path, "session": session_row, "after": after, "before": before, "count": limit}
    if before is None:
        return [_entry(row) for row in connection.execute(_FIRST_OF_SESSION, asked)]
    return [_entry(row) for row in connection.execute(_LAST_OF_SESSION, asked)][::-1]


def system_texts(connection: Connection, session_row: int, limit: int) -> list[str]:
    """Return the newest different texts that a developer told the model in a session."""
    return list(connection.execute(_SYSTEM_TEXTS, {"session": session_row, "count": limit}).scalars())


# Statements of every turn are built once: putting one together costs more than SQLite takes to run it.
_in_session = entries.c.session_id == sa.bindparam("session")
_known = sa.select(entries.c.message_id, entries.c.digest, entries.c.observed_at).where(_in_session)
_SESSION = sa.select(sessions).where(
    sessions.c.scope_id == sa.bindparam("scope"), sessions.c.thread_id == sa.bindparam("thread")
)
_NEW_SESSION = sa.insert(sessions).returning(sessions)
_GROWN = sa.update(sessions).where(sessions.c.id == sa.bindparam("row"))
_NEW_ENTRY = sa.insert(entries)
_BY_MESSAGE_ID = (
    sa.select(entries.c.message_id, entries.c.seq, entries.c.digest, entries.c.replaced_by)
    .where(_in_session, entries.c.message_id.in_(sa.bindparam("ids", expanding=True)))
    .order_by(entries.c.seq)
)
_TAIL = _known.order_by(entries.c.position.desc()).limit(sa.bindparam("count"))
_before = entries.alias()
_BEHIND = _known.where(
    entries.c.replaced_by.is_(None),
    entries.c.position.in_(
        sa.select(_before.c.position + 1).where(
            _before.c.session_id == sa.bindparam("session"), _before.c.message_id == sa.bindparam("id")
        )
    ),
)
_PLACES = sa.select(entries.c.position).where(_in_session, entries.c.digest == sa.bindparam("digest"))
_RUN = _known.where(entries.c.position >= sa.bindparam("start"), entries.c.position < sa.bindparam("end")).order_by(
    entries.c.position
)


def _entry(row: Any) -> Entry:
    # By place, as `_READ` has them: this runs for every line that is shown, and names cost as much as the rest.
    seq, path, thread, position, message_id, role, speaker, text, content, said, at, extra, replaced_by, gone = row[:14]
    return Entry(
        seq,
        Scope.from_path(path),
        thread,
        position,
        message_id,
        role,
        speaker,
        text,
        text if content is None else load_json(content),
        from_micros(said),
        from_micros(at),
        {} if extra is None else load_json(extra),
        replaced_by,
        None if gone is None else from_micros(gone),
    )


# The same for what is read back.
_READ = (
    entries.c.seq,
    scopes.c.path,
    sessions.c.thread_id,
    entries.c.position,
    entries.c.message_id,
    entries.c.role,
    entries.c.speaker,
    entries.c.text,
    entries.c.content,
    entries.c.observed_at,
    entries.c.recorded_at,
    entries.c.extra,
    entries.c.replaced_by,
    entries.c.retired_at,
)
_ENTRIES = (
    sa.select(*_READ)
    .select_from(entries)
    .join(sessions, sessions.c.id == entries.c.session_id)
    .join(scopes, scopes.c.id == entries.c.scope_id)
)
_BY_SEQ = _ENTRIES.where(entries.c.scope_id.in_(INSIDE), entries.c.seq.in_(sa.bindparam("seqs", expanding=True)))
_OF_SESSION = _ENTRIES.where(scopes.c.path == sa.bindparam("path"), _in_session, entries.c.seq > sa.bindparam("after"))
_FIRST_OF_SESSION = _OF_SESSION.order_by(entries.c.seq).limit(sa.bindparam("count"))
_LAST_OF_SESSION = (
    _OF_SESSION.where(entries.c.seq < sa.bindparam("before"))
    .order_by(entries.c.seq.desc())
    .limit(sa.bindparam("count"))
)
_SYSTEM_TEXTS = (
    sa.select(entries.c.text)
    .where(_in_session, entries.c.role == "system", entries.c.text != "")
    .group_by(entries.c.text)
    .order_by(sa.func.max(entries.c.seq).desc())
    .limit(sa.bindparam("count"))
)


def _entries_in(scope: Scope) -> sa.Select[Any]:
    return _ENTRIES.where(entries.c.scope_id.in_(ids_inside(scope)))
