"""The formulae that people know by name, over the same channels as the default: by place, by age, by importance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.retrieval import composite, generative_agents
from langgraph_memory.retrieval.fuse import Fused
from langgraph_memory.retrieval.ranks import rank_scores
from langgraph_memory.retrieval.recipe import Recipe
from langgraph_memory.retrieval.region import Scores

RATED = ("composite", "generative_agents")
"""Formulae that need to know how old and how important a line is."""


@dataclass(frozen=True, slots=True)
class Rated:
    """What the rows are beside their words.

    Attributes:
        touched: when each was said or last recalled, whichever is later, microseconds; shape `(n,)`.
        importance: 0..1, NaN where nobody has rated it; shape `(n,)`.
        now: the present of the question, microseconds.
    """

    touched: NDArray[np.int64]
    importance: Scores
    now: int


def by_rating(
    recipe: Recipe,
    cosine: Scores | None,
    words: Scores | None,
    rated: Rated,
    allowed: NDArray[np.bool_],
    floor: float,
) -> Fused:
    """Score every line by one of the formulae in `RATED`.

    Args:
        cosine: per line, NaN where it has no vector; None where the question has none.
        words: BM25 per line, of those without a vector; None where the question has no terms.
        allowed: the lines that may be shown; the others score nothing and do not stretch the scales.
        floor: the model's cosine below which two texts have nothing to do with each other.
    """
    relevance = _relevance(cosine, words, allowed)
    candidates = allowed & (relevance > floor) if recipe.related and recipe.is_dense else allowed
    if recipe.formula == "composite":
        return _composite(recipe, relevance, rated, candidates)
    return _generative_agents(recipe, relevance, rated, candidates)


def by_places(recipe: Recipe, channels: Mapping[str, Scores], boost: Scores | None, *, floor: float) -> Fused:
    """Score lines by reciprocal rank fusion of the channels that the recipe gives a weight; see `fuse.convex`."""
    raw = {name: np.nan_to_num(values, nan=-1.0) for name, values in channels.items() if getattr(recipe, name) > 0}
    if boost is not None and recipe.entity > 0:
        raw["entity"] = boost
    parts: dict[str, Scores] = {}
    for name, values in raw.items():
        above = values - np.float32(floor) if name.startswith("dense") else values
        places = rank_scores(above, np.ones(len(values), dtype=np.bool_), k=recipe.rrf_k)
        parts[name] = np.float32(getattr(recipe, name)) * places
    size = len(next(iter(raw.values()))) if raw else len(next(iter(channels.values()), ()))
    return _added(parts, raw, None, size)


def _relevance(cosine: Scores | None, words: Scores | None, allowed: NDArray[np.bool_]) -> Scores:
    """Return the cosine; of lines without a vector how well their words match, so that they are not lost."""
    missing = np.ones(len(allowed), dtype=np.bool_) if cosine is None else np.isnan(cosine)
    matched = np.zeros(len(allowed), dtype=np.float32) if words is None else words * allowed
    most = matched.max(initial=0.0)
    relevance: Scores = np.where(missing, matched / (most or 1), 0 if cosine is None else cosine).astype(np.float32)
    return relevance


def _composite(recipe: Recipe, relevance: Scores, rated: Rated, candidates: NDArray[np.bool_]) -> Fused:
    weights = composite.Weights(recipe.dense, recipe.recency, recipe.importance, recipe.half_life_days)
    parts = composite.explain(relevance, rated.touched, rated.importance, now=rated.now, weights=weights)
    fresh = composite.decay(rated.touched, now=rated.now, half_life_days=recipe.half_life_days)
    important = np.nan_to_num(rated.importance, nan=composite.ORDINARY)
    raw = {"semantic": relevance, "recency": fresh.astype(np.float32), "importance": important}
    return _added({name: part * candidates for name, part in parts.items()}, raw, candidates)


def _generative_agents(recipe: Recipe, relevance: Scores, rated: Rated, candidates: NDArray[np.bool_]) -> Fused:
    parts = generative_agents.explain(
        relevance,
        rated.touched,
        rated.importance,
        candidates=candidates,
        weights=(
            recipe.recency / generative_agents.RECENCY,
            recipe.dense / generative_agents.RELEVANCE,
            recipe.importance / generative_agents.IMPORTANCE,
        ),
        upstream=recipe.oldest_first,
        decay=recipe.decay,
    )
    fresh = np.zeros(len(candidates), dtype=np.float32)
    fresh[candidates] = generative_agents.recency(
        rated.touched[candidates], upstream=recipe.oldest_first, decay=recipe.decay
    )
    important = np.nan_to_num(rated.importance, nan=generative_agents.MUNDANE)
    return _added(parts, {"recency": fresh, "relevance": relevance, "importance": important}, candidates)


def _added(
    parts: dict[str, Scores], raw: dict[str, Scores], candidates: NDArray[np.bool_] | None, size: int | None = None
) -> Fused:
    score: Scores = np.zeros(len(candidates) if candidates is not None else size or 0, dtype=np.float32)
    for part in parts.values():
        score += part
    return Fused(score, parts, raw, candidates=candidates)
