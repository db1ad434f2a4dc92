"""Fakes for tests of agents with memory: a scripted model, a frozen clock, an embedder without weights."""

from langgraph_memory.testing.clock import FrozenClock
from langgraph_memory.testing.embedder import HashEmbedder
from langgraph_memory.testing.scripted import ScriptedCall, ScriptedChatModel

__all__ = ["FrozenClock", "HashEmbedder", "ScriptedCall", "ScriptedChatModel"]
