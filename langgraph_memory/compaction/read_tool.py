"""The tool that reads a message of this conversation back from memory, page by page."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from langchain.tools import ToolRuntime
from langchain_core.tools import BaseTool, StructuredTool, ToolException

from langgraph_memory.agent.identity import ScopeSource, resolve_scope, resolve_thread_id
from langgraph_memory.compaction.evict import READ_MESSAGE
from langgraph_memory.compaction.step import CompactingMemory
from langgraph_memory.errors import LangGraphMemoryError, NotFound
from langgraph_memory.events import reason
from langgraph_memory.records import Entry

PAGE = 4_000
"""Characters read at a time, well below what is evicted."""

BEFORE = 200
"""Characters shown before a passage that was looked for."""

_LOOKED_THROUGH = 500  # entries a query; the message is mostly among the newest
_DESCRIPTION = (
    "Read a message of this conversation that is shown shortened, page by page or from a passage that you look for. "
    "Give the message id that stands where text was left out."
)


def read_message_tool(memory: CompactingMemory, *, scope: ScopeSource | None = None) -> BaseTool:
    """Return a tool `read_message(message_id, offset=0, find="")` over the running conversation, as memory recorded it.

    Args:
        memory: a `Memory`.
        scope: whose memory, as for `MemoryMiddleware`.

    Raises:
        ScopeError, InvalidInput: at a call, when it is unknown whose memory it is, or which conversation.
    """

    def read(
        message_id: Annotated[str, "The id of the message."],
        runtime: ToolRuntime[Any, Any],
        offset: Annotated[int, "Character to begin at."] = 0,
        find: Annotated[str, "Begin where this text stands, at or behind the offset; capitals do not matter."] = "",
    ) -> str:
        where, thread_id = resolve_scope(scope, runtime), resolve_thread_id(runtime)
        try:
            entry = _find(memory, where, thread_id, message_id)
        except NotFound:
            entry = None
        except LangGraphMemoryError as error:
            raise ToolException(f"Memory cannot be read right now ({reason(error)}).") from error
        if entry is None:
            raise ToolException(
                f"No message {message_id!r} of this conversation is in memory. Copy the id letter for letter."
            )
        start, length = max(0, offset), len(entry.text)
        if start and start >= length:
            raise ToolException(
                f"Message {message_id!r} ends at character {length}; there is nothing behind it. Begin at an offset "
                "below that."
            )
        if find:
            place = entry.text.lower().find(find.lower(), start)
            if place < 0:
                raise ToolException(f"{find!r} does not stand in message {message_id!r} behind character {start}.")
            start = max(0, place - BEFORE)
        end = start + PAGE
        more = f" Read on with offset={end}." if end < length else ""
        return f"[characters {start} to {min(end, length)} of {length}.{more}]\n{entry.text[start:end]}"

    async def aread(
        message_id: Annotated[str, "The id of the message."],
        runtime: ToolRuntime[Any, Any],
        offset: Annotated[int, "Character to begin at."] = 0,
        find: Annotated[str, "Begin where this text stands, at or behind the offset; capitals do not matter."] = "",
    ) -> str:
        return await asyncio.to_thread(read, message_id, runtime, offset, find)

    return StructuredTool.from_function(
        read, aread, name=READ_MESSAGE, description=_DESCRIPTION, handle_tool_error=True
    )


def _find(memory: CompactingMemory, scope: Any, thread_id: str, message_id: str) -> Entry | None:
    after: int | None = None
    while True:
        page = memory.entries(thread_id, scope=scope, after=after, limit=_LOOKED_THROUGH, newest_first=True)
        for entry in page:
            if entry.message_id == message_id:
                return entry
        if len(page) < _LOOKED_THROUGH:
            return None
        after = page[-1].position
