"""Where a conversation is cut: which messages leave the window and which stay, decided from the messages alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from langchain_core.messages import BaseMessage, SystemMessage

from langgraph_memory.agent.turn import is_summary, newest_question
from langgraph_memory.compaction.exchanges import owners, waiting


@dataclass(frozen=True, slots=True)
class Keep:
    """How much of the end stays as it is: a number of messages, or of tokens."""

    unit: Literal["messages", "tokens"]
    amount: int


@dataclass(frozen=True, slots=True)
class Cut:
    """The places of a list of messages, each in exactly one of three, in order.

    Attributes:
        leaving: to be summarised.
        staying: kept as they are.
        summaries: earlier summaries, which the next one replaces.
    """

    leaving: tuple[int, ...]
    staying: tuple[int, ...]
    summaries: tuple[int, ...]


def cut(messages: Sequence[BaseMessage], keep: Keep, tokens: Sequence[int]) -> Cut:
    """Return which messages leave, for any list of messages, however broken.

    Stays: the end that `keep` says, and more where an exchange reaches into it; every system message; the newest
    message that a person wrote; every call that still lacks a result, with the results that it has. A call of tools
    and its results, parallel ones too, leave together or stay together.

    Args:
        messages: the conversation, oldest first.
        keep: the least that stays.
        tokens: what each message takes; only read where `keep` counts them.
    """
    owner = owners(messages)
    summaries = {place for place, message in enumerate(messages) if is_summary(message)}
    talk = [
        place
        for place, message in enumerate(messages)
        if place not in summaries and not isinstance(message, SystemMessage)
    ]
    pinned = set(_end(talk, keep, tokens)) | waiting(messages, owner)
    question = newest_question(messages)
    pinned |= {place for place in talk if messages[place] is question}
    whole = {owner[place] for place in pinned}
    leaving = tuple(place for place in talk if owner[place] not in whole)
    gone = set(leaving) | summaries
    staying = tuple(place for place in range(len(messages)) if place not in gone)
    return Cut(leaving, staying, tuple(sorted(summaries)))


def _end(talk: Sequence[int], keep: Keep, tokens: Sequence[int]) -> Sequence[int]:
    if keep.unit == "messages":
        return talk[max(0, len(talk) - keep.amount) :]
    left = keep.amount
    for taken, place in enumerate(reversed(talk)):
        left -= tokens[place]
        if left < 0:
            return talk[len(talk) - taken :]
    return talk
