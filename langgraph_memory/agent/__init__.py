"""What LangGraph people touch: middleware for agents, tools for models, nodes for graphs."""

from langgraph_memory.agent.inject import with_memory
from langgraph_memory.agent.manage_tool import manage_memory_tool
from langgraph_memory.agent.middleware import MemoryMiddleware
from langgraph_memory.agent.nodes import MemoryNodes, recall_node, record_node, remember_node
from langgraph_memory.agent.state import MemoryRecall, MemoryRecord, MemoryState
from langgraph_memory.agent.tools import search_memory_tool

__all__ = [
    "MemoryMiddleware",
    "MemoryNodes",
    "MemoryRecall",
    "MemoryRecord",
    "MemoryState",
    "manage_memory_tool",
    "recall_node",
    "record_node",
    "remember_node",
    "search_memory_tool",
    "with_memory",
]
