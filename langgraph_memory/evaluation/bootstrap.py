"""How far a mean over questions could be off, by resampling the questions."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from langgraph_memory.errors import InvalidInput

_CELLS = 4_000_000
"""Numbers held at once while resampling, 32 MB: many questions are resampled in several rounds."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its confidence interval.

    Attributes:
        low, high: ends of the interval; both are the mean where nothing was resampled.
    """

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better one run is than another on the same questions.

    Attributes:
        mean: mean of the one minus mean of the other; `low` and `high` are the ends of its confidence interval.
        ahead: share of the resamples in which the one is better (0..1); those without a difference count half.
    """

    mean: float
    low: float
    high: float
    ahead: float


def percentile_intervals(
    scores: Mapping[str, ArrayLike],
    *,
    resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    clusters: Sequence[Hashable] | None = None,
) -> dict[str, Interval]:
    """Return for each measure the mean of its scores, one a question, with its percentile bootstrap interval.

    Whole questions are drawn with replacement, as many as there are, `resamples` times, the same ones for every
    measure; the interval holds the middle `level` of their means. Source: Efron and Tibshirani, An Introduction to the
    Bootstrap (1993), chapter 13.

    Args:
        scores: by measure, one number a question, in the same order.
        resamples: how often to draw; 0 gives the means alone.
        seed: the same seed gives the same intervals.
        level: share of the resampled means inside the interval (0..1).
        clusters: for each question, what it belongs to, such as its conversation. Whole clusters are then drawn
            instead, since questions about one conversation stand or fall together (Field and Welsh 2007).

    Raises:
        InvalidInput: there are no scores, or an argument makes no sense.
    """
    columns = _table(list(scores.values()))
    drawn = _resampled(columns, resamples, seed, level, clusters)
    return {
        name: Interval(float(column.mean()), *_middle(means, level, float(column.mean())))
        for name, column, means in zip(scores, columns.T, drawn.T, strict=True)
    }


def percentile_interval(
    scores: ArrayLike,
    *,
    resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    clusters: Sequence[Hashable] | None = None,
) -> Interval:
    """Return the mean of one measure with its interval; see `percentile_intervals`."""
    options = {"resamples": resamples, "seed": seed}
    return percentile_intervals({"": scores}, **options, level=level, clusters=clusters)[""]


def paired_difference(
    one: ArrayLike,
    other: ArrayLike,
    *,
    resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    clusters: Sequence[Hashable] | None = None,
) -> Difference:
    """Return how much better `one` is than `other`; both are scores of the same questions in the same order.

    Each resample draws the same questions for both, so what makes a question hard for both cancels out. Source: Koehn,
    Statistical Significance Tests for Machine Translation Evaluation (2004).

    Args:
        one, other: one number a question.
        resamples, seed, level, clusters: as in `percentile_intervals`.

    Raises:
        InvalidInput: they are not of one length, there are none, or an argument makes no sense.
    """
    pair = _table([one, other])
    differences = pair[:, :1] - pair[:, 1:]
    drawn = _resampled(differences, resamples, seed, level, clusters)[:, 0]
    mean = float(differences.mean())
    ahead = (np.sign(drawn if len(drawn) else mean) + 1).mean() / 2
    return Difference(mean, *_middle(drawn, level, mean), float(ahead))


def _table(columns: Sequence[ArrayLike]) -> NDArray[np.float64]:
    """Return one row a question and one column a measure."""
    arrays = [np.asarray(column, dtype=np.float64) for column in columns]
    sizes = {array.shape for array in arrays}
    if len(sizes) > 1:
        counts = " and ".join(sorted(f"{array.size:,}" for array in arrays))
        raise InvalidInput(f"There are {counts} scores, and they must be of the same questions, in the same order.")
    if not arrays or arrays[0].ndim != 1 or not arrays[0].size:
        raise InvalidInput("There are no scores to resample. Give one number a question, and at least one question.")
    return np.stack(arrays, axis=1)


def _middle(drawn: NDArray[np.float64], level: float, mean: float) -> tuple[float, float]:
    if not len(drawn):
        return mean, mean
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _resampled(
    values: NDArray[np.float64], resamples: int, seed: int, level: float, clusters: Sequence[Hashable] | None
) -> NDArray[np.float64]:
    """Return the means of each resample: one row a resample, one column a measure."""
    questions = len(values)
    if resamples < 0:
        raise InvalidInput(f"resamples is a number of draws, 0 or more, not {resamples}.")
    if not 0 < level < 1:
        raise InvalidInput(f"level lies between 0 and 1, such as 0.95, not {level}.")
    if clusters is not None and len(clusters) != questions:
        raise InvalidInput(f"There are {questions:,} questions and {len(clusters):,} clusters. Give one for each.")
    numbers: dict[Hashable, int] = {}
    member = [
        numbers.setdefault(cluster, len(numbers)) for cluster in (range(questions) if clusters is None else clusters)
    ]
    sizes = np.bincount(member).astype(np.float64)
    totals = np.zeros((len(sizes), values.shape[1]))
    np.add.at(totals, member, values)
    random = np.random.default_rng(seed)
    step = max(1, _CELLS // len(sizes))
    means = [np.empty((0, values.shape[1]))]
    for start in range(0, resamples, step):
        # How often each is drawn: the same as drawing them one by one, in one product of matrices.
        odds, size = np.full(len(sizes), 1 / len(sizes)), min(step, resamples - start)
        counts = random.multinomial(len(sizes), odds, size=size).astype(np.float64)
        means.append((counts @ totals) / (counts @ sizes)[:, None])
    return np.concatenate(means)
