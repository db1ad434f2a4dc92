"""Distil a recorded conversation into memories, one phase a node; without a chat model, by rule."""

from langgraph.graph.state import CompiledStateGraph

from langgraph_memory.studio import ashared_memory


async def graph() -> CompiledStateGraph:
    """Return the flow over the memory that the environment names."""
    return (await ashared_memory()).graph("remember").compile(name="remember")
