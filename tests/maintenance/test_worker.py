"""What fails in the background is told once and in one line, and what is committed is no error."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from postgres import Server, server_programs
from stores import CountingEmbedder

from langgraph_memory.errors import IndexUnavailable, MemoryClosed, StorageError
from langgraph_memory.maintenance.complaints import SAME_TROUBLE, Complaints
from langgraph_memory.maintenance.worker import BackgroundWorker
from langgraph_memory.memory import Memory
from langgraph_memory.settings import Settings
from langgraph_memory.storage.chroma_index import ChromaIndex

OURS = "langgraph_memory"


def told(caplog: pytest.LogCaptureFixture, level: int = logging.WARNING) -> list[str]:
    """Return what a program sees that shows warnings: a traceback counts as its lines."""
    shown = logging.Formatter("%(message)s")
    records = [record for record in caplog.records if record.levelno >= level and record.name.startswith(OURS)]
    return [line for record in records for line in shown.format(record).splitlines()]


def chained(message: str) -> StorageError:
    try:
        try:
            raise OSError(28, "No space left on device")
        except OSError as error:
            raise StorageError(message) from error
    except StorageError as error:
        return error


class Seconds:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_trouble_is_one_line_and_told_again_when_its_reason_changes(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    complaints = Complaints(logging.getLogger(OURS))
    for number in range(5):
        complaints.tell("Upkeep failed.", chained(f"cannot use /x/chroma-{number:08x}:\n no space"))
    complaints.tell("Upkeep failed.", OSError(5, "Input/output error"))
    complaints.tell("Upkeep failed.", chained("cannot use /x/chroma-00000009: no space"))
    assert told(caplog) == [
        "Upkeep failed. cannot use /x/chroma-00000000: no space",
        "Upkeep failed. OSError: [Errno 5] Input/output error",
    ]
    tracebacks = [record for record in caplog.records if record.exc_info]
    assert len(tracebacks) == 7 and all(record.levelno == logging.DEBUG for record in tracebacks)


def test_a_trouble_that_comes_back_later_is_told_again(caplog: pytest.LogCaptureFixture) -> None:
    seconds = Seconds()
    complaints = Complaints(logging.getLogger(OURS), seconds)
    for now in (0, SAME_TROUBLE - 1, 2 * SAME_TROUBLE - 3, 3 * SAME_TROUBLE, 3 * SAME_TROUBLE + 1):
        seconds.now = now
        complaints.tell("Upkeep failed.", StorageError("the disk is full"))
    assert told(caplog) == ["Upkeep failed. the disk is full"] * 2


def test_what_nobody_expects_shows_its_traceback_once(caplog: pytest.LogCaptureFixture) -> None:
    complaints = Complaints(logging.getLogger(OURS))
    for _ in range(3):
        try:
            {}["nothing"]
        except KeyError as error:
            complaints.tell("Upkeep failed.", error)
    lines = told(caplog)
    assert lines[0] == "Upkeep failed. KeyError: 'nothing'" and lines.count("Traceback (most recent call last):") == 1


def test_a_worker_goes_on_and_says_once_why_it_fails(caplog: pytest.LogCaptureFixture) -> None:
    tries = threading.Semaphore(0)

    def work() -> bool:
        tries.release()
        raise chained("the database is away")

    worker = BackgroundWorker(work, idle_seconds=60, name="upkeep")
    for _ in range(4):
        worker.wake()
        assert tries.acquire(timeout=30)
    worker.stop()
    assert told(caplog) == ["upkeep failed and will try again. the database is away"]


def test_an_index_that_cannot_be_made_is_told_once(
    open_memory: Callable[..., Memory], folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made: list[str] = []

    def fail(client: Any, *_: Any, **__: Any) -> None:
        made.append(f"{len(made):08x}")
        raise IndexUnavailable(f"Chroma cannot use {folder}/index/chroma-{made[-1]}: the disk is full")

    monkeypatch.setattr(ChromaIndex, "clear", fail)
    memory = open_memory(folder)
    memory.record(["hi"], scope="a", thread_id="t")
    for _ in range(4):
        memory.flush()
    assert len(made) >= 4
    assert told(caplog) == [
        "The vector index is unavailable; recall searches SQL exactly meanwhile. "
        f"Chroma cannot use {folder}/index/chroma-00000000: the disk is full"
    ]


@pytest.mark.postgres
def test_a_database_that_stops_is_told_in_few_lines(
    embedder: CountingEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    programs = server_programs()
    if programs is None:
        pytest.skip("PostgreSQL's server programs are not installed")
    server = Server(programs)
    with Memory(server.create(), embeddings=embedder, settings=Settings(idle_seconds=0.05)) as memory:
        memory.record(["hi"], scope="a", thread_id="t")
        memory.flush()
        server.stop()
        parts = memory._parts
        for _ in range(3):
            parts.worker.wake()
            with pytest.raises(StorageError, match="cannot be reached"):
                memory.record(["ho"], scope="a", thread_id="t")
        checks = {check.name: (check.status, check.finding) for check in memory.doctor()}
        assert checks["database"][0] == checks["outbox"][0] == "problem"
        assert "cannot be reached" in checks["database"][1] and "\n" not in checks["database"][1]
    lines = told(caplog)
    assert len(lines) == len(set(lines)) <= 3  # at most: shutting down, gone, refusing
    assert all("cannot be reached" in line for line in lines)


@pytest.mark.parametrize("background", [True, False])
def test_what_is_committed_while_the_memory_is_closed_is_no_error(
    open_memory: Callable[..., Memory], store_url: str, background: bool
) -> None:
    calls: list[Callable[[Memory], Any]] = [
        lambda memory: memory.record(["hi"], scope="a", thread_id="t").added,
        lambda memory: memory.add("Ana likes tea.", scope="a").added,
        lambda memory: memory.erase(scope="b").counts["messages"],
    ]
    with open_memory(store_url) as memory:
        memory.record(["gone"], scope="b", thread_id="t")
    for call in calls:
        memory = open_memory(store_url, settings=Settings(background=background))
        close_after_commit(memory)
        assert call(memory)
        with pytest.raises(MemoryClosed):
            memory.sessions(scope="a")
    memory = open_memory(store_url)
    assert [entry.text for entry in memory.entries("t", scope="a")] == ["hi"]
    assert [record.text for record in memory.list(scope="a")] == ["Ana likes tea."]
    assert memory.sessions(scope="b") == []
    assert memory.flush().left == {}


def close_after_commit(memory: Memory) -> None:
    """Close the memory as if from another thread, as soon as something was written."""
    database = memory._parts.database
    write = database.write

    @contextmanager
    def write_then_close() -> Iterator[Any]:
        with write() as connection:
            yield connection
        memory.close()

    database.write = write_then_close  # type: ignore[method-assign]
