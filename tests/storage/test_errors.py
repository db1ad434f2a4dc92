from __future__ import annotations

import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic

import pytest
from children import Child, say, wait_for_parent
from postgres import free_port

from langgraph_memory.errors import InvalidInput, LangGraphMemoryError, ReadOnlyStorage, StorageError, StorageFull
from langgraph_memory.memory import Memory
from langgraph_memory.settings import Settings
from langgraph_memory.storage.database import SQLITE_FILE, Database

UNPRIVILEGED = "nobody"


def test_a_failed_write_leaves_nothing_behind(database: Database) -> None:
    with pytest.raises(ZeroDivisionError), database.write() as connection:
        connection.exec_driver_sql("INSERT INTO facts VALUES ('x', 'y')")
        raise ZeroDivisionError
    with database.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM facts WHERE name = 'x'").scalar_one() == 0


def test_another_programs_database_is_refused_and_left_as_it_is(
    open_memory: Callable[..., Memory], folder: Path
) -> None:
    folder.mkdir()
    connection = sqlite3.connect(folder / SQLITE_FILE)
    connection.execute("CREATE TABLE messages (id INTEGER)")
    connection.close()
    with pytest.raises(StorageError, match=r"another program \(it holds the table 'messages'\).*folder of its own"):
        open_memory(folder)
    connection = sqlite3.connect(folder / SQLITE_FILE)
    assert [row[0] for row in connection.execute("SELECT name FROM sqlite_master")] == ["messages"]
    connection.close()


@pytest.mark.parametrize("lose", [lambda file: file.unlink(), lambda file: file.write_bytes(b"")])
def test_a_lost_database_is_no_empty_memory(
    open_memory: Callable[..., Memory], folder: Path, lose: Callable[[Path], None]
) -> None:
    with open_memory(folder) as memory:
        memory.record(["Ana sails."], scope="a", thread_id="t")
        memory.flush()
    saved = folder.parent / "saved"
    shutil.copy(folder / SQLITE_FILE, saved)
    lose(folder / SQLITE_FILE)
    with pytest.raises(StorageError, match=r"missing or empty.*the database was lost. Put it back.*begin anew, delete"):
        open_memory(folder)
    shutil.copy(saved, folder / SQLITE_FILE)
    with open_memory(folder) as memory:
        assert [hit.text for hit in memory.recall("Ana", scope="a").hits] == ["Ana sails."]
    lose(folder / SQLITE_FILE)
    shutil.rmtree(folder / "index")
    assert open_memory(folder).sessions(scope="a") == []


def test_a_full_disk_is_said_and_the_write_can_be_repeated(open_memory: Callable[..., Memory], folder: Path) -> None:
    memory = open_memory(folder)
    memory.record(["before"], scope="a", thread_id="t")
    engine = memory._parts.database.engine
    engine.dispose()

    import sqlalchemy as sa

    def limit(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA max_page_count = 1")  # means: no more pages than there are

    sa.event.listen(engine, "connect", limit)
    with pytest.raises(StorageFull, match=r"no space is left.*rolled back; free some space and repeat"):
        memory.record(["x" * 500_000], scope="a", thread_id="t")
    sa.event.remove(engine, "connect", limit)
    engine.dispose()
    assert [entry.text for entry in memory.entries("t", scope="a")] == ["before"]
    memory.record(["x" * 500_000], scope="a", thread_id="t")
    assert len(memory.entries("t", scope="a")) == 2


@pytest.mark.parametrize("content", [b"this is no database at all, not even nearly", b"\0" * 8192])
def test_a_file_that_is_no_database_is_said_and_left_as_it_is(
    open_memory: Callable[..., Memory], folder: Path, content: bytes
) -> None:
    folder.mkdir()
    (folder / SQLITE_FILE).write_bytes(content)
    with pytest.raises(StorageError, match=r"is damaged or is no SQLite file.*Restore it from a backup or an export"):
        open_memory(folder)
    assert (folder / SQLITE_FILE).read_bytes() == content


def test_a_damaged_database_is_said(open_memory: Callable[..., Memory], folder: Path) -> None:
    memory = open_memory(folder)
    for number in range(20):
        memory.record([f"line {number} " + "word " * 500], scope="a", thread_id="t")
    memory._parts.database.truncate_log()
    memory.close()
    file = folder / SQLITE_FILE
    with file.open("r+b") as raw:
        raw.seek(4096)
        raw.write(os.urandom(file.stat().st_size - 8192))
    with pytest.raises(StorageError, match=r"is damaged.*Restore"):
        broken = open_memory(folder)
        broken.entries("t", scope="a")


def test_a_database_that_stays_locked_is_said(open_memory: Callable[..., Memory], folder: Path) -> None:
    memory = open_memory(folder, settings=Settings(background=False, lock_seconds=0.1))
    holder = sqlite3.connect(folder / SQLITE_FILE, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError, match=r"stayed locked for 0.1 s.*Close it and repeat; nothing was written"):
        memory.record(["hi"], scope="a", thread_id="t")
    assert memory.recall("hi", scope="a").hits == ()  # readers do not wait
    holder.execute("COMMIT")
    holder.close()
    assert memory.record(["hi"], scope="a", thread_id="t").added


def test_writers_that_wait_behind_each_other_wait_no_longer_than_one(
    open_memory: Callable[..., Memory], folder: Path
) -> None:
    memory = open_memory(folder, settings=Settings(background=False, lock_seconds=0.5))
    holder = sqlite3.connect(folder / SQLITE_FILE, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")

    def record(number: int) -> str:
        with pytest.raises(StorageError) as caught:
            memory.record([f"line {number}"], scope="a", thread_id="t")
        return str(caught.value)

    began = monotonic()
    with ThreadPoolExecutor(6) as pool:
        told = [*pool.map(record, range(6))]
    assert monotonic() - began < 1.5  # one after the other it would be 3
    assert all(re.search(r"stayed locked for 0\.[5-9] s", message) for message in told)
    holder.execute("COMMIT")
    holder.close()
    assert memory.record(["hi"], scope="a", thread_id="t").added


def test_a_checkpointer_whose_file_stays_locked_says_so(open_memory: Callable[..., Memory], folder: Path) -> None:
    saver = open_memory(folder, settings=Settings(background=False, lock_seconds=0.2)).checkpointer()
    saver.delete_thread("t")
    holder = sqlite3.connect(folder / "checkpoints.sqlite3", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError, match=r"stayed locked for 0.2 s: another program holds a write open"):
        saver.delete_thread("t")
    holder.close()


def test_all_waits_of_a_turn_are_below_a_minute() -> None:
    assert 3 * Settings().lock_seconds < 60  # profiles and recall where even reading waits, and recording


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_folder_that_may_not_be_written_is_said(tmp_path: Path, open_memory: Callable[..., Memory]) -> None:
    tmp_path.chmod(0o755)
    for parent in tmp_path.parents[:3]:
        if parent != Path("/tmp"):
            parent.chmod(0o755)
    written = tmp_path / "written"
    open_memory(written).record(["hello"], scope="a", thread_id="t")
    open_memory(written).close()
    for path in (written, *written.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    empty = tmp_path / "empty"
    empty.mkdir(mode=0o555)
    said = Child(_try_as_nobody, [written, empty, empty / "below"], tmp_path / "warm").result()
    assert said == [
        f"ReadOnlyStorage {written / SQLITE_FILE}",
        f"ReadOnlyStorage {empty / SQLITE_FILE}",
        f"ReadOnlyStorage {empty / 'below'}",
    ]


def _try_as_nobody(folders: list[Path], warm_up: Path) -> list[str]:
    import pwd

    _try(warm_up)  # all imports are done before the interpreter's own files are out of reach
    user = pwd.getpwnam(UNPRIVILEGED)
    os.setgroups([])
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)
    return [_try(folder) for folder in folders]


def _try(folder: Path) -> str:
    from langgraph_memory.settings import Settings
    from langgraph_memory.testing.embedder import HashEmbedder

    try:
        with Memory(folder, embeddings=HashEmbedder(), settings=Settings(background=False)) as memory:
            memory.record(["hi"], scope="a", thread_id="t")
    except LangGraphMemoryError as error:
        named = next(word.rstrip(":.") for word in str(error).split() if word.startswith("/"))
        return f"{type(error).__name__} {named}"
    return "written"


def test_a_folder_that_is_a_file_is_said(tmp_path: Path, open_memory: Callable[..., Memory]) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ReadOnlyStorage, match=r"Cannot create the memory folder .*Give a folder"):
        open_memory(tmp_path / "file")
    with pytest.raises(InvalidInput, match=r"location holds a NUL character"):
        open_memory("nul\0byte")


def test_a_folder_that_vanished_is_said(open_memory: Callable[..., Memory], folder: Path) -> None:
    memory = open_memory(folder)
    memory._parts.database.engine.dispose()
    shutil.rmtree(folder)
    with pytest.raises(StorageError, match="removed or replaced while it was open; nothing was written"):
        memory.record(["hi"], scope="a", thread_id="t")
    assert not folder.exists()


@pytest.mark.parametrize(
    "url", ["mysql://ana:s3cret@host/db", "postgresql//ana:s3cret@host/db://", "http://ana:s3cret@host", "://"]
)
def test_an_address_of_another_kind_is_refused_without_its_password(
    open_memory: Callable[..., Memory], url: str
) -> None:
    with pytest.raises(InvalidInput, match="postgresql://") as refused:
        open_memory(url)
    assert "s3cret" not in everything(refused.value)


@pytest.mark.parametrize("url", ["postgresql://ana:s3cret@{}/db", "postgresql://ana@{}/db?password=s3cret"])
def test_a_postgresql_that_is_away_is_said_without_its_password(open_memory: Callable[..., Memory], url: str) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StorageError, match=r"cannot be reached.*Check that PostgreSQL runs there") as refused:
        open_memory(url.format(f"127.0.0.1:{free_port()}"))
    assert "s3cret" not in everything(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.postgres
def test_a_database_that_is_not_there_is_said(open_memory: Callable[..., Memory], postgres_url: str) -> None:
    with pytest.raises(StorageError, match=r"cannot be reached.*does not exist.*database are right"):
        open_memory(postgres_url + "nope")


@pytest.mark.postgres
def test_a_postgresql_that_comes_back_is_used_again(
    open_memory: Callable[..., Memory], postgres_url: str, postgres_server: object
) -> None:
    memory = open_memory(postgres_url)
    memory.record(["hi"], scope="a", thread_id="t")
    name = postgres_url.rpartition("/")[2]
    kill = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
    postgres_server.execute(kill)
    assert memory.record(["there"], scope="a", thread_id="t").added
    with pytest.raises(StorageError, match="was rolled back"), memory._parts.database.write() as connection:
        postgres_server.execute(kill)
        connection.exec_driver_sql("INSERT INTO facts VALUES ('x', 'y')")
    assert [entry.text for entry in memory.entries("t", scope="a")] == ["hi", "there"]


def test_a_folder_may_be_open_twice_in_one_process(open_memory: Callable[..., Memory], store_url: str) -> None:
    one, other = open_memory(store_url), open_memory(store_url)
    one.record(["the key is under the mat"], scope="a", thread_id="t")
    assert [hit.text for hit in other.recall("key", scope="a").hits] == ["the key is under the mat"]
    other.record(["no, in the drawer"], scope="a", thread_id="t")
    assert [entry.text for entry in one.entries("t", scope="a")] == ["the key is under the mat", "no, in the drawer"]
    assert one.recall("drawer", scope="a").hits[0].text == "no, in the drawer"
    one.close()
    assert other.recall("mat", scope="a").hits[0].text == "the key is under the mat"


def test_another_process_sees_and_is_seen(open_memory: Callable[..., Memory], store_url: str) -> None:
    memory = open_memory(store_url)
    memory.record(["the key is under the mat"], scope="a", thread_id="t")
    child = Child(_other_process, store_url)
    assert child.receive() == ["the key is under the mat"]
    assert memory.recall("drawer", scope="a").hits[0].text == "no, in the drawer"
    memory.forget(memory.entries("t", scope="a")[0].message_id, scope="a")
    child.send("look again")
    assert child.result() == ["no, in the drawer"]


def _other_process(store_url: str) -> list[str]:
    from langgraph_memory.settings import Settings
    from langgraph_memory.testing.embedder import HashEmbedder

    with Memory(store_url, embeddings=HashEmbedder(), settings=Settings(background=False)) as memory:
        seen = [hit.text for hit in memory.recall("key drawer", scope="a").hits]
        memory.record(["no, in the drawer"], scope="a", thread_id="t")
        say(seen)
        wait_for_parent()
        return [hit.text for hit in memory.recall("key drawer", scope="a").hits]


def everything(error: BaseException) -> str:
    """Return all that a traceback of the error would print."""
    import traceback

    return "".join(traceback.format_exception(error))
