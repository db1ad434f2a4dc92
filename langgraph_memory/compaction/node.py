"""Compaction as a node, for graphs that you draw yourself."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableLambda
from langgraph.runtime import get_runtime

from langgraph_memory.agent.identity import ScopeSource
from langgraph_memory.agent.nodes import Node
from langgraph_memory.agent.state import value_of
from langgraph_memory.compaction.limits import Size, Trigger
from langgraph_memory.compaction.measure import CountTokens
from langgraph_memory.compaction.middleware import EVICT_OVER, KEEP, SUMMARY_TOKENS, TRIGGER, compact_step
from langgraph_memory.compaction.state import COMPACTION_CHANNEL
from langgraph_memory.compaction.step import Compacted, CompactingMemory, OnFailure
from langgraph_memory.text.tokens import estimate_tokens


def compact_node(
    memory: CompactingMemory,
    scope: ScopeSource | None = None,
    *,
    model: str | BaseChatModel | None = None,
    trigger: Trigger = TRIGGER,
    keep: Size = KEEP,
    window: int | None = None,
    evict_over: int | None = EVICT_OVER,
    record: bool = True,
    extract: bool = False,
    on_failure: OnFailure = "keep",
    summary_tokens: int = SUMMARY_TOKENS,
    output: str | None = None,
    count_tokens: CountTokens = estimate_tokens,
) -> Node:
    """Return a node that shortens `messages` as `CompactionMiddleware` does.

    Put it before the node that calls the model. The state needs `messages` with LangGraph's `add_messages` and the
    channel of `CompactionState`. Give the model `read_message_tool(memory)` where tool results are evicted.

    Args:
        output: also write the window to this channel, which has no reducer; `messages` is shortened all the same.

    The other arguments, and the errors, are those of `CompactionMiddleware`.
    """
    step = compact_step(
        memory,
        scope,
        model=model,
        trigger=trigger,
        keep=keep,
        window=window,
        evict_over=evict_over,
        record=record,
        extract=extract,
        on_failure=on_failure,
        summary_tokens=summary_tokens,
        count_tokens=count_tokens,
        source="compact",
    )

    def update(state: Any, done: Compacted | None) -> dict[str, Any]:
        changed = {} if done is None else done.update(COMPACTION_CHANNEL)
        if output is not None:
            changed[output] = (done.window if done else None) or value_of(state, "messages") or []
        return changed

    def compact(state: Any) -> dict[str, Any]:
        return update(state, step(state, get_runtime()))

    async def acompact(state: Any) -> dict[str, Any]:
        return update(state, await step.acall(state, get_runtime()))

    return RunnableLambda(compact, acompact, name="compact")
