"""The scoring that mem0 publishes, as pure functions: cosine, BM25 squeezed into 0..1, an entity boost, one divisor.

Source: mem0 2.2, `search` with a hybrid backend. `final = min(1, (semantic + bm25 + boost) / divisor)`. Two things are
done otherwise, because there they lose answers: candidates are whatever either channel finds, and the threshold drops
a line only where both channels are weak, so a line found by its words alone is returned.
"""

from __future__ import annotations

import numpy as np

from langgraph_memory.retrieval.region import Scores

BOOST = 0.5
"""The most that naming an entity adds."""

CROWDING = 0.001
"""How fast the boost falls with the square of the number of other memories that mention the entity."""

THRESHOLD = 0.1
"""Below this in both channels a line is dropped (mem0's default, there for the cosine alone)."""

_SIGMOIDS = ((3, 5.0, 0.7), (6, 7.0, 0.6), (9, 9.0, 0.5), (15, 10.0, 0.5))
_LONGEST = (12.0, 0.5)


def sigmoid_of(terms: int) -> tuple[float, float]:
    """Return midpoint and steepness of the BM25 sigmoid for a query of so many terms: more terms, higher scores."""
    for most, midpoint, steepness in _SIGMOIDS:
        if terms <= most:
            return midpoint, steepness
    return _LONGEST


def keyword_scores(bm25: Scores, terms: int) -> Scores:
    """Return BM25 squeezed into 0..1 by `1 / (1 + exp(-steepness * (x - midpoint)))`; what has no hit stays 0."""
    midpoint, steepness = sigmoid_of(terms)
    squeezed: Scores = np.where(bm25 > 0, 1 / (1 + np.exp(-steepness * (bm25 - midpoint))), 0).astype(np.float32)
    return squeezed


def entity_boost(similarity: float, links: int, weight: float = BOOST) -> float:
    """Return what a memory gains for mentioning an entity of the question.

    `0.5 * similarity / (1 + 0.001 * (links - 1)^2)`: an entity that everything mentions tells nothing.

    Args:
        similarity: of the entity to the name in the question, 0..1.
        links: memories that mention the entity, 1 or more.
        weight: what the only memory that mentions it gains.
    """
    return weight * similarity / (1 + CROWDING * max(0, links - 1) ** 2)


def divisor(has_keyword_hit: bool, has_entity_hit: bool) -> float:
    """Return what the sum is divided by, so that a channel that says nothing costs nothing: 1, 1.5, 2 or 2.5."""
    return 1.0 + 1.0 * has_keyword_hit + BOOST * has_entity_hit


def explain(
    cosine: Scores | None,
    bm25: Scores | None,
    boost: Scores | None,
    *,
    terms: int,
    lines: int,
    threshold: float = THRESHOLD,
) -> dict[str, Scores]:
    """Score every line and return the parts by name: `semantic`, `bm25`, `entity`, `raw`, `divisor`, `final`.

    Args:
        cosine: per line, NaN where a line has no vector; None where the question has none.
        bm25: per line, None where the question has no terms.
        boost: per line, None where the question names no known entity.
        terms: how many terms the question has.
        lines: how many lines there are.
    """
    none: Scores = np.zeros(lines, dtype=np.float32)
    semantic = none if cosine is None else np.clip(np.nan_to_num(cosine, nan=0.0), 0, 1).astype(np.float32)
    keyword = none if bm25 is None else keyword_scores(bm25, terms)
    entity = none if boost is None else boost
    by = divisor(bool((keyword > 0).any()), bool((entity > 0).any()))
    raw = semantic + keyword + entity
    strong = (semantic >= threshold) | (keyword >= threshold)
    final = np.minimum(raw / np.float32(by), 1) * strong
    return {
        "semantic": semantic,
        "bm25": keyword,
        "entity": entity,
        "raw": raw,
        "divisor": np.full(lines, by, dtype=np.float32),
        "final": final.astype(np.float32),
    }
