"""Long-term memory for LangGraph agents: verbatim, searchable, correctable."""

from langgraph_memory.memory import Memory

__all__ = ["Memory"]
