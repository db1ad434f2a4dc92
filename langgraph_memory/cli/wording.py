"""Errors speak of Python, which is where most are read; on a command line the same advice is given in its words."""

from __future__ import annotations

import re

_COMMANDS = "list|sessions|doctor|reindex|restore|forget|history|recall|add|entities|remember|undo|export|ingest|erase"
_SAID: tuple[tuple[str, str], ...] = (
    (
        r'Open the memory with Memory\(\.\.\., model="provider:name"\), or set LANGGRAPH_MEMORY_MODEL where a '
        r"LangGraph server opens it\.",
        "Name one with --model provider:name, or in the variable LANGGRAPH_MEMORY_MODEL.",
    ),
    (r"model= is a name such as", "--model is a name such as"),
    (r" or a LangChain chat model, not (.*?)\. Give the chat model itself, not what .*$", r", not \1."),
    (
        r"Open it with the same embeddings as before, or pass reindex=True once to embed everything anew with this one "
        r"\(nothing recorded is touched; the old vectors are kept\)\.",
        "The command line embeds with the bundled model only: use this memory from Python, with the embeddings that it "
        "was made with.",
    ),
    (r"say whose it is: scope=\(\.\.\.\)", "say whose it is: --scope alice"),
    (r'for example scope=\("alice",\)', "for example --scope alice"),
    (r" Settings\(lock_seconds=\.\.\.\) says how long to wait\.", ""),
    (r"Give thread_id too\.", "Name one of them with --thread."),
    (rf"\b({_COMMANDS})\(\)", r"`langgraph-memory \1`"),
)


def for_a_shell(message: str) -> str:
    """Return an error's message with what stands for a Python call replaced by the option or command."""
    for said, instead in _SAID:
        message = re.sub(said, instead, message)
    return message
