"""Serves one `Memory` to all graphs of a LangGraph server, such as `langgraph dev`, opened when it is first needed."""

from __future__ import annotations

import asyncio
import os
import threading

from langgraph_memory.memory import Memory

LOCATION = "LANGGRAPH_MEMORY"
"""Environment variable: the folder or `postgresql://` URL; by default `./memory`."""
MODEL = "LANGGRAPH_MEMORY_MODEL"
"""Environment variable: the chat model that distils, such as `openai:gpt-5-mini`; by default none."""

_opened: dict[tuple[str, str | None], Memory] = {}
_lock = threading.Lock()


def shared_memory() -> Memory:
    """Return the memory that the environment names, opened once per process; it may block while it opens.

    Raises:
        StorageError: the location cannot be opened; the subclass says why.
        InvalidInput: the chat model cannot be opened.
    """
    named = (os.environ.get(LOCATION) or "./memory", os.environ.get(MODEL) or None)
    with _lock:
        if named not in _opened:
            _opened[named] = Memory(named[0], model=named[1])
        return _opened[named]


async def ashared_memory() -> Memory:
    """Async twin of `shared_memory`; files are opened in a thread, as a server's event loop must not block."""
    return await asyncio.to_thread(shared_memory)


def close_shared() -> None:
    """Close every memory that was opened here; the next call opens anew."""
    with _lock:
        while _opened:
            _opened.popitem()[1].close()
