"""The rules of one compaction, and what they make of a conversation: a plan, without any I/O."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast
from uuid import uuid4

from langchain_core.messages import BaseMessage, SystemMessage, ToolMessage

from langgraph_memory.agent.turn import is_summary, unrecorded
from langgraph_memory.compaction.cut import Cut, Keep, cut
from langgraph_memory.compaction.evict import is_huge, stand_in
from langgraph_memory.compaction.limits import Clause
from langgraph_memory.compaction.measure import CountTokens, message_tokens
from langgraph_memory.compaction.summary import Summary, read_summary, summary_message

NOTHING = Cut((), (), ())

LEAST_SHARE = 0.1
"""Of the conversation's tokens, below which leaving is not worth a summary: what must stay may be nearly all of it,
and would otherwise start a compaction at every step."""

FORCED_SHARE = 0.3
"""That must leave where the model refused the conversation as too long; for that, less than `keep` may stay."""


@dataclass(frozen=True, slots=True)
class Rules:
    """When to compact, and how.

    Attributes:
        trigger: any one of these starts a compaction.
        keep: the least of the end that stays.
        evict_over: characters from which a tool result is evicted; None for never.
        summary_tokens: that a summary may take.
        count_tokens: estimates tokens.
    """

    trigger: tuple[Clause, ...]
    keep: Keep
    evict_over: int | None
    summary_tokens: int
    count_tokens: CountTokens

    def plan(self, messages: Sequence[BaseMessage], *, force: bool = False) -> Plan:
        """Return what is to be done with a conversation.

        Args:
            messages: all of it, oldest first; those without an id get one.
            force: compact whatever the trigger says.
        """
        named = [_named(message) for message in messages]
        evicted: dict[int, ToolMessage] = {}
        if self.evict_over is not None:
            evicted = {
                place: stand_in(cast("ToolMessage", message))
                for place, message in enumerate(named)
                if is_huge(message, self.evict_over)
            }
        short = [evicted.get(place, message) for place, message in enumerate(named)]
        talk = sum(not is_summary(message) and not isinstance(message, SystemMessage) for message in short)
        if not force and not any(clause.reached(talk, sys.maxsize) for clause in self.trigger):
            return Plan(messages, named, evicted, NOTHING)  # too few messages, whatever they take
        tokens = [message_tokens(message, self.count_tokens) for message in short]
        wanted = force or any(clause.reached(talk, sum(tokens)) for clause in self.trigger)
        found = cut(short, self.keep, tokens) if wanted else NOTHING
        amount = self.keep.amount
        while force and amount > 1 and _share(found, tokens) < FORCED_SHARE:
            amount //= 2
            found = cut(short, Keep(self.keep.unit, amount), tokens)
        if not force and _share(found, tokens) < LEAST_SHARE:
            found = NOTHING
        return Plan(messages, named, evicted, found)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done with a conversation.

    Attributes:
        given: all of it.
        messages: the same, each with an id.
        evicted: what takes the place of huge tool results, by place.
        cut: who leaves; nobody where nothing is to be summarised.
    """

    given: Sequence[BaseMessage]
    messages: Sequence[BaseMessage]
    evicted: Mapping[int, ToolMessage]
    cut: Cut

    @property
    def is_empty(self) -> bool:
        """Whether everything may stay as it is."""
        return not self.cut.leaving and not self.evicted

    @property
    def leaving(self) -> list[BaseMessage]:
        """The messages to be summarised, huge results already by their ends."""
        return [self.evicted.get(place, self.messages[place]) for place in self.cut.leaving]

    @property
    def earlier(self) -> Summary | None:
        """The summary so far."""
        return read_summary([self.messages[place] for place in self.cut.summaries])

    def to_record(self) -> list[BaseMessage]:
        """Return what memory must hold before the plan is carried out: all up to the last message it touches.

        Those before it too, so that they stand in memory in the order in which they were said. What leaves without an
        id of its own is recorded without one: memory knows it again by its place and text, if the plan fails.
        """
        last = max([*self.cut.leaving, *self.evicted], default=-1)
        nameless = set(self.cut.leaving) - set(self.evicted)
        source = [self.given[n] if n in nameless else self.messages[n] for n in range(last + 1)]
        return unrecorded(source, None)

    def without_summary(self) -> Plan:
        """Return the plan that only evicts."""
        return Plan(self.given, self.messages, self.evicted, NOTHING)

    def without_eviction(self) -> Plan:
        """Return the plan that only summarises."""
        return Plan(self.given, self.messages, {}, self.cut)

    def window(self, summary: Summary | None, in_memory: bool) -> list[BaseMessage]:
        """Return the conversation after the plan; the summary stands behind the system messages at the front."""
        if summary is None:
            return [self.evicted.get(place, message) for place, message in enumerate(self.messages)]
        staying = [self.evicted.get(place, self.messages[place]) for place in self.cut.staying]
        front = next(
            (place for place, message in enumerate(staying) if not isinstance(message, SystemMessage)), len(staying)
        )
        return [*staying[:front], summary_message(summary, in_memory), *staying[front:]]


def _share(found: Cut, tokens: Sequence[int]) -> float:
    return sum(tokens[place] for place in found.leaving) / max(1, sum(tokens))


def _named(message: BaseMessage) -> BaseMessage:
    return message if message.id else message.model_copy(update={"id": str(uuid4())})
