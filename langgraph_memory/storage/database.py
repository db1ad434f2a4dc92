"""The database holds the truth: one engine, one writer lane, short transactions, plain errors."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_random

from langgraph_memory.errors import InvalidInput, ReadOnlyStorage, StorageError
from langgraph_memory.settings import Settings
from langgraph_memory.storage import commit_gate, crash_points
from langgraph_memory.storage.plain_errors import in_plain_words, locked
from langgraph_memory.storage.same_file import SameFile
from langgraph_memory.storage.schema import counters

LOCK_SECONDS: float = Settings.model_fields["lock_seconds"].default
"""How long a writer waits for another process's transaction; see the setting of that name."""

_LEAST_WAIT = 0.05
"""Seconds that a writer asks for the file who has used up its time behind others of this process, which may have
done nothing but wait for it themselves."""

_T = TypeVar("_T")

SQLITE_FILE = "memory.sqlite3"

WRITER_LANE = 7_310_579
"""PostgreSQL advisory lock that every writing transaction takes first; SQLite has `BEGIN IMMEDIATE`."""

_POOL = {"pool_size": 8, "max_overflow": 32}


class Database:
    """One SQLite file or one PostgreSQL database, behind the same statements.

    Writers of this process pass one at a time; writers of other processes wait for each other in the
    database, on PostgreSQL too. So what a writing transaction has looked up stays true until it commits,
    commit order is `seq` order, and a reader that has seen `n` has seen everything up to `n`.
    """

    def __init__(
        self, engine: Engine, *, label: str, file: SameFile | None = None, lock_seconds: float = LOCK_SECONDS
    ) -> None:
        self.engine = engine
        self.label = label
        self._file = file
        self._lock_seconds = lock_seconds
        self.is_sqlite = engine.dialect.name == "sqlite"
        self._writer_lane = threading.Lock()
        self._is_asking = False
        """Whether whoever has the lane still waits for the file."""

    @classmethod
    def open_folder(cls, folder: Path, lock_seconds: float = LOCK_SECONDS) -> Database:
        """Open or create the SQLite file in `folder`.

        Args:
            lock_seconds: how long a call waits where another program keeps the file locked.

        Raises:
            ReadOnlyStorage: the folder cannot be created or written.
            StorageError: the file is no database, or is damaged.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            raise ReadOnlyStorage(
                f"Cannot create the memory folder {folder}: {getattr(error, 'strerror', None) or error}. "
                "Give a folder that this user may write."
            ) from error
        label, path = str(folder / SQLITE_FILE), folder.absolute() / SQLITE_FILE
        file = SameFile(path, label)
        engine = sa.create_engine(
            sa.URL.create("sqlite", database=str(path)),
            connect_args={"check_same_thread": False, "timeout": lock_seconds},
            **_POOL,
        )
        sa.event.listen(engine, "do_connect", lambda *_: file.check())  # SQLite would make an empty one
        sa.event.listen(engine, "connect", lambda connection, _: _prepare_sqlite(connection, lock_seconds))
        sa.event.listen(engine, "connect", lambda *_: file.remember())
        sa.event.listen(engine, "begin", _begin_sqlite)
        return cls(engine, label=label, file=file, lock_seconds=lock_seconds)

    @classmethod
    def open_url(cls, url: str) -> Database:
        """Open a PostgreSQL database by URL (`postgresql://user@host/name`).

        Raises:
            InvalidInput: the URL is not PostgreSQL's, or the driver is not installed.
        """
        try:
            parsed = sa.make_url(url)
        except (ArgumentError, ValueError):  # the text is not repeated: it may hold a password
            raise InvalidInput("The address is no URL. Write it as postgresql://user@host:port/name.") from None
        if parsed.get_backend_name() not in {"postgresql", "postgres"}:
            raise InvalidInput(f"A memory lives in a folder or in postgresql://..., not {parsed.drivername}://.")
        try:
            engine = sa.create_engine(parsed.set(drivername="postgresql+psycopg"), pool_pre_ping=True, **_POOL)
        except ModuleNotFoundError as error:
            raise InvalidInput(
                'PostgreSQL needs the psycopg driver: pip install "langgraph-memory-plugin[postgres]".'
            ) from error
        return cls(engine, label=parsed.set(query={}).render_as_string(hide_password=True))

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Give a connection on one consistent view of the data.

        Raises:
            StorageError: the database cannot be reached or read, or its file is no longer the one that was opened.
        """
        self._check_file()
        with self._plain_errors(), self.engine.connect() as connection:
            if not self.is_sqlite:  # by default each statement would see another state
                connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            with connection.begin():
                yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Give a connection whose changes are committed together at the end, or not at all.

        Raises:
            ReadOnlyStorage, StorageFull, StorageError: nothing was written.
        """
        with self._plain_errors(), self._lane() as waited, self.engine.connect() as connection:
            writer = connection.execution_options(begin="BEGIN IMMEDIATE")
            with self._patient(connection, waited), writer.begin():
                self._is_asking = False
                if not self.is_sqlite:
                    writer.execute(_ENTER_LANE)
                yield writer
                self._check_file()
                gate = commit_gate.current.get()
                if gate is not None:
                    gate.enter()
                crash_points.reach("before commit")
        crash_points.reach("after commit")

    def take_seqs(self, connection: Connection, count: int) -> int:
        """Reserve `count` numbers in the writing transaction and return the first of them."""
        last = connection.execute(_TAKE, {"count": count}).scalar_one()
        return int(last) - count + 1

    def last_seq(self, connection: Connection) -> int:
        """Return the last number given."""
        return int(connection.execute(sa.select(counters.c.value).where(counters.c.name == "seq")).scalar_one())

    def size(self) -> int:
        """Return the bytes that the database takes."""
        with self.read() as connection:
            if self.is_sqlite:
                pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
                return int(pages) * int(connection.exec_driver_sql("PRAGMA page_size").scalar_one())
            return int(connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one())

    def integrity(self, connection: Connection) -> str | None:
        """Return what is wrong with the SQLite file in SQLite's words, or None; PostgreSQL checks itself."""
        if not self.is_sqlite:
            return None
        verdict = str(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one())
        return None if verdict == "ok" else verdict

    def truncate_log(self) -> None:
        """Fold SQLite's write-ahead log into the file and empty it, so that erased text is in neither."""
        with self._plain_errors(), self._writer_lane, self.engine.connect() as connection:
            autocommit = connection.execution_options(begin="SELECT 1")
            autocommit.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Give back every connection."""
        self.engine.dispose()

    def _check_file(self) -> None:
        if self._file is not None:
            self._file.check()

    @contextmanager
    def _lane(self) -> Iterator[float]:
        """Wait for the other writers of this process, but not for one that has waited for the file itself all along."""
        asked, left = monotonic(), self._lock_seconds
        while not self._writer_lane.acquire(timeout=left):
            if self._is_asking:
                raise StorageError(locked(self.label, monotonic() - asked))
            left = _LEAST_WAIT
        try:
            self._is_asking = self.is_sqlite
            yield monotonic() - asked
        finally:
            self._is_asking = False
            self._writer_lane.release()

    @contextmanager
    def _patient(self, connection: Connection, waited: float) -> Iterator[None]:
        """Let a writer wait no longer in all than the setting says, however long it stood behind others."""
        raw: Any = connection.connection.dbapi_connection
        if not self.is_sqlite or waited < _LEAST_WAIT:
            yield
            return
        _wait_at_most(raw, max(_LEAST_WAIT, self._lock_seconds - waited))
        try:
            yield
        finally:
            _wait_at_most(raw, self._lock_seconds)

    @contextmanager
    def _plain_errors(self) -> Iterator[None]:
        began = monotonic()
        try:
            yield
        except DBAPIError as error:
            self._check_file()  # what SQLite says of a file that is gone helps nobody
            raise in_plain_words(error, self.label, monotonic() - began) from error
        except PoolTimeout as error:
            raise StorageError(f"{self.label}: every connection is in use. Use fewer threads at once.") from error


_ENTER_LANE = sa.text(f"SELECT pg_advisory_xact_lock({WRITER_LANE})")

_TAKE = (
    sa.update(counters)
    .where(counters.c.name == "seq")
    .values(value=counters.c.value + sa.bindparam("count"))
    .returning(counters.c.value)
)


def dump_json(value: Any) -> str:
    """Return compact JSON text, with non-Latin scripts readable; half characters are escaped, not lost."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def load_json(text: str | None) -> Any:
    """Return the value of JSON text; None for none."""
    return None if text is None else json.loads(text)


def _prepare_sqlite(connection: sqlite3.Connection, lock_seconds: float) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves: readers deferred, writers immediate
    _wait_at_most(connection, lock_seconds)
    retry_busy(lock_seconds, lambda: connection.execute("PRAGMA journal_mode=WAL"))
    for pragma in (
        "synchronous=FULL",  # an acknowledged record survives a power cut, for about 0.2 ms
        "foreign_keys=ON",
        "secure_delete=ON",  # erased text is overwritten on disk, not only unlinked
    ):
        connection.execute(f"PRAGMA {pragma}")


def _wait_at_most(connection: sqlite3.Connection, seconds: float) -> None:
    connection.execute(f"PRAGMA busy_timeout={max(1, round(seconds * 1000))}")


def retry_busy(seconds: float, call: Callable[[], _T]) -> _T:
    """Repeat what SQLite's own busy timeout does not cover: the switch of a new file to write-ahead logging."""
    again = Retrying(
        retry=retry_if_exception(lambda error: getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY")),
        wait=wait_random(0.005, 0.05),
        stop=stop_after_delay(seconds),
        reraise=True,
    )
    return again(call)


def _begin_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))
