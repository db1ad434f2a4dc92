"""Tidy memories that resemble each other by a plan of the chat model, which rules check and undo can take back."""

from langgraph.graph.state import CompiledStateGraph

from langgraph_memory.studio import ashared_memory


async def graph() -> CompiledStateGraph:
    """Return the flow over the memory that the environment names."""
    return (await ashared_memory()).graph("consolidate").compile(name="consolidate")
