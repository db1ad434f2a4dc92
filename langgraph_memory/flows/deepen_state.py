"""What the steps of a deep recall tell each other: searches to make, rows found, and what they were asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NotRequired

from typing_extensions import TypedDict  # typing's has no JSON schema on Python 3.11

from langgraph_memory.flows.hits import Ranked
from langgraph_memory.flows.request import Request
from langgraph_memory.flows.subqueries import Plan
from langgraph_memory.retrieval.merge import damped


class Search(TypedDict):
    """One search to make, JSON-plain.

    Attributes:
        scope: segments of where to search.
        own: it is the question itself, and not a query made from it.
        words: search by words only, where the recipe knows words.
        said_after, said_before: ISO 8601, or None.
    """

    query: str
    scope: list[str]
    own: bool
    words: bool
    said_after: str | None
    said_before: str | None


class Row(TypedDict):
    """One row found, as its best search found it."""

    seq: int
    score: float
    signals: dict[str, float]
    before: list[int]
    after: list[int]
    wording: int


class DeepenInput(TypedDict):
    """The question, and whose memory: the scope's segments."""

    query: str
    scope: list[str]


class DeepenState(DeepenInput):
    """What the steps tell each other, JSON-plain."""

    complexity: NotRequired[float]
    confidence: NotRequired[float]
    searches: NotRequired[list[Search]]
    asked: NotRequired[list[str]]
    found: NotRequired[list[Row]]
    gaps: NotRequired[list[str]]
    explored: NotRequired[int]
    notes: NotRequired[list[str]]
    usage: NotRequired[dict[str, int]]
    answer: NotRequired[dict[str, Any]]


@dataclass(frozen=True)
class DeepenContext:
    """What may differ from run to run.

    Attributes:
        max_calls: model calls at most; None for the memory's settings.
    """

    max_calls: int | None = None


@dataclass(frozen=True)
class AskedContext(DeepenContext):
    """The context of a run that a verb starts.

    Attributes:
        request: the question with its options, checked; None for the defaults.
    """

    request: Request | None = None


def search_for(
    query: str, scope: Sequence[str], *, own: bool = False, words: bool = False, plan: Plan | None = None
) -> Search:
    """Return one search to make, narrowed by what a plan says of times."""
    return Search(
        query=query,
        scope=list(scope),
        own=own,
        words=words,
        said_after=None if plan is None else plan["said_after"],
        said_before=None if plan is None else plan["said_before"],
    )


def ranked_of(rows: Sequence[Row]) -> Ranked:
    """Return rows of the state as a ranking."""
    return Ranked(
        seqs=[row["seq"] for row in rows],
        scores=[row["score"] for row in rows],
        signals=[row["signals"] for row in rows],
        before=[row["before"] for row in rows],
        after=[row["after"] for row in rows],
        wordings=[row["wording"] for row in rows],
    )


def rows_of(ranked: Ranked, by: float) -> list[Row]:
    """Return a ranking as rows of the state, each score multiplied."""
    return [
        Row(
            seq=seq,
            score=by * ranked.scores[place],
            signals=damped(ranked.signals[place], by) if by < 1 else ranked.signals[place],
            before=list(ranked.before[place]),
            after=list(ranked.after[place]),
            wording=ranked.wordings[place],
        )
        for place, seq in enumerate(ranked.seqs)
    ]


def later(one: datetime | None, other: str | None) -> datetime | None:
    """Return the later of two moments, the other ISO 8601; None where there is none."""
    moments = [moment for moment in (one, other and datetime.fromisoformat(other)) if moment]
    return max(moments, default=None)


def earlier(one: datetime | None, other: str | None) -> datetime | None:
    """Return the earlier of two moments, the other ISO 8601; None where there is none."""
    moments = [moment for moment in (one, other and datetime.fromisoformat(other)) if moment]
    return min(moments, default=None)
