"""The checkpointer of a memory on PostgreSQL: LangGraph's own tables, in the memory's database."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import datetime
from typing import Any

from langgraph.checkpoint.postgres import PostgresSaver
from psycopg import Connection, Cursor
from psycopg.errors import DataError, OperationalError
from psycopg.rows import DictRow, dict_row
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout
from tenacity import retry, retry_if_result, stop_after_delay, wait_random

from langgraph_memory.checkpoints.keep import to_remove
from langgraph_memory.checkpoints.records import CheckpointSizes, Place, Pruned
from langgraph_memory.checkpoints.saver import MemoryCheckpointer, check_open, unfit
from langgraph_memory.errors import StorageError

MOST_CONNECTIONS = 8

SET_UP = 7_310_580
"""PostgreSQL advisory lock for making the tables: two processes at once would trip over each other."""

_TABLES = ("checkpoint_writes", "checkpoint_blobs", "checkpoints")


class _Pool:
    """The connections of the saver and all copies of it; opened at the first use, which is never on an event loop."""

    def __init__(self, url: str, label: str) -> None:
        self.label = label
        self.process = os.getpid()
        self.lock = threading.Lock()
        self.closed = self.ready = False
        self.pool: ConnectionPool[Connection[DictRow]] = ConnectionPool(
            url,
            kwargs={"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row},
            min_size=0,
            max_size=MOST_CONNECTIONS,
            check=ConnectionPool.check_connection,
            name="langgraph-memory-checkpoints",
            open=False,
        )

    def open(self) -> None:
        check_open(self.closed, self.process)
        self.pool.open()


class PostgresCheckpointer(MemoryCheckpointer, PostgresSaver):
    """Keeps threads in the tables `checkpoints`, `checkpoint_blobs` and `checkpoint_writes`.

    Args:
        url: `postgresql://...`, with its password.
        label: the same without it, for errors.
    """

    def __init__(self, url: str, label: str) -> None:
        self._shared = _Pool(url, label)
        super().__init__(self._shared.pool)
        self.lock = nullcontext()  # type: ignore[assignment]  # each call has a connection of its own

    @contextmanager
    def _cursor(self, *, pipeline: bool = False) -> Iterator[Cursor[DictRow]]:
        self._prepare()
        with self._plain_errors(), super()._cursor(pipeline=pipeline) as cursor:
            yield cursor

    @contextmanager
    def _plain_errors(self) -> Iterator[None]:
        try:
            yield
        except (OperationalError, PoolTimeout, PoolClosed) as error:
            raise StorageError(
                f"{self._shared.label} cannot be reached ({' '.join(str(error).split())}). Check that PostgreSQL runs "
                "there, then repeat; a write that was under way was rolled back."
            ) from error
        except (DataError, UnicodeEncodeError, OverflowError) as error:
            raise unfit(error) from error

    def _prepare(self) -> None:
        """Make the tables, once; another process may be doing the same."""
        shared = self._shared
        shared.open()
        with shared.lock:
            if shared.ready:
                return
            with self._plain_errors(), super()._cursor() as cursor:
                _wait_for(cursor, SET_UP)
                try:
                    PostgresSaver(cursor.connection, serde=self.serde).setup()
                finally:
                    cursor.execute("SELECT pg_advisory_unlock(%s)", (SET_UP,))
            shared.ready = True

    @contextmanager
    def _transaction(self) -> Iterator[Cursor[DictRow]]:
        with self._cursor() as cursor, cursor.connection.transaction():
            yield cursor

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keep only the newest checkpoint of each namespace (`"keep_latest"`), or nothing (`"delete"`)."""
        MemoryCheckpointer.prune(self, thread_ids, strategy=strategy)

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete what these runs wrote, in every thread."""
        names = [str(run_id) for run_id in run_ids]
        with self._transaction() as cursor:
            cursor.execute(
                "SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints WHERE metadata ->> 'run_id' = ANY(%s)",
                (names,),
            )
            found: dict[str, list[tuple[str, str]]] = {}
            for row in cursor.fetchall():
                found.setdefault(row["thread_id"], []).append((row["checkpoint_ns"], row["checkpoint_id"]))
            for thread_id, places in found.items():
                _delete(cursor, thread_id, places)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy every checkpoint of a thread, with its writes, to another thread."""
        columns = {
            "checkpoints": "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata",
            "checkpoint_blobs": "checkpoint_ns, channel, version, type, blob",
            "checkpoint_writes": "checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob",
        }
        with self._transaction() as cursor:
            for table, named in columns.items():
                _run(
                    cursor,
                    f"INSERT INTO {table} (thread_id, {named}) SELECT %s, {named} FROM {table} WHERE thread_id = %s"
                    " ON CONFLICT DO NOTHING",
                    (str(target_thread_id), str(source_thread_id)),
                )

    def prune_thread(self, thread_id: str, keep_last: int = 1, before: datetime | None = None) -> Pruned:
        """Remove, in one transaction, what `keep.to_remove` says the thread can do without."""
        with self._transaction() as cursor:
            places = _places(cursor, thread_id)
            if any(place.is_delta for place in places):
                return Pruned(left_whole=(thread_id,))
            gone = [(place.namespace, place.id) for place in to_remove(places, keep_last, before)]
            if not gone:
                return Pruned()
            writes, size = _delete(cursor, thread_id, gone)
        return Pruned(1, len(gone), writes, size)

    def give_back(self) -> None:
        """Do nothing: PostgreSQL reuses freed pages by itself."""

    def threads(self) -> Sequence[str]:
        """Return the id of every thread."""
        with self._cursor() as cursor:
            cursor.execute("SELECT DISTINCT thread_id FROM checkpoints")
            return [row["thread_id"] for row in cursor.fetchall()]

    def sizes(self) -> CheckpointSizes | None:
        """Return how much is kept; None where nothing ever was."""
        self._shared.open()
        with self._plain_errors(), super()._cursor() as cursor:  # without making the tables
            cursor.execute("SELECT to_regclass('checkpoint_writes') IS NULL AS never")
            if (cursor.fetchone() or {})["never"]:
                return None
            cursor.execute("SELECT count(DISTINCT thread_id) AS threads, count(*) AS checkpoints FROM checkpoints")
            counted = cursor.fetchone() or {}
            total = " + ".join(f"pg_total_relation_size('{table}')" for table in _TABLES)
            _run(cursor, f"SELECT {total} AS bytes", ())
            size = (cursor.fetchone() or {})["bytes"]
        return CheckpointSizes(counted["threads"], counted["checkpoints"], int(size))

    def close(self) -> None:
        """Let go of the connections; every later call raises `MemoryClosed`."""
        self._shared.closed = True
        self._shared.pool.close()


@retry(retry=retry_if_result(lambda got: not got), wait=wait_random(0.01, 0.1), stop=stop_after_delay(60))
def _wait_for(cursor: Cursor[DictRow], lock: int) -> bool:
    """Take an advisory lock by asking again and again: a waiting statement would hold up CREATE INDEX CONCURRENTLY."""
    cursor.execute("SELECT pg_try_advisory_lock(%s) AS got", (lock,))
    return bool((cursor.fetchone() or {})["got"])


def _run(cursor: Cursor[DictRow], statement: str, values: Sequence[Any]) -> None:
    cursor.execute(statement.encode(), values)


def _places(cursor: Cursor[DictRow], thread_id: str) -> list[Place]:
    cursor.execute(
        "SELECT DISTINCT checkpoint_ns, checkpoint_id FROM checkpoint_writes"
        " WHERE thread_id = %s AND channel = '__interrupt__'",
        (thread_id,),
    )
    waiting = {(row["checkpoint_ns"], row["checkpoint_id"]) for row in cursor.fetchall()}
    cursor.execute(
        "SELECT checkpoint_ns, checkpoint_id, parent_checkpoint_id, metadata -> 'parents' ->> '' AS root,"
        " (checkpoint ->> 'v')::int < 4 AND EXISTS (SELECT 1 FROM checkpoint_writes w WHERE w.thread_id = c.thread_id"
        " AND w.checkpoint_ns = c.checkpoint_ns AND w.checkpoint_id = c.parent_checkpoint_id"
        " AND w.channel = '__pregel_tasks') AS old,"
        " metadata ? 'counters_since_delta_snapshot' OR metadata ? 'delta_writes_versioned' AS delta"
        " FROM checkpoints c WHERE thread_id = %s",
        (thread_id,),
    )
    return [
        Place(
            row["checkpoint_ns"],
            row["checkpoint_id"],
            row["parent_checkpoint_id"],
            row["root"],
            needs_parent=bool(row["old"]),
            waits=(row["checkpoint_ns"], row["checkpoint_id"]) in waiting,
            is_delta=bool(row["delta"]),
        )
        for row in cursor.fetchall()
    ]


def _delete(cursor: Cursor[DictRow], thread_id: str, places: Sequence[tuple[str, str]]) -> tuple[int, int]:
    """Delete checkpoints with their writes and the values that only they had; return the writes, and the bytes."""
    namespaces, ids = [place[0] for place in places], [place[1] for place in places]
    named = (thread_id, namespaces, ids)
    these = "thread_id = %s AND (checkpoint_ns, checkpoint_id) IN (SELECT * FROM unnest(%s::text[], %s::text[]))"
    size, counts = 0, {}
    for table, content in (("checkpoint_writes", "length(blob)"), ("checkpoints", "pg_column_size(checkpoint)")):
        _run(cursor, f"DELETE FROM {table} WHERE {these} RETURNING {content} AS bytes", named)
        rows = cursor.fetchall()
        size += sum(row["bytes"] or 0 for row in rows)
        counts[table] = len(rows)
    cursor.execute(
        "DELETE FROM checkpoint_blobs b WHERE b.thread_id = %s AND b.checkpoint_ns = ANY(%s) AND NOT EXISTS ("
        "SELECT 1 FROM checkpoints c WHERE c.thread_id = b.thread_id AND c.checkpoint_ns = b.checkpoint_ns"
        " AND c.checkpoint -> 'channel_versions' ->> b.channel = b.version) RETURNING length(blob) AS bytes",
        (thread_id, sorted(set(namespaces))),
    )
    size += sum(row["bytes"] or 0 for row in cursor.fetchall())
    cursor.execute(
        "UPDATE checkpoints AS kept SET parent_checkpoint_id = NULL WHERE kept.thread_id = %s"
        " AND kept.parent_checkpoint_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM checkpoints AS other"
        " WHERE other.thread_id = kept.thread_id AND other.checkpoint_ns = kept.checkpoint_ns"
        " AND other.checkpoint_id = kept.parent_checkpoint_id)",
        (thread_id,),
    )
    return counts["checkpoint_writes"], size
