"""Ask a memory a question in Studio and see which lines it finds, why, and what it does not know."""

from typing import (
    Any,
    NotRequired,  # typing's has no JSON schema on Python 3.11
)

from langgraph.graph import StateGraph
from langgraph.runtime import Runtime
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from langgraph_memory.agent.identity import resolve_scope
from langgraph_memory.studio import shared_memory

SHOWN = ("id", "text", "score", "signals", "kind", "speaker", "session_id")


class Context(BaseModel):
    """How to search; Studio shows it as a form."""

    user_id: str | None = Field(default=None, description="Whose memory, where the question names no scope.")
    limit: int = Field(default=10, ge=1, le=100, description="Lines to find at most.")
    budget: int = Field(default=1024, ge=0, description="Tokens that the block for a prompt may take.")
    recipe: str = Field(
        default="hybrid",
        description="How the signals are mixed: hybrid, lexical, dense, rrf, mem0, composite or generative_agents.",
    )


class Question(TypedDict):
    """What to ask, and whose memory; without a scope, that of the context's `user_id`."""

    query: str
    scope: NotRequired[list[str]]


class State(Question):
    """The question and everything found."""

    hits: list[dict[str, Any]]
    gaps: list[dict[str, str]]
    notes: list[str]
    block: str
    answer: str


def recall(state: Question, runtime: Runtime[Context]) -> dict[str, Any]:
    """Search; not async, so that LangGraph runs it in a thread and files never block its event loop."""
    options = (runtime.context or Context()).model_dump(exclude={"user_id"})
    scope = state.get("scope") or resolve_scope(None, runtime)
    found = shared_memory().recall(state.get("query", ""), scope=scope, **options)
    return {
        "hits": [
            {"said_at": hit.said_at.isoformat(), **{name: getattr(hit, name) for name in SHOWN}} for hit in found.hits
        ],
        "gaps": [{"asked": gap.asked, "reason": gap.reason} for gap in found.gaps],
        "notes": list(found.notes),
        "block": found.block,
    }


def answer(state: State) -> dict[str, str]:
    """Say in words what was found and what was not."""
    lines = [f"[{hit['said_at'][:10]}] {hit['speaker']}: {hit['text']}" for hit in state["hits"]]
    return {"answer": "\n".join(lines + [f"Not found: {gap['asked']} ({gap['reason']})" for gap in state["gaps"]])}


builder = StateGraph(State, context_schema=Context, input_schema=Question)
builder.add_node(recall).add_node(answer).set_entry_point("recall").add_edge("recall", "answer")
graph = builder.compile(name="recall")
