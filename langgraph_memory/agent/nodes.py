"""Recall and record as nodes, for graphs that you draw yourself."""

from __future__ import annotations

from typing import Any

from langchain_core.runnables import RunnableLambda
from langgraph.runtime import get_runtime

from langgraph_memory.agent.identity import ScopeSource
from langgraph_memory.agent.ports import AgentMemory
from langgraph_memory.agent.recalling import RecallStep
from langgraph_memory.agent.recording import OnWriteError, RecordStep
from langgraph_memory.agent.state import RECALL_CHANNEL, RECORD_CHANNEL

Node = RunnableLambda[Any, dict[str, Any]]
"""What `StateGraph.add_node` takes; runs under `invoke` and `ainvoke`."""


def recall_node(
    memory: AgentMemory, scope: ScopeSource | None = None, *, limit: int | None = None, budget: int | None = None
) -> Node:
    """Return a node that asks memory with the newest human message and writes the channel `memory_recall`.

    The state needs `messages` and the channels of `MemoryState`. The node that calls the model shows the result with
    `with_memory(state["messages"], state.get("memory_recall"))`. A search that fails leaves an `error` in the channel.

    Args:
        memory: a `Memory`.
        scope: whose memory, as for `MemoryMiddleware`.
        limit: hits at most; by default `memory.settings.limit`.
        budget: tokens that the block may take; by default `memory.settings.budget`.

    Raises:
        ScopeError: at a call, when nobody said whose memory it is.
    """
    step = RecallStep(memory, scope, limit, budget, "recall")

    def recall(state: Any) -> dict[str, Any]:
        return {RECALL_CHANNEL: step(state, get_runtime())}

    async def arecall(state: Any) -> dict[str, Any]:
        return {RECALL_CHANNEL: await step.acall(state, get_runtime())}

    return RunnableLambda(recall, arecall, name="recall")


def record_node(
    memory: AgentMemory, scope: ScopeSource | None = None, *, on_write_error: OnWriteError = "keep"
) -> Node:
    """Return a node that records the conversation, each message once, and writes the channel `memory_record`.

    Args:
        memory: a `Memory`.
        scope: whose memory, as for `MemoryMiddleware`.
        on_write_error: `"keep"` the answer and report the error in the channel, or `"raise"` it.

    Raises:
        ScopeError: at a call, when nobody said whose memory it is.
        InvalidInput: at a call, when it has no `thread_id`.
    """
    step = RecordStep(memory, scope, on_write_error, "record")

    def record(state: Any) -> dict[str, Any]:
        return {RECORD_CHANNEL: step(state, get_runtime())}

    async def arecord(state: Any) -> dict[str, Any]:
        return {RECORD_CHANNEL: await step.acall(state, get_runtime())}

    return RunnableLambda(record, arecord, name="record")
