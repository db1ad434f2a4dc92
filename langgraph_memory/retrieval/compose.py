"""Composition turns hits into the fenced block that a prompt gets, within its budget of tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from langgraph_memory.records import Hit
from langgraph_memory.text.fence import FENCE_NOTE, fence, harmless, neutralise
from langgraph_memory.text.tokens import clip

CountTokens = Callable[[str], int]
"""Estimates the tokens of a text; joining texts must not cost more than their sum."""

_SHORTEST = 16
"""Tokens below which a clipped line says nothing any more."""


@dataclass(frozen=True, slots=True)
class _Line:
    conversation: str
    said_at: datetime
    position: int
    id: str
    speaker: str
    text: str
    shown: str

    @classmethod
    def of(cls, conversation: str, said_at: datetime, position: int, id: str, speaker: str, text: str) -> _Line:
        line = f"[{said_at:%Y-%m-%d}] {speaker}: {text}"
        shown = harmless(neutralise(" ".join(line.split())))  # one line, whatever the speaker is called
        return cls(conversation, said_at, position, id, speaker, text, shown)

    def saying(self, text: str) -> _Line:
        """Return the line with another text."""
        return self.of(self.conversation, self.said_at, self.position, self.id, self.speaker, text)


def compose(hits: Sequence[Hit], *, budget: int, count_tokens: CountTokens, note: str = FENCE_NOTE) -> tuple[str, int]:
    """Return the block and its estimated tokens; an empty text where nothing fits.

    Hits are taken best first until the budget is full, then the lines around them in the same order. What is
    shown is grouped by conversation in order of time, each line with who said it and when, so that the same
    hits always give the same bytes.

    Args:
        budget: the most tokens that the whole block may take, fence included.
        count_tokens: estimates the tokens of a text.
        note: the line that tells the reader what the block is.
    """
    room = budget - count_tokens(fence("", note))
    chosen: dict[tuple[str, str], _Line] = {}
    said: set[tuple[str, str, str]] = set()
    for line in _in_order_of_worth(hits):
        key = (line.conversation, line.id)
        words = (line.conversation, line.speaker, line.text.strip())
        if key in chosen or words in said:  # a replayed turn says the same again under another id
            continue
        if room < _SHORTEST and chosen:
            break
        cost = count_tokens(f"{line.shown}\n\n")
        if cost > room and not chosen:  # the best hit alone is too long: show what fits of it
            left = room - count_tokens(f"{line.saying('').shown}\n\n")
            if left < _SHORTEST:
                return "", 0
            line = line.saying(clip(harmless(line.text), left))
            cost = count_tokens(f"{line.shown}\n\n")
        if cost <= room:
            chosen[key] = line
            said.add(words)
            room -= cost
    if not chosen:
        return "", 0
    block = fence(_body(list(chosen.values())), note)
    return block, count_tokens(block)


def _in_order_of_worth(hits: Sequence[Hit]) -> Iterator[_Line]:
    for hit in hits:
        yield _Line.of(_conversation(hit), hit.said_at, hit.position or 0, hit.id, hit.speaker, hit.text)
    for hit in hits:
        for around in (*hit.before, *hit.after):
            yield _Line.of(
                _conversation(hit), around.said_at, around.position, around.message_id, around.speaker, around.text
            )


def _conversation(hit: Hit) -> str:
    """Lines of one conversation stand together; memories, which belong to none, stand together too."""
    return hit.scope.path if hit.session_id is None or hit.position is None else f"{hit.scope.path}{hit.session_id}"


def _body(lines: Sequence[_Line]) -> str:
    groups: dict[str, list[_Line]] = {}
    for line in lines:
        groups.setdefault(line.conversation, []).append(line)
    for group in groups.values():
        group.sort(key=lambda line: (line.position, line.said_at, line.id))
    in_time = sorted(groups.values(), key=lambda group: (min(line.said_at for line in group), group[0].conversation))
    return "\n\n".join("\n".join(line.shown for line in group) for group in in_time)
