"""The log of recalls: which rows were found, by which questions, on which days, and how well."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from langgraph_memory.storage.owners import existing
from langgraph_memory.storage.schema import recalls

_CHUNK = 5_000


@dataclass(frozen=True, slots=True)
class Recalled:
    """How often one question found one row on one day.

    Attributes:
        query_hash: of the question; the question itself is not kept.
        day: whole days since 1970, UTC.
        total, best: sum and maximum of the hit's scores.
        last_at: microseconds.
    """

    owner_seq: int
    query_hash: str
    day: int
    times: int
    total: float
    best: float
    last_at: int


def add(connection: Connection, found: Sequence[Recalled]) -> None:
    """Add to what the log holds; what was erased meanwhile is passed over."""
    here = existing(connection, sorted({row.owner_seq for row in found}))
    rows = [{column.name: getattr(row, column.name) for column in recalls.c} for row in found if row.owner_seq in here]
    if rows:
        connection.execute(_ADD[connection.dialect.name], rows)


def of(connection: Connection, owner_seq: int) -> list[Recalled]:
    """Return what the log holds of one row, the oldest day first."""
    query = sa.select(recalls).where(recalls.c.owner_seq == owner_seq)
    return [Recalled(**row) for row in connection.execute(query.order_by(recalls.c.day, recalls.c.last_at)).mappings()]


def last_recalled(connection: Connection, seqs: Sequence[int]) -> dict[int, int]:
    """Return when each of these rows was last recalled, in microseconds; those never recalled are missing."""
    found: dict[int, int] = {}
    for some in _chunks(seqs):
        found.update((row.owner_seq, row.last) for row in connection.execute(_LAST, {"seqs": some}))
    return found


def erase(connection: Connection, seqs: Collection[int]) -> None:
    """Forget that these rows were ever recalled."""
    for some in _chunks(sorted(seqs)):
        connection.execute(sa.delete(recalls).where(recalls.c.owner_seq.in_(some)))


def _chunks(seqs: Sequence[int]) -> Iterator[list[int]]:
    for start in range(0, len(seqs), _CHUNK):
        yield list(seqs[start : start + _CHUNK])


_LAST = (
    sa.select(recalls.c.owner_seq, sa.func.max(recalls.c.last_at).label("last"))
    .where(recalls.c.owner_seq.in_(sa.bindparam("seqs", expanding=True)))
    .group_by(recalls.c.owner_seq)
)


def _upsert(insert: sqlite.Insert | postgresql.Insert) -> sqlite.Insert | postgresql.Insert:
    new, old = insert.excluded, recalls.c
    return insert.on_conflict_do_update(
        index_elements=[old.owner_seq, old.query_hash, old.day],
        set_={
            "times": old.times + new.times,
            "total": old.total + new.total,
            "best": sa.case((new.best > old.best, new.best), else_=old.best),
            "last_at": sa.case((new.last_at > old.last_at, new.last_at), else_=old.last_at),
        },
    )


_ADD = {"sqlite": _upsert(sqlite.insert(recalls)), "postgresql": _upsert(postgresql.insert(recalls))}
