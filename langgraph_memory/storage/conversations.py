"""Conversations as wholes: which there are in a scope, and where one was left behind."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from langgraph_memory.clock import from_micros
from langgraph_memory.records import Session
from langgraph_memory.scope import Scope
from langgraph_memory.storage.schema import entries, scopes, sessions
from langgraph_memory.storage.scopes import ids_inside
from langgraph_memory.text.normalise import clean


def left_behind_at(connection: Connection, scope: Scope, thread_id: str, message_ids: Sequence[str]) -> int | None:
    """Return when the first thing was recorded that was said after all of these messages of a session.

    None where nothing was said after them, or none of them is recorded.
    """
    said = sa.select(sessions.c.id).join(scopes, scopes.c.id == sessions.c.scope_id)
    said = said.where(scopes.c.path == scope.path, sessions.c.thread_id == clean(thread_id))
    session = connection.execute(said).scalar_one_or_none()
    present = sa.and_(entries.c.session_id == session, entries.c.replaced_by.is_(None))
    ids = [clean(message_id) for message_id in message_ids]
    last = None
    for start in range(0, len(ids), 5_000):
        query = sa.select(sa.func.max(entries.c.position)).where(
            present, entries.c.message_id.in_(ids[start : start + 5_000])
        )
        found = connection.execute(query).scalar_one()
        last = found if last is None or (found is not None and found > last) else last
    if last is None:
        return None
    later = sa.select(sa.func.min(entries.c.recorded_at)).where(
        present, entries.c.position > last, entries.c.role.in_(("user", "assistant"))
    )
    first: int | None = connection.execute(later).scalar_one()
    return first


def list_sessions(connection: Connection, scope: Scope, *, limit: int, offset: int) -> list[Session]:
    """Return the sessions inside the scope, most recently spoken first."""
    rows = connection.execute(
        sa.select(sessions, scopes.c.path)
        .join(scopes, scopes.c.id == sessions.c.scope_id)
        .where(sessions.c.scope_id.in_(ids_inside(scope)))
        .order_by(sessions.c.last_at.desc(), sessions.c.id.desc())
        .limit(limit)
        .offset(offset)
    )
    return [
        Session(
            Scope.from_path(row.path), row.thread_id, row.entries, from_micros(row.started_at), from_micros(row.last_at)
        )
        for row in rows
    ]


def session_exists(connection: Connection, scope: Scope, thread_id: str) -> bool:
    """Say whether the scope itself (not one inside it) has this session."""
    query = (
        sa.select(sessions.c.id)
        .join(scopes, scopes.c.id == sessions.c.scope_id)
        .where(scopes.c.path == scope.path, sessions.c.thread_id == clean(thread_id))
    )
    return connection.execute(query).first() is not None
