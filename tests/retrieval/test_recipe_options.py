"""Options of a recipe: reciprocal rank fusion, and maximal marginal relevance after any formula."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory import Memory
from langgraph_memory.errors import InvalidInput
from langgraph_memory.retrieval.fuse import Fused
from langgraph_memory.retrieval.picking import diversified
from langgraph_memory.retrieval.recipe import COMPOSITE, DENSE, HYBRID, MEM0, RRF
from langgraph_memory.testing.embedder import HashEmbedder

Open = Callable[..., Memory]
QUESTION, PLANE = "the question", {"a": (1, 0), "twin": (0.999, 0.04), "other": (0.7, 0.714)}


class Plane(HashEmbedder):
    """Puts the texts of Graphiti's reference into a plane."""

    def embed_documents(self, texts: Sequence[str]) -> Any:
        rows = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:2] = next((given for name, given in PLANE.items() if text.endswith(name)), (0.97, 0.243))
            row /= np.linalg.norm(row)
        return rows


@pytest.fixture
def plane(open_memory: Open, folder: Path) -> Memory:
    memory = open_memory(folder, embeddings=Plane())
    for name in PLANE:
        memory.add(name, scope="s", kind="point")
    return memory


def found(memory: Memory, **options: Any) -> list[tuple[str, float]]:
    return [(hit.text, hit.score) for hit in memory.recall(QUESTION, scope="s", **options).hits]


def test_graphiti_G37_diversity_is_greedy_and_pays_for_likeness(plane: Memory) -> None:
    cosines = replace(DENSE, formula="composite", dense=1.0, dense_window=0.0)
    assert [name for name, _ in found(plane, recipe=cosines)] == ["twin", "a", "other"]
    assert found(plane, recipe=replace(cosines, diversity=0.5), limit=2) == [
        ("twin", pytest.approx(0.4895, abs=1e-3)),
        ("other", pytest.approx(0.0623, abs=1e-3)),
    ]
    assert found(plane, recipe=replace(cosines, diversity=0.7)) == [
        ("twin", pytest.approx(0.6853, abs=1e-3)),
        ("a", pytest.approx(0.3793, abs=1e-3)),
        ("other", pytest.approx(0.3784, abs=1e-3)),
    ]
    assert [name for name, _ in found(plane, recipe=replace(cosines, diversity=1.0))] == ["twin", "a", "other"]


@pytest.mark.parametrize("recipe", [HYBRID, DENSE, RRF, COMPOSITE, MEM0], ids=lambda recipe: recipe.name)
def test_diversity_goes_with_every_formula_and_keeps_the_best_first(plane: Memory, recipe: Any) -> None:
    plain = found(plane, recipe=recipe)
    diverse = found(plane, recipe=replace(recipe, diversity=0.5))
    assert {name for name, _ in diverse} == {name for name, _ in plain}
    assert diverse[0][0] == plain[0][0]
    assert [score for _, score in diverse] == sorted((score for _, score in diverse), reverse=True)
    assert found(plane, recipe=replace(recipe, diversity=0.5)) == diverse


@given(st.lists(st.floats(0, 1, width=32), min_size=1, max_size=12), st.floats(0, 1), st.integers(1, 15))
def test_the_parts_of_a_diversified_score_add_up(relevance: list[float], weight: float, limit: int) -> None:
    score = np.array(relevance, dtype=np.float32)
    halves = Fused(score, {"one": score / 2, "two": score - score / 2}, {})
    vectors = np.stack([np.array([np.cos(n), np.sin(n)], dtype=np.float32) for n in range(len(relevance))])
    fused, rows = diversified(halves, list(range(len(relevance))), vectors, weight=weight, limit=limit)
    assert len(rows) == min(limit, len(relevance))
    scores = [float(fused.score[row]) for row in rows]
    assert scores == pytest.approx(sorted(scores, reverse=True), abs=1e-6)
    for row in rows:
        parts = [float(part[row]) for part in fused.parts.values()]
        assert sum(parts) == pytest.approx(float(fused.score[row]), abs=1e-6)
        assert fused.parts["diversity"][row] <= 1e-6  # likeness costs, and nothing is lifted for being unlike


def test_reciprocal_rank_fusion_adds_places_of_meaning_and_words(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder)
    for text in ("red green blue tea", "red tea", "tea in the garden by the sea"):
        memory.add(text, scope="s")
    hits = memory.recall("red tea", scope="s", recipe=replace(RRF, rrf_k=1)).hits
    assert hits[0].text == "red tea" and hits[0].score == pytest.approx(2.0)  # first by both
    for hit in hits:
        assert hit.score == pytest.approx(hit.signals.get("dense", 0) + hit.signals.get("lexical", 0), abs=1e-6)
    by_name = memory.recall("red tea", scope="s", recipe="rrf").hits
    assert by_name[0].score == pytest.approx(2 / 61) and [hit.id for hit in by_name] == [hit.id for hit in hits]


def test_an_option_that_makes_no_sense_is_refused() -> None:
    for options, told in (
        ({"diversity": 1.1}, "diversity lies between 0 and 1"),
        ({"diversity": float("nan")}, "diversity lies"),
        ({"rrf_k": 0}, "rrf_k is 1 or more"),
        ({"half_life_days": 0}, "half_life_days is more than 0"),
    ):
        with pytest.raises(InvalidInput, match=told):
            replace(HYBRID, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["dense", "lexical_window", "kindred", "k1", "entity", "recency", "decay", "rrf_k"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0, "1", None, True, 1e300])
def test_what_is_no_weight_is_refused(name: str, value: Any) -> None:
    with pytest.raises(InvalidInput, match=f"Recipe.{name}"):
        replace(HYBRID, **{name: value})


def test_an_unknown_formula_is_refused_by_name() -> None:
    with pytest.raises(InvalidInput, match="no formula 'zzz'"):
        replace(HYBRID, formula="zzz")  # type: ignore[arg-type]


def test_what_only_names_somebody_does_not_come_before_what_answers(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder)
    memory.record([("user", f"Ana bought tea in Kyoto on day {day}.") for day in range(8)], scope="a", thread_id="t")
    before = [hit.text for hit in memory.recall("Ana Kyoto", scope="a", limit=5).hits]
    for verb in ("sings", "paints", "swims", "writes", "cooks", "sails"):
        memory.add(f"Ana {verb}.", scope="a")
    memory.flush()
    after = memory.recall("Ana Kyoto", scope="a", limit=5).hits
    assert all("Kyoto" in text for text in before)
    assert all("Kyoto" in hit.text for hit in after)
