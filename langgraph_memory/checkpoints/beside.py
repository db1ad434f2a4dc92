"""Beside every store there is one checkpointer, made when it is first asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from langgraph_memory.checkpoints.records import CheckpointSizes
from langgraph_memory.errors import InvalidInput

if TYPE_CHECKING:
    from langgraph_memory.checkpoints.saver import MemoryCheckpointer


class Beside:
    """Makes the checkpointer of one store, once.

    Args:
        make: returns it without touching disk or network; LangGraph's savers take a while to import.
    """

    def __init__(self, make: Callable[[], MemoryCheckpointer]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: MemoryCheckpointer | None = None

    def get(self) -> MemoryCheckpointer:
        """Return the checkpointer; the same one every time."""
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    def sizes(self) -> CheckpointSizes | None:
        """Return how much is kept; None where nothing ever was."""
        return self.get().sizes()

    def close(self) -> None:
        """Close the checkpointer, where there is one."""
        with self._lock:
            if self._made is not None:
                self._made.close()


def beside_folder(folder: Path, lock_seconds: float) -> Beside:
    """Return what makes the checkpointer of a memory in a folder."""

    def make() -> MemoryCheckpointer:
        from langgraph_memory.checkpoints.sqlite import SqliteCheckpointer

        return SqliteCheckpointer(folder, lock_seconds)

    return Beside(make)


def beside_url(url: sa.URL) -> Beside:
    """Return what makes the checkpointer of a memory on PostgreSQL."""

    def make() -> MemoryCheckpointer:
        try:
            from langgraph_memory.checkpoints.postgres import PostgresCheckpointer
        except ModuleNotFoundError as error:
            raise InvalidInput(
                'A checkpointer on PostgreSQL needs another package: pip install "langgraph-memory-plugin[postgres]".'
            ) from error
        plain = url.set(drivername="postgresql")
        return PostgresCheckpointer(
            plain.render_as_string(hide_password=False), plain.set(query={}).render_as_string(hide_password=True)
        )

    return Beside(make)
