"""Picking takes the best lines of a fused ranking: by score, above a least score, and different from each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from langgraph_memory.retrieval.diversify import Vectors, mmr
from langgraph_memory.retrieval.fuse import Fused, top
from langgraph_memory.retrieval.recipe import Recipe
from langgraph_memory.retrieval.region import Rows

POOL = 5
"""Lines that diversity chooses from, for each line that is wanted."""


def pool_of(recipe: Recipe, limit: int) -> int:
    """Return how many rows are picked first, where so many are wanted in the end."""
    return limit if recipe.diversity is None else POOL * limit


def best(fused: Fused, rows: Rows, limit: int, *, least: float | None = None) -> list[int]:
    """Return the places of up to `limit` lines, best first, that of the older row first on a tie.

    Lines that a formula says nothing of (a score of 0) are left out, but not where it ranks all its candidates.

    Args:
        rows: the snapshot's row of each line.
        least: only lines with at least this score.
    """
    if fused.candidates is None:
        score = fused.score if least is None else np.where(fused.score >= least, fused.score, np.float32(0))
        return top(score, rows, limit)
    places = np.flatnonzero(fused.candidates & (fused.score >= (-np.inf if least is None else least)))
    return [int(place) for place in places[np.lexsort((rows[places], -fused.score[places]))][:limit]]


def diversified(
    fused: Fused, places: list[int], vectors: Vectors, *, weight: float, limit: int
) -> tuple[Fused, list[int]]:
    """Return up to `limit` of the places in the order of maximal marginal relevance, and the scores that led to it.

    The parts of a score then are those of before, times `weight`, and `diversity`, which is 0 or less: what its
    likeness to a better line costs.

    Args:
        places: to choose from, best first.
        vectors: of these lines, unit vectors in the same order.
        weight: see `diversify.mmr`.
    """
    picked = mmr(fused.score[places], vectors, weight=weight, limit=limit)
    by = np.float32(weight)
    parts = {name: part * by for name, part in (fused.parts or {"relevance": fused.score}).items()}
    cost = np.zeros_like(fused.score)
    chosen = [places[index] for index, _ in picked]
    for place, (_, score) in zip(chosen, picked, strict=True):
        cost[place] = np.float32(score) - by * fused.score[place]
    return replace(fused, score=fused.score * by + cost, parts={**parts, "diversity": cost}), chosen
