"""Recall, record and remember as nodes, for graphs that you draw yourself."""

from __future__ import annotations

import logging
from typing import Any

from langchain_core.runnables import RunnableLambda
from langgraph.runtime import get_runtime

from langgraph_memory import arguments
from langgraph_memory.agent.identity import ScopeSource
from langgraph_memory.agent.ports import AgentMemory, DistillingMemory
from langgraph_memory.agent.recalling import RecallStep
from langgraph_memory.agent.recording import OnWriteError, RecordStep
from langgraph_memory.agent.state import RECALL_CHANNEL, RECORD_CHANNEL, REPORT_CHANNEL
from langgraph_memory.errors import InvalidInput
from langgraph_memory.events import reason
from langgraph_memory.flows.reports import emit_report, plain_report
from langgraph_memory.records import Report
from langgraph_memory.unportable import Unportable

logger = logging.getLogger(__name__)

Node = RunnableLambda[Any, dict[str, Any]]
"""What `StateGraph.add_node` takes; runs under `invoke` and `ainvoke`."""


def recall_node(
    memory: AgentMemory,
    scope: ScopeSource | None = None,
    *,
    limit: int | None = None,
    budget: int | None = None,
    channel: str = RECALL_CHANNEL,
) -> Node:
    """Return a node that asks memory with the newest human message and writes the channel `memory_recall`.

    The state needs `messages` and the channels of `MemoryState`. The node that calls the model shows the result with
    `with_memory(state["messages"], state.get("memory_recall"))`. A search that fails leaves an `error` in the channel.

    Args:
        memory: a `Memory`.
        scope: whose memory, as for `MemoryMiddleware`.
        limit: hits at most; by default `memory.settings.limit`.
        budget: tokens that the block may take; by default `memory.settings.budget`.
        channel: the channel to write instead, which your state declares: so a team's memory can be asked beside a
            person's, in parallel. Show both with `with_memory(with_memory(messages, one), other)`.

    Raises:
        ScopeError: at a call, when nobody said whose memory it is.
        InvalidInput: at once, for an option that makes no sense.
    """
    arguments.words("channel", channel, "team_recall")
    step = RecallStep(memory, scope, limit, budget, "recall")

    def recall(state: Any) -> dict[str, Any]:
        return {channel: step(state, get_runtime())}

    async def arecall(state: Any) -> dict[str, Any]:
        return {channel: await step.acall(state, get_runtime())}

    return RunnableLambda(recall, arecall, name="recall")


def record_node(
    memory: AgentMemory,
    scope: ScopeSource | None = None,
    *,
    on_write_error: OnWriteError = "keep",
    channel: str = RECORD_CHANNEL,
) -> Node:
    """Return a node that records the conversation, each message once, and writes the channel `memory_record`.

    Args:
        memory: a `Memory`.
        scope: whose memory, as for `MemoryMiddleware`.
        on_write_error: `"keep"` the answer and report the error in the channel, or `"raise"` it.
        channel: the channel to write instead, which your state declares.

    Raises:
        ScopeError: at a call, when nobody said whose memory it is.
        InvalidInput: at a call, when it has no `thread_id`; at once, for an option that makes no sense.
    """
    arguments.words("channel", channel, "team_record")
    step = RecordStep(memory, scope, on_write_error, "record", channel)

    def record(state: Any) -> dict[str, Any]:
        return {channel: step(state, get_runtime())}

    async def arecord(state: Any) -> dict[str, Any]:
        return {channel: await step.acall(state, get_runtime())}

    return RunnableLambda(record, arecord, name="record")


def remember_node(
    memory: DistillingMemory,
    scope: ScopeSource | None = None,
    *,
    max_calls: int | None = None,
    on_write_error: OnWriteError = "keep",
    channel: str = REPORT_CHANNEL,
    record_channel: str = RECORD_CHANNEL,
) -> Node:
    """Return a node that records the conversation, distils what is new in it, and writes the channel `memory_report`.

    It asks the memory's chat model, so it takes as long as that; leave it out where the memory distils in the
    background. The model's tokens do not appear in `stream_mode="messages"`.

    Args:
        memory: a `Memory`.
        scope: whose memory, as for `MemoryMiddleware`.
        max_calls: model calls at most; by default `memory.settings.max_calls`.
        on_write_error: `"keep"` the answer and report the error in the channel, or `"raise"` it.
        channel, record_channel: the channels to write instead of `memory_report` and `memory_record`, which your state
            declares.

    Raises:
        ScopeError: at a call, when nobody said whose memory it is.
        InvalidInput: at a call, when it has no `thread_id`; at once, for an option that makes no sense.
    """
    arguments.words("channel", channel, "team_report")
    arguments.words("record_channel", record_channel, "team_record")
    record = RecordStep(memory, scope, on_write_error, "remember", record_channel)

    def remember(state: Any) -> dict[str, Any]:
        runtime = get_runtime()
        written = record(state, runtime)
        where, thread_id = record.destination(runtime)
        try:
            report = memory.remember(scope=where, thread_id=thread_id, max_calls=max_calls)
        except Exception as error:
            return {record_channel: written, channel: _unreported(error, on_write_error)}
        return {record_channel: written, channel: _reported(report, runtime)}

    async def aremember(state: Any) -> dict[str, Any]:
        runtime = get_runtime()
        written = await record.acall(state, runtime)
        where, thread_id = record.destination(runtime)
        try:
            report = await memory.aremember(scope=where, thread_id=thread_id, max_calls=max_calls)
        except Exception as error:
            return {record_channel: written, channel: _unreported(error, on_write_error)}
        return {record_channel: written, channel: _reported(report, runtime)}

    return RunnableLambda(remember, aremember, name="remember")


class MemoryNodes(Unportable):
    """The nodes of one memory: `builder.add_node("recall", memory.nodes.recall())`.

    Each method takes what the function of the same name takes behind its memory.
    """

    def __init__(self, memory: DistillingMemory) -> None:
        self._memory = memory

    def recall(
        self,
        scope: ScopeSource | None = None,
        *,
        limit: int | None = None,
        budget: int | None = None,
        channel: str = RECALL_CHANNEL,
    ) -> Node:
        """Return a `recall_node`."""
        return recall_node(self._memory, scope, limit=limit, budget=budget, channel=channel)

    def record(
        self,
        scope: ScopeSource | None = None,
        *,
        on_write_error: OnWriteError = "keep",
        channel: str = RECORD_CHANNEL,
    ) -> Node:
        """Return a `record_node`."""
        return record_node(self._memory, scope, on_write_error=on_write_error, channel=channel)

    def remember(
        self,
        scope: ScopeSource | None = None,
        *,
        max_calls: int | None = None,
        on_write_error: OnWriteError = "keep",
        channel: str = REPORT_CHANNEL,
        record_channel: str = RECORD_CHANNEL,
    ) -> Node:
        """Return a `remember_node`."""
        return remember_node(
            self._memory,
            scope,
            max_calls=max_calls,
            on_write_error=on_write_error,
            channel=channel,
            record_channel=record_channel,
        )


def _reported(report: Report, runtime: Any) -> dict[str, Any]:
    emit_report(runtime, report)
    return plain_report(report)


def _unreported(error: Exception, on_write_error: OnWriteError) -> dict[str, Any]:
    if on_write_error == "raise" or isinstance(error, InvalidInput):
        raise error
    logger.error("remember: the conversation was not distilled; the next run tries again: %s", reason(error))
    return {**plain_report(Report()), "error": reason(error)}
