"""The conversations that people export from ChatGPT: each a tree, of which one branch is what they saw last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from langgraph_memory.clock import EPOCH
from langgraph_memory.importing.cut import CutDict, is_cut
from langgraph_memory.importing.documents import Source, Value
from langgraph_memory.importing.parts import ImportedSession, Part, Refusal, filed_as, gather, text_id
from langgraph_memory.sessions import blocks
from langgraph_memory.sessions.plain import plain

SHAPE = 'ChatGPT data export (conversations.json): a list of {"title", "mapping": {...}, "current_node"}'

_THOUGHTS = ("thoughts", "reasoning_recap")
_TEXTS = ("text", "result", "user_profile", "user_instructions", "model_set_context", "title")


def detect(source: Source) -> bool:
    """Say whether `source` is in this format."""
    return any(isinstance(data, Mapping) and isinstance(data.get("mapping"), Mapping) for data in source.peek)


def read(source: Source) -> Iterator[Part]:
    """Yield a session for each conversation: the branch that ends at `current_node`.

    What lies on other branches, and messages without any content, is counted in a refusal that is marked
    as skipped.
    """
    for value in source.values():
        if isinstance(value, Refusal):
            yield value
        elif isinstance(value.data, Mapping) and isinstance(value.data.get("mapping"), Mapping):
            yield from _conversation(value.data, value, source)
        else:
            yield Refusal(value.line, f"conversation {value.number}", 'It has no "mapping" of messages.')


def _conversation(data: Mapping[str, Any], value: Value, source: Source) -> Iterator[Part]:
    where = f"conversation {value.number}"
    mapping = _nodes(data["mapping"])
    branch, complete = _branch(mapping, data.get("current_node"))
    nodes = [node for node in branch if _said(mapping, node) is not None]
    said = [message for node in nodes if (message := _said(mapping, node)) is not None]
    numbered = {number: _fields(message, data) for number, message in enumerate(said, 1) if not _is_empty(message)}
    messages, refusals = gather(numbered, where, lambda number: value.line_of("mapping", nodes[number - 1], "message"))
    if messages:
        own = text_id(data.get("conversation_id"), data.get("id"))
        session_id = own or f"{source.stem}-{value.number}"
        yield ImportedSession(session_id, tuple(messages))
        if own is None and is_cut(data):
            yield filed_as(value.line, where, session_id)
    yield from refusals
    if not complete:
        yield Refusal(value.line, where, "Its tree is broken: what came before its first message could not be found.")
    notes = []
    if len(said) > len(numbered):
        notes.append(f"{len(said) - len(numbered)} messages without content (hidden system messages, placeholders)")
    on_branch = set(branch)
    others = sum(not _is_empty(_said(mapping, node)) for node in mapping if node not in on_branch)
    if others:
        notes.append(f"{others} messages on other branches (edited questions, answers generated again)")
    if notes or not said:
        none = "None of its messages is whole." if is_cut(data) else "It holds no messages."
        reason = f"Left out: {'; '.join(notes)}." if notes else none
        yield Refusal(value.line, where, reason, skipped=True)


def _nodes(tree: Mapping[str, Any]) -> dict[str, Any]:
    """Return the nodes that can be read: the whole ones, and one that was cut behind its message."""
    whole = {node: held for node, held in tree.items() if not is_cut(held)}
    for node, held in tree.items():
        if isinstance(held, CutDict) and isinstance(held.get("message"), Mapping) and not is_cut(held["message"]):
            whole[node] = {"parent": _last_leaf(whole), **held}  # what it answers stands behind the cut
    return whole


def _branch(mapping: Mapping[str, Any], current: Any) -> tuple[list[str], bool]:
    """Return the ids from the root to `current`, and whether the root was reached."""
    if not isinstance(current, str) or current not in mapping:
        current = _last_leaf(mapping)
    path: list[str] = []
    seen: set[str] = set()
    while isinstance(current, str) and current in mapping and current not in seen:
        seen.add(current)
        path.append(current)
        node = mapping[current]
        current = node.get("parent") if isinstance(node, Mapping) else None
    return path[::-1], current is None or current == "client-created-root"


def _last_leaf(mapping: Mapping[str, Any]) -> str | None:
    """The newest message that nothing answers: what an export without `current_node` most likely showed."""
    parents = {node.get("parent") for node in mapping.values() if isinstance(node, Mapping)}
    leaves = [node for node in mapping if node not in parents]
    dates = {node: _moment((_said(mapping, node) or {}).get("create_time")) or EPOCH for node in leaves}
    return max(reversed(leaves), key=lambda node: dates[node], default=None)


def _said(mapping: Mapping[str, Any], node: str) -> Mapping[str, Any] | None:
    found = mapping[node].get("message") if isinstance(mapping[node], Mapping) else None
    return found if isinstance(found, Mapping) else None


def _is_empty(message: Mapping[str, Any] | None) -> bool:
    return message is None or (not _text(message) and _kind(message) not in _THOUGHTS)


def _fields(message: Mapping[str, Any], conversation: Mapping[str, Any]) -> dict[str, Any]:
    given_author, given_meta = message.get("author"), message.get("metadata")
    author: Mapping[str, Any] = given_author if isinstance(given_author, Mapping) else {}
    meta: Mapping[str, Any] = given_meta if isinstance(given_meta, Mapping) else {}
    extra = {"source": "chatgpt", "title": conversation.get("title"), "model": meta.get("model_slug")}
    extra |= {"attachments": meta.get("attachments"), "content_type": _kind(message)}
    if message.get("recipient") != "all":
        extra["recipient"] = message.get("recipient")  # a tool that the assistant talks to
    date = conversation.get("create_time") if message.get("create_time") is None else message["create_time"]
    return {
        "role": author.get("role"),
        "name": author.get("name"),
        "content": message.get("content"),
        "text": _text(message),
        "id": message.get("id"),
        "observed_at": _moment(date) or date,  # what is no date is refused by name
        "extra": {key: item for key, item in extra.items() if item is not None},
    }


def _text(message: Mapping[str, Any]) -> str:
    content, meta = message.get("content"), message.get("metadata")
    pieces: list[str] = []
    if isinstance(content, Mapping):
        kind = _kind(message)
        parts = content.get("parts")
        if kind in _THOUGHTS:
            return ""
        if isinstance(parts, list):
            pieces += [_part(part) for part in parts]
        else:
            pieces += [content[key] for key in _TEXTS if isinstance(content.get(key), str)]
            if not any(pieces) and kind not in ("text", "code", "execution_output"):
                pieces.append(blocks.placeholder(kind or "content"))
    elif isinstance(content, str):
        pieces.append(content)
    attached = meta.get("attachments") if isinstance(meta, Mapping) else None
    for attachment in attached if isinstance(attached, list) else ():
        name = attachment.get("name") if isinstance(attachment, Mapping) else None
        pieces.append(blocks.placeholder("file", name))
    return "\n".join(piece for piece in pieces if piece)


def _part(part: Any) -> str:
    if not isinstance(part, Mapping):
        return blocks.render(plain(part))
    kind = part.get("content_type")
    if isinstance(part.get("text"), str):  # audio_transcription, and whatever else carries its words along
        return str(part["text"])
    return blocks.render({**plain(part), "type": kind if isinstance(kind, str) and kind else "part"})


def _kind(message: Mapping[str, Any]) -> str | None:
    content = message.get("content")
    kind = content.get("content_type") if isinstance(content, Mapping) else None
    return kind if isinstance(kind, str) else None


def _moment(seconds: object) -> datetime | None:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    try:
        return EPOCH + timedelta(seconds=seconds)
    except (OverflowError, ValueError):
        return None
