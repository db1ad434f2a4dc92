"""An agent with a memory: it recalls before each turn, may search and write memory itself, and records after."""

from langchain.agents import create_agent
from langchain.agents.middleware import ModelRequest, dynamic_prompt
from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel, Field

from langgraph_memory import MemoryMiddleware
from langgraph_memory.compaction import CompactionMiddleware
from langgraph_memory.studio import achat_model, ashared_memory


class Context(BaseModel):
    """Who speaks, and how to answer; Studio shows it as a form."""

    user_id: str | None = Field(default=None, description="Whose memory; by default the user the server authenticated.")
    system_prompt: str = Field(default="You are a helpful assistant.", description="What the model is told first.")


@dynamic_prompt
def prompt(request: ModelRequest[Context]) -> str:
    """Return the prompt that Studio was given."""
    return (request.runtime.context or Context()).system_prompt


async def graph() -> CompiledStateGraph:
    """Return the agent over the memory and the model that the environment names."""
    memory, model = await ashared_memory(), await achat_model()
    middleware = [prompt, CompactionMiddleware(memory, model=model), MemoryMiddleware(memory)]
    return create_agent(model, memory.tools(), middleware=middleware, context_schema=Context, name="agent")
