"""Sessions for other toolkits: the OpenAI Agents SDK and the Claude Agent SDK, over the same memory."""

from langgraph_memory.toolkits.blocking_session import BlockingSession, Branch
from langgraph_memory.toolkits.claude_store import ClaudeSessionStore
from langgraph_memory.toolkits.compacting_session import CompactingSession
from langgraph_memory.toolkits.item_compaction import Compacted, ItemCompaction
from langgraph_memory.toolkits.item_session import ItemSession
from langgraph_memory.toolkits.sealing import Cipher, Sealing

__all__ = [
    "BlockingSession",
    "Branch",
    "Cipher",
    "ClaudeSessionStore",
    "Compacted",
    "CompactingSession",
    "ItemCompaction",
    "ItemSession",
    "Sealing",
]
