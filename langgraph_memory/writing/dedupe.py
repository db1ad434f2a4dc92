"""Dedupe decides by hash and by similarity which proposals say what is said already; nothing here guesses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.text.restate import same_claim
from langgraph_memory.writing.candidate import Candidate, key, settled
from langgraph_memory.writing.known import Known


def fold_exact(items: Sequence[Candidate]) -> list[Candidate]:
    """Fold proposals of one batch that have the same normalised text, or the same schema and fields, into the first.

    The first takes over all their sources.

    The same text in memory is found by the database when it is written, in every batch of every process.
    """
    first: dict[str, int] = {}
    result: list[Candidate] = []
    for item in items:
        place = first.get(key(item)) if item["status"] == "proposed" else None
        if place is not None:
            _gather(result, place, item)
            what = "same text" if item["schema"] is None else "same document"
            item = settled(item, "skipped", f"{what} in this batch", of=key(result[place]))
        elif item["status"] == "proposed":
            first[key(item)] = len(result)
        result.append(item)
    return result


def fold_batch(
    items: Sequence[Candidate], vectors: Sequence[NDArray[np.float32] | None], duplicate: float
) -> list[Candidate]:
    """Fold plain proposals of one batch that are all but the same text (cosine >= `duplicate`) into the first of them.

    Documents are never alike: one field makes all the difference.
    """
    result: list[Candidate] = []
    kept: list[int] = []
    for place, item in enumerate(items):
        vector = vectors[place]
        if item["status"] == "proposed" and item["schema"] is None and vector is not None:
            twin = next((k for k in kept if _near(vectors[k], vector, duplicate, items[k]["text"], item["text"])), None)
            if twin is None:
                kept.append(place)
            else:
                _gather(result, twin, item)
                item = settled(item, "skipped", "all but the same text in this batch", of=key(result[twin]))
        result.append(item)
    return result


def nearest(
    text: str,
    vector: NDArray[np.float32],
    rivals: Sequence[Known],
    vectors_of: Callable[[Sequence[str]], Sequence[NDArray[np.float32]]],
    restatement: float,
) -> tuple[str | None, float]:
    """Compare a proposal with the memories nearest to it.

    Args:
        rivals: those memories.
        vectors_of: returns their vectors.
        restatement: cosine from which two texts say the same, where `same_claim` does not object.

    Returns:
        the id of the plain memory that it restates, or None; and the novelty, 1 minus the greatest cosine, 0..1.
    """
    if not rivals:
        return None, 1.0
    cosines = [float(np.dot(vector, rival)) for rival in vectors_of([rival["text"] for rival in rivals])]
    order = sorted(range(len(rivals)), key=lambda place: -cosines[place])
    plain = (k for k in order if rivals[k]["schema"] is None)
    same = (rivals[k] for k in plain if cosines[k] >= restatement and same_claim(rivals[k]["text"], text))
    folded = next((rival["id"] for rival in same), None)
    return folded, round(min(1.0, max(0.0, 1.0 - cosines[order[0]])), 4)


def _near(
    one: NDArray[np.float32] | None, other: NDArray[np.float32], least: float, text: str, other_text: str
) -> bool:
    return one is not None and float(np.dot(one, other)) >= least and same_claim(text, other_text)


def _gather(result: list[Candidate], place: int, item: Candidate) -> None:
    sources = [*result[place]["sources"], *item["sources"]]
    result[place] = settled(result[place], "proposed", sources=list(dict.fromkeys(sources)))
