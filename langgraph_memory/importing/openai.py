"""OpenAI's way to write a conversation down: a list of messages, or fine-tuning lines that each hold one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from langgraph_memory.errors import MessageError
from langgraph_memory.importing.cut import CutDict, is_cut
from langgraph_memory.importing.documents import Source, Value
from langgraph_memory.importing.parts import ImportedSession, Part, Refusal, filed_as, gather, plain_reason, text_id
from langgraph_memory.records import Message
from langgraph_memory.sessions.messages import each_message

SHAPE = 'a JSON list of {"role", "content"} messages, or {"messages": [...]}, alone, in a list, or one a line'

_ITEM_TYPES = ("message", "function_call", "function_call_output", "reasoning")


def detect(source: Source) -> bool:
    """Say whether `source` is in this format."""
    return any(_conversation(data) is not None or _is_message(data, source) for data in source.peek)


def read(source: Source) -> Iterator[Part]:
    """Yield a session for each `messages` list, and one for the messages that stand alone."""
    loose: list[Value] = []
    for value in source.values():
        if isinstance(value, Refusal):
            yield value
            continue
        conversation = _conversation(value.data)
        if conversation is None:
            loose.append(value)
            continue
        where = f"conversation {value.number}"
        messages, refusals = gather(dict(enumerate(conversation, 1)), where, partial(_line, value))
        yield from refusals
        if messages:
            own, session_id = _own_id(value), _session_id(value, source)
            yield ImportedSession(session_id, tuple(messages))
            if own is None and isinstance(value.data, CutDict):
                yield filed_as(value.line, where, session_id)
        elif not refusals and not is_cut(value.data):
            yield Refusal(value.line, where, "It holds no messages.", skipped=True)
    yield from standing_alone(loose, source)


def standing_alone(values: list[Value], source: Source) -> Iterator[Part]:
    """Yield one session, named after the file, of values that are messages themselves."""
    messages: list[Message] = []
    values = [value for value in values if not is_cut(value.data)]
    for value, outcome in zip(values, each_message([value.data for value in values]), strict=True):
        if isinstance(outcome, MessageError):
            yield Refusal(value.line, f"item {value.number}", plain_reason(outcome))
        else:
            messages.append(outcome)
    if messages:
        yield ImportedSession(source.stem, tuple(messages))


def _conversation(data: Any) -> list[Any] | None:
    if isinstance(data, dict) and isinstance(data.get("messages"), list) and "role" not in data:
        return list(data["messages"])
    # A list in the list of messages is a ["user", "text"] pair; any other list is a conversation.
    if isinstance(data, list) and data and all(isinstance(item, dict) for item in data):
        return data
    return None


def _is_message(data: Any, source: Source) -> bool:
    return (
        source.container != "lines" and isinstance(data, dict) and ("role" in data or data.get("type") in _ITEM_TYPES)
    )


def _line(value: Value, number: int) -> int:
    return value.line_of("messages", number - 1) if isinstance(value.data, dict) else value.line_of(number - 1)


def _own_id(value: Value) -> str | None:
    names = ("session_id", "thread_id", "conversation_id", "id")
    return text_id(*(value.data.get(name) for name in names)) if isinstance(value.data, dict) else None


def _session_id(value: Value, source: Source) -> str:
    return _own_id(value) or (source.stem if source.container == "object" else f"{source.stem}-{value.number}")
