"""Composition turns hits into the fenced block that a prompt gets, within its budget of tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from math import log
from statistics import median

from langgraph_memory.records import Hit
from langgraph_memory.text.fence import FENCE_NOTE, fence, harmless, neutralise
from langgraph_memory.text.tokens import clip

CountTokens = Callable[[str], int]
"""Estimates the tokens of a text; joining texts must not cost more than their sum."""

_SHORTEST = 16
"""Tokens below which a clipped line says nothing any more."""


DENSITY = 0.1
"""What a hit's worth loses for each natural logarithm of its length over the middle length, where the best hit is worth
1: of two lines that score alike the shorter leaves room for another. Chosen on LoCoMo conversations 1 to 5 and half of
the LongMemEval questions."""


@dataclass(frozen=True, slots=True)
class _Line:
    conversation: str
    said_at: datetime
    position: int
    id: str
    speaker: str
    text: str
    shown: str
    day: tuple[str, str]  # the conversation and the date, under which the line stands

    @classmethod
    def of(cls, conversation: str, said_at: datetime, position: int, id: str, speaker: str, text: str) -> _Line:
        shown = harmless(neutralise(" ".join(f"{speaker}: {text}".split())))  # one line, whatever the speaker is called
        day = conversation, f"[{said_at.date().isoformat()}]"
        return cls(conversation, said_at, position, id, speaker, text, shown, day)

    def saying(self, text: str) -> _Line:
        """Return the line with another text."""
        return self.of(self.conversation, self.said_at, self.position, self.id, self.speaker, text)

    @property
    def place(self) -> tuple[date, int, datetime, str]:
        """Where it stands in its conversation."""
        return self.said_at.date(), self.position, self.said_at, self.id


def compose(hits: Sequence[Hit], *, budget: int, count_tokens: CountTokens, note: str = FENCE_NOTE) -> tuple[str, int]:
    """Return the block and its estimated tokens; an empty text where nothing fits.

    Hits are taken by what they are worth for their length until the budget is full, then the lines around them in the
    order of the hits. What is shown is grouped by conversation and day in order of time, each line with who said it,
    so that the same hits always give the same bytes.

    Args:
        hits: best first.
        budget: the most tokens that the whole block may take, fence included.
        count_tokens: estimates the tokens of a text.
        note: the line that tells the reader what the block is.
    """
    room = budget - count_tokens(fence("", note))
    chosen: dict[tuple[str, str], _Line] = {}
    days: set[tuple[str, str]] = set()
    said: set[tuple[str, str, str]] = set()
    for line, cost in _in_order_of_worth(hits, count_tokens):
        key = (line.conversation, line.id)
        words = (line.conversation, line.speaker, line.text.strip())
        if key in chosen or words in said:  # a replayed turn says the same again under another id
            continue
        if room < _SHORTEST and chosen:
            break
        if line.day not in days:
            cost += count_tokens(f"{line.day[1]}\n\n")
        if cost > room and not chosen:  # the best hit alone is too long: show what fits of it
            left = room - count_tokens(f"{line.day[1]}\n\n{line.saying('').shown}\n")
            if left < _SHORTEST:
                return "", 0
            line = line.saying(clip(harmless(line.text), left))
            cost = count_tokens(f"{line.day[1]}\n\n{line.shown}\n")
        if cost <= room:
            chosen[key] = line
            days.add(line.day)
            said.add(words)
            room -= cost
    if not chosen:
        return "", 0
    block = fence(_body(list(chosen.values())), note)
    return block, count_tokens(block)


def _in_order_of_worth(hits: Sequence[Hit], count_tokens: CountTokens) -> Iterator[tuple[_Line, int]]:
    """Yield each line with its tokens: the hits by worth, then what stands around them."""

    def counted(line: _Line) -> tuple[_Line, int]:
        return line, count_tokens(f"{line.shown}\n")

    lines = [
        counted(_Line.of(_conversation(hit), hit.said_at, hit.position or 0, hit.id, hit.speaker, hit.text))
        for hit in hits
    ]
    middle = median([cost for _, cost in lines]) if lines else 1
    best = max((hit.score for hit in hits), default=0.0) or 1.0
    worth = [
        hit.score / best - DENSITY * log(max(cost, 1) / max(middle, 1))
        for hit, (_, cost) in zip(hits, lines, strict=True)
    ]
    yield from (lines[place] for place in sorted(range(len(lines)), key=lambda place: -worth[place]))
    for hit in hits:
        for near in (*hit.before, *hit.after):
            yield counted(
                _Line.of(_conversation(hit), near.said_at, near.position, near.message_id, near.speaker, near.text)
            )


def _conversation(hit: Hit) -> str:
    """Lines of one conversation stand together; memories, which belong to none, stand together too."""
    return hit.scope.path if hit.session_id is None or hit.position is None else f"{hit.scope.path}{hit.session_id}"


def _body(lines: Sequence[_Line]) -> str:
    days: dict[tuple[str, str], list[_Line]] = {}
    first: dict[str, datetime] = {}
    for line in lines:
        days.setdefault(line.day, []).append(line)
        first[line.conversation] = min(line.said_at, first.get(line.conversation, line.said_at))
    for day in days.values():
        day.sort(key=lambda line: line.place)
    in_time = sorted(days, key=lambda day: (first[day[0]], day))
    return "\n\n".join("\n".join((day[1], *(line.shown for line in days[day]))) for day in in_time)
