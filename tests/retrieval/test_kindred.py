"""Words near in meaning: the nearest term in or around a line counts for each word of the question, by its idf."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from langgraph_memory.models.ports import QuestionWords
from langgraph_memory.retrieval.bm25 import Collection
from langgraph_memory.retrieval.kindred import kindred, spread
from langgraph_memory.retrieval.region import KINDRED_KERNEL, MONOLOGUE
from langgraph_memory.retrieval.snapshot import Line, Snapshot

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]


class Table:
    """Four terms in two directions."""

    terms: Sequence[str] = ("cat", "kitten", "car", "truck")
    directions = np.array([EAST, [0.8, 0.6], NORTH, [-0.6, 0.8], [0.0, 0.0]], dtype=np.float32)

    def rows(self, terms: Sequence[str]) -> np.ndarray:
        return np.array([self.terms.index(t) if t in self.terms else 4 for t in terms], dtype=np.int32)


def asked(*words: tuple[str, list[float]]) -> QuestionWords:
    return QuestionWords(
        tuple(word for word, _ in words), np.array([direction for _, direction in words], dtype=np.float32)
    )


def scores(lines: list[list[str]], words: QuestionWords, *, session: int | None = None) -> list[float] | None:
    snapshot = Snapshot(2)
    for seq, terms in enumerate(lines):
        snapshot.append([Line(seq, session, "user", "message", terms, 0, 0)])
    shown = np.ones(len(lines), dtype=np.bool_)
    region = snapshot.region(np.arange(len(lines), dtype=np.int32), shown)
    found = kindred(words, Table(), snapshot.postings, region, np.arange(len(lines)))
    return None if found is None else found.tolist()


def test_the_nearest_term_of_a_line_counts_also_where_it_is_another_word() -> None:
    found = scores([["kitten", "truck"], ["car"], []], asked(("cat", EAST)))
    assert found == pytest.approx([0.8, 0.0, 0.0])


def test_words_count_by_their_idf() -> None:
    lines = [["cat"], ["car"], ["car"], ["car"]]
    found = scores(lines, asked(("cat", EAST), ("car", NORTH)))
    assert found is not None
    rare, common = np.log(1 + 3.5 / 1.5), np.log(1 + 1.5 / 3.5)
    assert found[0] == pytest.approx(rare / (rare + common), abs=1e-5)
    assert found[1] == pytest.approx(common / (rare + common), abs=1e-5)


def test_what_stands_around_a_line_counts_by_its_distance() -> None:
    found = scores([["cat"], ["car"], ["car"], ["car"]], asked(("cat", EAST)), session=1)
    near, far = KINDRED_KERNEL[-1] * MONOLOGUE, KINDRED_KERNEL[-3] * MONOLOGUE
    assert found == pytest.approx([1.0, near, KINDRED_KERNEL[-2] * MONOLOGUE, far])


def test_signs_and_unknown_words_of_a_line_say_nothing() -> None:
    assert scores([["cat"]], asked(("?", EAST))) is None
    assert scores([["zzz"]], asked(("cat", EAST))) == pytest.approx([0.0])


def test_of_a_sample_the_whole_collection_says_what_a_word_tells() -> None:
    snapshot = Snapshot(2)
    snapshot.append([Line(0, None, "memory", "fact", ["cat"], 0, 0), Line(1, None, "memory", "fact", ["car"], 0, 0)])
    collection = Collection({"cat": 900}, 1_000)
    idf = snapshot.postings.idf(["cat", "car"], collection).tolist()
    assert idf == pytest.approx([np.log(1 + 100.5 / 900.5), np.log(1 + 500.5 / 500.5)], abs=1e-6)


def test_the_middle_becomes_nothing_and_the_best_one() -> None:
    assert spread(np.array([0.5, 0.6, 0.7, 0.9, 0.1], dtype=np.float32)).tolist() == pytest.approx(
        [0, 0, 1 / 3, 1, 0], abs=1e-6
    )
    assert spread(np.array([0.5, 0.5], dtype=np.float32)).tolist() == [0, 0]
