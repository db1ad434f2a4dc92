"""Evidence links a memory to the entries and memories that it rests on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from langgraph_memory.storage.schema import entries, evidence, memories, sessions


def link(
    connection: Connection, memory_seq: int, source_seqs: Sequence[int], *, known: Collection[int] | None = None
) -> list[int]:
    """Note what the memory rests on, and return what of it is new; a source named twice counts once.

    Args:
        known: what it rests on already; looked up where it is not given.
    """
    if known is None:
        known = set(sources_of(connection, memory_seq)) if source_seqs else ()
    new = [seq for seq in dict.fromkeys(source_seqs) if seq not in known]
    link_all(connection, [(memory_seq, seq) for seq in new])
    return new


def link_all(connection: Connection, links: Sequence[tuple[int, int]]) -> None:
    """Note new pairs of a memory's `seq` and that of something it rests on."""
    if links:
        connection.execute(_LINK, [{"memory_seq": memory, "source_seq": source} for memory, source in links])


def unlink(connection: Connection, memory_seq: int, source_seqs: Sequence[int]) -> None:
    """Take links back."""
    connection.execute(
        sa.delete(evidence).where(evidence.c.memory_seq == memory_seq, evidence.c.source_seq.in_(list(source_seqs)))
    )


def sessions_of(connection: Connection, source_seqs: Sequence[int]) -> set[str]:
    """Return the sessions in which these entries were said."""
    query = (
        sa.select(sessions.c.thread_id)
        .join(entries, entries.c.session_id == sessions.c.id)
        .where(entries.c.seq.in_(list(source_seqs)))
    )
    return set(connection.execute(query).scalars())


def sources_of(connection: Connection, memory_seq: int) -> list[int]:
    """Return the `seq` of what the memory rests on."""
    return list(connection.execute(_SOURCES, {"memory": memory_seq}).scalars())


def ids_of(connection: Connection, seqs: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Return the ids of what each of these memories rests on, as far as it exists, by the memory's `seq`."""
    found: dict[int, tuple[str, ...]] = {}
    for start in range(0, len(seqs), 5_000):
        rows = connection.execute(_EVIDENCE_OF, {"seqs": list(seqs[start : start + 5_000])})
        for row in rows:
            if row.source_id is not None:  # the source may have been erased; the memory stays
                found[row.memory_seq] = (*found.get(row.memory_seq, ()), row.source_id)
    return found


# Built once: putting a statement together costs more than SQLite takes to run it.
_seqs: sa.BindParameter[Any] = sa.bindparam("seqs", expanding=True)
_LINK = sa.insert(evidence)
_SOURCES = (
    sa.select(evidence.c.source_seq)
    .where(evidence.c.memory_seq == sa.bindparam("memory"))
    .order_by(evidence.c.source_seq)
)
_EVIDENCE_OF = (
    sa.select(evidence.c.memory_seq, sa.func.coalesce(entries.c.message_id, memories.c.id).label("source_id"))
    .outerjoin(entries, entries.c.seq == evidence.c.source_seq)
    .outerjoin(memories, memories.c.seq == evidence.c.source_seq)
    .where(evidence.c.memory_seq.in_(_seqs))
    .order_by(evidence.c.memory_seq, evidence.c.source_seq)
)
