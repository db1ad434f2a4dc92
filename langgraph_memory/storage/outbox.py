"""The outbox lists what the derived indexes still owe: it is filled with the truth and emptied after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from langgraph_memory.scope import Scope
from langgraph_memory.storage.schema import entries, memories, outbox, scopes, vectors
from langgraph_memory.storage.scopes import INSIDE, bounds

Stage = Literal["embed", "index", "drop", "link"]
"""`embed`: a vector is owed. `index`: a row in the vector index is owed. `drop`: its removal is owed. `link`: the
entities that a memory mentions are owed."""


@dataclass(frozen=True, slots=True)
class Task:
    """One thing owed to a derived index."""

    id: int
    owner_seq: int
    stage: Stage


LONGEST_CLAIM = 600_000_000
"""Microseconds that a task is left alone at most; what lies further in the future was written by a wrong clock."""

_POST = sa.insert(outbox)
_owed = sa.select(outbox.c.owner_seq).where(outbox.c.stage.in_(("embed", "index")))
_WAITING = (
    sa.union(
        _owed.join(entries, entries.c.seq == outbox.c.owner_seq).where(entries.c.scope_id.in_(INSIDE)),
        _owed.join(memories, memories.c.seq == outbox.c.owner_seq).where(memories.c.scope_id.in_(INSIDE)),
    )
    .order_by(sa.desc("owner_seq"))
    .limit(sa.bindparam("count"))
)


_UNREAD = (
    sa.select(memories.c.seq)
    .join(outbox, sa.and_(outbox.c.owner_seq == memories.c.seq, outbox.c.stage == "embed"))
    .join(scopes, scopes.c.id == memories.c.scope_id)
    .outerjoin(vectors, sa.and_(vectors.c.owner_seq == memories.c.seq, vectors.c.model_id == sa.bindparam("model")))
    .where(scopes.c.path == sa.bindparam("path"), memories.c.retired_at.is_(None), vectors.c.owner_seq.is_(None))
    .distinct()
    .order_by(memories.c.seq)
)


def post(connection: Connection, seqs: Sequence[int], *stages: Stage) -> None:
    """Owe these stages to each of these rows, in the transaction that made it necessary."""
    if seqs:
        owed = [{"owner_seq": seq, "stage": stage, "claimed_until": 0} for seq in seqs for stage in stages]
        connection.execute(_POST, owed)


def claim(connection: Connection, stages: Sequence[Stage], limit: int, now: int, until: int) -> list[Task]:
    """Take up to `limit` unclaimed tasks, oldest first, for this process until the given time (microseconds).

    A claim only saves double work: tasks are idempotent, and one whose holder died is free again later. One that
    reaches beyond `LONGEST_CLAIM` from now is void.
    """
    free = sa.or_(outbox.c.claimed_until <= now, outbox.c.claimed_until > now + LONGEST_CLAIM)
    rows = connection.execute(
        sa.select(outbox.c.id, outbox.c.owner_seq, outbox.c.stage)
        .where(outbox.c.stage.in_(stages), free)
        .order_by(outbox.c.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
    ).all()
    if rows:
        connection.execute(
            sa.update(outbox).where(outbox.c.id.in_([row.id for row in rows])).values(claimed_until=until)
        )
    return [Task(row.id, row.owner_seq, row.stage) for row in rows]


def waiting(connection: Connection, scope: Scope, limit: int) -> list[int]:
    """Return up to `limit` rows inside the scope that the vector index may not hold yet, newest first."""
    asked = {**bounds(scope), "count": limit}
    return list(connection.execute(_WAITING, asked).scalars())


def memories_to_embed(connection: Connection, scope: Scope, model_id: int) -> list[int]:
    """Return the live memories of exactly this scope that have no vector yet."""
    return list(connection.execute(_UNREAD, {"path": scope.path, "model": model_id}).scalars())


def advance(connection: Connection, tasks: Sequence[Task], stage: Stage) -> None:
    """Move tasks to their next stage, free for whoever does that one."""
    if tasks:
        connection.execute(
            sa.update(outbox).where(outbox.c.id.in_([task.id for task in tasks])).values(stage=stage, claimed_until=0)
        )


def postpone(connection: Connection, tasks: Sequence[Task], until: int) -> None:
    """Leave tasks alone until a later time (microseconds)."""
    if tasks:
        connection.execute(
            sa.update(outbox).where(outbox.c.id.in_([task.id for task in tasks])).values(claimed_until=until)
        )


def release(connection: Connection, tasks: Sequence[Task]) -> None:
    """Give claimed tasks back undone."""
    postpone(connection, tasks, 0)


def settle(connection: Connection, tasks: Sequence[Task]) -> None:
    """Remove tasks that are done."""
    if tasks:
        connection.execute(sa.delete(outbox).where(outbox.c.id.in_([task.id for task in tasks])))


def any_owed(connection: Connection, stages: Sequence[Stage]) -> bool:
    """Say whether any task waits in one of these stages."""
    return connection.execute(sa.select(outbox.c.id).where(outbox.c.stage.in_(stages)).limit(1)).first() is not None


def owed(connection: Connection) -> dict[Stage, int]:
    """Return how many tasks wait in each stage."""
    rows = connection.execute(sa.select(outbox.c.stage, sa.func.count().label("tasks")).group_by(outbox.c.stage))
    return {row.stage: row.tasks for row in rows}
