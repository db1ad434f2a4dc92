"""Scores of single questions become means with intervals, per category and for all, and differences between runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from langgraph_memory.evaluation.bootstrap import paired_difference, percentile_intervals
from langgraph_memory.evaluation.results import Asked, Comparison, Group, Run

ALL = "all"
"""The name of the group of all questions."""


@dataclass(frozen=True, slots=True)
class Resampling:
    """How confidence is computed; see `bootstrap.percentile_intervals`.

    Attributes:
        clustered: whether whole conversations are drawn instead of questions.
    """

    resamples: int = 1000
    seed: int = 0
    clustered: bool = False


def groups_of(asked: Sequence[Asked], how: Resampling) -> tuple[Group, ...]:
    """Return the group of all questions, then one for each category by name, where there are several."""
    by_category: dict[str, list[Asked]] = defaultdict(list)
    for item in asked:
        category = item.question.category or "(none)"
        by_category[f"({ALL})" if category == ALL else category].append(item)
    named = {name: by_category[name] for name in sorted(by_category)}
    groups = {ALL: asked, **named} if len(by_category) > 1 else {ALL: asked}
    return tuple(_group(name, items, how) for name, items in groups.items())


def _group(name: str, asked: Sequence[Asked], how: Resampling) -> Group:
    scores = {measure: [item.scores[measure] for item in asked] for measure in asked[0].scores}
    p50, p95 = np.percentile([item.seconds * 1000 for item in asked], [50, 95])
    intervals = percentile_intervals(
        scores, resamples=how.resamples, seed=how.seed, clusters=_clusters(asked) if how.clustered else None
    )
    return Group(name, len(asked), intervals, float(p50), float(p95))


def compared(run: Run, first: Run, how: Resampling) -> Comparison:
    """Return how much better `run` is than `first`, which was asked the same questions."""
    clusters = _clusters(run.asked) if how.clustered else None
    differences = {
        measure: paired_difference(
            [item.scores[measure] for item in run.asked],
            [item.scores[measure] for item in first.asked],
            resamples=how.resamples,
            seed=how.seed,
            clusters=clusters,
        )
        for measure in run.asked[0].scores
    }
    return Comparison(run.data, run.recipe, first.recipe, differences)


def _clusters(asked: Sequence[Asked]) -> list[str]:
    return [item.conversation for item in asked]
