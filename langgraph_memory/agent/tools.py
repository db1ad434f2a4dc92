"""The tool that lets a model search memory by itself, when it decides to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from langchain.tools import ToolRuntime
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import WithJsonSchema

from langgraph_memory.agent.identity import ScopeSource
from langgraph_memory.agent.manage_tool import short_id
from langgraph_memory.agent.ports import SearchingMemory
from langgraph_memory.agent.recalling import Question, RecallStep
from langgraph_memory.agent.state import MemoryRecall
from langgraph_memory.errors import InvalidInput
from langgraph_memory.events import reason
from langgraph_memory.text.fence import fence, harmless, neutralise

SEARCH_MEMORY = "search_memory"

MOST_HITS = 50
"""Hits that a model may ask for; more would only fill its context."""

MOST_QUERIES = 5
"""Questions that one call may ask: each costs a search, and its lines share the block's budget with the others'."""

_DESCRIPTION = (
    "Search what was said in earlier conversations and what is known about the user. Use it whenever an answer may "
    "depend on something that is not in this conversation. Each question asks one thing, in a sentence or in key "
    "words; ask up to "
    f"{MOST_QUERIES} in one call. What comes back may be incomplete: do not count from it."
)
_IDS_NOTE = "Ids for manage_memory:"
_TOO_MANY = f"Nothing was searched: ask {MOST_QUERIES} questions at most in one call."

# The schema is as plain as models like it, one text and a list; a list where the text belongs is understood as well.
_Query = Annotated[str | Sequence[str], WithJsonSchema({"type": "string", "description": "What you want to know."})]
_Limit = Annotated[int, "How many lines to return at most for each question."]
_Queries = Annotated[Sequence[str], "Further questions for the same call, where one is not enough."]


def search_memory_tool(
    memory: SearchingMemory, *, scope: ScopeSource | None = None, budget: int | None = None, show_ids: bool = False
) -> BaseTool:
    """Return a tool `search_memory(query, limit=5, queries=[])` over a memory, for any agent or `ToolNode`.

    It answers with one fenced block, which shows each line once and fits one budget however many questions were asked,
    and in words with what was asked and not found. Messages of the running conversation are left out. Whose memory it
    is comes from the call, never from the model.

    Args:
        memory: a `Memory`.
        scope: whose memory, as for `MemoryMiddleware`.
        budget: tokens that the block may take; by default `memory.settings.budget`.
        show_ids: also say which ids `manage_memory` knows the memories among the hits by.

    Raises:
        ScopeError: at a call, when nobody said whose memory it is.
    """
    step = RecallStep(memory, scope, budget=budget, source=SEARCH_MEMORY)

    def ask(query: str | Sequence[str], limit: int, queries: Sequence[str], runtime: Any) -> Question:
        given = [query, *queries] if isinstance(query, str) else [*query, *queries]
        # A blank one among several asks nothing; where all are blank, memory says so.
        first, *more = dict.fromkeys(text.strip() for text in given if text.strip()) or [""]
        return step.question(runtime.state, runtime, first, min(max(limit, 1), MOST_HITS), more)

    def search(query: _Query, runtime: ToolRuntime[Any, Any], limit: _Limit = 5, queries: _Queries = ()) -> str:
        asked = ask(query, limit, queries, runtime)
        if len(asked.queries) > MOST_QUERIES:
            raise ToolException(_TOO_MANY)
        try:
            answers = step.ask(asked)
        except Exception as error:
            raise ToolException(_excuse(step, asked, error, runtime)) from error
        return _in_words(step.found(asked, answers, runtime), show_ids)

    async def asearch(query: _Query, runtime: ToolRuntime[Any, Any], limit: _Limit = 5, queries: _Queries = ()) -> str:
        asked = ask(query, limit, queries, runtime)
        if len(asked.queries) > MOST_QUERIES:
            raise ToolException(_TOO_MANY)
        try:
            answers = await step.aask(asked)
        except Exception as error:
            raise ToolException(_excuse(step, asked, error, runtime)) from error
        return _in_words(step.found(asked, answers, runtime), show_ids)

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
