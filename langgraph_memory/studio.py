"""Serves one `Memory` to a LangGraph server such as `langgraph dev`: its graphs, its store and its checkpointer."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from langgraph_memory.errors import ModelNeeded
from langgraph_memory.memory import Memory

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.store.base import BaseStore

LOCATION = "LANGGRAPH_MEMORY"
"""Environment variable: the folder or `postgresql://` URL; by default `./memory`."""
MODEL = "LANGGRAPH_MEMORY_MODEL"
"""Environment variable: the chat model that answers and distils, such as `openai:gpt-5-mini`, or one of your own as
`./models.py:chat`; by default none."""

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
            _opened[named] = Memory(named[0], model=_chat_model(named[1]) if named[1] else None)
        return _opened[named]


async def ashared_memory() -> Memory:
    """Async twin of `shared_memory`; files are opened in a thread, as a server's event loop must not block."""
    return await asyncio.to_thread(shared_memory)


async def achat_model() -> BaseChatModel:
    """Return the chat model that the environment names, for an agent of your own.

    Raises:
        ModelNeeded: it names none.
        InvalidInput: it cannot be opened.
    """
    found = await achat_model_or_none()
    if found is None:
        raise ModelNeeded(f"This graph needs a chat model. Set {MODEL}, for example to openai:gpt-5-mini.")
    return found


async def achat_model_or_none() -> BaseChatModel | None:
    """Return the chat model that the environment names, or None where it names none.

    Raises:
        InvalidInput: it cannot be opened.
    """
    named = os.environ.get(MODEL)
    return await asyncio.to_thread(_chat_model, named) if named else None


@asynccontextmanager
async def store() -> AsyncIterator[BaseStore]:
    """Give a server the memory's store: `"store": {"path": "langgraph_memory.studio.store"}` in `langgraph.json`."""
    yield (await ashared_memory()).store


@asynccontextmanager
async def checkpointer() -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """Give a server the checkpointer beside the memory, as `store` does under `"checkpointer"`."""
    memory = await ashared_memory()
    yield await asyncio.to_thread(memory.checkpointer)


def close_shared() -> None:
    """Close every memory that was opened here, and forget the models; the next call opens anew."""
    _chat_model.cache_clear()
    with _lock:
        while _opened:
            _opened.popitem()[1].close()


@cache
def _chat_model(named: str) -> BaseChatModel:
    """Return the model at `file.py:name`, as `langgraph.json` writes it, or the one that LangChain knows by name."""
    from langgraph_memory.models.chat import as_chat

    chat = as_chat(named)
    assert chat is not None
    return chat.model
