"""Transcripts: the lines that another toolkit keeps of its conversations, appended once and given back as they came."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from langgraph_memory.scope import Scope
from langgraph_memory.storage.schema import scopes, transcript_lines, transcripts

_CHUNK = 5_000
_PAGE = 2_000


@dataclass(frozen=True, slots=True)
class TranscriptRow:
    """A transcript as its row in the database; the main one of a session has an empty subpath."""

    id: int
    project: str
    name: str
    subpath: str
    lines: int
    mtime: int
    summary: str | None


@dataclass(frozen=True, slots=True)
class Line:
    """A line ready to be stored: its own id, what tells its content apart, and its JSON text."""

    uuid: str | None
    digest: str
    body: str


def find(connection: Connection, scope: Scope, project: str, name: str, subpath: str) -> TranscriptRow | None:
    """Return one transcript of exactly this scope, or None where nothing was appended to it."""
    query = _in(scope, project).where(transcripts.c.name == name, transcripts.c.subpath == subpath)
    row = connection.execute(query).one_or_none()
    return None if row is None else _transcript(row)


def create(
    connection: Connection, scope_id: int, session_row: int, project: str, name: str, subpath: str
) -> TranscriptRow:
    """Return a new transcript without lines; append to it in the same transaction."""
    values = {"scope_id": scope_id, "session_id": session_row, "project": project, "name": name, "subpath": subpath}
    row = connection.execute(
        sa.insert(transcripts).values(**values, lines=0, mtime=0).returning(transcripts.c.id)
    ).scalar_one()
    return TranscriptRow(row, project, name, subpath, 0, 0, None)


def places(connection: Connection, transcript: int, uuids: Sequence[str]) -> dict[str, list[tuple[int, str]]]:
    """Return `(position, digest)` of the lines with these ids, in order."""
    found: dict[str, list[tuple[int, str]]] = {}
    for start in range(0, len(uuids), _CHUNK):
        some = list(uuids[start : start + _CHUNK])
        query = (
            sa.select(transcript_lines.c.uuid, transcript_lines.c.position, transcript_lines.c.digest)
            .where(transcript_lines.c.transcript_id == transcript, transcript_lines.c.uuid.in_(some))
            .order_by(transcript_lines.c.position)
        )
        for row in connection.execute(query):
            found.setdefault(row.uuid, []).append((row.position, row.digest))
    return found


def run(connection: Connection, transcript: int, start: int, count: int) -> list[str]:
    """Return the digests of `count` lines from a position on."""
    here = transcript_lines.c.position
    query = sa.select(transcript_lines.c.digest).where(
        transcript_lines.c.transcript_id == transcript, here >= start, here < start + count
    )
    return list(connection.scalars(query.order_by(here)))


def append(
    connection: Connection,
    scope_id: int,
    transcript: TranscriptRow,
    lines: Sequence[Line],
    *,
    summary: str | None,
    now_ms: int,
) -> None:
    """Store lines behind the ones there are; the transcript becomes the newest of its scope, by any clock."""
    newest = connection.execute(
        sa.select(sa.func.max(transcripts.c.mtime)).where(transcripts.c.scope_id == scope_id)
    ).scalar_one()
    connection.execute(
        sa.insert(transcript_lines),
        [
            {
                "transcript_id": transcript.id,
                "position": transcript.lines + offset,
                "uuid": line.uuid,
                "digest": line.digest,
                "body": line.body,
            }
            for offset, line in enumerate(lines)
        ],
    )
    connection.execute(
        sa.update(transcripts)
        .where(transcripts.c.id == transcript.id)
        .values(lines=transcript.lines + len(lines), mtime=max(now_ms, (newest or 0) + 1), summary=summary)
    )


def bodies(connection: Connection, transcript: int) -> Iterator[str]:
    """Yield the JSON texts of all lines, in order."""
    here, after = transcript_lines.c.position, -1
    while True:
        query = (
            sa.select(here, transcript_lines.c.body)
            .where(transcript_lines.c.transcript_id == transcript, here > after)
            .order_by(here)
            .limit(_PAGE)
        )
        rows = connection.execute(query).all()
        if not rows:
            return
        yield from (row.body for row in rows)
        after = rows[-1].position


def mains(connection: Connection, scope: Scope, project: str) -> list[TranscriptRow]:
    """Return the main transcripts of a project, newest first."""
    query = _in(scope, project).where(transcripts.c.subpath == "").order_by(transcripts.c.mtime.desc())
    return [_transcript(row) for row in connection.execute(query)]


def subpaths(connection: Connection, scope: Scope, project: str, name: str) -> list[str]:
    """Return the subpaths that a session has transcripts under, oldest first."""
    query = _in(scope, project).where(transcripts.c.name == name, transcripts.c.subpath != "")
    return [row.subpath for row in connection.execute(query.order_by(transcripts.c.id))]


def erase_one(connection: Connection, transcript: int) -> int:
    """Delete one transcript and return how many lines it had."""
    gone = connection.execute(sa.delete(transcript_lines).where(transcript_lines.c.transcript_id == transcript))
    connection.execute(sa.delete(transcripts).where(transcripts.c.id == transcript))
    return gone.rowcount


def erase_of_sessions(connection: Connection, session_rows: Sequence[int]) -> int:
    """Delete every transcript of these sessions and return how many lines they had."""
    gone = 0
    for start in range(0, len(session_rows), _CHUNK):
        theirs = transcripts.c.session_id.in_(list(session_rows[start : start + _CHUNK]))
        mine = transcript_lines.c.transcript_id.in_(sa.select(transcripts.c.id).where(theirs))
        gone += connection.execute(sa.delete(transcript_lines).where(mine)).rowcount
        connection.execute(sa.delete(transcripts).where(theirs))
    return gone


def _in(scope: Scope, project: str) -> sa.Select[tuple[int, str, str, str, int, int, str | None]]:
    return (
        sa.select(
            transcripts.c.id,
            transcripts.c.project,
            transcripts.c.name,
            transcripts.c.subpath,
            transcripts.c.lines,
            transcripts.c.mtime,
            transcripts.c.summary,
        )
        .join(scopes, scopes.c.id == transcripts.c.scope_id)
        .where(scopes.c.path == scope.path, transcripts.c.project == project)
    )


def _transcript(row: sa.Row[tuple[int, str, str, str, int, int, str | None]]) -> TranscriptRow:
    return TranscriptRow(row.id, row.project, row.name, row.subpath, row.lines, row.mtime, row.summary)
