from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory.retrieval.bm25 import Lexical
from langgraph_memory.retrieval.fuse import Fused, fuse
from langgraph_memory.retrieval.recipe import DENSE, HYBRID, LEXICAL, RECIPES, Recipe

SIZE = 4
unit = st.lists(st.floats(0, 1, width=32), min_size=SIZE, max_size=SIZE)
bm25 = st.lists(st.floats(0, 20, width=32), min_size=SIZE, max_size=SIZE)
flags = st.lists(st.booleans(), min_size=SIZE, max_size=SIZE)


def mixed(
    recipe: Recipe, cosine: list[float], line: list[float], allowed: list[bool], boost: list[float] | None
) -> Fused:
    lines = np.array(line, dtype=np.float32)
    return fuse(
        recipe,
        np.array(cosine, dtype=np.float32),
        Lexical(lines, lines),
        allowed=np.array(allowed),
        floor=0.15,
        cosine_around=np.array(cosine, dtype=np.float32),
        factor=np.array([1.0, 0.5, 0.8, 1.0], dtype=np.float32) if recipe.brevity else None,
        boost=None if boost is None else np.array(boost, dtype=np.float32) / 2,
        terms=3,
    )


@given(unit, bm25, flags, st.none() | unit)
def test_the_parts_add_up_to_the_score_and_stay_within_one(
    cosine: list[float], line: list[float], allowed: list[bool], boost: list[float] | None
) -> None:
    fused = mixed(HYBRID, cosine, line, allowed, boost)
    total = sum(fused.parts.values(), np.zeros(SIZE, dtype=np.float32))
    assert fused.score.tolist() == pytest.approx(total.tolist(), abs=1e-5)
    assert (fused.score <= 1 + 1e-6).all() and (fused.score >= 0).all()
    assert not fused.score[~np.array(allowed)].any()


@given(unit, bm25, flags)
def test_without_a_boost_nothing_changes(cosine: list[float], line: list[float], allowed: list[bool]) -> None:
    plain = mixed(HYBRID, cosine, line, allowed, None)
    for boost in ([0.0] * SIZE, [0.0 if shown else 1.0 for shown in allowed]):  # nothing, or only what is hidden
        fused = mixed(HYBRID, cosine, line, allowed, boost)
        assert fused.score.tolist() == plain.score.tolist()
        assert set(fused.parts) == set(plain.parts)


def test_a_boosted_line_moves_up_and_every_score_is_divided() -> None:
    cosine, line = [0.9, 0.8, 0.7, 0.2], [5.0, 4.0, 3.0, 0.0]
    plain = mixed(HYBRID, cosine, line, [True] * SIZE, None)
    fused = mixed(HYBRID, cosine, line, [True] * SIZE, [0.0, 0.0, 1.0, 0.0])
    assert fused.score[0] == pytest.approx(plain.score[0] / 1.5)
    assert fused.score[2] == pytest.approx((plain.score[2] + 0.5) / 1.5)
    assert fused.raw["entity"].tolist() == [0.0, 0.0, 0.5, 0.0]
    assert int(fused.score.argmax()) == 2


def test_recipes_without_an_entity_weight_are_not_touched() -> None:
    for recipe in (LEXICAL, DENSE, replace(HYBRID, entity=0.0)):
        fused = mixed(recipe, [0.9, 0.8, 0.7, 0.2], [5.0, 4.0, 3.0, 0.0], [True] * SIZE, [1.0] * SIZE)
        assert "entity" not in fused.parts


def test_every_recipe_is_known_by_its_name() -> None:
    assert set(RECIPES) == {"hybrid", "lexical", "dense", "mem0", "rrf", "composite", "generative_agents"}
    assert all(recipe.name == name for name, recipe in RECIPES.items())
