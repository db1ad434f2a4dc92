"""Compaction as a step of a run: write down what leaves, summarise it, and only then let it go."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from langchain_core.messages import BaseMessage, RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from langgraph_memory.agent.identity import ScopeSource, check_scope, resolve_destination
from langgraph_memory.agent.ports import DistillingMemory
from langgraph_memory.agent.state import value_of
from langgraph_memory.compaction.digest import digest
from langgraph_memory.compaction.measure import message_tokens
from langgraph_memory.compaction.rules import Plan, Rules
from langgraph_memory.compaction.state import COMPACTION_CHANNEL, MemoryCompaction
from langgraph_memory.compaction.summary import Summary, prompt, tidy
from langgraph_memory.errors import ModelError
from langgraph_memory.events import CompactedEvent, emit, reason
from langgraph_memory.models.chat import CallBudget, Chat
from langgraph_memory.records import Entry, Report
from langgraph_memory.scope import ScopeLike

logger = logging.getLogger(__name__)

OnFailure = Literal["keep", "digest"]
"""What to do when the model cannot summarise: keep the history as it is, or let rules write the summary."""

PAUSE = 4
"""Messages that must come after a failure before the next try: a model that is away is not asked at every step."""


class CompactingMemory(DistillingMemory, Protocol):
    """The part of `Memory` that compaction uses."""

    def entries(
        self,
        thread_id: str,
        *,
        scope: ScopeLike,
        after: int | None = None,
        limit: int | None = None,
        newest_first: bool = False,
    ) -> Sequence[Entry]:
        """Return what was said in one conversation."""
        ...


@dataclass(frozen=True, slots=True)
class Compacted:
    """The outcome of a step: the new window, or None where the history stays, and what to write to the channel."""

    window: list[BaseMessage] | None
    report: MemoryCompaction

    def update(self, channel: str) -> dict[str, Any]:
        """Return it as an update of the state: the channel, and `messages` where a new window takes their place."""
        if self.window is None:
            return {channel: self.report}
        return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *self.window], channel: self.report}


@dataclass(frozen=True, slots=True)
class CompactStep:
    """Compacts for one agent or graph; call it with the state and the runtime.

    Attributes:
        scope: see `identity.resolve_scope`.
        chat: who summarises; None lets rules do it.
        record: whether what leaves is written to memory first.
        extract: whether memory also distils it.
        read_tokens: estimated tokens of messages that the model is given.
        source: who compacts, for events and logs.
        channel: where the state keeps what the last compaction did.
    """

    memory: CompactingMemory
    rules: Rules
    scope: ScopeSource | None = None
    chat: Chat | None = None
    record: bool = True
    extract: bool = False
    on_failure: OnFailure = "keep"
    read_tokens: int = 24_000
    source: str = "compact"
    channel: str = COMPACTION_CHANNEL

    def __post_init__(self) -> None:
        check_scope(self.scope)

    def __call__(
        self, state: Any, runtime: Any, messages: Sequence[BaseMessage] | None = None, *, force: bool = False
    ) -> Compacted | None:
        """Return the compacted conversation, or None where there is nothing to do.

        Args:
            state: with `messages` and the channel.
            messages: instead of those in the state.
            force: compact whatever the trigger says.

        Raises:
            ScopeError: it is unknown whose memory to write.
            InvalidInput: the call names no thread.
        """
        plan = self._plan(state, messages, force)
        if plan is None:
            return None
        notes: list[str] = []
        if self.record:
            scope, thread_id = resolve_destination(self.scope, runtime)
            try:
                written = self.memory.record(plan.to_record(), scope=scope, thread_id=thread_id, refuse_unreadable=True)
            except Exception as error:
                return self._unrecorded(plan, error, runtime)
            notes += self._refused(written)
            if self.extract and plan.cut.leaving:
                try:
                    self.memory.remember(scope=scope, thread_id=thread_id)
                except Exception as error:
                    notes.append(self._not_distilled(error))
        summary = None
        if plan.cut.leaving:
            try:
                summary = self._by_rules(plan) if self.chat is None else self._read(plan, self.chat.ask(
                    self._prompt(plan), budget=CallBudget()
                ).text)  # fmt: skip
            except ModelError as error:
                summary = self._failed(plan, error, notes)
        return self._done(plan, summary, notes, runtime)

    async def acall(
        self, state: Any, runtime: Any, messages: Sequence[BaseMessage] | None = None, *, force: bool = False
    ) -> Compacted | None:
        """Async twin of calling the step."""
        plan = self._plan(state, messages, force)
        if plan is None:
            return None
        notes: list[str] = []
        if self.record:
            scope, thread_id = resolve_destination(self.scope, runtime)
            try:
                written = await self.memory.arecord(
                    plan.to_record(), scope=scope, thread_id=thread_id, refuse_unreadable=True
                )
            except Exception as error:
                return self._unrecorded(plan, error, runtime)
            notes += self._refused(written)
            if self.extract and plan.cut.leaving:
                try:
                    await self.memory.aremember(scope=scope, thread_id=thread_id)
                except Exception as error:
                    notes.append(self._not_distilled(error))
        summary = None
        if plan.cut.leaving:
            try:
                if self.chat is None:
                    summary = self._by_rules(plan)
                else:
                    answer = await self.chat.aask(self._prompt(plan), budget=CallBudget())
                    summary = self._read(plan, answer.text)
            except ModelError as error:
                summary = self._failed(plan, error, notes)
        return self._done(plan, summary, notes, runtime)

    def _plan(self, state: Any, messages: Sequence[BaseMessage] | None, force: bool) -> Plan | None:
        given = messages if messages is not None else value_of(state, "messages") or []
        plan = self.rules.plan(given, force=force)
        if not self.record:
            plan = plan.without_eviction()  # a pointer to what nobody keeps would be a lie
        last: MemoryCompaction | None = value_of(state, self.channel)
        failed_at = last.get("failed_at") if last else None
        if not force and failed_at is not None and failed_at <= len(given) < failed_at + PAUSE:
            plan = plan.without_summary()
        return None if plan.is_empty else plan

    def _prompt(self, plan: Plan) -> list[BaseMessage]:
        return prompt(plan.leaving, plan.earlier, self.rules.summary_tokens, self.read_tokens)

    def _by_rules(self, plan: Plan) -> Summary:
        return digest(plan.leaving, plan.earlier, self.rules.summary_tokens)

    def _read(self, plan: Plan, answer: str) -> Summary:
        text = tidy(answer, self.rules.summary_tokens)
        if not text:
            raise ModelError("The chat model answered with no text when it was asked for a summary.")
        before = plan.earlier
        return Summary(
            text=text, messages=(before["messages"] if before else 0) + len(plan.leaving), by="model", lines=[]
        )

    def _failed(self, plan: Plan, error: ModelError, notes: list[str]) -> Summary | None:
        notes.append(reason(error))
        if self.on_failure == "digest":
            logger.warning("%s: rules wrote the summary instead of the model: %s", self.source, reason(error))
            return self._by_rules(plan)
        logger.warning("%s: nothing was summarised and the history stays: %s", self.source, reason(error))
        return None

    def _refused(self, written: Report) -> list[str]:
        """Say which messages leave unrecorded: kept back, they would keep the window from ever shrinking."""
        whys = [outcome.reason or "" for outcome in written.refused]
        if whys:
            logger.warning("%s: messages leave that memory cannot record: %s", self.source, "; ".join(whys))
        return [f"cannot be recorded: {why}" for why in whys]

    def _not_distilled(self, error: Exception) -> str:
        logger.warning("%s: what leaves is recorded, but was not distilled yet: %s", self.source, reason(error))
        return f"not distilled yet: {reason(error)}"

    def _unrecorded(self, plan: Plan, error: Exception, runtime: Any) -> Compacted:
        logger.error("%s: memory cannot be written, so nothing leaves the window: %s", self.source, reason(error))
        return self._report(None, 0, 0, None, plan.messages, [reason(error)], runtime, failed=True)

    def _done(self, plan: Plan, summary: Summary | None, notes: list[str], runtime: Any) -> Compacted:
        failed = bool(plan.cut.leaving) and summary is None
        window = plan.window(summary, self.record)
        left = len(plan.cut.leaving) if summary else 0
        by = summary["by"] if summary else None
        changed = None if failed and not plan.evicted else window
        return self._report(changed, left, len(plan.evicted), by, window, notes, runtime, failed=failed)

    def _report(
        self,
        window: list[BaseMessage] | None,
        left: int,
        evicted: int,
        by: str | None,
        after: Sequence[BaseMessage],
        notes: Sequence[str],
        runtime: Any,
        *,
        failed: bool,
    ) -> Compacted:
        event = CompactedEvent(type="memory.compacted", source=self.source, left=left, evicted=evicted, by=by)
        tokens = sum(message_tokens(message, self.rules.count_tokens) for message in after)
        report = MemoryCompaction(left=left, evicted=evicted, by=by, tokens=tokens)
        if notes:
            event["error"] = report["error"] = "; ".join(notes)
        if failed:
            report["failed_at"] = len(after)
        emit(runtime, event)
        return Compacted(window, report)
