from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa
from stores import CountingEmbedder

from langgraph_memory.errors import EmbeddingError, NotFound
from langgraph_memory.memory import Memory
from langgraph_memory.storage.schema import metadata

MARKER = "xylophonium"
ANA, BOB = ("acme", "ana"), ("acme", "bob")

KEPT = {"counters", "facts", "models"}
"""Tables about the store as a whole."""


def fill(memory: Memory, scope: tuple[str, ...]) -> str:
    lines = [f"{MARKER} of {scope[-1]}, line {number}" for number in range(30)]
    said = [{"role": "user", "content": line, "id": f"m{number}"} for number, line in enumerate(lines)]
    memory.record(said, scope=scope, thread_id="t1")
    memory.record([{"role": "user", "content": f"{MARKER} elsewhere", "id": "m0"}], scope=scope, thread_id="t2")
    name = memory.add(f"The {MARKER} of {scope[-1]} is loud.", scope=scope, evidence=["m1"]).ids[0]
    memory.update(name, text=f"The {MARKER} of {scope[-1]} is quiet.", reason=f"{MARKER} moved")
    memory.forget("m2", scope=scope, thread_id="t1", reason=f"{MARKER} wrong")
    return name


def test_everything_in_the_scope_is_gone_from_every_table(memory: Memory) -> None:
    fill(memory, ANA)
    fill(memory, (*ANA, "inner"))
    memory.flush()
    receipt = memory.erase(scope=ANA)
    assert receipt.scope.segments == ANA
    assert receipt.counts == {
        "messages": 62, "memories": 4, "sessions": 4, "history": 8, "vectors": 66, "scopes": 2, "entities": 0,
        "items": 0,
    }  # fmt: skip
    with memory._parts.database.read() as connection:
        for table in metadata.tables.values():
            if table.name not in KEPT | {"scopes"}:
                rows = connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
                assert rows == 0, table.name
        assert list(connection.scalars(sa.select(metadata.tables["scopes"].c.path))) == ["acme/"]
        assert connection.exec_driver_sql("SELECT count(*) FROM text_index").scalar_one() == 0
    assert memory.recall(MARKER, scope="acme").hits == ()
    assert memory.sessions(scope="acme") == []
    assert memory.list(scope="acme", include_history=True) == []


def test_others_keep_all_they_have(memory: Memory) -> None:
    fill(memory, ANA)
    bobs = fill(memory, BOB)
    everything = {"scope": BOB, "include_history": True}
    before = memory.entries("t1", **everything), memory.list(**everything)
    outer = memory.add("Acme knows.", scope="acme", evidence=["m5"], session_id="t1")
    memory.recall(MARKER, scope="acme")  # a snapshot of the parent scope that must notice
    memory.erase(scope=ANA)
    assert (memory.entries("t1", **everything), memory.list(**everything)) == before
    assert len(memory.history(bobs)) == 2
    hits = memory.recall(f"{MARKER} ana line", scope="acme", limit=50).hits
    assert hits and {hit.scope.segments for hit in hits} <= {BOB, ("acme",)}
    assert not any("ana" in hit.text for hit in hits)
    # Evidence that is gone is no longer named.
    assert memory.get(outer.ids[0]).evidence == ()
    assert len(memory.recall(MARKER, scope=BOB, limit=50).hits) == len(hits)


def test_one_conversation_is_erased_alone(memory: Memory) -> None:
    fill(memory, ANA)
    memory.flush()
    memory.recall(MARKER, scope=ANA)
    receipt = memory.erase(scope=ANA, thread_id="t1")
    assert receipt.counts == {"messages": 30, "sessions": 1, "vectors": 30, "history": 1}
    assert [session.session_id for session in memory.sessions(scope=ANA)] == ["t2"]
    hits = memory.recall(MARKER, scope=ANA, limit=50).hits
    assert sorted(hit.text for hit in hits) == [f"The {MARKER} of ana is quiet.", f"{MARKER} elsewhere"]
    assert memory.list(scope=ANA, include_history=True)[0].evidence == ()
    with pytest.raises(NotFound):
        memory.history("m2")
    with pytest.raises(NotFound, match=r"no session 't1'"):
        memory.erase(scope=ANA, thread_id="t1")
    with pytest.raises(NotFound):
        memory.erase(scope="acme", thread_id="t2")  # it lies further inside


def test_a_scope_that_comes_back_starts_empty(memory: Memory) -> None:
    fill(memory, ANA)
    assert memory.recall(MARKER, scope=ANA).hits
    memory.erase(scope=ANA)
    memory.record(["something new"], scope=ANA, thread_id="t1")
    answer = memory.recall(f"{MARKER} new", scope=ANA, limit=1)
    assert [hit.text for hit in answer.hits] == ["something new"]
    with memory._parts.cache.open(answer.hits[0].scope) as snapshot:
        assert snapshot is not None and len(snapshot) == 1


def test_erasing_what_is_not_there_is_no_error(memory: Memory) -> None:
    assert set(memory.erase(scope="nobody").counts.values()) == {0}


def test_erased_words_are_in_no_file_of_the_folder(open_memory: Callable[..., Memory], folder: Path) -> None:
    memory = open_memory(folder)
    fill(memory, ANA)
    fill(memory, BOB)
    memory.flush()
    assert traces(folder, f"{MARKER} of ana") and traces(folder, f"{MARKER} of bob")
    memory.erase(scope=ANA)
    assert traces(folder, f"{MARKER} of ana") == []
    memory.erase(scope=BOB, thread_id="t1")
    assert traces(folder, f"{MARKER} of bob, line") == []
    memory.erase(scope=BOB)
    assert traces(folder, MARKER) == []
    memory.close()
    assert traces(folder, MARKER) == []


def test_erased_rows_leave_chroma_before_erase_returns(
    open_memory: Callable[..., Memory], folder: Path, embedder: CountingEmbedder
) -> None:
    memory = open_memory(folder)
    fill(memory, ANA)
    fill(memory, BOB)
    memory.flush()
    index = memory._parts.indexer.index()
    assert index is not None and index.count() == {"entries": 62, "memories": 4}
    # Not even a failing model delays it.
    memory.record(["not embedded yet"], scope=BOB, thread_id="t3")
    embedder.failure = EmbeddingError("the model is away")
    memory.erase(scope=ANA)
    assert traces(folder, f"{MARKER} of ana") == [], "in no file of Chroma either: its log, its vectors"
    embedder.failure = None
    embedder.texts.clear()
    memory.flush()
    index = memory._parts.indexer.index()
    assert index is not None and index.count() == {"entries": 32, "memories": 2}
    assert len(embedder.texts) == 1, "everything else has its vector already"
    assert {path.name for path in (folder / "index").glob("chroma-*")} == {index.folder.name}  # type: ignore[union-attr]


def test_a_row_erased_while_it_is_being_embedded_gets_no_vector(
    open_memory: Callable[..., Memory], store_url: str, embedder: CountingEmbedder
) -> None:
    memory, other = open_memory(store_url), open_memory(store_url)
    memory.record(["a secret"], scope=ANA, thread_id="t")

    class Erasing(CountingEmbedder):
        def embed_documents(self, texts):  # type: ignore[no-untyped-def]
            other.erase(scope=ANA)
            return np.asarray(embedder.embed_documents(texts))

    memory._parts.indexer._embedder = Erasing()
    memory.flush()
    with memory._parts.database.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM vectors").scalar_one() == 0
        assert connection.exec_driver_sql("SELECT count(*) FROM outbox").scalar_one() == 0


def traces(folder: Path, text: str) -> list[str]:
    """Return the files below the folder, Chroma's included, that hold the text."""
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes())
