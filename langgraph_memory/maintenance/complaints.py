"""Complaints say once, in one line, what keeps going wrong in the background, and again when the reason changes."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable

from sqlalchemy.exc import SQLAlchemyError

from langgraph_memory.errors import LangGraphMemoryError

SAME_TROUBLE = 600.0
"""Seconds within which the same reason is the same trouble; whatever fails is tried again within a minute or two."""

LONGEST_REASON = 500
"""Characters of a reason: enough for a sentence and a path; drivers may quote whole statements."""

_EXPECTED = (LangGraphMemoryError, SQLAlchemyError, OSError)
"""Databases stop and disks fill up: the message says it all, and the way to it through the code says nothing more."""

_VARYING = re.compile(r"\b[0-9a-f]{8,}\b|\d+")  # names of new folders, process ids, numbers of rows


class Complaints:
    """Tells one logger about troubles; safe to share between threads.

    An error of the database, the disk or this package is one line, its traceback is logged at DEBUG. Anything else
    may be a mistake in somebody's code, so its traceback is shown, once.
    """

    def __init__(self, logger: logging.Logger, seconds: Callable[[], float] = time.monotonic) -> None:
        self._logger = logger
        self._seconds = seconds
        self._told: dict[str, float] = {}
        self._lock = threading.Lock()

    def tell(self, what: str, error: BaseException) -> None:
        """Say what went wrong and why, unless this is the trouble that was told already."""
        why = reason(error)
        if not threading.main_thread().is_alive():  # the interpreter is ending; what is owed waits for the next open
            self._logger.debug("%s %s", what, why)
        elif not self._is_news(_VARYING.sub("#", f"{what} {why}")):
            self._logger.debug("%s %s", what, why, exc_info=error)
        elif isinstance(error, _EXPECTED):
            self._logger.warning("%s %s", what, why)
            self._logger.debug("%s", what, exc_info=error)
        else:
            self._logger.error("%s %s", what, why, exc_info=error)

    def _is_news(self, key: str) -> bool:
        now = self._seconds()
        with self._lock:
            self._told = {old: last for old, last in self._told.items() if now - last < SAME_TROUBLE}
            is_news = key not in self._told
            self._told[key] = now
        return is_news


def reason(error: BaseException) -> str:
    """Return an error in one line: its message, with its type where it is not one of ours."""
    said = " ".join(str(error).split())
    if not isinstance(error, LangGraphMemoryError):
        said = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return said if len(said) <= LONGEST_REASON else said[: LONGEST_REASON - 1] + "…"
