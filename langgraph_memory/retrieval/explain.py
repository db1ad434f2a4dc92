"""Explain turns a hit's signals into an account that a person can read and that adds up to its score.

print(explain(answer.hits[0]))

0.7731 =
  0.3520  meaning, with what stands around it (0.412)
+ 0.4211  words, with what stands around it (7.310)
"""

from __future__ import annotations

from dataclasses import dataclass

from langgraph_memory.records import Hit

_WORDS = {
    "dense": "meaning",
    "dense_window": "meaning, with what stands around it",
    "lexical": "words",
    "lexical_window": "words, with what stands around it",
    "kindred": "words of a like meaning",
    "bm25": "words",
    "semantic": "meaning",
    "relevance": "meaning",
    "entity": "names of the question",
    "recency": "how lately it was said or recalled",
    "importance": "importance",
    "diversity": "likeness to a better hit",
    "rerank": "what the reranker says",
    "cap": "cut off above 1",
}
_MEM0 = ("semantic", "bm25", "entity")
_CAP = 5e-7  # smaller differences are rounding


@dataclass(frozen=True, slots=True)
class Part:
    """One summand of a score.

    Attributes:
        name: of the signal.
        value: what it adds; below 0 where it costs.
        raw: the signal before it was scaled and weighted, such as a cosine; None where there is none.
    """

    name: str
    value: float
    raw: float | None = None

    def __str__(self) -> str:
        told = _WORDS.get(self.name, self.name.replace("_", " "))
        return told if self.raw is None else f"{told} ({self.raw:.3f})"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What made a score: the values of its parts add up to it. `str()` of it is the account."""

    score: float
    parts: tuple[Part, ...]

    def __str__(self) -> str:
        lines = [f"{self.score:.4f} ="]
        for place, part in enumerate(self.parts):
            sign = "-" if part.value < 0 else "+" if place else " "
            lines.append(f"{sign} {abs(part.value):.4f}  {part}")
        return "\n".join(lines)


def explain(hit: Hit) -> Explanation:
    """Return what made the score of a hit, whatever the recipe.

    The largest part comes first; what costs comes last. Where two parts of a formula are divided by the same number
    or cut off at 1 (`mem0`), the parts are what is left of them, and `cap` is what was cut off.
    """
    signals = dict(hit.signals)
    raw = {name.removeprefix("raw_"): value for name, value in signals.items() if name.startswith("raw_")}
    if "final" in signals:
        weight = signals["relevance"] / signals["final"] if "relevance" in signals and signals["final"] else 1.0
        given = {name: weight * signals[name] / signals["divisor"] for name in _MEM0}
        given["cap"] = weight * signals["final"] - sum(given.values())
        if abs(given["cap"]) < _CAP:
            del given["cap"]
        given |= {name: signals[name] for name in ("diversity", "rerank") if name in signals}
        raw |= {name: signals[name] for name in _MEM0}
    else:
        given = {name: value for name, value in signals.items() if not name.startswith("raw_")}
    parts = sorted((Part(name, value, raw.get(name)) for name, value in given.items()), key=lambda part: -part.value)
    return Explanation(hit.score, tuple(parts))
