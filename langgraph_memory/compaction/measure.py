"""How many tokens a message takes, estimated from what it holds and never from what a provider reported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from langgraph_memory.sessions.plain import canonical, plain

CountTokens = Callable[[str], int]
"""Estimates the tokens of a text."""

MESSAGE_TOKENS = 4
"""Tokens around each message, for its role and its ends (OpenAI counts 3 to 4)."""

MEDIA_TOKENS = 1_000
"""Tokens of a picture, a file or a sound: providers take 85 to 1,600 for a picture, and its bytes say nothing of it."""

_MEDIA = ("image", "audio", "video", "file", "document", "input_image", "input_audio", "input_file")


def message_tokens(message: BaseMessage, count_tokens: CountTokens) -> int:
    """Return the estimated tokens of a message: its text, its calls, its pictures."""
    tokens = MESSAGE_TOKENS + _content(message.content, count_tokens)
    if isinstance(message, AIMessage):
        for call in [*message.tool_calls, *message.invalid_tool_calls]:
            tokens += count_tokens(f"{call.get('name')} {canonical(plain(call.get('args')))}")
    if isinstance(message, ToolMessage):
        tokens += count_tokens(message.tool_call_id or "")
    return tokens


def _content(content: Any, count_tokens: CountTokens) -> int:
    if isinstance(content, str):
        return count_tokens(content)
    if isinstance(content, list):
        return sum(_content(block, count_tokens) for block in content)
    if not isinstance(content, dict):
        return 0 if content is None else count_tokens(str(content))
    kind = str(content.get("type", ""))
    if kind.removesuffix("_url") in _MEDIA or "base64" in content:
        return MEDIA_TOKENS
    if kind in ("tool_use", "tool_call", "function_call"):
        return 0  # counted with the calls
    return count_tokens(content["text"] if isinstance(content.get("text"), str) else canonical(plain(content)))
