"""Picking takes the best lines of a fused ranking: by score, above a least score, and different from each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.retrieval.diversify import Vectors, mmr
from langgraph_memory.retrieval.fuse import Fused
from langgraph_memory.retrieval.recipe import Recipe
from langgraph_memory.retrieval.region import Rows

POOL = 5
"""Lines that diversity chooses from, for each line that is wanted."""

SPARE = 16
"""Lines ranked beyond the limit, so that leaving out repetitions mostly still fills it."""


def pool_of(recipe: Recipe, limit: int) -> int:
    """Return how many rows are picked first, where so many are wanted in the end."""
    return limit if recipe.diversity is None else POOL * limit


def best(
    fused: Fused,
    rows: Rows,
    limit: int,
    *,
    least: float | None = None,
    wordings: NDArray[np.int64] | None = None,
) -> list[int]:
    """Return the places of up to `limit` lines, best first, that of the older row first on a tie.

    Lines that a formula says nothing of (a score of 0) are left out, but not where it ranks all its candidates.

    Args:
        rows: the snapshot's row of each line.
        least: only lines with at least this score.
        wordings: of each line (`snapshot.Line.wording`); of those that share one, not 0, only the best is returned.
    """
    shown = fused.score > 0 if fused.candidates is None else fused.candidates
    if least is not None:
        shown = shown & (fused.score >= least)
    places = np.flatnonzero(shown)
    count = limit + SPARE
    while True:
        some = places
        if len(places) > count:
            some = places[np.argpartition(-fused.score[places], count - 1)[:count]]
        ordered = [int(place) for place in some[np.lexsort((rows[some], -fused.score[some]))]]
        kept = ordered if wordings is None else once(ordered, wordings)
        if len(kept) >= limit or len(some) == len(places):
            return kept[:limit]
        count *= 4


def once(places: Sequence[int], wordings: Sequence[int] | NDArray[np.int64]) -> list[int]:
    """Return the places without those that share a wording, not 0, with one before."""
    seen: set[int] = set()
    kept: list[int] = []
    for place in places:
        wording = int(wordings[place])
        if not wording or wording not in seen:
            kept.append(place)
        seen.add(wording)
    return kept


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
