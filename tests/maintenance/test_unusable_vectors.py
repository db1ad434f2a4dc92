"""Vectors that cannot be used are neither stored nor searched with, and do not stay where an older release put them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
import sqlalchemy as sa
from stores import CountingEmbedder

from langgraph_memory.errors import EmbeddingError
from langgraph_memory.memory import Memory
from langgraph_memory.models.ports import Vector, Vectors
from langgraph_memory.storage.schema import item_vectors, vectors

BAD = {
    "short": np.ones(10, dtype="<f2").tobytes(),
    "not a number": np.full(64, np.nan, dtype="<f2").tobytes(),
    "infinite": np.full(64, np.inf, dtype="<f2").tobytes(),
}


class Short(CountingEmbedder):
    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return super().embed_documents(texts)[:, :10]


class ShortQuestions(CountingEmbedder):
    def embed_query(self, text: str) -> Vector:
        return super().embed_query(text)[:10]


class NotNumbers(CountingEmbedder):
    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return super().embed_documents(texts) * np.float32(np.nan)


@pytest.mark.parametrize("broken", [Short, NotNumbers])
def test_an_embedder_of_wrong_vectors_stores_nothing_and_the_right_one_goes_on(
    store_url: str, open_memory: Callable[..., Memory], broken: type[CountingEmbedder]
) -> None:
    with open_memory(store_url, embeddings=broken()) as memory:
        memory.record([("user", "gyokuro is my tea")], scope="a", thread_id="t")
        memory.add("Ana drinks gyokuro in Oslo.", scope="a")
        with pytest.raises(EmbeddingError, match="testing-hash-64 returned"):
            memory.flush()
        assert len(memory.recall("gyokuro", scope="a").hits) == 2
    memory = open_memory(store_url)
    assert memory.flush().embedded == 2
    answer = memory.recall("gyokuro", scope="a")
    assert len(answer.hits) == 2
    assert not answer.notes
    assert all("dense_window" in hit.signals for hit in answer.hits)


async def test_a_short_query_vector_is_noted_and_words_are_searched(
    store_url: str, open_memory: Callable[..., Memory]
) -> None:
    memory = open_memory(store_url, embeddings=ShortQuestions())
    memory.record([("user", "gyokuro is my tea")], scope="a", thread_id="t")
    for answer in (memory.recall("gyokuro", scope="a"), await memory.arecall("gyokuro", scope="a")):
        assert [hit.text for hit in answer.hits] == ["gyokuro is my tea"]
        assert "10 numbers per vector, 64 were expected" in answer.notes[0]


@pytest.mark.parametrize("bad", list(BAD))
@pytest.mark.parametrize("mend", ["reconcile", "reindex", "open"])
def test_stored_vectors_that_no_search_can_use_are_passed_over_and_made_anew(
    store_url: str, open_memory: Callable[..., Memory], embedder: CountingEmbedder, bad: str, mend: str
) -> None:
    memory = open_memory(store_url)
    memory.record([("user", "gyokuro is my tea")], scope="a", thread_id="t")
    memory.add("Ana drinks gyokuro in Oslo.", scope="a")
    memory.store.put(("n",), "k", {"text": "matcha"})
    memory.flush()
    with memory._parts.database.write() as connection:
        connection.execute(sa.update(vectors).values(vector=BAD[bad]))
        connection.execute(sa.update(item_vectors).values(vector=BAD[bad]))
    memory.close()

    memory = open_memory(store_url)
    assert {hit.text for hit in memory.recall("gyokuro", scope="a", recipe="lexical").hits} == {
        "gyokuro is my tea",
        "Ana drinks gyokuro in Oslo.",
    }
    memory.store.search(("n",), query="matcha")
    embedder.texts.clear()
    if mend == "open":
        memory.close()
        memory = open_memory(store_url, reindex=True)
        memory.flush()
    else:
        getattr(memory, mend)()
    assert len(embedder.texts) >= 2
    answer = memory.recall("gyokuro", scope="a")
    assert {hit.text for hit in answer.hits} == {"gyokuro is my tea", "Ana drinks gyokuro in Oslo."}
    assert not answer.notes
    assert memory.store.search(("n",), query="matcha")[0].score > 0.5  # type: ignore[operator]
    assert not memory.flush().left
    assert memory.reconcile().unembedded == 0
