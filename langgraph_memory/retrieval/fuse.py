"""Fusion turns the channels' scores into one number per line, and keeps every ingredient for the explanation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.retrieval import mem0
from langgraph_memory.retrieval.recipe import Recipe
from langgraph_memory.retrieval.region import Scores


@dataclass(frozen=True, slots=True)
class Fused:
    """The result of fusion over `m` lines.

    Attributes:
        score: 0..1, the sum of `parts`; shape `(m,)`.
        parts: each channel's weighted contribution; they add up to `score`.
        raw: each channel's own number before scaling (cosine, BM25, boost).
        details: of a formula that is no sum, what it is made of, in place of parts.
        candidates: of a formula that ranks a line whatever its score, which lines; None where a score of 0 says that
            a line is not found.
    """

    score: Scores
    parts: Mapping[str, Scores]
    raw: Mapping[str, Scores]
    details: Mapping[str, Scores] = field(default_factory=dict)
    candidates: NDArray[np.bool_] | None = None


Rerank = Callable[[Scores], Scores | None]
"""Takes what the channels come to, and scores the best lines once more, 0..1; None where it has nothing to say."""


def convex(
    recipe: Recipe,
    channels: Mapping[str, Scores],
    *,
    floor: float,
    rerank: Rerank | None = None,
    factor: Scores | None = None,
    boost: Scores | None = None,
) -> Fused:
    """Mix the channels by the recipe's weights.

    Args:
        channels: scores per line by the names of the recipe's weights; NaN where a channel cannot say anything.
        floor: the model's cosine below which two texts have nothing to do with each other; it becomes 0.
        rerank: gives the channel `kindred`.
        factor: what each line's score is multiplied by, 0..1; None for 1.
        boost: per line, mem0's boost for mentioning an entity of the question; None where it names none.
    """
    raw = {name: np.nan_to_num(values, nan=-1.0) for name, values in channels.items()}
    scaled = {
        name: _scale(values, floor if name.startswith("dense") else 0.0)
        for name, values in raw.items()
        if getattr(recipe, name) > 0
    }
    speaking = {name: values for name, values in scaled.items() if values.size and values.max() > 0}
    if rerank is not None and recipe.kindred > 0 and speaking:
        found = rerank(_weighted(recipe, speaking))
        if found is not None and found.max() > 0:
            speaking["kindred"] = found
    total = sum(getattr(recipe, name) for name in speaking)
    parts = {name: np.float32(getattr(recipe, name) / total) * values for name, values in speaking.items()}
    if factor is not None:
        parts = {name: part * factor for name, part in parts.items()}
    if boost is not None and recipe.entity > 0 and boost.any():
        raw["entity"] = boost
        by = np.float32(1 + recipe.entity)
        gained = boost * np.float32(recipe.entity / mem0.BOOST)
        parts = {**{name: part / by for name, part in parts.items()}, "entity": gained / by}
    size = len(next(iter(raw.values()))) if raw else 0
    score: Scores = np.sum([np.zeros(size, dtype=np.float32), *parts.values()], axis=0, dtype=np.float32)
    return Fused(score, parts, raw)


def _weighted(recipe: Recipe, channels: Mapping[str, Scores]) -> Scores:
    total: Scores = np.sum([getattr(recipe, name) * values for name, values in channels.items()], axis=0)
    return total


def _scale(values: Scores, floor: float) -> Scores:
    """Map the floor to 0 and the best line to 1."""
    highest = float(values.max()) if values.size else 0.0
    if highest <= floor:
        return np.zeros_like(values)
    scaled: Scores = np.clip((values - floor) / (highest - floor), 0.0, 1.0)
    return scaled
