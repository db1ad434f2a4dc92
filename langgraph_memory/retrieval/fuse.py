"""Fusion turns the channels' scores into one number per line, and keeps every ingredient for the explanation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.retrieval import mem0
from langgraph_memory.retrieval.bm25 import Lexical, Scores
from langgraph_memory.retrieval.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Fused:
    """The result of fusion over `n` lines.

    Attributes:
        score: 0..1, the weighted sum of `parts`; shape `(n,)`.
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


def fuse(
    recipe: Recipe,
    cosine: Scores | None,
    lexical: Lexical | None,
    *,
    allowed: NDArray[np.bool_],
    floor: float,
    cosine_around: Scores | None = None,
    factor: Scores | None = None,
    boost: Scores | None = None,
    terms: int = 0,
) -> Fused:
    """Mix the channels by the recipe.

    Args:
        cosine: cosine per line, NaN where a line has no vector; None where there is no dense channel.
        lexical: BM25 per line and window; None where the query has no terms.
        allowed: the lines that may be shown; the others score nothing and do not stretch the scales.
        floor: the model's cosine below which two texts have nothing to do with each other; it becomes 0.
        cosine_around: as `cosine`, of each line with what stands around it; None where the recipe does not ask for it.
        factor: what each line's score is multiplied by, 0..1; None for 1.
        boost: per line, what it gains for mentioning an entity of the question; None where it names none.
        terms: how many terms the question has.
    """
    if recipe.formula == "mem0":
        line = None if lexical is None else lexical.line
        details = mem0.explain(cosine, line, boost, terms=terms, allowed=allowed)
        return Fused(details["final"], {}, {}, details)
    raw: dict[str, Scores] = {}
    if cosine is not None:
        raw["dense"] = _filled(cosine, allowed)
    if cosine_around is not None:
        raw["dense_window"] = _filled(cosine_around, allowed)
    if lexical is not None:
        raw["lexical"] = lexical.line * allowed
        raw["lexical_window"] = lexical.window * allowed
    scaled = {
        name: _scale(values, floor if name.startswith("dense") else 0.0)
        for name, values in raw.items()
        if getattr(recipe, name) > 0
    }
    speaking = {name: values for name, values in scaled.items() if values.size and values.max() > 0}
    total = sum(getattr(recipe, name) for name in speaking)
    parts = {name: (getattr(recipe, name) / total * values).astype(np.float32) for name, values in speaking.items()}
    if factor is not None:
        parts = {name: part * factor for name, part in parts.items()}
    score: Scores = np.zeros(len(allowed), dtype=np.float32)
    for part in parts.values():
        score += part
    if boost is not None and recipe.entity > 0 and (boost * allowed).any():
        raw["entity"] = boost * allowed
        by = np.float32(1 + recipe.entity)
        parts = {**{name: part / by for name, part in parts.items()}, "entity": raw["entity"] / by}
        score = (score + raw["entity"]) / by
    return Fused(score, parts, raw)


def top(score: Scores, allowed: NDArray[np.bool_], limit: int) -> list[int]:
    """Return up to `limit` allowed rows with a score above 0, best first, the older row first on a tie."""
    rows = np.flatnonzero(allowed & (score > 0))
    if len(rows) > limit:
        rows = rows[np.argpartition(-score[rows], limit - 1)[:limit]]
    return [int(row) for row in rows[np.lexsort((rows, -score[rows]))]]


def _scale(values: Scores, floor: float) -> Scores:
    """Map the floor to 0 and the best line to 1."""
    highest = float(values.max()) if values.size else 0.0
    if highest <= floor:
        return np.zeros_like(values)
    scaled: Scores = np.clip((values - floor) / (highest - floor), 0.0, 1.0)
    return scaled


def _filled(cosine: Scores, allowed: NDArray[np.bool_]) -> Scores:
    filled: Scores = np.where(allowed, np.nan_to_num(cosine, nan=-1.0), np.float32(-1)).astype(np.float32)
    return filled
