"""A span is a stretch of text that one rule takes for a name; of spans that overlap, the longest wins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["PROPER", "IDENTIFIER", "QUOTED", "TOPIC"]
"""`PROPER`: people, places, products. `IDENTIFIER`: what machines are called by. `QUOTED`: what a writer put in quotes.
`TOPIC`: what a model proposed."""

KINDS: tuple[Kind, ...] = ("PROPER", "IDENTIFIER", "QUOTED", "TOPIC")
"""From the most to the least telling: an entity that was found as several has the first of them."""


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` of a text, taken for a name.

    Attributes:
        text: the name, which may be cleaner than the characters it stands on.
    """

    start: int
    end: int
    text: str
    kind: Kind


def rank(kind: str) -> int:
    """Return the place of a kind among `KINDS`; an unknown one comes last."""
    return KINDS.index(kind) if kind in KINDS else len(KINDS)


def without_overlaps(spans: Iterable[Span]) -> Sequence[Span]:
    """Return spans that share no character, in order of appearance: longer before shorter, telling before less so."""
    taken: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end, rank(span.kind))):
        # Those taken are disjoint and begin no later, so only the last of them can reach into this one.
        if not taken or taken[-1].end <= span.start:
            taken.append(span)
        elif span.end - span.start > taken[-1].end - taken[-1].start:
            taken[-1] = span
    return taken
