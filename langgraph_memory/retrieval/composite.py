"""The composite score that CrewAI publishes: similarity, recency and importance, weighted and added."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.retrieval.region import Scores

SEMANTIC, RECENCY, IMPORTANCE = 0.5, 0.3, 0.2
"""CrewAI 1.15's default weights; they are not normalised by it, and add up to 1."""

HALF_LIFE_DAYS = 30.0
"""Days in which recency halves, by CrewAI's default."""

ORDINARY = 0.5
"""Importance of what nobody has rated, by CrewAI's default."""

DAY = 86_400_000_000
"""Microseconds."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part counts; the sum need not be 1."""

    semantic: float = SEMANTIC
    recency: float = RECENCY
    importance: float = IMPORTANCE
    half_life_days: float = HALF_LIFE_DAYS


def decay(touched: NDArray[np.int64], *, now: int, half_life_days: float = HALF_LIFE_DAYS) -> NDArray[np.float64]:
    """Return how much of its recency each row has left: 1 now, half after each half-life."""
    age = np.maximum(now - touched, 0) / DAY
    left: NDArray[np.float64] = 0.5 ** (age / half_life_days)
    return left


def reasons(signals: Mapping[str, float]) -> tuple[str, ...]:
    """Return why a hit matched, by CrewAI's rule: always its meaning; recency or importance where above a half.

    Args:
        signals: of a hit of the recipe `composite`.
    """
    return ("semantic", *(name for name in ("recency", "importance") if signals.get(f"raw_{name}", 0.0) > 0.5))


def explain(
    similarity: Scores, touched: NDArray[np.int64], importance: Scores, *, now: int, weights: Weights | None = None
) -> dict[str, Scores]:
    """Return the weighted parts `semantic`, `recency` and `importance` of every row; the score is their sum.

    `score = .5 * similarity + .3 * 0.5 ** (age in days / 30) + .2 * importance`.

    Args:
        similarity: cosine with the question, 0..1; NaN counts as 0.
        touched: when the row was said or last recalled, whichever is later, microseconds; the future counts as now.
        importance: 0..1; NaN where nobody has rated it.
    """
    by = weights or Weights()
    return {
        "semantic": (by.semantic * np.clip(np.nan_to_num(similarity, nan=0.0), 0, 1)).astype(np.float32),
        "recency": (by.recency * decay(touched, now=now, half_life_days=by.half_life_days)).astype(np.float32),
        "importance": (by.importance * np.nan_to_num(importance, nan=ORDINARY)).astype(np.float32),
    }
