"""The checkpointer of a memory in a folder: LangGraph's SQLite tables in a file of their own."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.sqlite import SqliteSaver

from langgraph_memory.checkpoints.keep import to_remove
from langgraph_memory.checkpoints.records import CheckpointSizes, Place, Pruned
from langgraph_memory.checkpoints.saver import MemoryCheckpointer, check_open, unfit
from langgraph_memory.errors import StorageError
from langgraph_memory.storage.database import LOCK_SECONDS, retry_busy
from langgraph_memory.storage.plain_errors import locked
from langgraph_memory.storage.same_file import SameFile

CHECKPOINT_FILE = "checkpoints.sqlite3"
"""Beside the memory's own file: what LangGraph writes at every step must not hold up what people say."""


class _File:
    """One connection for the saver and all copies of it; opened at the first use, which is never on an event loop."""

    def __init__(self, path: Path, lock_seconds: float) -> None:
        self.path = path
        self.lock_seconds = lock_seconds
        self.lock = threading.Lock()
        self.process = os.getpid()
        self.connection: sqlite3.Connection | None = None
        self.closed = False
        self.same = SameFile(path.absolute(), str(path))

    def open(self) -> sqlite3.Connection:
        check_open(self.closed, self.process)
        self.same.check()
        if self.connection is None:
            try:
                self.connection = _connect(self.path, self.lock_seconds)
            except sqlite3.Error as error:
                raise StorageError(f"{self.path} cannot be opened: {error}. Check the folder and the file.") from error
            self.same.remember()
        return self.connection


class SqliteCheckpointer(MemoryCheckpointer, SqliteSaver):
    """Keeps threads in `checkpoints.sqlite3`; several processes may share it.

    Args:
        folder: the memory's.
        lock_seconds: how long a call waits where another program keeps the file locked.
    """

    def __init__(self, folder: Path, lock_seconds: float = LOCK_SECONDS) -> None:
        self._file = _File(folder / CHECKPOINT_FILE, lock_seconds)
        super().__init__(None)  # type: ignore[arg-type]  # the connection comes with the first use
        self.lock = self._file.lock

    @property
    def conn(self) -> sqlite3.Connection:
        """The open connection; held by whoever holds `lock`."""
        return self._file.open()

    @conn.setter
    def conn(self, value: sqlite3.Connection) -> None: ...

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
        """Give a cursor; with `transaction`, what it does is committed together, or not at all."""
        with self.lock:
            connection = self._file.open()
            cursor = connection.cursor()
            try:
                self.setup()
                yield cursor
                if transaction:
                    self._file.same.check()
                    connection.commit()
            except BaseException as error:
                with suppress(sqlite3.Error):
                    connection.rollback()
                if getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY"):
                    raise StorageError(locked(str(self._file.path), self._file.lock_seconds)) from error
                if isinstance(error, sqlite3.Error):
                    raise StorageError(
                        f"{self._file.path} cannot be read or written: {error}. Check the disk and its rights, "
                        "then repeat; nothing of this step was kept."
                    ) from error
                if isinstance(error, UnicodeEncodeError | OverflowError):
                    raise unfit(error) from error
                raise
            finally:
                cursor.close()

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint; metadata that is no JSON is refused, for it would spoil every later list with a filter."""
        try:
            json.dumps(get_checkpoint_metadata(config, metadata), allow_nan=False)
        except ValueError as error:
            raise unfit(error) from error
        return SqliteSaver.put(self, config, checkpoint, metadata, new_versions)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Yield checkpoints, newest first; read before the first is given, so that no lock outlives the call."""
        yield from [*SqliteSaver.list(self, config, filter=filter, before=before, limit=limit)]

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete what these runs wrote, in every thread."""
        with self.cursor() as cursor:
            for run_id in run_ids:
                rows = cursor.execute(
                    "SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints"
                    " WHERE json_extract(CAST(metadata AS TEXT), '$.run_id') = ?",
                    (str(run_id),),
                ).fetchall()
                _delete(cursor, rows)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy every checkpoint of a thread, with its writes, to another thread."""
        names = (str(target_thread_id), str(source_thread_id))
        with self.cursor() as cursor:
            cursor.execute(
                "INSERT OR REPLACE INTO checkpoints SELECT ?, checkpoint_ns, checkpoint_id, parent_checkpoint_id,"
                " type, checkpoint, metadata FROM checkpoints WHERE thread_id = ?",
                names,
            )
            columns = "checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value"
            cursor.execute(
                f"INSERT OR REPLACE INTO writes (thread_id, {columns}) SELECT ?, {columns} FROM writes"
                " WHERE thread_id = ?",
                names,
            )

    def prune_thread(self, thread_id: str, keep_last: int = 1, before: datetime | None = None) -> Pruned:
        """Remove, in one transaction, what `keep.to_remove` says the thread can do without."""
        with self.cursor() as cursor:
            cursor.execute("BEGIN IMMEDIATE")
            places = _places(cursor, thread_id)
            if any(place.is_delta for place in places):
                return Pruned(left_whole=(thread_id,))
            gone = [(thread_id, place.namespace, place.id) for place in to_remove(places, keep_last, before)]
            if not gone:
                return Pruned()
            writes, size = _delete(cursor, gone)
            cursor.execute(
                "UPDATE checkpoints AS kept SET parent_checkpoint_id = NULL WHERE thread_id = ? AND NOT EXISTS ("
                "SELECT 1 FROM checkpoints AS other WHERE other.thread_id = kept.thread_id AND"
                " other.checkpoint_ns = kept.checkpoint_ns AND other.checkpoint_id = kept.parent_checkpoint_id)",
                (thread_id,),
            )
        return Pruned(1, len(gone), writes, size)

    def give_back(self) -> None:
        """Return the pages that a pruning freed to the file system."""
        with self.cursor(transaction=False) as cursor:
            cursor.executescript("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE);")

    def threads(self) -> Sequence[str]:
        """Return the id of every thread."""
        with self.cursor(transaction=False) as cursor:
            found = cursor.execute("SELECT DISTINCT thread_id FROM checkpoints").fetchall()
        return [name for (name,) in found]

    def sizes(self) -> CheckpointSizes | None:
        """Return how much is kept; None where nothing ever was."""
        if not self._file.path.exists():
            return None
        with self.cursor(transaction=False) as cursor:
            (threads, checkpoints) = cursor.execute(
                "SELECT count(DISTINCT thread_id), count(*) FROM checkpoints"
            ).fetchone()
            (pages,) = cursor.execute("PRAGMA page_count").fetchone()
            (page,) = cursor.execute("PRAGMA page_size").fetchone()
        return CheckpointSizes(threads, checkpoints, pages * page)

    def close(self) -> None:
        """Let go of the file; every later call raises `MemoryClosed`."""
        with self.lock:
            self._file.closed = True
            if self._file.connection is not None:
                self._file.connection.close()
                self._file.connection = None


def _connect(path: Path, lock_seconds: float) -> sqlite3.Connection:
    return retry_busy(lock_seconds, lambda: _connected(path, lock_seconds))


def _connected(path: Path, lock_seconds: float) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=lock_seconds, check_same_thread=False)
    try:
        connection.execute("PRAGMA auto_vacuum=INCREMENTAL")  # before the first table: pruning gives pages back
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA secure_delete=ON")  # erased text is overwritten, as in the memory's own file
    except BaseException:
        connection.close()
        raise
    return connection


def _places(cursor: sqlite3.Cursor, thread_id: str) -> list[Place]:
    waiting = {
        (namespace, name)
        for namespace, name in cursor.execute(
            "SELECT DISTINCT checkpoint_ns, checkpoint_id FROM writes"
            " WHERE thread_id = ? AND channel = '__interrupt__'",
            (thread_id,),
        )
    }
    rows = cursor.execute(
        "SELECT checkpoint_ns, checkpoint_id, parent_checkpoint_id, metadata FROM checkpoints WHERE thread_id = ?",
        (thread_id,),
    )
    places = []
    for namespace, name, parent, metadata in rows:
        told = json.loads(metadata) if metadata else {}
        places.append(
            Place(
                namespace,
                name,
                parent,
                (told.get("parents") or {}).get(""),
                waits=(namespace, name) in waiting,
                is_delta=bool(told.get("counters_since_delta_snapshot")),
            )
        )
    return places


def _delete(cursor: sqlite3.Cursor, rows: Sequence[tuple[str, str, str]]) -> tuple[int, int]:
    """Delete checkpoints with their writes; return how many writes, and the bytes of all."""
    where = "thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?"
    writes = size = 0
    for row in rows:
        for table, column in (("checkpoints", "checkpoint"), ("writes", "value")):
            (one,) = cursor.execute(f"SELECT total(length({column})) FROM {table} WHERE {where}", row).fetchone()
            size += int(one)
        writes += cursor.execute(f"DELETE FROM writes WHERE {where}", row).rowcount
        cursor.execute(f"DELETE FROM checkpoints WHERE {where}", row)
    return writes, size
