"""Conversation files of many origins become sessions of messages, and nothing in them is lost silently."""

from langgraph_memory.importing.parts import ImportedMemory, ImportedSession, ImportFile, Refusal
from langgraph_memory.importing.source import FORMATS, read_file

__all__ = ["FORMATS", "ImportFile", "ImportedMemory", "ImportedSession", "Refusal", "read_file"]
