"""Eviction: a huge tool result gives way to its two ends and a pointer to all of it in memory."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import BaseMessage, ToolMessage

from langgraph_memory.agent.turn import STAND_IN
from langgraph_memory.errors import InvalidInput
from langgraph_memory.text.fence import FENCE_TAG

READ_MESSAGE = "read_message"
"""The tool that pages through what was evicted."""

SHOWN = 2_000
"""Characters of each end that stay in the window (agentscope keeps as many)."""


def check_limit(limit: int | None) -> None:
    """Refuse a limit below which a stand-in would be no shorter.

    Raises:
        InvalidInput: it is none of `None` and whole numbers from three times `SHOWN`.
    """
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 3 * SHOWN):
        raise InvalidInput(f"evict_over is a number of characters, at least {3 * SHOWN:,}, or None; not {limit!r}.")


def is_huge(message: BaseMessage, limit: int) -> bool:
    """Say whether a tool result has more text than that and is not evicted already.

    Recalled memory is none: it is in memory already, and is not recorded a second time.
    """
    if not isinstance(message, ToolMessage) or message.additional_kwargs.get(STAND_IN):
        return False
    text = _text(message.content)
    return len(text) > limit and f"<{FENCE_TAG}>" not in text


def stand_in(message: ToolMessage) -> ToolMessage:
    """Return what stays in the window: the same message with the middle of its text left out; pictures stay."""
    text = _text(message.content)
    left_out = len(text) - 2 * SHOWN
    pointer = (
        f"[{left_out:,} characters are left out here. All {len(text):,} are kept in memory, word for word, under the "
        f'message id "{message.id}". Read on, or find a passage in it, with {READ_MESSAGE}.]'
    )
    shown = f"{text[:SHOWN]}\n\n{pointer}\n\n{text[-SHOWN:]}"
    content: Any = shown
    if isinstance(message.content, list):
        content = [{"type": "text", "text": shown}, *(block for block in message.content if not _is_text(block))]
    marked = {**message.additional_kwargs, STAND_IN: {"characters": len(text)}}
    return message.model_copy(update={"content": content, "additional_kwargs": marked})


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    pieces = [block if isinstance(block, str) else block["text"] for block in content if _is_text(block)]
    return "\n".join(pieces)


def _is_text(block: Any) -> bool:
    return isinstance(block, str) or (isinstance(block, dict) and isinstance(block.get("text"), str))
