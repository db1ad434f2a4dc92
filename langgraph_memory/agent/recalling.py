"""Recalling, as a step of a run: ask memory what the newest question is about, and go on if it cannot answer."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from langgraph_memory import arguments
from langgraph_memory.agent.identity import ScopeSource, check_scope, resolve_scope, thread_id_or_none
from langgraph_memory.agent.ports import AgentMemory, SearchingMemory
from langgraph_memory.agent.state import MemoryRecall, RecalledHit, RecallGap, nothing_recalled
from langgraph_memory.agent.travel import Then, then_of
from langgraph_memory.agent.turn import MOST_EXTRA_HITS, newest_question, spoken_in, without_visible, wording
from langgraph_memory.errors import InvalidInput
from langgraph_memory.events import RecalledEvent, RecalledHitEvent, emit, reason
from langgraph_memory.flows.union import gaps_left, side_by_side
from langgraph_memory.records import Answer, Hit
from langgraph_memory.retrieval.compose import CountTokens, compose
from langgraph_memory.scope import Scope
from langgraph_memory.text.tokens import estimate_tokens

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Question:
    """What one call asks of memory, with what it need not be told.

    Attributes:
        query: blank means that there is nothing to ask.
        more: further questions, asked at the same moment.
        then: finds the time as of which to ask, where the conversation may have gone on before.
        visible: ids of the messages that the model sees anyway, all in the conversation `thread_id`.
        words: their texts.
        limit: hits at most for each question.
        wanted: hits to ask for, so that `limit` are left without the visible ones.
        budget: tokens that the block of all may take.
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
    more: Sequence[str] = ()

    @property
    def queries(self) -> list[str]:
        """Everything that is asked."""
        return [self.query, *self.more]


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

    def question(
        self, state: Any, runtime: Any, query: str | None = None, limit: int | None = None, more: Sequence[str] = ()
    ) -> Question:
        """Return what to ask: the query given and more of them, or else the text of the newest human message.

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
            more=more,
        )

    def ask(self, asked: Question) -> Sequence[Answer]:
        """Ask memory; in a run taken back to an old checkpoint, as of what was known there."""
        known_at = asked.then.at(self.memory)
        options = _options(asked, known_at)
        if not asked.more:
            return [_noted(self.memory.recall(asked.query, **options), known_at)]
        return [_noted(answer, known_at) for answer in self._searching.recall_many(asked.queries, **options)]

    async def aask(self, asked: Question) -> Sequence[Answer]:
        """Async twin of `ask`."""
        known_at = await asked.then.aat(self.memory)
        options = _options(asked, known_at)
        if not asked.more:
            return [_noted(await self.memory.arecall(asked.query, **options), known_at)]
        return [_noted(answer, known_at) for answer in await self._searching.arecall_many(asked.queries, **options)]

    def found(self, asked: Question, answers: Sequence[Answer], runtime: Any) -> MemoryRecall:
        """Return the answers in plain form, without what is visible anyway, and say so in an event."""
        hits, block = self._shown(asked, answers)
        recall = MemoryRecall(
            query="\n".join(asked.queries),
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
            gaps=[
                RecallGap(asked=gap.asked, reason=gap.reason)
                for gap in (gaps_left(answers) if asked.more else answers[0].gaps)
            ],
            notes=list(dict.fromkeys(note for answer in answers for note in answer.notes)),
            message_id=asked.message_id,
        )
        emit(runtime, self._event(recall))
        return recall

    def failed(self, asked: Question, error: Exception, runtime: Any) -> MemoryRecall:
        """Return an empty recall that says why, and say so in an event and the log."""
        logger.warning("%s: memory could not be searched, the turn goes on without it: %s", self.source, reason(error))
        recall = nothing_recalled("\n".join(asked.queries), asked.message_id)
        recall["error"] = reason(error)
        emit(runtime, self._event(recall))
        return recall

    @property
    def _searching(self) -> SearchingMemory:
        return cast("SearchingMemory", self.memory)  # only the search tool asks more than one question

    def _shown(self, asked: Question, answers: Sequence[Answer]) -> tuple[Sequence[Hit], str]:
        """Return what the model does not see anyway: hits, and the block of them."""
        each = [
            without_visible(
                answer,
                asked.visible,
                asked.words,
                asked.thread_id,
                limit=asked.limit,
                budget=asked.budget,
                count_tokens=self.count_tokens,
            )
            for answer in answers
        ]
        if len(each) == 1:
            return each[0]
        hits = side_by_side([hits for hits, _ in each])
        return hits, compose(hits, budget=asked.budget, count_tokens=self.count_tokens)[0]

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


def _options(asked: Question, known_at: datetime | None) -> dict[str, Any]:
    return {"scope": asked.scope, "limit": asked.wanted, "budget": asked.budget, "known_at": known_at}


def _noted(answer: Answer, known_at: datetime | None) -> Answer:
    if known_at is None:
        return answer
    note = f"this conversation was taken back: here is what was known at {known_at:%Y-%m-%d %H:%M} UTC"
    return replace(answer, notes=(*answer.notes, note))
