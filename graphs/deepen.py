"""Ask a question deeply: take it apart, search, judge what is missing, search once more; each step is a node."""

from langgraph.graph.state import CompiledStateGraph

from langgraph_memory.studio import ashared_memory


async def graph() -> CompiledStateGraph:
    """Return the flow over the memory that the environment names."""
    return (await ashared_memory()).graph("deepen").compile(name="deepen")
