"""Kindred words: how near each line comes to every word of a question, by the words' meaning there.

For each word of the question the nearest of a line's terms is taken, and of what stands around the line, if that is
nearer still after its weight; the words count by their idf. This is ColBERT's late interaction (Khattab and Zaharia,
2020), weighted as in BM25. Only the best lines of the other channels are read, so the cost does not grow with a scope.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.models.ports import QuestionWords, TermDirections
from langgraph_memory.retrieval.bm25 import Collection, Postings
from langgraph_memory.retrieval.products import with_each
from langgraph_memory.retrieval.region import KINDRED_KERNEL, Region, Scores
from langgraph_memory.text.tokenise import index_terms

MOST = 100
"""Lines that are read for each question; between 100 and 400 nothing measurable changes."""


def kindred(
    words: QuestionWords,
    table: TermDirections,
    postings: Postings,
    region: Region,
    best: NDArray[np.intp],
    collection: Collection | None = None,
) -> Scores | None:
    """Return the idf-weighted mean, over the words, of the greatest cosine in and around each of the best lines.

    Args:
        best: which lines of the region are read.

    Returns:
        Shape `(best,)`, 0..1; None where no word of the question can be indexed.
    """
    named = [(place, terms[0]) for place, word in enumerate(words.words) if (terms := index_terms(word))]
    if not named or not len(best):
        return None
    places = [place for place, _ in named]
    weights = postings.idf([term for _, term in named], collection)
    chosen = np.zeros(len(region), dtype=np.bool_)
    chosen[best] = True
    read = np.flatnonzero(region.near(chosen))
    numbers, held, starts = postings.held(region.rows[read])
    near = table.directions[postings.rows_in(table)[numbers]]
    nearness = np.maximum(with_each(near, words.directions[places]), 0)
    nearest = np.zeros((len(read), len(named)), dtype=np.float32)
    filled = np.diff(np.append(starts, len(held))) > 0
    if filled.any():
        nearest[filled] = np.maximum.reduceat(nearness.take(held, axis=0), starts[filled], axis=0)
    around = region.part(read).greatest(np.ascontiguousarray(nearest.T), KINDRED_KERNEL)[:, np.searchsorted(read, best)]
    score: Scores = (weights @ around / max(float(weights.sum()), 1e-6)).astype(np.float32)
    return score


def spread(values: Scores) -> Scores:
    """Map the middle of the values to 0 and the greatest to 1: all lines come near some word, few come nearer."""
    middle, most = float(np.median(values)), float(values.max())
    if most - middle < 1e-6:
        return np.zeros_like(values)
    scaled: Scores = np.clip((values - middle) / (most - middle), 0, 1)
    return scaled
