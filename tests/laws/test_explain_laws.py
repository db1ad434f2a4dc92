"""Every score can be accounted for: the parts of an explanation add up to it, whatever the recipe."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langgraph_memory import Memory, Settings
from langgraph_memory.records import Hit
from langgraph_memory.retrieval.explain import explain
from langgraph_memory.retrieval.recipe import RECIPES, Recipe
from langgraph_memory.scope import Scope
from langgraph_memory.testing import FrozenClock, HashEmbedder

NOW = datetime(2026, 6, 1, tzinfo=UTC)
WORDS = ["Ana", "Oslo", "tea", "red", "green", "sails", "sleeps", "boat", "in", "the", "猫", "garden"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
LINES = st.lists(st.tuples(TEXTS, st.integers(0, 400), st.one_of(st.none(), st.floats(0, 1))), min_size=1, max_size=8)


class Given:
    """A reranker with scores that somebody else chose."""

    name = "given"

    def __init__(self, given: list[float]) -> None:
        self._given = given

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        return [self._given[place % len(self._given)] for place in range(len(texts))]


RERANKERS = st.one_of(st.none(), st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=5).map(Given))


@settings(max_examples=20)
@given(LINES, TEXTS, st.one_of(st.none(), st.floats(0, 1)), RERANKERS, st.floats(0, 1))
def test_the_parts_add_up_to_the_score(
    lines: Any, question: str, diversity: float | None, reranker: Given | None, weight: float
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        quiet = Settings(background=False, rerank_lines=4, rerank_seconds=3_600)
        with Memory(
            folder, embeddings=HashEmbedder(), reranker=reranker, settings=quiet, clock=FrozenClock(NOW)
        ) as memory:
            for place, (text, days, importance) in enumerate(lines):
                at = NOW - timedelta(days=days)
                memory.record([("user", text)], scope="a", thread_id="t", observed_at=at)
                memory.add(f"{text} {place}", scope="a", importance=importance, observed_at=at)
            memory.flush()
            for recipe in RECIPES.values():
                _adds_up(memory, question, replace(recipe, diversity=diversity, rerank=weight))


def _adds_up(memory: Memory, question: str, recipe: Recipe) -> None:
    hits = memory.recall(question, scope="a", recipe=recipe).hits
    assert recipe.diversity is not None or [hit.score for hit in hits] == sorted((h.score for h in hits), reverse=True)
    for hit in hits:
        told = explain(hit)
        assert told.score == hit.score
        assert sum(part.value for part in told.parts) == pytest.approx(hit.score, abs=1e-6), recipe.name
        assert all(str(part) in str(told) for part in told.parts)


def hit(score: float, **signals: float) -> Hit:
    return Hit("1", "tea", score, signals, "fact", "user", NOW, (), Scope.of("a"))


def test_an_explanation_is_read_from_the_largest_part_to_what_it_costs() -> None:
    told = explain(hit(0.4, raw_dense=0.61, dense=0.2, diversity=-0.1, lexical=0.3, new_channel=0.0, raw_lexical=7.0))
    assert str(told).splitlines() == [
        "0.4000 =",
        "  0.3000  words (7.000)",
        "+ 0.2000  meaning (0.610)",
        "+ 0.0000  new channel",
        "- 0.1000  likeness to a better hit",
    ]


def test_what_mem0_divides_and_cuts_off_is_told() -> None:
    told = explain(hit(1.0, semantic=1.0, bm25=0.9, entity=0.5, raw=2.4, divisor=2.0, final=1.0))
    assert {part.name: round(part.value, 6) for part in told.parts} == {
        "semantic": 0.5, "bm25": 0.45, "entity": 0.25, "cap": -0.2,
    }  # fmt: skip
