"""A structured answer as far as it can be read: from tool calls, whole or damaged, or from the JSON in its text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from langgraph_memory.models.json_text import Reading, read_damaged, read_json

_REASON_KEYS = ("finish_reason", "stop_reason", "done_reason")
_CUT_REASONS = frozenset({"length", "max_tokens", "max_output_tokens"})
_FILTERED = frozenset({"content_filter", "content_filtered", "guardrail_intervened", "refusal", "safety"})


LENGTH = "its length limit was reached"


@dataclass(frozen=True, slots=True)
class Structured:
    """A structured answer, as far as it could be read.

    Attributes:
        data: the JSON value, unvalidated; None where nothing could be read.
        message: what the model answered.
        problem: what was odd about the answer, lost or guessed, in words; None where it was whole.
        lost: the items of lists in which it is cut off or broken, as they stand there.
    """

    data: Any
    message: AIMessage
    problem: str | None = None
    lost: tuple[str, ...] = ()


def asking_for(form: Mapping[str, Any], messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Add the schema to the last question: some models take no two messages of one speaker in a row."""
    wish = "Answer with one JSON object that fits this JSON schema, and with nothing else:\n"
    wish += json.dumps(form, ensure_ascii=False)
    if not messages or not isinstance(messages[-1], HumanMessage):
        return [*messages, HumanMessage(wish)]
    *earlier, last = messages
    content = last.content
    longer = f"{content}\n\n{wish}" if isinstance(content, str) else [*content, {"type": "text", "text": wish}]
    return [*earlier, last.model_copy(update={"content": longer})]


def read(message: AIMessage, form: Mapping[str, Any]) -> Structured:
    """Return the arguments of the tool calls, whole or damaged; where there are none, the JSON in the text."""
    broken = broken_off(message)
    cut = broken == LENGTH
    foreign = [call for call in message.tool_calls if not _is_meant(call["name"], call["args"], form)]
    read = [Reading(call["args"]) for call in message.tool_calls if call not in foreign]
    if cut and read and not message.invalid_tool_calls:  # whoever parsed it has closed a half-written text as well
        read[-1] = read_damaged(json.dumps(read[-1].value, ensure_ascii=False).rstrip('}]" '))
    read += [read_damaged(call["args"] or "") for call in message.invalid_tool_calls]
    if not any(one.value for one in read):
        in_text = read_damaged(str(message.text))
        if in_text.value is not None or not read:
            read = [in_text]
    problems = [one.problem for one in read if one.problem]
    problems += [f"it calls {call['name']!r:.60}, which was not asked for" for call in foreign]
    if broken is not None:
        problems.append(broken)
    values = [_unwrapped(one.value, form) for one in read if one.value is not None]
    lost = tuple(one.lost for one in read if one.lost is not None)
    return Structured(_joined(values), message, "; ".join(dict.fromkeys(problems)) or None, lost)


def broken_off(message: AIMessage) -> str | None:
    """Say why an answer is not all that the model would have said: its length limit, a filter or a refusal."""
    told = {str(message.response_metadata.get(key)).lower() for key in _REASON_KEYS}
    if not told.isdisjoint(_CUT_REASONS):
        return LENGTH
    if refusal := message.additional_kwargs.get("refusal"):
        return f"the model refused: {refusal}"
    return None if told.isdisjoint(_FILTERED) else "a content filter stopped it"


def _is_meant(name: str, args: Any, form: Mapping[str, Any]) -> bool:
    """Say whether a tool call is an answer: by its name, or by what it fills in, as some models rename the tool."""
    asked = form.get("properties") or {}
    return name == form["title"] or not asked or (isinstance(args, Mapping) and not asked.keys().isdisjoint(args))


def _unwrapped(value: Any, form: Mapping[str, Any]) -> Any:
    """Return the arguments of a tool call that was written out as text: `{"name": ..., "arguments": ...}`."""
    if not isinstance(value, dict) or value.get("name") != form["title"]:
        return value
    inner = next((value[key] for key in ("arguments", "parameters", "args", "input") if key in value), value)
    return (read_json(inner)[0] or value) if isinstance(inner, str) else inner


def _joined(values: Sequence[Any]) -> Any:
    """Return one value for all: objects made of lists are merged list by list; others become a list."""
    if len(values) < 2:
        return values[0] if values else None
    if not all(isinstance(value, dict) and all(isinstance(v, list) for v in value.values()) for value in values):
        return list(values)
    keys = dict.fromkeys(key for value in values for key in value)
    return {key: [item for value in values for item in value.get(key, ())] for key in keys}
