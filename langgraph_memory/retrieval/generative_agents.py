"""The retrieval score of Generative Agents: recency, relevance and importance, each stretched to 0..1 and weighted.

Park et al., UIST 2023, and their published code: `0.5 * recency + 3 * relevance + 2 * importance`, recency being
0.99 to the power of the place by time of last access. The published code counts that place from the oldest, so that
old memories win; here the newest has place 1, and `upstream=True` reproduces the published order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.retrieval.region import Scores

Values = NDArray[np.floating[Any]]

RECENCY, RELEVANCE, IMPORTANCE = 0.5, 3.0, 2.0
"""The published code's weights."""

DECAY = 0.99
"""Of recency from one place to the next."""

MUNDANE = 0.4
"""Importance of what nobody has rated: the published code falls back on 4 of 10."""


def explain(
    relevance: Scores,
    touched: NDArray[np.int64],
    importance: Scores,
    *,
    candidates: NDArray[np.bool_],
    weights: tuple[float, float, float] = (1.0, 1.0, 1.0),
    upstream: bool = False,
    decay: float = DECAY,
) -> dict[str, Scores]:
    """Return the weighted parts `recency`, `relevance` and `importance` of every row; the score is their sum.

    Rows that are no candidates get 0 and do not stretch the scales. A part in which all candidates are equal is .5
    for each of them before it is weighted.

    Args:
        relevance: cosine with the question; NaN counts as 0.
        touched: when the row was said or last recalled, whichever is later, microseconds; of equals the later row is
            the newer.
        importance: 0..1; NaN where nobody has rated it.
        candidates: the rows that are ranked against each other.
        weights: of recency, relevance and importance, on top of the published ones.
        upstream: count the place by time from the oldest, as the published code does.
        decay: of recency from one place to the next.
    """
    rows = np.flatnonzero(candidates)
    parts: dict[str, tuple[Values, float]] = {
        "recency": (recency(touched[rows], upstream=upstream, decay=decay), weights[0] * RECENCY),
        "relevance": (np.nan_to_num(relevance[rows], nan=0.0), weights[1] * RELEVANCE),
        "importance": (np.nan_to_num(importance[rows], nan=MUNDANE), weights[2] * IMPORTANCE),
    }
    result: dict[str, Scores] = {}
    for name, (values, weight) in parts.items():
        result[name] = np.zeros(len(candidates), dtype=np.float32)
        result[name][rows] = weight * stretched(values)
    return result


def recency(touched: NDArray[np.int64], *, upstream: bool = False, decay: float = DECAY) -> Values:
    """Return `decay ** place` of each row, before it is stretched; the newest has place 1."""
    by_age = np.argsort(touched, kind="stable")  # oldest first
    place = np.empty(len(touched), dtype=np.float64)
    place[by_age if upstream else by_age[::-1]] = np.arange(1, len(touched) + 1)
    faded: Values = decay**place
    return faded


def stretched(values: Values) -> Values:
    """Return the values mapped to 0..1 by the least and the greatest of them; all .5 where they are equal."""
    if not len(values):
        return values
    low, high = values.min(), values.max()
    if high <= low:
        return np.full_like(values, 0.5)
    mapped: Values = (values - low) / (high - low)
    return mapped
