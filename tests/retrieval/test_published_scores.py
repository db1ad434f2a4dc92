"""The published formulae give the published numbers, and ours where the published code errs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory.retrieval import composite, generative_agents
from langgraph_memory.retrieval.diversify import mmr
from langgraph_memory.retrieval.ranks import CUSTOMARY_K, fuse_ranks, rank_scores

DAY = composite.DAY
NOW = 1_000 * DAY


def row(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float32)


def unit(*values: float) -> np.ndarray:
    vector = row(*values)
    return vector / np.linalg.norm(vector)


def total(parts: dict[str, np.ndarray]) -> list[float]:
    return [round(float(score), 4) for score in sum(parts.values())]


@pytest.mark.parametrize("importance", [0.0, 1.0])
@pytest.mark.parametrize(("days", "recency"), [(0, 1.0), (30, 0.5), (60, 0.25)])
def test_the_composite_score_is_exact(days: int, recency: float, importance: float) -> None:
    parts = composite.explain(row(1), np.array([NOW - days * DAY]), row(importance), now=NOW)
    assert total(parts) == [round(0.3 * recency + 0.5 + 0.2 * importance, 4)]


def test_composite_takes_what_is_missing_for_ordinary_and_the_future_for_now() -> None:
    parts = composite.explain(row(np.nan, -0.3), np.array([NOW, NOW + DAY]), row(np.nan, np.nan), now=NOW)
    assert total(parts) == [0.4, 0.4]


AGED = np.array([1, 2, 3])  # A oldest, B, C newest
POIGNANT, RELEVANT = row(0.8, 0.2, 0.5), row(0.2, 0.9, 0.5)
ALL = np.ones(3, dtype=np.bool_)


def test_generative_agents_the_three_parts_are_stretched_weighted_and_added() -> None:
    parts = generative_agents.explain(RELEVANT, AGED, POIGNANT, candidates=ALL)
    assert total(parts) == [2.0, 3.2487, 2.7857]


def test_generative_agents_the_published_order_of_time_can_be_had_too() -> None:
    parts = generative_agents.explain(RELEVANT, AGED, POIGNANT, candidates=ALL, upstream=True)
    assert total(parts) == [2.5, 3.2487, 2.2857]


def test_generative_agents_of_two_equal_memories_the_newer_comes_first() -> None:
    same = row(0.5, 0.5)
    older, newer = total(generative_agents.explain(same, AGED[:2], same, candidates=ALL[:2]))
    assert (older, newer) == (2.5, 3.0)


@pytest.mark.parametrize("count", [1, 4])
def test_generative_agents_what_is_all_equal_counts_half(count: int) -> None:
    same, times = np.full(count, 0.7, dtype=np.float32), np.zeros(count, dtype=np.int64)
    parts = generative_agents.explain(same, times, same, candidates=np.ones(count, dtype=np.bool_))
    assert parts["relevance"].tolist() == [1.5] * count
    assert parts["importance"].tolist() == [1.0] * count
    assert np.isfinite(sum(parts.values())).all()


def test_generative_agents_no_candidates_are_no_error() -> None:
    none = np.zeros(3, dtype=np.bool_)
    assert total(generative_agents.explain(RELEVANT, AGED, POIGNANT, candidates=none)) == [0, 0, 0]
    empty = generative_agents.explain(row(), np.array([], dtype=np.int64), row(), candidates=np.array([], dtype=bool))
    assert total(empty) == []


def test_generative_agents_weights_decide_and_the_parts_are_listed() -> None:
    def order(*weights: float) -> list[int]:
        parts = generative_agents.explain(RELEVANT, AGED, POIGNANT, candidates=ALL, weights=weights)  # type: ignore[arg-type]
        assert list(parts) == ["recency", "relevance", "importance"]
        return [int(place) for place in np.argsort(-sum(parts.values()), kind="stable")]

    assert order(1, 1, 1) == [1, 2, 0]
    assert order(0, 0, 1) == [0, 2, 1]
    assert order(0, 0, 0) == [0, 1, 2]


def test_rows_that_are_no_candidates_neither_score_nor_stretch_the_scales() -> None:
    two = np.array([True, True, False])
    alone = generative_agents.explain(RELEVANT[:2], AGED[:2], POIGNANT[:2], candidates=two[:2])
    among = generative_agents.explain(RELEVANT, AGED, row(0.8, 0.2, 9.0), candidates=two)
    assert total(among) == [*total(alone), 0]


def test_graphiti_G36_reciprocal_rank_fusion_has_the_reference_values() -> None:
    assert fuse_ranks(["abc", "bd"], k=1) == [("b", 1.5), ("a", 1.0), ("d", 0.5), ("c", pytest.approx(1 / 3))]
    assert [key for key, _ in fuse_ranks(["ab", "cd"], k=1)] == ["a", "c", "b", "d"]  # of equals the first met
    assert dict(fuse_ranks(["a"], k=60)) == {"a": pytest.approx(1 / 60)}
    assert dict(fuse_ranks(["a"])) == {"a": pytest.approx(1 / (60 + 1))} and CUSTOMARY_K == 61
    assert fuse_ranks([]) == [] and fuse_ranks(["aab"], k=1) == [("a", 1.0), ("b", 0.5)]


def test_ranks_of_scores_are_those_of_the_rankings() -> None:
    allowed = np.array([True, True, False, True, True])
    assert rank_scores(row(0.2, 0.9, 5.0, 0.0, 0.9), allowed, k=1).tolist() == [
        pytest.approx(1 / 3), 1.0, 0.0, 0.0, 0.5,
    ]  # fmt: skip


QUESTION = unit(0.97, 0.243)
THREE = np.stack([unit(1, 0), unit(0.999, 0.04), unit(0.7, 0.714)])


def test_maximal_marginal_relevance_is_greedy() -> None:
    picked = mmr(THREE @ QUESTION, THREE, weight=0.5, limit=2)
    assert [(place, round(score, 4)) for place, score in picked] == [(1, 0.4895), (2, 0.0623)]
    by_relevance = mmr(THREE @ QUESTION, THREE, weight=0.7, limit=9)
    assert [(place, round(score, 4)) for place, score in by_relevance] == [(1, 0.6853), (0, 0.3793), (2, 0.3784)]


@given(st.lists(st.floats(0, 1, width=32), min_size=1, max_size=12), st.floats(0, 1), st.integers(0, 15))
def test_diversifying_picks_each_row_once_and_by_relevance_alone_is_the_ranking(
    relevance: list[float], weight: float, limit: int
) -> None:
    vectors = np.stack([unit(1 + place, 3) for place in range(len(relevance))])
    picked = [place for place, _ in mmr(row(*relevance), vectors, weight=weight, limit=limit)]
    assert len(picked) == len(set(picked)) == min(limit, len(relevance))
    ranked = [place for place, _ in mmr(row(*relevance), vectors, weight=1.0, limit=limit)]
    assert ranked == sorted(range(len(relevance)), key=lambda place: -row(*relevance)[place])[:limit]


def test_a_row_without_a_vector_resembles_nothing() -> None:
    vectors = np.stack([unit(1, 0), row(np.nan, np.nan), unit(1, 0.01)])
    assert [place for place, _ in mmr(row(0.9, 0.5, 0.89), vectors, weight=0.5, limit=3)] == [0, 1, 2]
