"""Leases: one process at a time does a named piece of upkeep, and one that died gives way after a while."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from langgraph_memory.storage.schema import leases


def take(connection: Connection, name: str, holder: str, now: int, until: int) -> bool:
    """Take or prolong a lease in a writing transaction, until a time in microseconds; say whether it is held.

    One that lies further ahead than a lease can last (twice the time asked for, clocks differ) is void: a clock was
    wrong.
    """
    row = connection.execute(sa.select(leases).where(leases.c.name == name)).one_or_none()
    if row is None:
        connection.execute(sa.insert(leases).values(name=name, holder=holder, until=until))
        return True
    if row.holder != holder and now < row.until <= now + 2 * (until - now):
        return False
    connection.execute(sa.update(leases).where(leases.c.name == name).values(holder=holder, until=until))
    return True


def release_all(connection: Connection, holder: str) -> None:
    """Give back every lease of a holder."""
    connection.execute(sa.delete(leases).where(leases.c.holder == holder))


def release(connection: Connection, name: str, holder: str) -> None:
    """Give a lease back; one that somebody else has taken over is left alone."""
    connection.execute(sa.delete(leases).where(leases.c.name == name, leases.c.holder == holder))
