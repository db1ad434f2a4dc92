"""An exchange is a call of tools together with its results; whatever is done with one is done with all of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, FunctionMessage, ToolMessage


def owners(messages: Sequence[BaseMessage]) -> list[int]:
    """Return, for each message, the place of the call that it belongs to, or its own.

    A result belongs to the newest call before it with the same id: ids come again in later turns. A result whose id
    names no call, or that has none, belongs to the call that it directly follows, if it does; else to nobody.
    """
    found = list(range(len(messages)))
    by_id: dict[str, int] = {}
    above: int | None = None  # the call whose results are being listed
    for place, message in enumerate(messages):
        if isinstance(message, ToolMessage | FunctionMessage):
            named = by_id.get(getattr(message, "tool_call_id", None) or "")
            owner = named if named is not None else above
            found[place] = place if owner is None else owner
        else:
            ids = _call_ids(message)
            by_id.update((name, place) for name in ids if name)
            above = place if ids else None
    return found


def waiting(messages: Sequence[BaseMessage], owner: Sequence[int]) -> set[int]:
    """Return the places of calls that still lack a result, such as those that wait for somebody's approval."""
    results: dict[int, list[str]] = {}
    for place, message in enumerate(messages):
        if owner[place] != place:
            results.setdefault(owner[place], []).append(getattr(message, "tool_call_id", None) or "")
    lacking = set()
    for place, message in enumerate(messages):
        if not isinstance(message, AIMessage) or not message.tool_calls:
            continue
        ids = [call["id"] or "" for call in message.tool_calls]
        came = results.get(place, [])
        unnamed = [name for name in came if name not in ids or not name]
        if set(filter(None, ids)) - set(came) or ids.count("") > len(unnamed):
            lacking.add(place)
    return lacking


def _call_ids(message: BaseMessage) -> list[str]:
    if not isinstance(message, AIMessage):
        return []
    calls: list[Any] = [*message.tool_calls, *message.invalid_tool_calls]
    legacy = [""] if message.additional_kwargs.get("function_call") else []
    return [call.get("id") or "" for call in calls] + legacy
