"""The tool that lets a model search memory by itself, when it decides to."""

from __future__ import annotations

from typing import Annotated, Any

from langchain.tools import ToolRuntime
from langchain_core.tools import BaseTool, StructuredTool, ToolException

from langgraph_memory.agent.identity import ScopeSource
from langgraph_memory.agent.manage_tool import short_id
from langgraph_memory.agent.ports import AgentMemory
from langgraph_memory.agent.recalling import Question, RecallStep
from langgraph_memory.agent.state import MemoryRecall
from langgraph_memory.errors import InvalidInput
from langgraph_memory.events import reason
from langgraph_memory.text.fence import fence, harmless, neutralise

SEARCH_MEMORY = "search_memory"

MOST_HITS = 50
"""Hits that a model may ask for; more would only fill its context."""

_DESCRIPTION = (
    "Search what was said in earlier conversations and what is known about the user. Use it whenever an answer may "
    "depend on something that is not in this conversation. Ask one thing at a time, in a sentence or in key words."
)
_IDS_NOTE = "Ids for manage_memory:"


def search_memory_tool(
    memory: AgentMemory, *, scope: ScopeSource | None = None, budget: int | None = None, show_ids: bool = False
) -> BaseTool:
    """Return a tool `search_memory(query, limit=5)` over a memory, for any agent or `ToolNode`.

    It answers with the fenced block and, in words, with what was asked and not found. Messages of the running
    conversation are left out. Whose memory it is comes from the call, never from the model.

    Args:
        memory: a `Memory`.
        scope: whose memory, as for `MemoryMiddleware`.
        budget: tokens that the block may take; by default `memory.settings.budget`.
        show_ids: also say which ids `manage_memory` knows the memories among the hits by.

    Raises:
        ScopeError: at a call, when nobody said whose memory it is.
    """
    step = RecallStep(memory, scope, budget=budget, source=SEARCH_MEMORY)

    def ask(query: str, limit: int, runtime: Any) -> Question:
        return step.question(runtime.state, runtime, query, min(max(limit, 1), MOST_HITS))

    def search(
        query: Annotated[str, "What you want to know."],
        runtime: ToolRuntime[Any, Any],
        limit: Annotated[int, "How many lines to return at most."] = 5,
    ) -> str:
        asked = ask(query, limit, runtime)
        try:
            answer = step.ask(asked)
        except Exception as error:
            raise ToolException(_excuse(step, asked, error, runtime)) from error
        return _in_words(step.found(asked, answer, runtime), show_ids)

    async def asearch(
        query: Annotated[str, "What you want to know."],
        runtime: ToolRuntime[Any, Any],
        limit: Annotated[int, "How many lines to return at most."] = 5,
    ) -> str:
        asked = ask(query, limit, runtime)
        try:
            answer = await step.aask(asked)
        except Exception as error:
            raise ToolException(_excuse(step, asked, error, runtime)) from error
        return _in_words(step.found(asked, answer, runtime), show_ids)

    return StructuredTool.from_function(
        search, asearch, name=SEARCH_MEMORY, description=_DESCRIPTION, handle_tool_error=True
    )


def _in_words(recall: MemoryRecall, show_ids: bool) -> str:
    parts = [recall["block"] or "Nothing in memory answers this."]
    memories = [hit for hit in recall["hits"] if hit["kind"] != "message"]
    if show_ids and memories:
        lines = [f"{short_id(hit['id'])}: {' '.join(hit['text'][:80].split())}" for hit in memories]
        # In a fence as well: recalled text that is not fenced would be recorded as if the tool had said it.
        parts.append(fence("\n".join(harmless(neutralise(line)) for line in lines), _IDS_NOTE))
    if recall["gaps"]:
        gaps = "; ".join(f"{gap['asked']!r}: {gap['reason']}" for gap in recall["gaps"])
        parts.append(neutralise(f"Not found: {gaps}."))
    if recall["notes"]:
        parts.append(f"Note: {'; '.join(recall['notes'])}.")
    return "\n\n".join(parts)


def _excuse(step: RecallStep, asked: Question, error: Exception, runtime: Any) -> str:
    """Return the error as something a model can act on; only it could have asked better, so the run goes on."""
    step.failed(asked, error, runtime)
    if isinstance(error, InvalidInput):
        return f"The search was not understood: {error}"
    return f"Memory cannot be searched right now ({reason(error)}). Answer without it, and say that you could not look."
