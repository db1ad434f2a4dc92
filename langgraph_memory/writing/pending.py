"""Pending holds new records of one transaction back, so that many are stored with as few statements as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy.engine import Connection

from langgraph_memory.records import Change, MemoryRecord
from langgraph_memory.storage import evidence, journal, memories


@dataclass(slots=True)
class Pending:
    """What waits to be stored.

    Attributes:
        seqs: numbers reserved for it, ascending.
        taken: hashes under which the scope holds a live record, or will.
    """

    seqs: list[int]
    taken: set[str]
    records: list[tuple[list[int], MemoryRecord]] = field(default_factory=list)
    evidence: list[tuple[int, int]] = field(default_factory=list)
    lines: list[tuple[int, int, Change]] = field(default_factory=list)

    def take(self, count: int) -> int | None:
        """Return the first of so many numbers in a row, or None where too few are left."""
        if len(self.seqs) < count:
            return None
        first = self.seqs[0]
        del self.seqs[:count]
        return first

    def add(
        self, lineage: list[int], record: MemoryRecord, sources: Sequence[int], line: tuple[int, int, Change]
    ) -> None:
        """Keep a record with its evidence and its line of history."""
        self.records.append((lineage, record))
        self.taken.add(record.hash)
        self.evidence += [(record.seq, source) for source in sources]
        self.lines.append(line)

    def store(self, connection: Connection) -> None:
        """Store what waits, in the order of its numbers."""
        if self.records:
            memories.insert(connection, self.records)
            evidence.link_all(connection, self.evidence)
            journal.log(connection, self.lines)
            self.records, self.evidence, self.lines = [], [], []
