"""Erasure destroys what a scope or a session holds, everywhere, and gives a receipt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from langgraph_memory.clock import Clock
from langgraph_memory.errors import NotFound
from langgraph_memory.records import Receipt
from langgraph_memory.scope import Scope
from langgraph_memory.storage import (
    crash_points,
    entities,
    items,
    outbox,
    recalls,
    session_items,
    text_index,
    transcripts,
)
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.schema import entries, evidence, journal, memories, scopes, sessions, vectors, watermarks
from langgraph_memory.storage.schema import outbox as outbox_table
from langgraph_memory.storage.scopes import ids_inside, lineage, touch
from langgraph_memory.text.normalise import clean

_CHUNK = 5_000


def erase(database: Database, clock: Clock, scope: Scope, thread_id: str | None) -> Receipt:
    """Delete every row of the scope and of all inside it, or of one session of exactly this scope.

    With a scope go the items of the store whose namespace begins with its labels.

    The vector index still owes the removal of its copies when this returns; `Indexer.flush` pays it.

    Raises:
        NotFound: there is no such session.
    """
    with database.write() as connection:
        ids: list[int] = list(connection.scalars(ids_inside(scope)))
        ancestors = lineage(connection, scope)
        if thread_id is None:
            counts = _erase_scopes(connection, ids)
            counts["items"], item_vectors = items.erase_inside(connection, scope.namespace())
            counts["vectors"] += item_vectors
            ancestors = [scope_id for scope_id in ancestors if scope_id not in set(ids)]
        else:
            counts = _erase_session(connection, scope, thread_id)
        if ancestors:
            touch(connection, ancestors, erased_seq=database.take_seqs(connection, 1))
        text_index.forget_traces(connection)
    if database.is_sqlite:
        crash_points.reach("before log is emptied")
        database.truncate_log()
    return Receipt(scope, clock(), counts)


def _erase_scopes(connection: Connection, ids: Sequence[int]) -> dict[str, int]:
    counts = {"messages": 0, "memories": 0, "entities": 0, "sessions": 0, "history": 0, "vectors": 0, "scopes": 0}
    lines = 0
    for start in range(0, len(ids), _CHUNK):
        some = list(ids[start : start + _CHUNK])
        said = list(connection.execute(sa.select(entries.c.seq).where(entries.c.scope_id.in_(some))).scalars())
        known = list(connection.execute(sa.select(memories.c.seq).where(memories.c.scope_id.in_(some))).scalars())
        counts["vectors"] += _erase_derived(connection, [*said, *known])
        named = entities.erase_in(connection, some)
        counts["entities"] += len(named)
        counts["vectors"] += _erase_vectors(connection, named)
        counts["history"] += _delete(connection, journal, journal.c.scope_id.in_(some))
        for begin in range(0, len(known), _CHUNK):
            _delete(connection, evidence, evidence.c.memory_seq.in_(known[begin : begin + _CHUNK]))
        _erase_sources(connection, [*said, *known])
        talks = list(connection.scalars(_sessions_of(some)))
        session_items.erase_links(connection, talks)
        lines += transcripts.erase_of_sessions(connection, talks)
        counts["memories"] += _delete(connection, memories, memories.c.scope_id.in_(some))
        counts["messages"] += _delete(connection, entries, entries.c.scope_id.in_(some))
        _delete(connection, watermarks, watermarks.c.session_id.in_(_sessions_of(some)))
        counts["sessions"] += _delete(connection, sessions, sessions.c.scope_id.in_(some))
        counts["scopes"] += _delete(connection, scopes, scopes.c.id.in_(some))
    return _with_lines(counts, lines)


def _sessions_of(scope_ids: list[int]) -> sa.Select[Any]:
    return sa.select(sessions.c.id).where(sessions.c.scope_id.in_(scope_ids))


def _erase_session(connection: Connection, scope: Scope, thread_id: str) -> dict[str, int]:
    session_id = connection.execute(
        sa.select(sessions.c.id)
        .join(scopes, scopes.c.id == sessions.c.scope_id)
        .where(scopes.c.path == scope.path, sessions.c.thread_id == clean(thread_id))
    ).scalar_one_or_none()
    if session_id is None:
        raise NotFound(f"There is no session {thread_id!r} in {scope}. sessions() lists the ones there are.")
    said = list(connection.execute(sa.select(entries.c.seq).where(entries.c.session_id == session_id)).scalars())
    vectors_gone = _erase_derived(connection, said)
    _erase_sources(connection, said)
    mine = sa.select(entries.c.message_id).where(entries.c.session_id == session_id)
    here = sa.select(scopes.c.id).where(scopes.c.path == scope.path).scalar_subquery()
    elsewhere = sa.select(entries.c.message_id).where(entries.c.scope_id == here, entries.c.session_id != session_id)
    history = _delete(
        connection,
        journal,
        sa.and_(journal.c.scope_id == here, journal.c.memory_id.in_(mine), journal.c.memory_id.not_in(elsewhere)),
    )
    session_items.erase_links(connection, [session_id])
    lines = transcripts.erase_of_sessions(connection, [session_id])
    messages = _delete(connection, entries, entries.c.session_id == session_id)
    _delete(connection, watermarks, watermarks.c.session_id == session_id)
    counts = {
        "messages": messages,
        "history": history,
        "sessions": _delete(connection, sessions, sessions.c.id == session_id),
        "vectors": vectors_gone,
    }
    return _with_lines(counts, lines)


def _with_lines(counts: dict[str, int], lines: int) -> dict[str, int]:
    """Count the lines of other toolkits' transcripts too, where there were any."""
    return {**counts, "transcript_lines": lines} if lines else counts


def _erase_sources(connection: Connection, seqs: Sequence[int]) -> None:
    """Unlink what rested on these rows; the memories themselves, in wider scopes, stay."""
    for start in range(0, len(seqs), _CHUNK):
        _delete(connection, evidence, evidence.c.source_seq.in_(list(seqs[start : start + _CHUNK])))


def _erase_derived(connection: Connection, seqs: Sequence[int]) -> int:
    """Remove terms, counts of recalls, vectors and what was owed; owe the removal from the vector index."""
    text_index.drop(connection, seqs)
    recalls.erase(connection, seqs)
    gone = _erase_vectors(connection, seqs)
    outbox.post(connection, seqs, "drop")
    return gone


def _erase_vectors(connection: Connection, seqs: Sequence[int]) -> int:
    """Remove vectors and what was owed."""
    gone = 0
    for start in range(0, len(seqs), _CHUNK):
        some = list(seqs[start : start + _CHUNK])
        _delete(connection, outbox_table, outbox_table.c.owner_seq.in_(some))
        gone += _delete(connection, vectors, vectors.c.owner_seq.in_(some))
    return gone


def _delete(connection: Connection, table: sa.Table, condition: sa.ColumnElement[bool]) -> int:
    return connection.execute(sa.delete(table).where(condition)).rowcount
