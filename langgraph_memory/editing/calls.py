"""Reads the tool calls out of a model's answer, whatever state they are in."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.messages.tool import tool_call


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call that the model made.

    Attributes:
        name: the tool that it named.
        args: the arguments; empty where they could not be read.
        id: unique in the answer.
        problem: why the arguments could not be read.
    """

    name: str
    args: dict[str, Any]
    id: str
    problem: str | None = None


def read_calls(answer: AIMessage) -> tuple[list[Call], AIMessage]:
    """Return the calls of an answer, and the answer as it can be shown to the model again.

    Ids that are missing or double are replaced, because each call needs a reply of its own; arguments that the
    provider could not parse are read as damaged JSON.
    """
    calls = [_unique(Call(call["name"], dict(call["args"] or {}), call["id"] or "")) for call in answer.tool_calls]
    calls += [_damaged(call) for call in answer.invalid_tool_calls]
    seen: set[str] = set()
    for place, call in enumerate(calls):
        if call.id in seen:
            calls[place] = _unique(Call(call.name, call.args, "", call.problem))
        seen.add(calls[place].id)
    untouched = [call.id for call in calls] == [call["id"] for call in answer.tool_calls]
    if untouched:
        return calls, answer.model_copy(deep=True)
    # Content blocks would still name the old ids, so the answer is built anew from its text.
    shown = [tool_call(name=call.name, args=call.args, id=call.id) for call in calls]
    return calls, AIMessage(content=str(answer.text), tool_calls=shown)


def _unique(call: Call) -> Call:
    return call if call.id else Call(call.name, call.args, f"call-{uuid.uuid4().hex[:12]}", call.problem)


def _damaged(call: Any) -> Call:
    from langgraph_memory.models.json_text import read_json

    args, problem = read_json(call.get("args") or "")
    if not isinstance(args, dict):
        args, problem = {}, f"the arguments are no JSON object: {problem or call.get('error') or 'unreadable'}"
    else:
        problem = None
    return _unique(Call(call.get("name") or "", args, call.get("id") or "", problem))
