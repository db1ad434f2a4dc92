"""Maximal marginal relevance picks hits that are about the question and not about each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


def mmr(relevance: NDArray[np.float32], vectors: Vectors, *, weight: float, limit: int) -> list[tuple[int, float]]:
    """Return up to `limit` rows in the order in which they are picked, each with its score at that moment.

    Greedy, as Carbonell and Goldstein, SIGIR 1998, define it: next comes the row with the greatest
    `weight * relevance - (1 - weight) * max(cosine with what is picked already)`; the first pays no penalty. Opposites
    (a cosine below 0) resemble each other as little as strangers do, so nothing is lifted for being unlike. Of equals
    the first row is picked. A row without a vector (all zeros or NaN) resembles nothing.

    Args:
        relevance: of each row to the question, shape `(n,)`.
        vectors: unit vectors of the rows, shape `(n, d)`.
        weight: 1 ranks by relevance alone, 0 by difference alone.
        limit: rows to pick.
    """
    rows = np.nan_to_num(vectors, nan=0.0)
    penalty = np.zeros(len(rows), dtype=np.float32)
    left = np.ones(len(rows), dtype=np.bool_)
    picked: list[tuple[int, float]] = []
    for _ in range(min(limit, len(rows))):
        scores = np.where(left, weight * relevance - (1 - weight) * penalty, -np.inf)
        best = int(scores.argmax())
        picked.append((best, float(scores[best])))
        left[best] = False
        penalty = np.maximum(penalty, rows @ rows[best])
    return picked
