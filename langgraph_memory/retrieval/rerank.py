"""Reranking mixes what a reranker says of the best lines with their scores, and says how many it has the time for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np

from langgraph_memory.retrieval.generative_agents import stretched
from langgraph_memory.retrieval.merge import damped

FEWEST = 5
"""Lines that are shown whatever the budget says: fewer are not worth a call, and a reranker that was slow once (it
loaded its model, say) must be measured again."""

_NOTHING = 1e-30  # scores below this are what rounding left; divided by them, parts would no longer add up


def lines_within(seconds: float, paces: Sequence[float], most: int) -> int:
    """Return how many lines a reranker is shown: as many as the median of its paces allows, and at least `FEWEST`.

    Args:
        seconds: that it may take.
        paces: seconds a line that earlier calls took; `most` where there are none.
        most: lines at most, which also bounds `FEWEST`.
    """
    if not paces:
        return most
    affordable = min(float(most), seconds / max(median(paces), 1e-9))
    return max(int(affordable), min(FEWEST, most))


def read_scores(answer: Any, count: int) -> list[float]:
    """Return a reranker's answer for `count` texts as numbers.

    Raises:
        ValueError: another count, or values that are no finite numbers.
        TypeError: values that are no numbers at all.
    """
    scores = np.asarray(answer, dtype=np.float64)
    if scores.shape != (count,):
        raise ValueError(f"it gave scores of shape {scores.shape} for {count} texts")
    if not np.isfinite(scores).all():
        raise ValueError("it gave a score that is NaN or infinite")
    return [float(score) for score in scores]


def reranked(
    scores: Sequence[float], signals: Sequence[Mapping[str, float]], given: Sequence[float], *, weight: float
) -> list[tuple[int, float, dict[str, float]]]:
    """Return the place, the new score and the new signals of each line, in the new order.

    `score = (1 - weight) * old / greatest old + weight * given`, where `given` is stretched to 0..1 over the lines
    shown (all .5 where they are equal). Lines not shown keep the first term and come after those shown. Of equals the
    better of before is first. The parts of the old score are scaled with it; what is given is the part `rerank`, and
    its own number `raw_rerank`.

    Args:
        scores: of the lines, best first.
        signals: what made each score.
        given: the reranker's own scores of the first of these lines, any scale.
        weight: of the reranker, 0..1.
    """
    greatest = max(map(abs, scores), default=0.0)  # of a diversified ranking every score may be 0 or below
    by = (1 - weight) / (greatest if greatest > _NOTHING else 1.0)
    raw = np.array(given, dtype=np.float64)
    raw /= max(float(np.abs(raw).max(initial=0.0)), 1.0)  # so that no difference overflows
    shares = weight * stretched(raw)
    lines = [(place, by * score, damped(signals[place], by)) for place, score in enumerate(scores)]
    shown = [
        (place, score + float(share), {**parts, "rerank": float(share), "raw_rerank": own})
        for (place, score, parts), share, own in zip(lines, shares, given, strict=False)
    ]
    return sorted(shown, key=lambda line: -line[1]) + lines[len(shown) :]
