"""Routing decides, from what was asked and what was found, whether to search once more or to answer.

After CrewAI's deep recall, whose constants these are; there, confidence is the best composite score, so that a recent
and important line answers every question. Here it says how much of what was asked was found, and how near.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

Route = Literal["explore", "synthesise"]

LOW = 0.5
"""Confidence below which it is worth searching again."""

COMPLEX = 0.7
"""Complexity from which a question is complex, and confidence below which a complex one is searched for again."""

LONG = 200
"""Characters from which a question is a complex one."""

MANY = 15
"""Telling words from which a question is a complex one."""

_QUESTION_MARKS = "?？؟"
_COSINES = ("raw_dense", "raw_semantic", "raw_relevance", "semantic")


def route(confidence: float, complexity: float, budget: int) -> Route:
    """Return what to do next.

    Args:
        confidence: 0..1, see `confidence_of`.
        complexity: 0..1, see `complexity_of`.
        budget: explorations that are left.
    """
    needed = COMPLEX if complexity >= COMPLEX else LOW
    return "explore" if budget > 0 and confidence < needed else "synthesise"


def complexity_of(question: str, words: int) -> float:
    """Return how much a question asks at once, 0..1: by its length, its telling words and its question marks.

    Args:
        words: how many telling words it has.
    """
    marks = sum(question.count(mark) for mark in _QUESTION_MARKS)
    return min(1.0, COMPLEX * max(len(question) / LONG, words / MANY, marks / 2))


def confidence_of(words: int, missing: int, cosine: float | None, *, floor: float, near: float) -> float:
    """Return how sure it is that the question can be answered, 0..1.

    The share of its telling words that what was found mentions; at worst half of that where nothing found is near it
    in meaning.

    Args:
        words: telling words of the question.
        missing: how many of them nothing mentions.
        cosine: of the question with the nearest line found; None where meaning was not compared.
        floor: the model's cosine below which two texts have nothing to do with each other.
        near: the cosine from which a line is as near as an answer can be.
    """
    covered = 1.0 if words == 0 else max(0.0, 1 - missing / words)
    closeness = 1.0 if cosine is None else min(1.0, max(0.0, (cosine - floor) / (near - floor)))
    return covered * (1 + closeness) / 2


def nearest(found: Iterable[Mapping[str, float]]) -> float | None:
    """Return the greatest cosine among the signals of hits; None where no recipe compared meaning."""
    cosines = [signals[name] for signals in found for name in _COSINES if name in signals]
    return max(cosines, default=None)
