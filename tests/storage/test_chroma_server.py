from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from chroma_server import PROGRAM, ChromaServer
from stores import CountingEmbedder

from langgraph_memory.errors import IndexUnavailable
from langgraph_memory.memory import Memory
from langgraph_memory.storage.chroma_index import ChromaIndex


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaServer]:
    if PROGRAM is None:
        pytest.skip("the program `chroma` is not installed")
    server = ChromaServer(tmp_path_factory.mktemp("chroma"))
    yield server
    server.stop()


@pytest.fixture
def server(running: ChromaServer) -> Iterator[ChromaServer]:
    yield running
    if running._process is None:
        running.start()


def index_of(memory: Memory) -> ChromaIndex:
    index = memory._parts.indexer.index()
    assert index is not None
    return index


def test_rows_reach_the_server_and_are_found_there(
    open_memory: Callable[..., Memory], store_url: str, server: ChromaServer
) -> None:
    memory = open_memory(store_url, chroma=server.url)
    memory.record([f"line {n}" for n in range(20)], scope=("acme", "ana"), thread_id="t")
    memory.add("Ana likes tea.", scope=("acme", "bob"))
    assert memory.flush().left == {}
    assert index_of(memory).count() == {"entries": 20, "memories": 1}
    wide = open_memory(store_url, chroma=server.url)
    wide._parts.cache._max_bytes = 0
    answer = wide.recall("line 7", scope="acme")
    assert (answer.hits[0].text, answer.notes) == ("line 7", ())
    memory.erase(scope=("acme", "ana"))
    assert index_of(memory).count() == {"entries": 0, "memories": 1}


def test_two_stores_share_a_server(open_memory: Callable[..., Memory], tmp_path: Path, server: ChromaServer) -> None:
    one, other = (open_memory(tmp_path / name, chroma=server.url) for name in ("one", "other"))
    one.record(["of one"], scope="a", thread_id="t")
    other.record(["of the other", "again"], scope="a", thread_id="t")
    one.flush()
    other.flush()
    assert index_of(one).count()["entries"] == 1
    assert index_of(other).count()["entries"] == 2
    one.reindex()
    assert index_of(other).count()["entries"] == 2


def test_several_processes_write_through_one_server(
    open_memory: Callable[..., Memory], store_url: str, server: ChromaServer
) -> None:
    one, other = open_memory(store_url, chroma=server.url), open_memory(store_url, chroma=server.url)
    for number in range(10):
        (one, other)[number % 2].record([f"line {number}"], scope="a", thread_id="t")
        (one, other)[number % 2].flush()
    assert index_of(one).count()["entries"] == index_of(other).count()["entries"] == 10


def test_a_row_erased_while_its_copy_is_written_leaves_no_copy(
    open_memory: Callable[..., Memory], folder: Path, server: ChromaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, other = (open_memory(folder, chroma=server.url) for _ in range(2))
    memory.record(["a secret"], scope="a", thread_id="t")
    memory.record(["of bob"], scope="b", thread_id="t")
    real = ChromaIndex.upsert

    def upsert(self: ChromaIndex, rows: object) -> None:
        if self is index_of(memory):
            other.erase(scope="a")  # its removal is paid before the row arrives
        real(self, rows)

    monkeypatch.setattr(ChromaIndex, "upsert", upsert)
    memory.flush()
    assert index_of(memory).count()["entries"] == 1


def test_collections_that_vanished_are_made_anew(
    open_memory: Callable[..., Memory], folder: Path, server: ChromaServer, embedder: CountingEmbedder
) -> None:
    memory = open_memory(folder, chroma=server.url)
    memory.record(["one", "two"], scope="a", thread_id="t")
    memory.flush()
    for owner in ("entries", "memories"):
        index_of(memory)._client.delete_collection(index_of(memory)._name(owner))
    embedder.texts.clear()
    memory.record(["one", "two", "three"], scope="a", thread_id="t")
    memory.flush()
    assert index_of(memory).count()["entries"] == 3
    assert len(embedder.texts) == 1


def test_a_server_that_is_away_stops_neither_recording_nor_recall(
    open_memory: Callable[..., Memory], folder: Path, server: ChromaServer, embedder: CountingEmbedder
) -> None:
    memory = open_memory(folder, chroma=server.url)
    memory.record(["the key is under the mat"], scope="a", thread_id="t")
    memory.flush()
    server.stop()
    memory.record(["and the mat is blue"], scope="a", thread_id="t")
    progress = memory.flush()
    assert progress.left == {"index": 1}
    assert "does not answer" in str(progress.reason) and "chroma run" in str(progress.reason)
    assert memory.recall("blue mat", scope="a").hits[0].text == "and the mat is blue"
    memory._parts.cache._max_bytes = 0
    memory._parts.cache.clear()
    answer = memory.recall("blue mat", scope="a")
    assert answer.hits[0].text == "and the mat is blue"
    assert any("vector index is unavailable" in note for note in answer.notes)
    with pytest.raises(IndexUnavailable, match=server.url):
        memory.reindex()
    memory.close()

    memory = open_memory(folder, chroma=server.url)  # opening needs no server either
    with pytest.raises(IndexUnavailable, match=rf"the server {server.url}.*chroma run"):
        memory._parts.indexer.index()
    findings = {check.name: check for check in memory.doctor()}
    assert findings["vector index"].status == "problem"

    server.start()
    embedder.texts.clear()
    assert memory.flush().left == {}
    assert index_of(memory).count()["entries"] == 2
    assert len(embedder.texts) <= 1


def test_a_server_that_is_away_for_a_moment_loses_no_index(
    open_memory: Callable[..., Memory], folder: Path, server: ChromaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory(folder, chroma=server.url)
    memory.record(["one"], scope="a", thread_id="t")
    memory.flush()
    cleared: list[ChromaIndex] = []
    monkeypatch.setattr(ChromaIndex, "clear", lambda self: cleared.append(self))
    server.stop()
    memory.record(["one", "two"], scope="a", thread_id="t")
    memory.flush()
    server.start()
    assert memory.flush().left == {}
    assert cleared == []
    assert index_of(memory).count()["entries"] == 2
