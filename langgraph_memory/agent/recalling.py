"""Recalling, as a step of a run: ask memory what the newest question is about, and go on if it cannot answer."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from langgraph_memory import arguments
from langgraph_memory.agent.identity import ScopeSource, check_scope, resolve_scope, thread_id_or_none
from langgraph_memory.agent.ports import AgentMemory
from langgraph_memory.agent.state import MemoryRecall, RecalledHit, RecallGap, nothing_recalled
from langgraph_memory.agent.travel import Then, then_of
from langgraph_memory.agent.turn import MOST_EXTRA_HITS, newest_question, spoken_in, without_visible, wording
from langgraph_memory.errors import InvalidInput
from langgraph_memory.events import RecalledEvent, RecalledHitEvent, emit, reason
from langgraph_memory.records import Answer
from langgraph_memory.retrieval.compose import CountTokens
from langgraph_memory.scope import Scope
from langgraph_memory.text.tokens import estimate_tokens

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Question:
    """What one call asks of memory, with what it need not be told.

    Attributes:
        query: blank means that there is nothing to ask.
        then: finds the time as of which to ask, where the conversation may have gone on before.
        visible: ids of the messages that the model sees anyway, all in the conversation `thread_id`.
        words: their texts.
        wanted: hits to ask for, so that `limit` are left without the visible ones.
    """

    query: str
    message_id: str | None
    scope: Scope
    thread_id: str | None
    then: Then
    visible: Collection[str]
    words: Collection[str]
    limit: int
    wanted: int
    budget: int


@dataclass(frozen=True, slots=True)
class RecallStep:
    """Recalls for one agent or graph; call it with the state and the runtime.

    Attributes:
        scope: see `identity.resolve_scope`.
        limit, budget: as for `Memory.recall`; None means the memory's settings.
        source: who asks, for events and logs.
        count_tokens: counts the tokens of a block that is composed anew.
    """

    memory: AgentMemory
    scope: ScopeSource | None = None
    limit: int | None = None
    budget: int | None = None
    source: str = "recall"
    count_tokens: CountTokens = estimate_tokens

    def __post_init__(self) -> None:
        arguments.maybe_number("limit", self.limit, least=1)
        arguments.maybe_number("budget", self.budget)
        arguments.counter("count_tokens", self.count_tokens)
        check_scope(self.scope)

    def __call__(self, state: Any, runtime: Any) -> MemoryRecall:
        """Return what memory knows about the newest human message; an `error` instead where it fails.

        Raises:
            ScopeError: it is unknown whose memory to search.
        """
        asked = self.question(state, runtime)
        if not asked.query:
            return nothing_recalled(message_id=asked.message_id)
        try:
            return self.found(asked, self.ask(asked), runtime)
        except InvalidInput:
            raise
        except Exception as error:
            return self.failed(asked, error, runtime)

    async def acall(self, state: Any, runtime: Any) -> MemoryRecall:
        """Async twin of calling the step."""
        asked = self.question(state, runtime)
        if not asked.query:
            return nothing_recalled(message_id=asked.message_id)
        try:
            return self.found(asked, await self.aask(asked), runtime)
        except InvalidInput:
            raise
        except Exception as error:
            return self.failed(asked, error, runtime)

    def question(self, state: Any, runtime: Any, query: str | None = None, limit: int | None = None) -> Question:
        """Return what to ask: the query given, or else the text of the newest human message.

        Raises:
            ScopeError: it is unknown whose memory to search.
        """
        messages = spoken_in(state)
        newest = newest_question(messages)
        if query is None:
            query = "" if newest is None else str(newest.text)
        visible = {message.id for message in messages if message.id}
        scope = resolve_scope(self.scope, runtime)
        limit = limit or self.limit or self.memory.settings.limit
        return Question(
            query=query.strip(),
            message_id=None if newest is None else newest.id,
            scope=scope,
            thread_id=thread_id_or_none(runtime),
            then=then_of(runtime, scope, visible),
            visible=visible,
            words=wording(messages),
            limit=limit,
            wanted=limit + min(len(messages), MOST_EXTRA_HITS),
            budget=self.memory.settings.budget if self.budget is None else self.budget,
        )

    def ask(self, asked: Question) -> Answer:
        """Ask memory; in a run taken back to an old checkpoint, as of what was known there."""
        known_at = asked.then.at(self.memory)
        answer = self.memory.recall(
            asked.query, scope=asked.scope, limit=asked.wanted, budget=asked.budget, known_at=known_at
        )
        return _noted(answer, known_at)

    async def aask(self, asked: Question) -> Answer:
        """Async twin of `ask`."""
        known_at = await asked.then.aat(self.memory)
        answer = await self.memory.arecall(
            asked.query, scope=asked.scope, limit=asked.wanted, budget=asked.budget, known_at=known_at
        )
        return _noted(answer, known_at)

    def found(self, asked: Question, answer: Answer, runtime: Any) -> MemoryRecall:
        """Return the answer in plain form, without what is visible anyway, and say so in an event."""
        hits, block = without_visible(
            answer,
            asked.visible,
            asked.words,
            asked.thread_id,
            limit=asked.limit,
            budget=asked.budget,
            count_tokens=self.count_tokens,
        )
        recall = MemoryRecall(
            query=asked.query,
            block=block,
            hits=[
                RecalledHit(
                    id=hit.id,
                    kind=hit.kind,
                    text=hit.text,
                    score=round(float(hit.score), 4),
                    speaker=hit.speaker,
                    said_at=hit.said_at.isoformat(),
                    session_id=hit.session_id,
                )
                for hit in hits
            ],
            gaps=[RecallGap(asked=gap.asked, reason=gap.reason) for gap in answer.gaps],
            notes=list(answer.notes),
            message_id=asked.message_id,
        )
        emit(runtime, self._event(recall))
        return recall

    def failed(self, asked: Question, error: Exception, runtime: Any) -> MemoryRecall:
        """Return an empty recall that says why, and say so in an event and the log."""
        logger.warning("%s: memory could not be searched, the turn goes on without it: %s", self.source, reason(error))
        recall = nothing_recalled(asked.query, asked.message_id)
        recall["error"] = reason(error)
        emit(runtime, self._event(recall))
        return recall

    def _event(self, recall: MemoryRecall) -> RecalledEvent:
        event = RecalledEvent(
            type="memory.recalled",
            source=self.source,
            query=recall["query"],
            hits=[RecalledHitEvent(id=hit["id"], score=hit["score"]) for hit in recall["hits"]],
            gaps=[gap["asked"] for gap in recall["gaps"]],
        )
        if "error" in recall:
            event["error"] = recall["error"]
        return event


def _noted(answer: Answer, known_at: datetime | None) -> Answer:
    if known_at is None:
        return answer
    note = f"this conversation was taken back: here is what was known at {known_at:%Y-%m-%d %H:%M} UTC"
    return replace(answer, notes=(*answer.notes, note))
