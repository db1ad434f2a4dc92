"""A user's own embedder may read questions word by word too, and recall uses what it reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from langgraph_memory import Memory
from langgraph_memory.models.checked import checked, word_reader
from langgraph_memory.models.ports import QuestionWords
from langgraph_memory.retrieval.recipe import HYBRID
from langgraph_memory.settings import Settings
from langgraph_memory.testing import HashEmbedder


class Table:
    """Knows that a puppy is a dog."""

    directions = np.array([[1.0, 0.0], [0.9, np.sqrt(0.19)], [0.0, 0.0]], dtype=np.float32)

    def rows(self, terms: Sequence[str]) -> np.ndarray:
        return np.array([{"dog": 0, "puppi": 1}.get(term, 2) for term in terms], dtype=np.int32)


class Reader(HashEmbedder):
    """Reads one word."""

    broken = False

    def question_words(self, text: str) -> QuestionWords | None:
        if self.broken:
            raise RuntimeError("the reader broke")
        return QuestionWords(("dog",), np.array([[1.0, 0.0]], dtype=np.float32))

    def term_directions(self) -> Table:
        return Table()


def test_an_embedder_that_is_checked_still_reads_words() -> None:
    assert word_reader(checked(Reader())) is not None
    assert word_reader(checked(HashEmbedder())) is None


def test_a_word_near_in_meaning_lifts_a_line_and_a_broken_reader_stops_nothing(tmp_path: Path) -> None:
    reader = Reader()
    with Memory(tmp_path / "m", embeddings=reader, settings=Settings(background=False)) as memory:
        for number, text in enumerate(
            ["The dog sleeps.", "The puppy sleeps.", "The carpet sleeps.", "The carpet is red."]
        ):
            memory.record([("user", text)], scope="a", thread_id=str(number))
        found = {hit.text: hit.signals for hit in memory.recall("Where does the dog sleep?", scope="a").hits}
        assert found["The puppy sleeps."]["kindred"] > 0
        assert found["The dog sleeps."]["kindred"] > found["The puppy sleeps."]["kindred"]
        assert not found["The carpet sleeps."].get("kindred")
        reader.broken = True
        ask = "And where does the dog sleep?"
        answer = memory.recall(ask, scope="a")
        assert answer.hits[0].text == "The dog sleeps." and "kindred" not in answer.hits[0].signals
        reader.broken = False
        assert "kindred" in memory.recall(ask, scope="a").hits[0].signals, "what went wrong is not kept"


def test_words_are_read_where_nothing_else_of_the_embedder_is_wanted(tmp_path: Path) -> None:
    with Memory(tmp_path / "m", embeddings=Reader(), settings=Settings(background=False)) as memory:
        for number, text in enumerate(["The puppy sleeps.", "The carpet sleeps."]):
            memory.record([("user", text)], scope="a", thread_id=str(number))
        words = replace(HYBRID, dense_window=0.0)
        best, other = memory.recall("Where does the dog sleep?", scope="a", recipe=words).hits
        assert best.text == "The puppy sleeps." and best.score > other.score
