"""Whatever stands in the place of the vector index is set aside, and the index is rebuilt from SQL."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from langgraph_memory.memory import Memory
from langgraph_memory.storage.chroma_index import ChromaIndex


def file_in_place(index: Path) -> Path:
    index.write_text("notes of mine", "utf-8")
    return index.with_name("index-set-aside")


def link_to_nothing(index: Path) -> Path:
    index.symlink_to(index.with_name("gone"))
    return index.with_name("index-set-aside")


def folder_for_lock(index: Path) -> Path:
    (index / "indexer.lock").mkdir(parents=True)
    return index / "indexer.lock-set-aside"


def folder_for_pointer(index: Path) -> Path:
    (index / "current.json").mkdir(parents=True)
    return index / "current.json-set-aside"


@pytest.mark.parametrize("obstacle", [file_in_place, link_to_nothing, folder_for_lock, folder_for_pointer])
def test_what_stands_in_the_way_is_set_aside(
    open_memory: Callable[..., Memory], folder: Path, obstacle: Callable[[Path], Path]
) -> None:
    folder.mkdir()
    asides = [obstacle(folder / "index")]
    for _ in range(2):  # also where something was set aside before
        memory = open_memory(folder)
        memory.record(["I drink tea"], scope="a", thread_id="t")
        progress = memory.reindex()
        assert (progress.indexed, progress.left, progress.reason) == (1, {}, None)
        index = memory._parts.indexer.index()
        assert index is not None and index.count()["entries"] == 1
        assert {check.status for check in memory.doctor()} == {"ok"}
        memory.close()
        (folder / "index").rename(folder / f"whole-{len(asides)}")
        asides.append(obstacle(folder / "index"))
    assert asides[0].name.endswith("-set-aside") and asides[0].parent.exists()
    if obstacle is file_in_place:
        assert asides[0].read_text("utf-8") == "notes of mine"


def test_a_pointer_that_cannot_be_written_is_a_trouble_of_the_index(
    open_memory: Callable[..., Memory], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory(folder)
    memory.record(["I drink tea"], scope="a", thread_id="t")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr("langgraph_memory.storage.chroma_index.write_pointer", full)
        progress = memory.flush()
    assert progress.left == {"index": 1} and "No space left on device" in str(progress.reason)
    assert memory.flush().left == {}


def test_an_index_that_was_let_go_is_not_opened_again(open_memory: Callable[..., Memory], folder: Path) -> None:
    memory = open_memory(folder)
    memory.record(["I drink tea"], scope="a", thread_id="t")
    memory.flush()
    indexer = memory._parts.indexer
    memory.close()
    assert indexer.index() is None
    other = open_memory(folder)
    assert isinstance(other._parts.indexer.index(), ChromaIndex)
