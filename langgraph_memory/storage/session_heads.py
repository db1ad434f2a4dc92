"""The head of a compacted session: the items that it shows first, in place of the entries that they stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from langgraph_memory.storage.database import dump_json, load_json
from langgraph_memory.storage.schema import entries, session_covered, session_heads

SEQ = "seq"
"""The key of an item that is an entry, with its `seq`; all others are written by a compaction."""

_CHUNK = 5_000


@dataclass(frozen=True, slots=True)
class Head:
    """What a session shows before the entries that nothing stands for.

    Attributes:
        generation: grows with every change, so that whoever works on an older head finds out.
        items: JSON-plain; `{"seq": n}` is an entry.
    """

    generation: int = 0
    items: Sequence[Mapping[str, Any]] = ()


def read(connection: Connection, session_row: int) -> Head:
    """Return a session's head; an empty one where it was never compacted."""
    query = sa.select(session_heads).where(session_heads.c.session_id == session_row)
    row = connection.execute(query).one_or_none()
    return Head() if row is None else Head(row.generation, load_json(row.items))


def write(connection: Connection, session_row: int, head: Head) -> None:
    """Put a head in the place of the one there is."""
    values = {"generation": head.generation, "items": dump_json(list(head.items))}
    mine = session_heads.c.session_id == session_row
    if connection.execute(sa.update(session_heads).where(mine).values(**values)).rowcount == 0:
        connection.execute(sa.insert(session_heads).values(session_id=session_row, **values))


def covered(session_row: int) -> sa.Select[tuple[int]]:
    """Return the query for the `seq` of the entries that a session's head stands for."""
    return sa.select(session_covered.c.entry_seq).where(session_covered.c.session_id == session_row)


def cover(connection: Connection, session_row: int, seqs: Sequence[int]) -> None:
    """Note that the head stands for these entries, too."""
    known: set[int] = set(connection.scalars(covered(session_row)))
    rows = [{"session_id": session_row, "entry_seq": seq} for seq in seqs if seq not in known]
    if rows:
        connection.execute(sa.insert(session_covered), rows)


def uncover(connection: Connection, session_row: int) -> None:
    """Empty the head; it stands for nothing any more."""
    head = read(connection, session_row)
    if head.generation:
        write(connection, session_row, Head(head.generation + 1))
        connection.execute(sa.delete(session_covered).where(session_covered.c.session_id == session_row))


def erase(connection: Connection, session_rows: Sequence[int]) -> None:
    """Delete the heads of these sessions and all that tells of their entries.

    A branch that shares some of the entries loses its head, too: its summary retells what is to be destroyed.
    """
    for start in range(0, len(session_rows), _CHUNK):
        some = list(session_rows[start : start + _CHUNK])
        said = sa.select(entries.c.seq).where(entries.c.session_id.in_(some))
        told = sa.select(session_covered.c.session_id).where(session_covered.c.entry_seq.in_(said))
        for table in (session_heads, session_covered):  # the covered rows last: they say whose heads go
            mine = sa.or_(table.c.session_id.in_(some), table.c.session_id.in_(told))
            connection.execute(sa.delete(table).where(mine))
