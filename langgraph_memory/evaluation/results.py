"""What an evaluation gives: a run for each data set and recipe, with means, intervals and times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from langgraph_memory.evaluation.bootstrap import Difference, Interval
from langgraph_memory.evaluation.datasets import LeftOut, Question


@dataclass(frozen=True, slots=True)
class Filled:
    """What was recorded before the questions were asked.

    Attributes:
        turns: of the data set; `new` of them were not in the memory before.
        recording_seconds: wall time of recording all of them.
        embedding_seconds: wall time of embedding and indexing what was not yet.
    """

    conversations: int
    turns: int
    new: int
    recording_seconds: float
    embedding_seconds: float


@dataclass(frozen=True, slots=True)
class Asked:
    """One question and how well it was answered; `seconds` is the wall time of the recall."""

    conversation: str
    question: Question
    scores: Mapping[str, float]
    seconds: float


@dataclass(frozen=True, slots=True)
class Group:
    """The questions of one category, or all of them.

    Attributes:
        name: the category; `all` for all.
        questions: how many there are.
        scores: by measure, the mean over the questions with its confidence interval.
        p50_ms, p95_ms: wall time of a recall, median and 95th percentile, in milliseconds.
    """

    name: str
    questions: int
    scores: Mapping[str, Interval]
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True)
class Run:
    """One recipe on one data set.

    Attributes:
        groups: `all` first, then each category by name.
        left_out: what the data set holds and was not measured.
        notes: what the reader should know about this run, such as answers that were found by words only.
        asked: every question, in order.
    """

    data: str
    recipe: str
    filled: Filled
    groups: tuple[Group, ...]
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()
    asked: tuple[Asked, ...] = field(default=(), repr=False)

    @property
    def overall(self) -> Group:
        """All questions together."""
        return self.groups[0]


@dataclass(frozen=True, slots=True)
class Comparison:
    """How much better a recipe is than the first one on the same questions, by measure."""

    data: str
    recipe: str
    than: str
    differences: Mapping[str, Difference]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All runs of one evaluation, data set by data set, and the comparisons among them.

    Attributes:
        measures: the names under which scores stand, in order.
        resamples, seed, clustered: of the bootstrap; clustered means that whole conversations were drawn.
    """

    runs: tuple[Run, ...]
    comparisons: tuple[Comparison, ...]
    measures: tuple[str, ...]
    resamples: int
    seed: int
    clustered: bool
