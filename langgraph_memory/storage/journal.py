"""The journal: one line for each thing done to a memory or message, with its state before and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from langgraph_memory.clock import from_micros, to_micros
from langgraph_memory.records import Change
from langgraph_memory.scope import Scope
from langgraph_memory.storage.database import dump_json, load_json
from langgraph_memory.storage.schema import journal, scopes
from langgraph_memory.text.normalise import clean


class Line(NamedTuple):
    """One line of the journal under its number."""

    seq: int
    scope: Scope
    change: Change

    @property
    def undoes(self) -> int | None:
        """The number of the line that this one took back."""
        return (self.change.after or {}).get("undoes")


def log(connection: Connection, lines: Sequence[tuple[int, int, Change]]) -> None:
    """Write lines of history, each under its `seq` and in the scope with this row id."""
    connection.execute(
        _LOG,
        [
            {
                "seq": seq,
                "at": to_micros(change.at),
                "scope_id": scope_id,
                "memory_id": clean(change.memory_id),
                "action": change.action,
                "actor": clean(change.actor),
                "reason": None if change.reason is None else clean(change.reason),
                "batch": change.batch,
                "before": None if change.before is None else dump_json(dict(change.before)),
                "after": None if change.after is None else dump_json(dict(change.after)),
            }
            for seq, scope_id, change in lines
        ],
    )


def history(connection: Connection, item_id: str) -> list[Change]:
    """Return everything that was done to one memory or message, oldest first."""
    return [line.change for line in of_item(connection, item_id)]


def of_item(connection: Connection, item_id: str) -> list[Line]:
    """Return the lines about one memory or message, oldest first."""
    return _lines(connection, journal.c.memory_id == clean(item_id))


def of_batch(connection: Connection, name: str) -> list[Line]:
    """Return everything that was written together under this name, oldest first."""
    return _lines(connection, journal.c.batch == clean(name))


def is_written(connection: Connection, batch: str) -> bool:
    """Say whether anything was written under this name."""
    return connection.execute(sa.select(journal.c.seq).where(journal.c.batch == batch).limit(1)).first() is not None


def _lines(connection: Connection, condition: sa.ColumnElement[bool]) -> list[Line]:
    query = sa.select(journal, scopes.c.path).join(scopes, scopes.c.id == journal.c.scope_id).where(condition)
    return [
        Line(
            row.seq,
            Scope.from_path(row.path),
            Change(
                at=from_micros(row.at),
                action=row.action,
                actor=row.actor,
                memory_id=row.memory_id,
                before=load_json(row.before),
                after=load_json(row.after),
                reason=row.reason,
                batch=row.batch,
            ),
        )
        for row in connection.execute(query.order_by(journal.c.seq))
    ]


# Built once: putting a statement together costs more than SQLite takes to run it.
_LOG = sa.insert(journal)
