"""Long-term memory for LangGraph agents: verbatim, searchable, correctable."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

# In a clone the prompts lie beside the package and are installed into it; this lets Python run in a clone's own folder
# find them there too.
if not (_here := Path(__file__).parent).joinpath("prompts").is_dir() and _here.with_name("prompts").is_dir():
    __path__.append(str(_here.parent))

from langgraph_memory.editing.schemas import MEMORY
from langgraph_memory.errors import LangGraphMemoryError
from langgraph_memory.memory import Memory
from langgraph_memory.models.ports import Embedder
from langgraph_memory.records import Answer, Entry, Gap, Hit, MemoryRecord, Message, Receipt, Report
from langgraph_memory.retrieval.recipe import Recipe
from langgraph_memory.scope import Scope
from langgraph_memory.settings import Settings

if TYPE_CHECKING:
    from langgraph_memory.agent.middleware import MemoryMiddleware
    from langgraph_memory.compaction.middleware import CompactionMiddleware

__all__ = [
    "MEMORY",
    "Answer",
    "CompactionMiddleware",
    "Embedder",
    "Entry",
    "Gap",
    "Hit",
    "LangGraphMemoryError",
    "Memory",
    "MemoryMiddleware",
    "MemoryRecord",
    "Message",
    "Receipt",
    "Recipe",
    "Report",
    "Scope",
    "Settings",
]


def __getattr__(name: str) -> Any:
    """Load middleware when it is asked for: LangChain's agents take most of a second to import."""
    if name == "CompactionMiddleware":
        from langgraph_memory.compaction.middleware import CompactionMiddleware

        return CompactionMiddleware
    if name == "MemoryMiddleware":
        from langgraph_memory.agent.middleware import MemoryMiddleware

        return MemoryMiddleware
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
