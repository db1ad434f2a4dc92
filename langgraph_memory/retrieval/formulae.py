"""The formulae that people know by name, over the same channels as the default: by place, by age, by importance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.retrieval import composite, generative_agents
from langgraph_memory.retrieval.bm25 import Lexical, Scores
from langgraph_memory.retrieval.fuse import Fused
from langgraph_memory.retrieval.ranks import rank_scores
from langgraph_memory.retrieval.recipe import Recipe

RATED = ("composite", "generative_agents")
"""Formulae that need to know how old and how important a line is."""

NAMED = (*RATED, "rrf")
"""Formulae of this module; the others are `fuse`'s."""


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


def by_formula(
    recipe: Recipe,
    cosine: Scores | None,
    lexical: Lexical | None,
    *,
    allowed: NDArray[np.bool_],
    floor: float,
    rated: Rated | None,
    cosine_around: Scores | None = None,
    boost: Scores | None = None,
) -> Fused:
    """Mix the channels by one of the formulae in `NAMED`; the parameters are those of `fuse`.

    Args:
        rated: needed by the formulae in `RATED`.
    """
    if rated is None:
        return _ranked(recipe, _channels(cosine, cosine_around, lexical, boost), allowed, floor)
    relevance = _relevance(cosine, lexical, allowed)
    candidates = allowed & (relevance > floor) if recipe.related and recipe.is_dense else allowed
    if recipe.formula == "composite":
        return _composite(recipe, relevance, rated, candidates)
    return _generative_agents(recipe, relevance, rated, candidates)


def _relevance(cosine: Scores | None, lexical: Lexical | None, allowed: NDArray[np.bool_]) -> Scores:
    """Return the cosine; of lines without a vector how well their words match, so that they are not lost."""
    missing = np.ones(len(allowed), dtype=np.bool_) if cosine is None else np.isnan(cosine)
    words = np.zeros(len(allowed), dtype=np.float32) if lexical is None else lexical.line * allowed
    most = words.max(initial=0.0)
    relevance: Scores = np.where(missing, words / (most or 1), 0 if cosine is None else cosine).astype(np.float32)
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


def _ranked(recipe: Recipe, channels: dict[str, Scores], allowed: NDArray[np.bool_], floor: float) -> Fused:
    raw = {name: values for name, values in channels.items() if getattr(recipe, name) > 0}
    parts = {
        name: np.float32(getattr(recipe, name))
        * rank_scores(values - floor if name.startswith("dense") else values, allowed, k=recipe.rrf_k)
        for name, values in raw.items()
    }
    return _added(parts, raw, None, len(allowed))


def _channels(
    cosine: Scores | None, cosine_around: Scores | None, lexical: Lexical | None, boost: Scores | None
) -> dict[str, Scores]:
    found: dict[str, Scores] = {}
    for name, values in (("dense", cosine), ("dense_window", cosine_around)):
        if values is not None:
            found[name] = np.nan_to_num(values, nan=-1.0)
    if lexical is not None:
        found |= {"lexical": lexical.line, "lexical_window": lexical.window}
    if boost is not None:
        found["entity"] = boost
    return found


def _added(
    parts: dict[str, Scores], raw: dict[str, Scores], candidates: NDArray[np.bool_] | None, size: int | None = None
) -> Fused:
    score: Scores = np.zeros(len(candidates) if candidates is not None else size or 0, dtype=np.float32)
    for part in parts.values():
        score += part
    return Fused(score, parts, raw, candidates=candidates)
