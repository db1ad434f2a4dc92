"""The recall log notes what recalls found without making them wait: it is kept in memory and written in between.

It says what proved useful, which no one said: so a crash may lose the last seconds of it, and nothing else.
"""

from __future__ import annotations

import hashlib
import logging
import math
import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlalchemy.engine import Connection

from langgraph_memory.clock import Clock, to_micros
from langgraph_memory.errors import StorageError
from langgraph_memory.maintenance.complaints import Complaints
from langgraph_memory.storage import recalls
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.recalls import Recalled
from langgraph_memory.text.normalise import normalise

logger = logging.getLogger(__name__)

DAY = 86_400_000_000
"""Microseconds."""

MOST_WAITING = 20_000
"""Rows that are held before they are written, about 6 MB; where nothing can be written, the oldest go."""


class RecallLog:
    """Counts hits; safe to share between threads."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._waiting: dict[tuple[int, str, int], Recalled] = {}
        self._lock = threading.Lock()
        self._complaints = Complaints(logger)

    def note(self, query: str, hits: Iterable[tuple[int, float]], at: int | None = None) -> int:
        """Count that a question found these rows, each with its score; return the moment in microseconds.

        Args:
            at: the moment; by default the present. Questions asked together share one.
        """
        now = to_micros(self._clock()) if at is None else at
        name = hashlib.md5(normalise(query).encode(), usedforsecurity=False).hexdigest()[:12]
        with self._lock:
            for seq, score in hits:
                if not math.isfinite(score):  # one such number would keep all others from being stored
                    continue
                key = (seq, name, now // DAY)
                before = self._waiting.pop(key, None) or Recalled(*key, times=0, total=0.0, best=0.0, last_at=0)
                self._waiting[key] = replace(
                    before,
                    times=before.times + 1,
                    total=before.total + score,
                    best=max(before.best, score),
                    last_at=max(before.last_at, now),
                )
            while len(self._waiting) > MOST_WAITING:
                del self._waiting[next(iter(self._waiting))]
        return now

    def last_recalled(self, connection: Connection, seqs: Sequence[int]) -> dict[int, int]:
        """Return when each of these rows was last recalled, in microseconds, written already or not."""
        with self._lock:
            waiting = [(row.owner_seq, row.last_at) for row in self._waiting.values()]
        found = recalls.last_recalled(connection, seqs)
        wanted = set(seqs)
        for seq, last in waiting:
            if seq in wanted:
                found[seq] = max(last, found.get(seq, 0))
        return found

    def write(self) -> None:
        """Write what was counted; where the store cannot be written, say so once and keep it for the next time."""
        with self._lock:
            taken, self._waiting = self._waiting, {}
        if not taken:
            return
        try:
            with self._database.write() as connection:
                recalls.add(connection, list(taken.values()))
        except StorageError as error:
            self._complaints.tell("What recalls found could not be counted yet and will be tried again.", error)
            with self._lock:
                for key, row in taken.items():
                    newer = self._waiting.get(key)
                    self._waiting[key] = row if newer is None else _sum(row, newer)


def _sum(one: Recalled, other: Recalled) -> Recalled:
    return replace(
        one,
        times=one.times + other.times,
        total=one.total + other.total,
        best=max(one.best, other.best),
        last_at=max(one.last_at, other.last_at),
    )
