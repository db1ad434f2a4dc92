"""The content of a message is turned into the text that a person would read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from langgraph_memory.sessions.plain import canonical, plain

ARGUMENTS_SHOWN = 200
"""Characters of a tool call's arguments in the text of a message; all of them are in `extra["tool_calls"]`."""

_NAME_SHOWN = 120  # characters of a file name, a caption or a type inside a placeholder
_UNSEEN = {"reasoning", "thinking", "redactedthinking", "reasoningcontent", "itemreference"}
_MEDIA = {"image": "image", "audio": "audio", "video": "video", "document": "document", "file": "file"}
_PLAIN_CALLS = (None, "tool_call", "function", "tool_use", "function_call", "toolUse", "functionCall")
_UNSAID = ("reasoning", "compaction", "item_reference")
_TITLES = ("alt", "caption", "transcript", "filename", "file_name", "name", "title")


def render(content: Any, *, as_result: bool = False) -> str:
    """Return the readable text of JSON-plain `content`.

    Text blocks come as they are, each on a line of its own, except that the pieces of a text cut up by
    citations are joined again. Pictures and files are placeholders such as `[image]` or
    `[file: plan.pdf]`; a tool call is `[tool call: name {arguments}]`; reasoning is left out; a block of
    an unknown type is `[type]`.

    Args:
        content: text, a block, a list of blocks (lists inside lists too), or None.
        as_result: the message is itself a tool's result, so its result blocks need no label.
    """
    pieces: list[str] = []
    before: Any = None
    for block in walk(content):
        text = _block_text(block, as_result)
        if not text:
            continue
        if pieces and _is_text(before) and _is_text(block) and (_is_cited(before) or _is_cited(block)):
            pieces[-1] += text
        else:
            pieces.append(text)
        before = block
    return "\n".join(pieces)


def walk(content: Any) -> Iterator[Any]:
    """Yield the blocks of `content`, flat and in order."""
    if isinstance(content, list):
        for item in content:
            yield from walk(item)
    elif content is not None:
        yield content


def tool_call(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool call of any vendor as `{"type": "tool_call", "name", "args", "id", ...}`.

    Arguments given as JSON text are read into `args` and kept as given under `arguments`; text that is no
    JSON stays text. A type that says more than "a tool call" is kept as `given_type`, an item's own id
    beside its `call_id` as `item_id`, and everything else under its own name.
    """
    call = dict(given)
    kind = call.pop("type", None)
    if kind not in _PLAIN_CALLS:
        call["given_type"] = kind
    for wrapper in ("function", "custom"):
        if isinstance(call.get(wrapper), Mapping):
            call = {**call.pop(wrapper), **call}
    name = call.pop("name", None) or call.pop("tool_name", None)
    if name is None and isinstance(kind, str) and kind not in _PLAIN_CALLS and kind.endswith("_call"):
        name = kind.removesuffix("_call")
    identity = call.pop("call_id", None) or call.pop("toolUseId", None)
    own = call.pop("id", None)
    if identity is not None and own is not None:
        call["item_id"] = own
    identity = identity or own
    args: Any = None
    for key in ("args", "input", "arguments"):
        if key in call and args is None:
            args = call[key] if key == "arguments" else call.pop(key)
    if isinstance(args, str):
        call.setdefault("arguments", args)
        args = _read_json(args)
    return {"type": "tool_call", "name": name, "args": {} if args is None else args, "id": identity, **call}


def block_calls(content: Any) -> list[dict[str, Any]]:
    """Return the tool calls among the blocks of `content`, each as `tool_call` gives it."""
    return [
        tool_call({"type": kind, **body})
        for kind, body in map(_open, walk(content))
        if _is_call(_squash(kind)) and body is not None
    ]


def call_text(call: Mapping[str, Any]) -> str:
    """Return a tool call as one short line, such as `[tool call: search {"q": "x"}]`."""
    args = call.get("args")
    shown = args if isinstance(args, str) else json.dumps(args, ensure_ascii=False) if args else ""
    shown = _one_line(shown, ARGUMENTS_SHOWN)
    return f"[tool call: {_one_line(str(call.get('name') or 'unnamed'), _NAME_SHOWN)}{' ' if shown else ''}{shown}]"


def results_only(content: Any) -> list[str | None] | None:
    """Return the call ids that `content` answers, or None where it holds anything else than tool results."""
    ids: list[str | None] = []
    for kind, body in map(_open, walk(content)):
        if body is None or not _is_result(_squash(kind)):
            return None
        ids.append(body.get("tool_use_id") or body.get("tool_call_id") or body.get("call_id") or body.get("toolUseId"))
    return ids or None


def only_item(content: Any) -> dict[str, Any] | None:
    """Return the item that `content` is, where it is only one and that is not said but done, thought or pointed to."""
    if not isinstance(content, list) or len(content) != 1 or not isinstance(content[0], dict):
        return None
    item: dict[str, Any] = content[0]
    return item if (_is_done(item) or item.get("type") in _UNSAID) and "role" not in item else None


def only_done(content: Any) -> bool:
    """Say whether `content` is only one call or its output."""
    item = only_item(content)
    return item is not None and _is_done(item)


def is_own_call(call: Mapping[str, Any]) -> bool:
    """Say whether a tool call looks as `tool_call` gives it."""
    return call.get("type") == "tool_call" and {"name", "args", "id"} <= call.keys()


def placeholder(kind: str, name: object = None) -> str:
    """Return `[kind]`, or `[kind: name]` where there is a name to show."""
    label = _one_line(kind, _NAME_SHOWN) or "block"
    shown = _one_line(name, _NAME_SHOWN) if isinstance(name, str) else ""
    return f"[{label}: {shown}]" if shown else f"[{label}]"


def _block_text(block: Any, as_result: bool) -> str:
    kind, body = _open(block)
    if body is None:
        return block if isinstance(block, str) else json.dumps(block, ensure_ascii=False)
    squashed = _squash(kind)
    if squashed in _UNSEEN:
        return ""
    if squashed == "refusal" and isinstance(body.get("refusal"), str):
        return str(body["refusal"])
    if squashed == "nonstandard" and isinstance(body.get("value"), dict):
        return _block_text(body["value"], as_result) if "type" in body["value"] else placeholder(kind)
    if _is_call(squashed):
        return call_text(tool_call({"type": kind, **body}))
    if _is_result(squashed):
        inner = render(
            next((body[key] for key in ("content", "output", "result") if key in body), None), as_result=True
        )
        return inner if as_result else f"[tool result] {inner}".rstrip()
    text = _text_of(body)
    if text is not None and squashed in ("text", "inputtext", "outputtext", "summarytext", "textplain"):
        return text
    for word, label in _MEDIA.items():
        if word in squashed:
            return placeholder(label, _title(body))
    return placeholder(kind) if text is None else f"{placeholder(kind)} {text}"


def _open(block: Any) -> tuple[str, dict[str, Any] | None]:
    """Return a block's type and fields; the fields are None where it is no block at all."""
    if not isinstance(block, dict):
        return "", None
    kind = block.get("type")
    if isinstance(kind, str) and kind:
        return kind, block
    if _text_of(block) is not None:
        return "text", block
    if len(block) == 1:  # Bedrock and Gemini name the type by the only key: {"toolUse": {...}}
        ((kind, inner),) = block.items()
        return kind, inner if isinstance(inner, dict) else block
    return "block", block


def _text_of(body: Mapping[str, Any]) -> str | None:
    text = body.get("text")
    if isinstance(text, dict):  # OpenAI's Assistants API: {"text": {"value": ..., "annotations": [...]}}
        text = text.get("value")
    return text if isinstance(text, str) else None


def _title(body: Mapping[str, Any]) -> str | None:
    inner = [value for value in body.values() if isinstance(value, dict)]
    for fields in (body, *inner):
        for key in _TITLES:
            if isinstance(fields.get(key), str) and fields[key]:
                return str(fields[key])
    return None


def _is_text(block: Any) -> bool:
    return isinstance(block, str) or _squash(_open(block)[0]) in ("text", "outputtext")


def _is_cited(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "text" and bool(block.get("citations"))


def _is_call(squashed: str) -> bool:
    return squashed.endswith(("tooluse", "toolcall", "functioncall", "call", "toolcallchunk"))


def _is_result(squashed: str) -> bool:
    return squashed.endswith(("toolresult", "calloutput", "functionresponse", "executionresult"))


def _is_done(item: Mapping[str, Any]) -> bool:
    kind = item.get("type")
    return isinstance(kind, str) and (kind.endswith(("_call", "_call_output")) or kind.startswith("mcp_"))


def _squash(kind: str) -> str:
    return re.sub(r"[^a-z]", "", kind.lower())


def _read_json(text: str) -> Any:
    try:
        value = json.loads(text)
        canonical(plain(value))
        canonical(value)  # Python reads NaN and 1e999, which are no JSON: then the text is the safer form
    except (ValueError, RecursionError):
        return text
    return value


def _one_line(text: str, limit: int) -> str:
    flat = " ".join(text[: limit * 4].split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
