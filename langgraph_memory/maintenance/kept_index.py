"""The one vector index of a process: opened when it is first needed, replaced when it turns out to be damaged."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from langgraph_memory.errors import IndexUnavailable
from langgraph_memory.maintenance.complaints import Complaints
from langgraph_memory.storage.chroma_index import ChromaIndex

logger = logging.getLogger(__name__)

OpenIndex = Callable[[], ChromaIndex | None]
"""Opens the index; None where another process holds it."""


class KeptIndex:
    """Holds the index for all threads of a process.

    Attributes:
        is_elsewhere: another process held it when it was last asked for.
        trouble: what keeps the index from being used, in words; None once it took a batch again.
    """

    def __init__(self, open_index: OpenIndex | None) -> None:
        self._open = open_index
        self._index: ChromaIndex | None = None
        self._opening = threading.Lock()
        self._rebuilt = False  # since the index last took a batch
        self._doubt: IndexUnavailable | None = None
        self._closed = False
        self._complaints = Complaints(logger)
        self.is_elsewhere = False
        self.trouble: str | None = None

    @property
    def exists(self) -> bool:
        """Whether this store has a vector index at all."""
        return self._open is not None

    def get(self) -> ChromaIndex | None:
        """Return the index, or None where there is none, another process holds it, or it was let go for good.

        Raises:
            IndexUnavailable: it cannot be opened.
        """
        with self._opening:  # two threads of one process would keep each other out of the folder
            if self._index is None and self._open is not None and not self._closed:
                self._index = self._open()
                self.is_elsewhere = self._index is None
            return self._index

    def doubt(self, index: ChromaIndex, error: IndexUnavailable) -> None:
        """Note that a search of the index failed: unless it was replaced meanwhile, it is to be mended."""
        if index is self._index:
            self._doubt = error

    def take_doubt(self) -> IndexUnavailable | None:
        """Return the failure that was noted, once."""
        doubt, self._doubt = self._doubt, None
        return doubt

    def praise(self) -> None:
        """Note that the index took a batch."""
        self._rebuilt, self.trouble = False, None

    def heal(self, error: IndexUnavailable) -> bool:
        """Replace an index that fails, once; a second failure in a row is left to the next try.

        One on a server is let go instead: the next try looks whether it is the server that is away.

        Returns:
            whether it was replaced.
        """
        damaged = self._index
        if damaged is None or damaged.folder is None or self._rebuilt:
            self.trouble, self._rebuilt = str(error), False
            if damaged is not None and damaged.folder is None:
                damaged.close()
                self._index = None
            self._complaints.tell("The vector index is unavailable; recall searches SQL exactly meanwhile.", error)
            return False
        self._complaints.tell("The vector index is damaged and is rebuilt from SQL.", error)
        try:
            self.replace(damaged)
        except IndexUnavailable as again:
            self.trouble = str(again)
            return False
        self._rebuilt = True
        return True

    def replace(self, index: ChromaIndex, *, destroy: bool = False) -> None:
        """Put an empty index, to which everything is owed, in the place of this one.

        Args:
            destroy: leave nothing of the old one.

        Raises:
            IndexUnavailable: it cannot be created; the next `get` tries again.
        """
        with self._opening:
            self._index = None
            try:
                self._index = index.rebuilt(destroy=destroy)
            except BaseException:
                index.close()
                raise

    def close(self) -> None:
        """Let go of the index for good: a call that was under way must not open it again."""
        with self._opening:
            self._closed = True
            if self._index is not None:
                self._index.close()
                self._index = None
