"""Shows conversation and documents to the model as data: one JSON line each, inside tags that nothing can close."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_messages,
)
from langchain_core.prompt_values import PromptValue

from langgraph_memory.editing.schemas import Schema
from langgraph_memory.errors import MessageError
from langgraph_memory.prompts import load_prompt
from langgraph_memory.records import Message
from langgraph_memory.text.fence import neutralise

Conversation: TypeAlias = "str | PromptValue | Sequence[Message | BaseMessage | Any]"
"""A text, a prompt value, or messages: our own, LangChain's, or what LangChain turns into them (tuples, dicts)."""

TAG_BYTES = 6
"""Random bytes in a tag: nobody who wrote the data can guess it."""

_RULES = load_prompt("manage").text  # read at import: never on an event loop

_RULES = load_prompt("manage").text  # read once, not on an event loop

# Line ends that JSON leaves as they are, and half surrogate pairs, which no provider can encode.
_UNSAFE = re.compile("[\u0085\u2028\u2029\ud800-\udfff]")


def prompt(
    conversation: Conversation,
    documents: Sequence[tuple[int, str, Any]],
    *,
    schemas: Sequence[Schema],
    instructions: str | None,
    now: datetime,
) -> list[BaseMessage]:
    """Return the prompt: the rules, then the data. What was given is copied, never changed.

    Args:
        conversation: what was said.
        documents: number, name of the schema and value of each document, in the order to show them.
        schemas: schemas that the tools do not show already.
        instructions: the developer's own, put behind the rules.
        now: today.

    Raises:
        MessageError: a message has no usable shape.
    """
    own = f"\nInstructions of the developer:\n{instructions.strip()}" if instructions and instructions.strip() else ""
    parts = []
    if schemas:
        lines = [line({"schema": schema.name, "json_schema": schema.json_schema}) for schema in schemas]
        parts.append("Schemas of the documents:\n" + "\n".join(lines))
    if documents:
        lines = [line({"id": number, "schema": schema, "value": value}) for number, schema, value in documents]
        parts.append("Documents that exist:\n" + fenced("documents", lines))
    else:
        parts.append("No documents exist yet.")
    parts.append("Conversation:\n" + fenced("conversation", [line(said) for said in _spoken(conversation)]))
    parts.append(f"Today is {now:%Y-%m-%d (%A)}. Write in the language of the person in the conversation.")
    return [SystemMessage(_RULES.replace("{instructions}", own).strip()), HumanMessage("\n\n".join(parts))]


def fenced(name: str, lines: Iterable[str]) -> str:
    """Return the lines inside a tag of their own, which is drawn anew for each prompt."""
    body = "\n".join(neutralise(text) for text in lines)
    tag = f"{name}-{secrets.token_hex(TAG_BYTES)}"
    return f"<{tag}>\n{body}\n</{tag}>"


def line(value: Any) -> str:
    """Return a value as JSON on one line, readable in every script."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _spoken(conversation: Conversation) -> list[dict[str, Any]]:
    if isinstance(conversation, str):
        return [{"role": "user", "text": conversation}]
    if isinstance(conversation, PromptValue):
        conversation = conversation.to_messages()
    return [_own(item) if isinstance(item, Message) else _langchain(item) for item in conversation]


def _own(message: Message) -> dict[str, Any]:
    said: dict[str, Any] = {"role": message.role, "text": message.text}
    if message.speaker and message.speaker != message.role:
        said["name"] = message.speaker
    if message.observed_at is not None:
        said["date"] = f"{message.observed_at:%Y-%m-%d}"
    return said


def _langchain(item: Any) -> dict[str, Any]:
    try:
        message = item if isinstance(item, BaseMessage) else convert_to_messages([item])[0]
    except (ValueError, TypeError, NotImplementedError, KeyError) as problem:
        raise MessageError(f"{type(item).__name__} is no message: {problem}") from problem
    role = {"human": "user", "ai": "assistant"}.get(message.type, message.type)
    said: dict[str, Any] = {"role": role, "text": _text(message.content)}
    if message.name:
        said["name"] = message.name
    if isinstance(message, AIMessage) and message.tool_calls:
        said["calls"] = [{"name": call["name"], "args": call["args"]} for call in message.tool_calls]
    return said


def _text(content: str | list[Any]) -> str:
    """Return the text of a message, with the names of what is no text, such as `[image]`."""
    if isinstance(content, str):
        return content
    pieces = []
    for block in content:
        kind = block.get("type", "") if isinstance(block, Mapping) else "text"
        text = block.get("text") if isinstance(block, Mapping) else block
        if isinstance(text, str):
            pieces.append(text)
        elif kind not in ("tool_use", "tool_call", "function_call", "thinking", "reasoning", "redacted_thinking"):
            pieces.append(f"[{str(kind).removesuffix('_url')}]")
    return "\n".join(piece for piece in pieces if piece)


def replies(results: Iterable[tuple[str, str, bool]]) -> list[BaseMessage]:
    """Return a tool message for each call: its id, what became of it, and whether that was good."""
    return [
        ToolMessage(neutralise(text), tool_call_id=call_id, status="success" if good else "error")
        for call_id, text, good in results
    ]
