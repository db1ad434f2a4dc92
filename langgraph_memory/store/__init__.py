"""A LangGraph store over the memory's own storage: an application's keys and values, with search by meaning."""

from langgraph_memory.store.store import MemoryStore

__all__ = ["MemoryStore"]
