"""A thread that deletes what has expired, now and then, until it is stopped or the store is closed."""

from __future__ import annotations

import logging
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future

from langgraph_memory.errors import LangGraphMemoryError, MemoryClosed

logger = logging.getLogger(__name__)


class Sweeper:
    """Calls `sweep` every so many minutes; holds no more than a weak reference to what it sweeps."""

    def __init__(self, sweep: Callable[[], int]) -> None:
        self._sweep = weakref.WeakMethod(sweep)
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._ended: Future[None] = Future()

    @property
    def is_running(self) -> bool:
        """Whether the thread runs."""
        return self._thread is not None and self._thread.is_alive()

    def start(self, minutes: float) -> Future[None]:
        """Start the thread unless it runs; the result is done when it has ended, and cancelling it ends it."""
        if not self.is_running:
            self._stop, self._ended = threading.Event(), Future()
            stop = self._stop
            self._ended.add_done_callback(lambda ended: stop.set() if ended.cancelled() else None)
            self._thread = threading.Thread(
                target=_loop,
                args=(self._sweep, self._stop, self._ended, minutes * 60),
                name="langgraph-memory-sweeper",
                daemon=True,
            )
            self._thread.start()
        return self._ended

    def stop(self, timeout: float | None = None) -> bool:
        """End the thread; say whether it has ended within `timeout` seconds."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout)
        return not self.is_running


def _loop(
    sweep: weakref.WeakMethod[Callable[[], int]], stop: threading.Event, ended: Future[None], seconds: float
) -> None:
    while not stop.wait(seconds):
        work = sweep()
        if work is None:
            break
        try:
            work()
        except MemoryClosed:
            break
        except LangGraphMemoryError as error:
            logger.warning("Expired items could not be deleted (%s); they stay hidden, and it is tried again.", error)
        del work
    if not ended.cancelled():
        ended.set_result(None)
