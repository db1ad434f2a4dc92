"""Fusion: weights share out what speaks, discounts and boosts show in every part, and the parts make the score."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory.retrieval.fuse import Fused, convex
from langgraph_memory.retrieval.picking import best
from langgraph_memory.retrieval.recipe import DENSE, HYBRID, LEXICAL, RECIPES, Recipe

SIZE = 4
unit = st.lists(st.floats(0, 1, width=32), min_size=SIZE, max_size=SIZE)
bm25 = st.lists(st.floats(0, 20, width=32), min_size=SIZE, max_size=SIZE)


def mixed(
    recipe: Recipe,
    cosine: list[float],
    line: list[float],
    boost: list[float] | None = None,
    kindred: list[float] | None = None,
) -> Fused:
    lines, cosines = np.array(line, dtype=np.float32), np.array(cosine, dtype=np.float32)
    return convex(
        recipe,
        {"dense": cosines, "dense_window": cosines, "lexical": lines, "lexical_window": lines},
        floor=0.15,
        rerank=None if kindred is None else lambda so_far: np.array(kindred, dtype=np.float32),
        factor=np.array([1.0, 0.5, 0.8, 1.0], dtype=np.float32) if recipe.brevity else None,
        boost=None if boost is None else np.array(boost, dtype=np.float32) / 2,
    )


@given(unit, bm25, st.none() | unit, st.none() | unit)
def test_the_parts_add_up_to_the_score_and_stay_within_one(
    cosine: list[float], line: list[float], boost: list[float] | None, kindred: list[float] | None
) -> None:
    fused = mixed(HYBRID, cosine, line, boost, kindred)
    total = sum(fused.parts.values(), np.zeros(SIZE, dtype=np.float32))
    assert fused.score.tolist() == pytest.approx(total.tolist(), abs=1e-5)
    assert (fused.score <= 1 + 1e-6).all() and (fused.score >= 0).all()


@given(unit, bm25)
def test_without_a_boost_or_a_kindred_word_nothing_changes(cosine: list[float], line: list[float]) -> None:
    plain = mixed(HYBRID, cosine, line)
    for fused in (mixed(HYBRID, cosine, line, [0.0] * SIZE), mixed(HYBRID, cosine, line, kindred=[0.0] * SIZE)):
        assert fused.score.tolist() == plain.score.tolist()
        assert set(fused.parts) == set(plain.parts)


def test_a_boosted_line_moves_up_and_every_score_is_divided() -> None:
    cosine, line = [0.9, 0.8, 0.7, 0.2], [5.0, 4.0, 3.0, 0.0]
    plain = mixed(HYBRID, cosine, line)
    fused = mixed(HYBRID, cosine, line, [0.0, 0.0, 1.0, 0.0])
    most = HYBRID.entity
    assert fused.score[0] == pytest.approx(plain.score[0] / (1 + most))
    assert fused.score[2] == pytest.approx((plain.score[2] + most) / (1 + most))
    assert fused.raw["entity"].tolist() == [0.0, 0.0, 0.5, 0.0]
    stronger = mixed(replace(HYBRID, entity=0.5), cosine, line, [0.0, 0.0, 1.0, 0.0])
    assert int(stronger.score.argmax()) == 2


def test_kindred_words_take_their_share_of_the_weights() -> None:
    cosine, line = [0.9, 0.8, 0.7, 0.2], [5.0, 4.0, 3.0, 0.0]
    fused = mixed(replace(HYBRID, brevity=0.0), cosine, line, kindred=[0.0, 0.0, 1.0, 0.0])
    assert fused.parts["kindred"].tolist() == pytest.approx([0, 0, 0.25, 0])
    assert fused.parts["lexical_window"][0] == pytest.approx(0.45)
    without = mixed(replace(HYBRID, brevity=0.0), cosine, line)
    assert without.parts["lexical_window"][0] == pytest.approx(0.6)


def test_a_line_without_a_vector_has_no_dense_part() -> None:
    channels = {"dense_window": np.array([np.nan, 0.5], dtype=np.float32), "lexical_window": np.array([2.0, 1.0])}
    fused = convex(replace(HYBRID, brevity=0.0), channels, floor=0.15)
    assert fused.parts["dense_window"].tolist() == pytest.approx([0.0, 0.4])


def test_the_best_come_first_and_of_equals_the_older() -> None:
    score, rows = np.array([0.5, 0.9, 0.5, 0.0], dtype=np.float32), np.array([7, 3, 2, 1], dtype=np.int32)
    fused = Fused(score, {}, {})
    assert best(fused, rows, 10) == [1, 2, 0]
    assert best(fused, rows, 1) == [1]
    assert best(fused, rows, 10, least=0.6) == [1]


@given(st.lists(st.tuples(st.floats(0, 1, width=32), st.integers(0, 3)), max_size=60), st.integers(1, 8))
def test_of_lines_that_say_the_same_only_the_best_is_picked(lines: list[tuple[float, int]], limit: int) -> None:
    fused = Fused(np.array([score for score, _ in lines], dtype=np.float32), {}, {})
    wordings = np.array([wording for _, wording in lines], dtype=np.int64)
    rows = np.arange(len(lines), dtype=np.int32)
    expected: list[int] = []
    for place in sorted(rows.tolist(), key=lambda place: (-lines[place][0], place)):
        same = {lines[other][1] for other in expected} - {0}
        if lines[place][0] > 0 and lines[place][1] not in same:
            expected.append(place)
    assert best(fused, rows, limit, wordings=wordings) == expected[:limit]


def test_recipes_without_an_entity_weight_are_not_touched() -> None:
    for recipe in (LEXICAL, DENSE, replace(HYBRID, entity=0.0)):
        fused = mixed(recipe, [0.9, 0.8, 0.7, 0.2], [5.0, 4.0, 3.0, 0.0], [1.0] * SIZE)
        assert "entity" not in fused.parts


def test_every_recipe_is_known_by_its_name() -> None:
    assert set(RECIPES) == {"hybrid", "lexical", "dense", "mem0", "rrf", "composite", "generative_agents"}
    assert all(recipe.name == name for name, recipe in RECIPES.items())
