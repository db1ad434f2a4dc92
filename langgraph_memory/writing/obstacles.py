"""Obstacles: what stands in the way of believing a retired record again."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy.engine import Connection

from langgraph_memory.records import MemoryRecord
from langgraph_memory.storage import journal, memories
from langgraph_memory.storage.memories import PROFILE
from langgraph_memory.writing.effects import retirements
from langgraph_memory.writing.ledger import Ledger

TWIN = "another live memory says the same"
ANOTHER_PROFILE = "another profile of this kind is live"


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
    return None if twin is None else Obstacle(TWIN, twin)


def successor(connection: Connection, record: MemoryRecord) -> MemoryRecord | None:
    """Return the live record that a retired one gave way to: its correction, what it was merged into, or theirs."""
    seen, waiting = {record.id}, [record]
    while waiting:
        for other in _next(connection, waiting.pop()):
            if other.id in seen:
                continue
            if other.retired_at is None:
                return other
            seen.add(other.id)
            waiting.append(other)
    return None


def _next(connection: Connection, record: MemoryRecord) -> list[MemoryRecord]:
    """Return what was written in one batch with the record's retirement and rests on the record."""
    if record.retired_at is None:
        return []
    lines = journal.of_item(connection, record.id)
    by = retirements(lines)[lines[-1].seq] if lines else None
    batch = next((line.change.batch for line in lines if line.seq == by), None)
    if batch is None:  # an import brings no history, only what a record says of itself
        return memories.superseding(connection, record.scope, record.id)
    return memories.resting_on(connection, record.seq, batch)
