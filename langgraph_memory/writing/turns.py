"""Turns are the messages that extraction reads: which ones, in what form, and how many at a time."""

from __future__ import annotations

import re
from collections.abc import Sequence

from typing_extensions import TypedDict  # typing's has no JSON schema on Python 3.11

from langgraph_memory.clock import at_offset
from langgraph_memory.records import UTC_OFFSET, Entry
from langgraph_memory.text.fence import strip_fences
from langgraph_memory.text.normalise import normalise
from langgraph_memory.text.tokens import clip, estimate_tokens

READ_ROLES = ("user", "assistant")
"""Tool results are evidence that search finds word for word, and system messages are the developer's own words;
neither is somebody's statement, so no memory is drawn from them."""

CONTEXT_CHARS = 300
"""Characters shown of each earlier message (mem0 2.x cuts at the same length)."""


_TOOL_LINE = re.compile(r"^\[tool (?:call|result)\b.*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"^\[[a-z ]{2,20}(?:: [^\]\n]*)?\]$", re.MULTILINE)  # `[image]`, `[file: plan.pdf]`


class Turn(TypedDict):
    """One message as extraction sees it, JSON-plain.

    Attributes:
        seq: the entry's number in the database.
        said_at: ISO 8601, in the zone in which it was said where that is known, else UTC.
    """

    seq: int
    id: str
    role: str
    speaker: str
    text: str
    said_at: str


def is_read(entry: Entry) -> bool:
    """Say whether memories may be drawn from an entry: one that is shown, and in which somebody says something."""
    return (
        entry.role in READ_ROLES
        and entry.retired_at is None
        and entry.replaced_by is None
        and bool(normalise(_PLACEHOLDER.sub("", said(entry))))
    )


def said(entry: Entry) -> str:
    """Return an entry's own words: without recalled blocks, which are no news, and without its tool calls."""
    return _TOOL_LINE.sub("", strip_fences(entry.text)).strip()


def turn_of(entry: Entry, max_tokens: int) -> Turn:
    """Return an entry as a turn, cut where it is very long."""
    return Turn(
        seq=entry.seq,
        id=entry.message_id,
        role=entry.role,
        speaker=entry.speaker,
        text=clip(said(entry), max_tokens),
        said_at=at_offset(entry.observed_at, entry.extra.get(UTC_OFFSET)).isoformat(),
    )


def told(turns: Sequence[Turn]) -> str:
    """Return what was said, each message behind its role."""
    return "\n".join(f"{turn['role']}: {turn['text']}" for turn in turns)


def take_batch(entries: Sequence[Entry], max_turns: int, max_tokens: int) -> list[Entry]:
    """Return the longest beginning that fits, at least one entry; what is not read costs nothing.

    Args:
        entries: unread entries of one session in order.
        max_turns: messages that are read.
        max_tokens: estimated tokens of their text.
    """
    taken: list[Entry] = []
    turns = tokens = 0
    for entry in entries:
        if is_read(entry):
            cost = estimate_tokens(entry.text)
            if turns and (turns >= max_turns or tokens + cost > max_tokens):
                break
            turns, tokens = turns + 1, tokens + cost
        taken.append(entry)
    return taken
