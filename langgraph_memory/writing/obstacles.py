"""Obstacles: what stands in the way of believing a retired record again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sqlalchemy.engine import Connection

from langgraph_memory.records import MemoryRecord
from langgraph_memory.storage import journal, memories
from langgraph_memory.storage.journal import Line
from langgraph_memory.storage.memories import PROFILE
from langgraph_memory.writing.effects import retirements
from langgraph_memory.writing.ledger import Ledger

TWIN = "another live memory says the same"
ANOTHER_PROFILE = "another profile of this kind is live"
REPLACED = "what it was written to replace is live again"


class Obstacle(NamedTuple):
    """A live record, and why two of them cannot stand."""

    reason: str
    record: MemoryRecord


def obstacle(ledger: Ledger, record: MemoryRecord, *, actor: str) -> Obstacle | None:
    """Return the live record beside which this one cannot be believed, or None."""
    if record.kind == PROFILE and record.schema is not None:
        profile = memories.live_profile(ledger.connection, record.scope, record.schema)
        if profile is not None and profile.id != record.id:
            return Obstacle(ANOTHER_PROFILE, profile)
    twin = ledger.twin(record.scope, record.hash, record.valid_from, record.valid_to, actor=actor)
    if twin is not None:
        return Obstacle(TWIN, twin)
    replaced = _replaced(ledger.connection, record)
    return None if replaced is None else Obstacle(REPLACED, replaced)


def successor(connection: Connection, record: MemoryRecord) -> MemoryRecord | None:
    """Return the live record that a retired one gave way to: its correction, what it was merged into, or theirs."""
    return _first_live(connection, record, _next)


def _replaced(connection: Connection, record: MemoryRecord) -> MemoryRecord | None:
    """Return a live record in whose place this one was written, at one remove or more."""
    return _first_live(connection, record, _before)


def _first_live(
    connection: Connection, record: MemoryRecord, step: Callable[[Connection, MemoryRecord], list[MemoryRecord]]
) -> MemoryRecord | None:
    """Go from a record step by step over retired ones, and return the first live one that is met."""
    seen, waiting = {record.id}, [record]
    while waiting:
        for other in step(connection, waiting.pop()):
            if other.id in seen:
                continue
            if other.retired_at is None:
                return other
            seen.add(other.id)
            waiting.append(other)
    return None


def _next(connection: Connection, record: MemoryRecord) -> list[MemoryRecord]:
    """Return what took the record's place: the batch that retired it wrote this, and rested it on the record then.

    What rested on the record before is no successor, whatever the same batch did to it.
    """
    if record.retired_at is None:
        return []
    lines = journal.of_item(connection, record.id)
    by = retirements(lines)[lines[-1].seq] if lines else None
    batch = next((line.change.batch for line in lines if line.seq == by), None)
    if batch is None:  # an import brings no history, only what a record says of itself
        return memories.superseding(connection, record.scope, record.id)
    resting = memories.resting_on(connection, record.seq, batch)
    return [other for other in resting if record.seq in _linked(journal.of_item(connection, other.id), batch)]


def _linked(lines: Sequence[Line], batch: str | None) -> set[int]:
    """Return the `seq` of what a record was rested on in this batch."""
    return {seq for line in lines if line.change.batch == batch for seq in (line.change.after or {}).get("linked", ())}


def _before(connection: Connection, record: MemoryRecord) -> list[MemoryRecord]:
    """Return the records that were retired by the batch that wrote this one on top of them."""
    lines = journal.of_item(connection, record.id)
    born = next((line for line in lines if line.change.action == "added"), None)
    if born is None:
        old = None if record.supersedes is None else memories.by_id(connection, record.supersedes)
        return [] if old is None or old.scope != record.scope else [old]
    linked = list((born.change.after or {}).get("linked", ()))
    found = memories.by_seq(connection, record.scope, linked) if linked else {}
    return [other for other in found.values() if _is_retired_by(connection, other, born.change.batch)]


def _is_retired_by(connection: Connection, record: MemoryRecord, batch: str | None) -> bool:
    lines = journal.of_item(connection, record.id)
    return any(line.change.action == "retired" and line.change.batch == batch for line in lines)
