from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import sqlalchemy as sa
from langchain_core.embeddings import Embeddings
from stores import CountingEmbedder

from langgraph_memory.errors import EmbeddingMismatch, IndexUnavailable
from langgraph_memory.maintenance import indexer as indexer_module
from langgraph_memory.memory import Memory
from langgraph_memory.models.ports import Vectors
from langgraph_memory.storage import outbox
from langgraph_memory.storage.chroma_index import ChromaIndex
from langgraph_memory.storage.schema import vectors


class Renamed(CountingEmbedder):
    """The same dimension, another space."""

    @property
    def name(self) -> str:
        return "another model"


def say(memory: Memory, count: int, thread: str = "t") -> None:
    memory.record([f"{thread} says {number}" for number in range(count)], scope="a", thread_id=thread)


def owed(memory: Memory) -> dict[str, int]:
    with memory._parts.database.read() as connection:
        return dict(outbox.owed(connection))


def test_flush_embeds_each_text_once_and_owes_nothing(memory: Memory, embedder: CountingEmbedder) -> None:
    say(memory, 150)
    memory.add("Ana likes tea.", scope="a")
    seen: list[tuple[int, int]] = []
    progress = memory.flush(lambda embedded, indexed: seen.append((embedded, indexed)))
    assert progress.embedded == 151
    assert len(embedder.texts) == len(set(embedder.texts)) == 152  # the name that the memory mentions, too
    assert (progress.left, progress.reason) == ({}, None)
    assert seen[-1] == (progress.embedded, progress.indexed)
    assert memory.flush().embedded == 0
    assert owed(memory) == {}


def test_texts_are_embedded_with_speaker_and_date(memory: Memory, embedder: CountingEmbedder) -> None:
    memory.record([{"role": "user", "content": "hi", "name": "Ana", "observed_at": "2026-05-01T10:00:00Z"}],
                  scope="a", thread_id="t")  # fmt: skip
    memory.flush()
    assert embedder.texts == ["Ana (1 May 2026 Friday): hi"]


@pytest.mark.parametrize("blank", ["", "   ", "\n\t\r\n", "\u3000\u00a0\u2003"])
def test_blank_lines_owe_nothing_and_are_never_missed(memory: Memory, embedder: CountingEmbedder, blank: str) -> None:
    memory.record([blank], scope="a", thread_id="t")
    assert owed(memory) == {}
    assert memory.recall("anything", scope="a").notes == ()
    differences = memory.reconcile()
    assert (differences.unembedded, differences.unindexed, differences.unwritten) == (0, 0, 0)
    memory.reindex()
    assert embedder.texts == []


def test_recall_sees_what_was_recorded_before_it_without_flush(memory: Memory, embedder: CountingEmbedder) -> None:
    say(memory, 5)
    hits = memory.recall("says 3", scope="a", recipe="dense").hits
    assert hits[0].text == "t says 3"
    assert len(embedder.texts) == 5
    memory.flush()
    assert len(embedder.texts) == 5  # not again


def test_a_text_that_the_model_refuses_does_not_hold_up_the_others(memory: Memory) -> None:
    class Picky(CountingEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> Vectors:
            if any("bad" in text for text in texts):
                raise ValueError("too bad")
            return super().embed_documents(texts)

    memory._parts.indexer._embedder = Picky()
    say(memory, 40)
    memory.record(["a bad line"], scope="a", thread_id="t")
    say(memory, 40, "u")
    progress = memory.flush()
    assert progress.left == {"embed": 1}
    assert "refuses the text of row 41" in str(progress.reason)
    with memory._parts.database.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(vectors)).scalar_one() == 80
    assert memory.recall("bad", scope="a").hits[0].text == "a bad line"


def test_a_model_that_is_away_loses_nothing(memory: Memory, embedder: CountingEmbedder) -> None:
    say(memory, 10)
    embedder.failure = ConnectionError("no route")
    with pytest.raises(ConnectionError):
        memory.flush()
    assert owed(memory) == {"embed": 10}
    embedder.failure = None
    # Not even the claim stays behind: a worker, which overtakes nobody, goes on at once.
    assert memory._parts.indexer.embed_some() == 10


def test_tasks_of_a_process_that_died_are_overtaken(memory: Memory) -> None:
    say(memory, 3)
    now = memory._now()
    with memory._parts.database.write() as connection:
        assert len(outbox.claim(connection, ["embed"], 10, now, now + outbox.LONGEST_CLAIM - 1)) == 3
    assert memory._parts.indexer.embed_some() == 0
    assert memory._parts.indexer.embed_some(overtake=True) == 0  # longer than a batch takes: put off, not claimed
    with memory._parts.database.write() as connection:
        connection.execute(sa.update(outbox.outbox).values(claimed_until=sa.literal(0)))
    assert memory.flush().embedded == 3


def test_a_claim_of_a_clock_that_was_years_ahead_is_void(memory: Memory) -> None:
    say(memory, 3)
    memory.add("Ana lives in Oslo.", scope="a")
    years_ahead = memory._now() + 4 * 365 * 86_400_000_000
    with memory._parts.database.write() as connection:
        claimed = outbox.claim(connection, ["embed", "link"], 10, years_ahead, years_ahead + 120_000_000)
    assert len(claimed) == 5
    progress = memory.flush()
    assert progress.embedded == 4
    assert not progress.left


def test_another_model_is_refused_until_asked_for(
    open_memory: Callable[..., Memory], store_url: str, embedder: CountingEmbedder
) -> None:
    memory = open_memory(store_url)
    say(memory, 3)
    memory.flush()
    memory.close()
    with pytest.raises(EmbeddingMismatch, match=r"'testing-hash-64'.*'another model'.*reindex=True"):
        open_memory(store_url, embeddings=Renamed())
    other = Renamed()
    memory = open_memory(store_url, embeddings=other, reindex=True)
    assert len(memory.recall("says", scope="a").hits) == 3
    memory.flush()
    assert len(other.texts) == len(set(other.texts)) == 3
    with memory._parts.database.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(vectors)).scalar_one() == 6
    memory.close()
    with pytest.raises(EmbeddingMismatch):
        open_memory(store_url)
    memory = open_memory(store_url, reindex=True)  # back again: the old vectors are still there
    memory.flush()
    assert len(embedder.texts) == 3


def test_one_name_for_two_dimensions_is_refused(open_memory: Callable[..., Memory], store_url: str) -> None:
    open_memory(store_url)

    class Longer(CountingEmbedder):
        @property
        def name(self) -> str:
            return "testing-hash-64"

    with pytest.raises(EmbeddingMismatch, match=r"stamped with 64 dimensions, now it has 32.*name of its own"):
        open_memory(store_url, embeddings=Longer(32))


class Remote(Embeddings):
    """An embedding model behind a network that can be cut."""

    model = "remote-1"
    dimensions = 3
    cut = False

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if self.cut:
            raise ValueError("no route to the model")
        return [[float(len(text))] * self.dimensions for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def test_a_store_opens_while_its_model_is_out_of_reach(open_memory: Callable[..., Memory], store_url: str) -> None:
    memory = open_memory(store_url, embeddings=Remote())
    say(memory, 3)
    memory.flush()
    memory.close()
    away = Remote()
    away.cut = True
    memory = open_memory(store_url, embeddings=away)
    answer = memory.recall("says", scope="a")
    assert len(answer.hits) == 3
    assert answer.notes == ("the embedding model failed (no route to the model); searched by words only",)


def test_a_model_that_changes_under_its_name_is_told_at_recall(
    open_memory: Callable[..., Memory], store_url: str
) -> None:
    memory = open_memory(store_url, embeddings=Remote())
    say(memory, 3)
    memory.flush()
    memory.close()
    longer = Remote()
    longer.dimensions = 5
    answer = open_memory(store_url, embeddings=longer).recall("says", scope="a")
    assert len(answer.hits) == 3
    assert "5 numbers per vector, 3 were expected" in answer.notes[0]


def test_a_process_with_the_old_model_takes_no_work_from_the_new_one(
    open_memory: Callable[..., Memory], store_url: str
) -> None:
    old = open_memory(store_url)
    say(old, 3)
    old.flush()
    new = open_memory(store_url, embeddings=Renamed(), reindex=True)
    progress = old.flush()
    assert progress.embedded == 0 and "embedded anew with 'another model'" in str(progress.reason)
    old.close()
    assert new.flush().embedded == 3
    with new._parts.database.read() as connection:
        query = sa.select(sa.func.count()).select_from(vectors).where(vectors.c.model_id == new._parts.model_id)
        assert connection.execute(query).scalar_one() == 3


def test_a_row_owed_to_the_index_without_vector_is_embedded_first(
    open_memory: Callable[..., Memory], folder: Path
) -> None:
    memory = open_memory(folder)
    say(memory, 3)
    with memory._parts.database.write() as connection:
        connection.execute(sa.update(outbox.outbox).values(stage="index"))
    memory.flush()
    index = memory._parts.indexer.index()
    assert index is not None and index.count()["entries"] == 3


def test_an_index_that_keeps_failing_is_rebuilt_once_and_then_left(
    open_memory: Callable[..., Memory], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory(folder)
    say(memory, 3)

    def fail(self: ChromaIndex, rows: object) -> None:
        raise IndexUnavailable("it cannot be written")

    rebuilds = []
    real = ChromaIndex.rebuilt
    monkeypatch.setattr(ChromaIndex, "rebuilt", lambda self, **how: rebuilds.append(self) or real(self, **how))
    with monkeypatch.context() as broken:
        broken.setattr(ChromaIndex, "upsert", fail)
        progress = memory.flush()
    assert len(rebuilds) <= 2  # once per round of flush
    assert (progress.left, progress.reason) == ({"index": 3}, "it cannot be written")
    assert memory.recall("says 2", scope="a").hits[0].text == "t says 2"
    progress = memory.flush()
    assert (progress.left, progress.indexed >= 3) == ({}, True)


def test_work_goes_on_in_batches_until_there_is_none(
    open_memory: Callable[..., Memory], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer_module, "EMBED_BATCH", 4)
    monkeypatch.setattr(indexer_module, "INDEX_BATCH", 3)
    memory = open_memory(folder)
    say(memory, 10)
    rounds = 0
    while memory._parts.indexer.work():
        rounds += 1
    assert rounds == 3 + 4  # ten texts embedded by fours, then carried into the index by threes
    assert owed(memory) == {}
