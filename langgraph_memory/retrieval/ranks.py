"""Reciprocal rank fusion mixes rankings by place alone, where their scores cannot be compared."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.retrieval.region import Scores

Key = TypeVar("Key", bound=Hashable)

CUSTOMARY_K = 61
"""The 60 of Cormack, Clarke and Büttcher, SIGIR 2009, who count places from 1. Graphiti uses 1, with which the first
places decide."""


def fuse_ranks(rankings: Sequence[Sequence[Key]], *, k: int = CUSTOMARY_K) -> list[tuple[Key, float]]:
    """Return what the rankings hold with its score, best first; of equals, what was met first.

    `score(x) = sum over rankings of 1 / (k + place of x)`, places counted from 0.

    Args:
        rankings: each best first; what one holds twice counts at its best place.
        k: how slowly the weight of a place falls; 1 or more.
    """
    scores: dict[Key, float] = {}
    for ranking in rankings:
        for place, key in enumerate(dict.fromkeys(ranking)):
            scores[key] = scores.get(key, 0.0) + 1 / (k + place)
    return sorted(scores.items(), key=lambda item: -item[1])


def rank_scores(scores: Scores, allowed: NDArray[np.bool_], *, k: int = CUSTOMARY_K) -> Scores:
    """Return `1 / (k + place)` for each allowed line with a score above 0, else 0; shape `(n,)`."""
    result: Scores = np.zeros(len(scores), dtype=np.float32)
    rows = np.flatnonzero(allowed & (scores > 0))
    ordered = rows[np.lexsort((rows, -scores[rows]))]
    result[ordered] = 1 / (k + np.arange(len(ordered)))
    return result
