"""Watermarks: up to which entry a job has read each session, moved in the transaction that used what it read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from langgraph_memory.scope import Scope
from langgraph_memory.storage.schema import entries, scopes, sessions, watermarks
from langgraph_memory.storage.scopes import INSIDE, bounds
from langgraph_memory.text.normalise import clean


@dataclass(frozen=True, slots=True)
class Unread:
    """A session with entries that a job has not read.

    Attributes:
        session_row: the session's row id.
        upto: `seq` of the last entry read; 0 where none was.
        first: `seq` of the first entry that was not.
        waiting: how many there are.
        last_recorded: when the newest of them was recorded, microseconds.
    """

    session_row: int
    scope: Scope
    thread_id: str
    upto: int
    first: int
    waiting: int
    last_recorded: int


def unread(
    connection: Connection,
    job: str,
    *,
    scope: Scope | None = None,
    thread_id: str | None = None,
    since: int = 0,
) -> list[Unread]:
    """Return the sessions that a job has something to read in, the longest waiting first.

    Args:
        scope: only inside it; with `thread_id`, exactly in it.
        since: look at entries behind this `seq` only, where everything up to it is known to be read.
    """
    asked: dict[str, Any] = {"job": job, "since": since}
    query = _UNREAD
    if thread_id is not None and scope is not None:
        query, asked = _UNREAD_SESSION, {**asked, "path": scope.path, "thread": clean(thread_id)}
    elif scope is not None:
        query, asked = _UNREAD_INSIDE, {**asked, **bounds(scope)}
    return [
        Unread(row.id, Scope.from_path(row.path), row.thread_id, row.upto, row.first, row.waiting, row.last_recorded)
        for row in connection.execute(query, asked)
    ]


def advance(connection: Connection, session_row: int, job: str, before: int, after: int) -> bool:
    """Move a watermark, unless somebody else has moved it meanwhile; say whether it was moved.

    Call it in the writing transaction that stores what was made of the entries between the two.
    """
    here = sa.and_(watermarks.c.session_id == session_row, watermarks.c.job == job)
    present = connection.execute(sa.select(watermarks.c.seq).where(here)).scalar_one_or_none()
    if (present or 0) != before:
        return False
    if present is None:
        connection.execute(sa.insert(watermarks).values(session_id=session_row, job=job, seq=after))
    else:
        connection.execute(sa.update(watermarks).where(here).values(seq=after))
    return True


# Built once: putting a statement together costs more than SQLite takes to run it.
_upto = sa.func.coalesce(watermarks.c.seq, 0)
_job: sa.BindParameter[str] = sa.bindparam("job")
_since: sa.BindParameter[int] = sa.bindparam("since")
_UNREAD = (
    sa.select(
        sessions.c.id,
        sessions.c.thread_id,
        scopes.c.path,
        _upto.label("upto"),
        sa.func.count().label("waiting"),
        sa.func.min(entries.c.seq).label("first"),
        sa.func.max(entries.c.recorded_at).label("last_recorded"),
    )
    .join(scopes, scopes.c.id == sessions.c.scope_id)
    .join(entries, entries.c.session_id == sessions.c.id)
    .outerjoin(watermarks, sa.and_(watermarks.c.session_id == sessions.c.id, watermarks.c.job == _job))
    .where(entries.c.seq > _since, entries.c.seq > _upto)
    .group_by(sessions.c.id, sessions.c.thread_id, scopes.c.path, watermarks.c.seq)
    .order_by(sa.func.min(entries.c.seq))
)
_UNREAD_SESSION = _UNREAD.where(scopes.c.path == sa.bindparam("path"), sessions.c.thread_id == sa.bindparam("thread"))
_UNREAD_INSIDE = _UNREAD.where(sessions.c.scope_id.in_(INSIDE))
