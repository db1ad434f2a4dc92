"""Shorten a conversation to a summary and its end, after memory has taken down every word of what leaves."""

from typing import Any

from langgraph.graph import MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from langgraph_memory.compaction import CompactionState, compact_node
from langgraph_memory.studio import achat_model_or_none, ashared_memory


class Context(BaseModel):
    """Whose conversation it is, and how much of it stays; Studio shows it as a form."""

    user_id: str | None = Field(default=None, description="Whose memory; by default the user the server authenticated.")
    keep: int = Field(default=4, ge=1, description="Messages at the end that stay word for word, at least.")
    summary_tokens: int = Field(default=1024, ge=32, description="Tokens that the summary may take.")


class State(MessagesState, CompactionState):
    """The conversation, and what was done to it."""


async def graph() -> CompiledStateGraph:
    """Return the graph over the memory that the environment names; its model, if any, writes the summary."""
    memory, model = await ashared_memory(), await achat_model_or_none()

    async def compact(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
        """Compact now, however short the conversation is."""
        asked = runtime.context or Context()
        node = compact_node(
            memory,
            model=model,
            trigger=("messages", 1),
            keep=("messages", asked.keep),
            summary_tokens=asked.summary_tokens,
        )
        return await node.ainvoke(state)

    builder = StateGraph(State, context_schema=Context).add_node(compact)
    return builder.set_entry_point("compact").set_finish_point("compact").compile(name="compact")
