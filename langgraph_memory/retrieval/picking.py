"""Picking takes the best rows of a fused ranking: by score, above a least score, and different from each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.retrieval.diversify import Vectors, mmr
from langgraph_memory.retrieval.fuse import Fused, top

POOL = 5
"""Rows that diversity chooses from, for each row that is wanted."""


def best(fused: Fused, allowed: NDArray[np.bool_], limit: int, *, least: float | None = None) -> list[int]:
    """Return up to `limit` rows, best first, the older row first on a tie.

    Rows that a formula says nothing of (a score of 0) are left out, but not where it ranks all its candidates.

    Args:
        least: only rows with at least this score.
    """
    if least is not None:
        allowed = allowed & (fused.score >= least)
    if fused.candidates is None:
        return top(fused.score, allowed, limit)
    rows = np.flatnonzero(allowed & fused.candidates)
    return [int(row) for row in rows[np.lexsort((rows, -fused.score[rows]))][:limit]]


def diversified(
    fused: Fused, rows: list[int], vectors: Vectors, *, weight: float, limit: int
) -> tuple[Fused, list[int]]:
    """Return up to `limit` of the rows in the order of maximal marginal relevance, and the scores that led to it.

    The parts of a score then are those of before, times `weight`, and `diversity`, which is 0 or less: what its
    likeness to a better row costs.

    Args:
        rows: to choose from, best first.
        vectors: their unit vectors, in the same order.
        weight: see `diversify.mmr`.
    """
    picked = mmr(fused.score[rows], vectors, weight=weight, limit=limit)
    by = np.float32(weight)
    parts = {name: part * by for name, part in (fused.parts or {"relevance": fused.score}).items()}
    cost = np.zeros_like(fused.score)
    chosen = [rows[place] for place, _ in picked]
    for row, (_, score) in zip(chosen, picked, strict=True):
        cost[row] = np.float32(score) - by * fused.score[row]
    return replace(fused, score=fused.score * by + cost, parts={**parts, "diversity": cost}), chosen
