"""Notices that an open database file was deleted, moved or replaced: SQLite would go on writing into nothing."""

from __future__ import annotations

import threading
from pathlib import Path

from langgraph_memory.errors import StorageError


class SameFile:
    """Remembers which file stands at a path from the moment it is opened.

    Args:
        path: absolute, since the working directory may change.
        label: how messages call it.
    """

    def __init__(self, path: Path, label: str) -> None:
        self._path = path
        self._label = label
        self._identity: tuple[int, int] | None = None
        self._lock = threading.Lock()

    def remember(self) -> None:
        """Note the file after it was opened; the first one counts.

        Raises:
            StorageError: it is gone already, or is another one than before.
        """
        with self._lock:
            if self._identity is None:
                self._identity = self._look()
        self.check()

    def check(self) -> None:
        """Look whether it still stands there, if it was ever opened; it costs one `stat`, about 2 microseconds.

        Raises:
            StorageError: it does not.
        """
        if self._identity is not None and self._identity != self._look():
            raise self._gone()

    def _look(self) -> tuple[int, int]:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            raise self._gone() from None
        except OSError as error:
            raise StorageError(
                f"{self._label} cannot be reached ({error.strerror or error}). Check its disk."
            ) from error
        return found.st_dev, found.st_ino

    def _gone(self) -> StorageError:
        return StorageError(
            f"{self._label}: the database file was removed or replaced while it was open; nothing was written. "
            "Put it back if it was moved, and open it again."
        )
