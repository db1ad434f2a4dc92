"""A folder that is deleted or moved while it is open is noticed: nothing is acknowledged into nothing."""

from __future__ import annotations

import logging
import shutil
import threading
import timeit
from collections.abc import Callable
from pathlib import Path

import pytest
from stores import CountingEmbedder

from langgraph_memory.errors import StorageError
from langgraph_memory.memory import Memory
from langgraph_memory.settings import Settings
from langgraph_memory.storage.database import SQLITE_FILE

GONE = "the database file was removed or replaced while it was open; nothing was written"


def lose_all(folder: Path) -> None:
    shutil.rmtree(folder)


def move(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))


def swap(folder: Path) -> None:
    with Memory(folder.with_name("other"), embeddings=CountingEmbedder(), settings=Settings(background=False)):
        pass
    (folder / SQLITE_FILE).unlink()
    shutil.copy(folder.with_name("other") / SQLITE_FILE, folder / SQLITE_FILE)


@pytest.mark.parametrize("lose", [lose_all, move, swap])
def test_every_call_says_that_the_file_is_gone_and_nothing_is_made_anew(
    open_memory: Callable[..., Memory], folder: Path, lose: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    memory = open_memory(folder, settings=Settings(idle_seconds=0.05))
    memory.record([("user", "before")], scope="a", thread_id="t")
    memory.flush()
    lose(folder)
    before = sorted(folder.rglob("*"))
    acknowledged, told = [], []

    def record(worker: int) -> None:
        for number in range(20):
            try:
                memory.record([("user", f"{worker} {number}")], scope="a", thread_id=f"t{worker}")
                acknowledged.append((worker, number))
            except StorageError as error:
                told.append(str(error))

    with caplog.at_level(logging.WARNING):
        threads = [threading.Thread(target=record, args=(worker,)) for worker in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for call in (
            lambda: memory.recall("before", scope="a"),
            lambda: memory.list(scope="a"),
            lambda: memory.add("later", scope="a"),
            memory.flush,
            memory.reindex,
        ):
            with pytest.raises(StorageError, match=GONE):
                call()
    assert not acknowledged
    assert len(told) == 160
    assert all(GONE in text for text in told)
    assert any(check.status == "problem" and GONE in check.finding for check in memory.doctor())
    memory.close()
    assert sorted(folder.rglob("*")) == before
    assert len([line for line in caplog.messages if GONE in line]) <= 1


def test_a_folder_that_comes_back_goes_on(open_memory: Callable[..., Memory], folder: Path) -> None:
    memory = open_memory(folder)
    memory.record([("user", "before")], scope="a", thread_id="t")
    move(folder)
    with pytest.raises(StorageError, match=GONE):
        memory.record([("user", "away")], scope="a", thread_id="t")
    folder.with_name("elsewhere").rename(folder)
    memory.record([("user", "back")], scope="a", thread_id="t")
    assert [entry.text for entry in memory.entries("t", scope="a")] == ["before", "back"]


def test_checkpoints_that_are_gone_are_said_too(open_memory: Callable[..., Memory], folder: Path) -> None:
    memory = open_memory(folder)
    saver = memory.checkpointer()
    saver.delete_thread("t")
    lose_all(folder)
    with pytest.raises(StorageError, match=GONE):
        saver.delete_thread("t")
    assert not folder.exists()


def test_a_memory_outlives_a_change_of_the_working_directory(
    open_memory: Callable[..., Memory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    memory = open_memory("memory")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    memory._parts.database.engine.dispose()
    memory.record([("user", "said")], scope="a", thread_id="t")
    memory.flush()
    assert not any((tmp_path / "elsewhere").iterdir())
    assert (tmp_path / "memory" / "index").is_dir()


def test_looking_whether_the_file_is_there_costs_nearly_nothing(
    open_memory: Callable[..., Memory], folder: Path
) -> None:
    file = open_memory(folder)._parts.database._file
    assert file is not None
    assert min(timeit.repeat(file.check, number=500, repeat=5)) / 500 < 20e-6
