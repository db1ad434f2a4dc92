"""Let a chat model create, update and delete memories by tool calls, each checked by rule before it is written."""

from langgraph.graph.state import CompiledStateGraph

from langgraph_memory.studio import ashared_memory


async def graph() -> CompiledStateGraph:
    """Return the flow over the memory that the environment names."""
    return (await ashared_memory()).graph("manage").compile(name="manage")
