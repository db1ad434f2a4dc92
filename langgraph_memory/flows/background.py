"""Distils quiet conversations in the background: the queue is what was recorded, so nothing is lost when it stops."""

from __future__ import annotations

import logging
import threading
import uuid
from typing import Any

from langgraph_memory.clock import Clock, to_micros
from langgraph_memory.flows.remember_state import JOB, RememberContext
from langgraph_memory.flows.reports import read_report
from langgraph_memory.records import Report
from langgraph_memory.settings import Settings
from langgraph_memory.storage import leases, watermarks
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.watermarks import Unread

logger = logging.getLogger(__name__)

LEASE_MICROS = 180_000_000
"""Three minutes: longer than a model call with its retries. A process that died is replaced after that; one that only
was slow writes nothing twice, because the watermark moves once."""

FIRST_PAUSE_MICROS, LONGEST_PAUSE_MICROS = 30_000_000, 3_600_000_000
"""After a failure a conversation waits 30 s, then twice as long each time, at most an hour: calls cost money."""

_KINDS = ("added", "reinforced", "skipped", "refused", "failed")

BACKLOG_BATCHES = 3
"""A conversation that never falls silent is distilled once so many batches wait."""


class BackgroundDistiller:
    """Runs the remember graph over every conversation that has been quiet for long enough; one process a scope."""

    def __init__(
        self, database: Database, graph: Any, settings: Settings, clock: Clock, instructions: str | None
    ) -> None:
        self._database = database
        self._graph = graph
        self._settings = settings
        self._clock = clock
        self._instructions = instructions
        self._holder = uuid.uuid4().hex
        self._read_upto = 0  # everything recorded up to here is read; saves looking at it again
        self._stopped = threading.Event()
        self._paused: dict[int, tuple[int, int]] = {}  # session row -> (until, pause)

    def work(self) -> bool:
        """Distil one batch of one conversation; say whether there was one ready."""
        now = to_micros(self._clock())
        for session in self._unread():
            if self._is_ready(session, now) and self._lease(session, now):
                try:
                    self._distil(session)
                finally:
                    if not self._stopped.is_set():
                        with self._database.write() as connection:
                            leases.release(connection, _name(session), self._holder)
                return True
        return False

    def abandon(self) -> None:
        """Let go of the batch in hand: what its model still answers is dropped, and its messages stay unread.

        Called from another thread, before the database is closed.
        """
        self._stopped.set()
        with self._database.write() as connection:
            leases.release_all(connection, self._holder)

    def _unread(self) -> list[Unread]:
        with self._database.read() as connection:
            newest = self._database.last_seq(connection)
            found = watermarks.unread(connection, JOB, since=self._read_upto)
        self._read_upto = min((session.first - 1 for session in found), default=newest)
        return found

    def _is_ready(self, session: Unread, now: int) -> bool:
        # A recording from the future is another clock's: what is further ahead than the pause tells nothing.
        quiet = abs(now - session.last_recorded) >= int(self._settings.quiet_seconds * 1_000_000)
        is_long = session.waiting >= BACKLOG_BATCHES * self._settings.batch_turns
        return (quiet or is_long) and self._paused.get(session.session_row, (0, 0))[0] <= now

    def _lease(self, session: Unread, now: int) -> bool:
        with self._database.write() as connection:
            return leases.take(connection, _name(session), self._holder, now, now + LEASE_MICROS)

    def _distil(self, session: Unread) -> Report | None:
        given = {"scope": list(session.scope.segments), "thread_id": session.thread_id}
        try:
            context = RememberContext(self._instructions, self._settings.max_calls)
            state: dict[str, Any] = {}
            for reached in self._graph.stream(given, context=context, config={"callbacks": []}, stream_mode="values"):
                state = reached
                if self._stopped.is_set():  # between two phases, so nothing is written after the memory was closed
                    return None
        except Exception:
            if self._stopped.is_set():
                return None
            pause = min(
                2 * self._paused.get(session.session_row, (0, 0))[1] or FIRST_PAUSE_MICROS, LONGEST_PAUSE_MICROS
            )
            self._paused[session.session_row] = (to_micros(self._clock()) + pause, pause)
            logger.exception(
                "A conversation could not be distilled; it waits %d s. What was said is recorded.", pause // 1_000_000
            )
            return None
        self._paused.pop(session.session_row, None)
        report = read_report(state["report"])
        counts = {kind: len(getattr(report, kind)) for kind in _KINDS}
        logger.info("Distilled a batch: %s.", ", ".join(f"{count} {kind}" for kind, count in counts.items()))
        for note in report.notes:
            logger.debug("Distilling noted: %s", note)
        for kind in ("refused", "failed"):
            for outcome in getattr(report, kind):
                logger.debug("A proposed memory was %s: %s", kind, outcome.reason)
        return report


def _name(session: Unread) -> str:
    return f"{JOB} {session.scope.path}"
