"""Which entries a session shows: its own, and those that a branch shares with the session it came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from langgraph_memory.scope import Scope
from langgraph_memory.storage import session_heads
from langgraph_memory.storage.entries import SessionRow
from langgraph_memory.storage.schema import branches, entries, scopes, session_items, sessions
from langgraph_memory.text.normalise import clean

_CHUNK = 5_000


@dataclass(frozen=True, slots=True)
class BranchRow:
    """A branch as its row in the database; the root is the session that the first branch came from."""

    session_row: int
    root_row: int
    name: str
    from_turn: int
    created_at: int
    deleted_at: int | None


def find_session(connection: Connection, scope: Scope, thread_id: str) -> SessionRow | None:
    """Return the row of a session of exactly this scope, or None where nothing was recorded in it."""
    row = connection.execute(
        sa.select(sessions)
        .join(scopes, scopes.c.id == sessions.c.scope_id)
        .where(scopes.c.path == scope.path, sessions.c.thread_id == clean(thread_id))
    ).one_or_none()
    return None if row is None else SessionRow(row.id, row.scope_id, row.entries, row.started_at, row.last_at)


def visible(connection: Connection, session_row: int, limit: int | None = None, *, covered: bool = False) -> list[int]:
    """Return the `seq` of the last `limit` entries that a session has, in order; all of them for None.

    A branch is younger than everything it shares, so its own entries come last.

    Args:
        covered: also those that the session's head stands for; see `session_heads`.
    """

    def last(query: sa.Select[Any], order: sa.ColumnElement[Any], count: int | None) -> list[int]:
        if not covered:
            query = query.where(entries.c.seq.not_in(session_heads.covered(session_row)))
        return list(connection.scalars(query.order_by(order).limit(count)))

    own = last(_own(session_row), entries.c.position.desc(), limit)
    left = None if limit is None else limit - len(own)
    shared = last(_shared(session_row), entries.c.seq.desc(), left) if left is None or left > 0 else []
    return [*reversed(shared), *reversed(own)]


def same(connection: Connection, session_row: int, digests: Sequence[str], message_ids: Sequence[str]) -> list[int]:
    """Return the `seq` of the entries that a session shows and that have one of these digests or message ids."""
    found: set[int] = set()
    for column, values in ((entries.c.digest, digests), (entries.c.message_id, message_ids)):
        for start in range(0, len(values), _CHUNK):
            wanted = column.in_(list(values[start : start + _CHUNK]))
            for query in (_own(session_row), _shared(session_row)):
                found.update(connection.scalars(query.where(wanted)))
    return sorted(found)


def shown_of(connection: Connection, session_row: int, seqs: Sequence[int]) -> set[int]:
    """Return those of the entries that a session has, whether its head stands for them or not."""
    found: set[int] = set()
    for start in range(0, len(seqs), _CHUNK):
        wanted = entries.c.seq.in_(list(seqs[start : start + _CHUNK]))
        for query in (_own(session_row), _shared(session_row)):
            found.update(connection.scalars(query.where(wanted)))
    return found


def share(connection: Connection, session_row: int, seqs: Sequence[int]) -> None:
    """Let a session show entries of another one."""
    if seqs:
        rows = [{"session_id": session_row, "entry_seq": seq, "hidden": False} for seq in seqs]
        connection.execute(sa.insert(session_items), rows)


def take_out(connection: Connection, session_row: int, seqs: Sequence[int]) -> list[int]:
    """Let a session show these entries no longer; return those that no other session shows either, in order."""
    nobodys: list[int] = []
    for seq in seqs:
        mine = sa.and_(session_items.c.session_id == session_row, session_items.c.entry_seq == seq)
        was_shared = connection.execute(sa.delete(session_items).where(mine)).rowcount > 0
        others = list(connection.scalars(sa.select(session_items.c.hidden).where(session_items.c.entry_seq == seq)))
        if was_shared:
            if others and all(others):  # its own session took it out before, and no other branch shows it
                connection.execute(sa.delete(session_items).where(session_items.c.entry_seq == seq))
                nobodys.append(seq)
        elif others:
            connection.execute(sa.insert(session_items).values(session_id=session_row, entry_seq=seq, hidden=True))
        else:
            nobodys.append(seq)
    return nobodys


def add_branch(
    connection: Connection, session_row: int, root_row: int, name: str, from_turn: int, created_at: int
) -> None:
    """Note that a session is a branch."""
    connection.execute(
        sa.insert(branches).values(
            session_id=session_row, root_id=root_row, name=name, from_turn=from_turn, created_at=created_at
        )
    )


def branch_of(connection: Connection, session_row: int) -> BranchRow | None:
    """Return the branch that a session is, or None where it is none."""
    return _branch(connection.execute(sa.select(branches).where(branches.c.session_id == session_row)).one_or_none())


def branches_of(connection: Connection, root_row: int) -> list[BranchRow]:
    """Return every branch of a root session, deleted ones too, oldest first."""
    query = sa.select(branches).where(branches.c.root_id == root_row).order_by(branches.c.session_id)
    return [row for row in map(_branch, connection.execute(query)) if row is not None]


def mark_deleted(connection: Connection, session_row: int, deleted_at: int) -> None:
    """Note that a branch was deleted; its name stays taken."""
    connection.execute(sa.update(branches).where(branches.c.session_id == session_row).values(deleted_at=deleted_at))


def erase_links(connection: Connection, session_rows: Sequence[int]) -> None:
    """Remove what ties sessions together, before the sessions and their entries are erased."""
    session_heads.erase(connection, session_rows)
    for start in range(0, len(session_rows), _CHUNK):
        some = list(session_rows[start : start + _CHUNK])
        said = sa.select(entries.c.seq).where(entries.c.session_id.in_(some))
        connection.execute(
            sa.delete(session_items).where(
                sa.or_(session_items.c.session_id.in_(some), session_items.c.entry_seq.in_(said))
            )
        )
        connection.execute(
            sa.delete(branches).where(sa.or_(branches.c.session_id.in_(some), branches.c.root_id.in_(some)))
        )


def _live(query: sa.Select[Any]) -> sa.Select[Any]:
    return query.where(entries.c.replaced_by.is_(None), entries.c.retired_at.is_(None))


def _own(session_row: int) -> sa.Select[Any]:
    hidden = sa.select(session_items.c.entry_seq).where(session_items.c.session_id == session_row)
    return _live(sa.select(entries.c.seq).where(entries.c.session_id == session_row, entries.c.seq.not_in(hidden)))


def _shared(session_row: int) -> sa.Select[Any]:
    return _live(
        sa.select(entries.c.seq)
        .join(session_items, session_items.c.entry_seq == entries.c.seq)
        .where(session_items.c.session_id == session_row, session_items.c.hidden.is_(False))
    )


def _branch(row: sa.Row[tuple[int, int, str, int, int, int | None]] | None) -> BranchRow | None:
    if row is None:
        return None
    return BranchRow(row.session_id, row.root_id, row.name, row.from_turn, row.created_at, row.deleted_at)
