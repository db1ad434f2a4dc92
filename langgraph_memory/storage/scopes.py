"""Scopes as numbers: interning paths, finding what lies inside a scope, and noticing that it changed."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from langgraph_memory.errors import ScopeError
from langgraph_memory.scope import Scope
from langgraph_memory.storage.schema import counters, scopes

LONGEST_PATH = 2_000
"""Bytes of a scope's path: PostgreSQL indexes no text over 2,700, and 2,000 hold six segments of 80 emoji."""


@dataclass(frozen=True, slots=True)
class ScopeState:
    """What a cache must compare: equal states mean that nothing inside the scope has changed.

    Attributes:
        last_seq: the newest row inside the scope or below; grows with every append.
        changed_seq: the newest retirement, restoration or replacement inside it.
        erased_seq: the newest erasure inside it; what was read before is void.
    """

    last_seq: int
    changed_seq: int
    erased_seq: int


def intern(connection: Connection, scope: Scope) -> list[int]:
    """Return the row ids of the scope's ancestors and itself, widest first, creating what is missing.

    A scope that comes back after an erasure starts with another `erased_seq` than it had, so that no cache
    takes it for the old one.

    Raises:
        ScopeError: the scope is too long to be indexed.
    """
    paths = [ancestor.path for ancestor in scope.ancestors()]
    known = _ids(connection, paths)
    missing = [path for path in paths if path not in known]
    if missing:
        size = len(scope.path.encode())
        if size > LONGEST_PATH:
            raise ScopeError(f"The scope takes {size:,} bytes, more than {LONGEST_PATH:,}. Use shorter segments.")
        now = connection.execute(sa.select(counters.c.value).where(counters.c.name == "seq")).scalar_one()
        connection.execute(
            sa.insert(scopes), [{"path": path, "last_seq": 0, "changed_seq": 0, "erased_seq": now} for path in missing]
        )
        known = _ids(connection, paths)
    return [known[path] for path in paths]


def lineage(connection: Connection, scope: Scope) -> list[int]:
    """Return the row ids of the ancestors and of the scope itself, as far as they exist."""
    paths = [ancestor.path for ancestor in scope.ancestors()]
    known = _ids(connection, paths)
    return [known[path] for path in paths if path in known]


def inside(scope: Scope) -> sa.ColumnElement[bool]:
    """Return the condition "this `scopes` row is the scope or lies inside it".

    A path ends in `/`, so everything inside sorts from the path up to the same text with its last
    character raised by one (`/` + 1 = `0`).
    """
    at = bounds(scope)
    return sa.and_(scopes.c.path >= at["low"], scopes.c.path < at["high"])


def inner_scopes(connection: Connection, scope: Scope, *, limit: int) -> list[Scope]:
    """Return scopes inside this one, those with the newest rows first, at most so many."""
    query = sa.select(scopes.c.path).where(inside(scope), scopes.c.path != scope.path)
    newest = query.order_by(scopes.c.last_seq.desc(), scopes.c.path).limit(limit)
    return [Scope.from_path(path) for path in connection.execute(newest).scalars()]


def bounds(scope: Scope) -> dict[str, str]:
    """Return what `INSIDE` must be given."""
    path = scope.path
    return {"low": path, "high": path[:-1] + chr(ord(path[-1]) + 1)}


def ids_inside(scope: Scope) -> sa.Select[tuple[int]]:
    """Return the query for the ids of the scope and of all scopes inside it."""
    return sa.select(scopes.c.id).where(inside(scope))


def state(connection: Connection, scope: Scope) -> ScopeState | None:
    """Return the scope's present state, or None where nothing was ever recorded in it."""
    row = connection.execute(_STATE, {"at": scope.path}).one_or_none()
    return None if row is None else ScopeState(row.last_seq, row.changed_seq, row.erased_seq)


def touch(connection: Connection, ids: list[int], **seqs: int) -> None:
    """Note on a lineage what happened inside it: `last_seq`, `changed_seq` or `erased_seq`, by name."""
    connection.execute(_TOUCH, [{"row": scope_id, **seqs} for scope_id in ids])


def _ids(connection: Connection, paths: list[str]) -> dict[str, int]:
    return {row.path: row.id for row in connection.execute(_IDS, {"paths": paths})}


# Statements of every turn are built once: putting one together costs more than SQLite takes to run it.
_IDS = sa.select(scopes.c.path, scopes.c.id).where(scopes.c.path.in_(sa.bindparam("paths", expanding=True)))
_STATE = sa.select(scopes.c.last_seq, scopes.c.changed_seq, scopes.c.erased_seq).where(
    scopes.c.path == sa.bindparam("at")
)
INSIDE = sa.select(scopes.c.id).where(scopes.c.path >= sa.bindparam("low"), scopes.c.path < sa.bindparam("high"))
"""What `ids_inside` returns, for statements that are built once; the scope comes with `bounds`."""
_TOUCH = sa.update(scopes).where(scopes.c.id == sa.bindparam("row"))
