"""Compaction: a long conversation becomes a summary and its end, and nothing that was said is lost."""

from langgraph_memory.compaction.middleware import CompactionMiddleware
from langgraph_memory.compaction.node import compact_node
from langgraph_memory.compaction.of_items import summarise_items
from langgraph_memory.compaction.read_tool import read_message_tool
from langgraph_memory.compaction.state import CompactionState, MemoryCompaction

__all__ = [
    "CompactionMiddleware",
    "CompactionState",
    "MemoryCompaction",
    "compact_node",
    "read_message_tool",
    "summarise_items",
]
