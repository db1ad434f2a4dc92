"""A write whose caller has given up is rolled back, unless it has begun to commit."""

from __future__ import annotations

import threading
from contextvars import ContextVar

from langgraph_memory.errors import StorageError


class CommitGate:
    """Stands before the commits of one piece of work, between the thread that works and the one that waits for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._passed = False
        self._given_up = False

    def give_up(self) -> bool:
        """Close the gate; say whether nothing was written, nor will be.

        False means that a commit has begun: then the work must be waited for, and is carried out to its end.
        """
        with self._lock:
            self._given_up = True
            return not self._passed

    def enter(self) -> None:
        """Begin a commit.

        Raises:
            StorageError: the caller has given up before; the transaction is to be rolled back.
        """
        with self._lock:
            if self._given_up and not self._passed:
                raise StorageError("Whoever asked for this write was cancelled meanwhile. Nothing was written.")
            self._passed = True


current: ContextVar[CommitGate | None] = ContextVar("commit_gate", default=None)
"""The gate of the work that this thread does; None where nobody may give up."""
