"""A file that may not grow is told from a disk that fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from children import Child, say
from stores import CountingEmbedder

from langgraph_memory.errors import LangGraphMemoryError
from langgraph_memory.memory import Memory
from langgraph_memory.settings import Settings
from langgraph_memory.storage import outbox

resource = pytest.importorskip("resource")


def test_a_limit_on_the_size_of_files_is_said_and_the_write_can_be_repeated(folder: Path) -> None:
    child = Child(_grow, folder)
    assert child.receive() == "StorageFull"
    assert "ulimit -f" in str(child.receive())
    assert child.receive() is True
    assert child.exitcode() == 0


def test_another_process_is_named_only_where_there_is_one(folder: Path) -> None:
    with Memory(folder, embeddings=CountingEmbedder(), settings=Settings(background=False)) as memory:
        memory.add("Ana drinks gyokuro.", scope="a")
        memory.flush()
        memory.add("Bob drinks matcha.", scope="a")
        memory._parts.indexer.embed_some()
        now = memory._now()
        with memory._parts.database.write() as connection:  # as a batch leaves them that could not even release
            outbox.claim(connection, ["index", "link"], 10, now, now + outbox.LONGEST_CLAIM - 1)
        progress = memory.flush()
        assert progress.left == {"index": 1, "link": 1}
        assert "another process" not in str(progress.reason)
        assert "has not ended; they will be tried again" in str(progress.reason)


def _grow(folder: Path) -> None:
    memory = Memory(folder, embeddings=CountingEmbedder(), settings=Settings(background=False))
    memory.record(["before"], scope="a", thread_id="t")
    free = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, free[1]))
    try:
        memory.record(["x" * 3_000_000], scope="a", thread_id="t")
    except LangGraphMemoryError as error:
        say(type(error).__name__)
        say(str(error))
    resource.setrlimit(resource.RLIMIT_FSIZE, free)
    memory.record(["x" * 3_000_000], scope="a", thread_id="t")
    say(len(memory.entries("t", scope="a")) == 2)
    memory.close()
