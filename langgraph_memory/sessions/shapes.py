"""Messages come in many shapes; each of them is first read into the same flat fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from langgraph_memory.records import Role
from langgraph_memory.sessions.plain import model_fields

ACCEPTED = (
    "LangChain messages (also serialised), dicts with role and content (OpenAI, Anthropic), OpenAI Responses items, "
    '("user", "text") pairs, plain text, and langgraph_memory messages'
)

ROLES: Mapping[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
"""Every role name that is understood, and which of our four it is."""

_LANGCHAIN_TYPES = {"human", "ai", "system", "tool", "function", "chat", "remove"}


class Unreadable(Exception):
    """An item has no usable shape; the reason says why, the caller knows which item it was."""


def fields_of(item: Any) -> dict[str, Any]:
    """Return the flat fields of one item: `role`, and `content` or `text`, and whatever else it carried.

    Raises:
        Unreadable: it has none of the shapes in `ACCEPTED`.
    """
    if isinstance(item, str):
        return {"role": "user", "content": item}
    if isinstance(item, list | tuple):
        return _from_pair(item)
    if isinstance(item, Mapping):
        return _from_mapping({str(key): value for key, value in item.items()})
    fields = model_fields(item)
    if fields is not None:  # LangChain messages, and the message classes of vendors' SDKs
        return _from_mapping(fields)
    raise Unreadable(f"{type(item).__name__} is no message")


def is_single(value: Any) -> bool:
    """Say whether `value` is one message rather than a collection of them.

    A pair counts as one message only as a tuple: a list of two texts is two messages.
    """
    if isinstance(value, str | bytes | bytearray | Mapping) or model_fields(value) is not None:
        return True
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)


def describe(item: Any) -> str:
    """Return what an item is, in few words and without its content, for an error or a refusal."""
    if isinstance(item, Mapping):
        keys = ", ".join(repr(str(key)[:40]) for key in list(item)[:8])
        return f"a dict with the keys {keys}" if keys else "an empty dict"
    if isinstance(item, list | tuple):
        return f"a {type(item).__name__} of {len(item)}"
    if item is None or isinstance(item, bool | int | float):
        return repr(item)[:40]
    return f"an object of type {type(item).__name__}"


def _from_pair(pair: list[Any] | tuple[Any, ...]) -> dict[str, Any]:
    if len(pair) != 2 or not isinstance(pair[0], str):
        raise Unreadable("a list inside the list must be a pair of role and content")
    return {"role": _known_role(pair[0]), "content": pair[1]}


def _from_mapping(item: dict[str, Any]) -> dict[str, Any]:
    kind = item.get("type")
    if item.get("lc") is not None and kind in ("constructor", "not_implemented"):
        return _from_constructor(item)
    if isinstance(kind, str) and isinstance(item.get("data"), Mapping) and not {"role", "content"} & item.keys():
        return _from_langchain(kind, {str(key): value for key, value in item["data"].items()})
    if _langchain_type(kind) in _LANGCHAIN_TYPES and (kind == "chat" or "role" not in item):
        return _from_langchain(str(kind), item)
    if item.get("role") is not None:
        return _checked({**item, "role": _known_role(item["role"])})
    if isinstance(kind, str) and kind != "message":
        role = _responses_role(kind)
        if role is not None:
            return _from_responses(item, role)
    if isinstance(item.get("messages"), list):
        raise Unreadable('it has no role; pass the list under its "messages" instead')
    raise Unreadable("it has no role")


def _from_constructor(item: dict[str, Any]) -> dict[str, Any]:
    path, kwargs = item.get("id"), item.get("kwargs")
    if not isinstance(path, list) or not path or not isinstance(kwargs, Mapping):
        raise Unreadable("it is a LangChain object that was not serialised as a message")
    kind = _langchain_type(path[-1])
    if kind not in _LANGCHAIN_TYPES:
        raise Unreadable(f"it is a serialised {str(path[-1])[:60]}, which is no message")
    return _from_langchain(str(kind), {str(key): value for key, value in kwargs.items()})


def _from_langchain(kind: str, data: dict[str, Any]) -> dict[str, Any]:
    name = _langchain_type(kind)
    if name == "remove":
        raise Unreadable(
            "it is a RemoveMessage, which asks LangGraph to delete a message and says nothing. "
            "Leave it out; to delete what was recorded, use erase"
        )
    if name not in _LANGCHAIN_TYPES:
        raise Unreadable(f"{kind[:60]!r} is no LangChain message type")
    role = data.get("role") if name == "chat" else name
    rest = {key: value for key, value in data.items() if key not in ("type", "role") and not _is_default(key, value)}
    return _checked({**rest, "role": _known_role(role)})


def _from_responses(item: dict[str, Any], role: str) -> dict[str, Any]:
    """An item that is not said but done: it becomes the one block of a message."""
    fields: dict[str, Any] = {"role": role, "content": [item], "id": item.get("id")}
    fields.update({key: item[key] for key in ("speaker", "observed_at") if key in item})
    if role == "tool":
        fields["tool_call_id"] = item.get("call_id")
    return fields


def _responses_role(kind: str) -> str | None:
    if kind.endswith("_call_output"):
        return "tool"
    if kind == "mcp_approval_response":
        return "user"
    if kind.endswith("_call") or kind.startswith("mcp_") or kind in ("reasoning", "compaction", "item_reference"):
        return "assistant"
    return None


_WORTH_SAYING: tuple[tuple[str, Callable[[Any], bool]], ...] = (
    ("content", lambda value: True),
    ("text", lambda value: isinstance(value, str)),
    ("tool_calls", bool),
    ("function_call", bool),
    ("refusal", bool),
    ("audio", bool),
)


def _checked(fields: dict[str, Any]) -> dict[str, Any]:
    if not any(key in fields and test(fields[key]) for key, test in _WORTH_SAYING):
        raise Unreadable("it has no content")
    return fields


def _known_role(role: object) -> str:
    name = role.strip().lower() if isinstance(role, str) else ""
    if name not in ROLES:
        raise Unreadable(f"its role is {str(role)[:60]!r}; known roles are {', '.join(ROLES)}")
    return name


def _langchain_type(kind: object) -> str | None:
    """Return `human` for `human`, `HumanMessage`, `HumanMessageChunk`; None for what is no text."""
    if not isinstance(kind, str):
        return None
    if kind in _LANGCHAIN_TYPES:
        return kind
    stem = kind.removesuffix("Chunk")
    return stem.removesuffix("Message").lower() if stem.endswith("Message") else kind


def _is_default(key: str, value: Any) -> bool:
    """LangChain fills every field; those that say nothing are not worth keeping."""
    return key != "content" and (value is None or (isinstance(value, list | dict) and not value))
