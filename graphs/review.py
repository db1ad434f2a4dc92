"""An agent whose writes to memory wait for a person: approve, edit or reject each one in Studio."""

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel, Field

from langgraph_memory import MemoryMiddleware
from langgraph_memory.agent import manage_memory_tool, search_memory_tool
from langgraph_memory.studio import achat_model, ashared_memory


class Context(BaseModel):
    """Who speaks; Studio shows it as a form."""

    user_id: str | None = Field(default=None, description="Whose memory; by default the user the server authenticated.")


async def graph() -> CompiledStateGraph:
    """Return the agent over the memory and the model that the environment names."""
    memory, model = await ashared_memory(), await achat_model()
    tools = [search_memory_tool(memory, show_ids=True), manage_memory_tool(memory)]
    middleware = [HumanInTheLoopMiddleware(interrupt_on={"manage_memory": True}), MemoryMiddleware(memory)]
    return create_agent(model, tools, middleware=middleware, context_schema=Context, name="review")
