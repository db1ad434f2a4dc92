"""A background worker runs upkeep in a thread of its own, woken by writes and never waited for by them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from langgraph_memory.maintenance.complaints import Complaints

logger = logging.getLogger(__name__)

_LONGEST_PAUSE = 60.0
"""Seconds between tries while something keeps failing."""


class BackgroundWorker:
    """Calls `work` until it answers False, then waits for `wake` or for the idle time to pass.

    What it would do is owed durably elsewhere, so stopping it at any moment loses nothing.

    Args:
        patience: how many seconds `stop` waits for the work in hand; None for as long as it takes.
        abandon: called where that was too short; the work must then leave the store alone.
    """

    def __init__(
        self,
        work: Callable[[], bool],
        *,
        idle_seconds: float,
        name: str,
        patience: float | None = None,
        abandon: Callable[[], None] = lambda: None,
    ) -> None:
        self._work = work
        self._patience = patience
        self._abandon = abandon
        self._idle_seconds = idle_seconds
        self._name = name
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._complaints = Complaints(logger)

    def wake(self) -> None:
        """Say that there is something to do; the first call starts the thread. Never blocks."""
        self._wake.set()
        if self._thread is None:
            with self._starting:
                if self._thread is None and not self._stop.is_set():
                    self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                    self._thread.start()

    def stop(self) -> None:
        """Let the batch in hand end, and the thread with it, or abandon what takes too long."""
        self._stop.set()
        self._wake.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(self._patience)
            if thread.is_alive():
                self._abandon()

    def _run(self) -> None:
        pause = 1.0
        while not self._stop.is_set():
            self._wake.clear()
            try:
                while not self._stop.is_set() and self._work():
                    pass
                pause = 1.0
                timeout = self._idle_seconds
            except Exception as error:
                if self._stop.is_set():
                    return  # abandoned, and the store closed around it
                if not threading.main_thread().is_alive():
                    return  # the interpreter is ending and takes its parts away; the work is owed, not lost
                self._complaints.tell(f"{self._name} failed and will try again.", error)
                timeout, pause = pause, min(2 * pause, _LONGEST_PAUSE)
            self._wake.wait(timeout)
