"""The conversations that people export from claude.ai."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from langgraph_memory.errors import MessageError
from langgraph_memory.importing.cut import is_cut
from langgraph_memory.importing.documents import Source, Value
from langgraph_memory.importing.parts import ImportedSession, Part, Refusal, filed_as, gather, text_id
from langgraph_memory.sessions import blocks
from langgraph_memory.sessions.plain import plain
from langgraph_memory.sessions.shapes import describe

SHAPE = 'Claude.ai export (conversations.json): a list of {"uuid", "name", "chat_messages": [{"sender", "text", ...}]}'

_ATTACHED = ("attachments", "files", "files_v2")


def detect(source: Source) -> bool:
    """Say whether `source` is in this format."""
    return any(isinstance(data, Mapping) and isinstance(data.get("chat_messages"), list) for data in source.peek)


def read(source: Source) -> Iterator[Part]:
    """Yield a session for each conversation."""
    for value in source.values():
        if isinstance(value, Refusal):
            yield value
            continue
        where = f"conversation {value.number}"
        said = value.data.get("chat_messages") if isinstance(value.data, Mapping) else None
        if not isinstance(said, list):
            yield Refusal(value.line, where, 'It has no "chat_messages" list.')
            continue
        items = {number: item for number, item in enumerate(said, 1) if not is_cut(item)}
        kept = {number: item for number, item in items.items() if not _is_empty(item)}
        fields = {number: _fields(item, value.data.get("name")) for number, item in kept.items()}
        messages, refusals = gather(fields, where, partial(_line, value))
        if messages:
            own = text_id(value.data.get("uuid"), value.data.get("id"))
            session_id = own or f"{source.stem}-{value.number}"
            yield ImportedSession(session_id, tuple(messages))
            if own is None and is_cut(value.data):
                yield filed_as(value.line, where, session_id)
        yield from refusals
        if len(kept) < len(items) or not said:
            reason = (
                f"Left out: {len(items) - len(kept)} messages without content." if items else "It holds no messages."
            )
            yield Refusal(value.line, where, reason, skipped=True)


def _line(value: Value, number: int) -> int:
    return value.line_of("chat_messages", number - 1)


def _fields(item: Any, title: object) -> Any:
    """The fields of one message in our words, or the error that says why it is none."""
    if not isinstance(item, Mapping) or "sender" not in item:
        return MessageError(f'It is {describe(item)}, and a message is a dict with a "sender".')
    content = item.get("content") or item.get("text") or ""
    attached = [part for key in _ATTACHED if isinstance(item.get(key), list) for part in item[key]]
    text = "\n".join(piece for piece in (blocks.render(plain(content)), *map(_placeholder, attached)) if piece)
    extra: dict[str, Any] = {"source": "claude"}
    if title:
        extra["title"] = title
    extra.update({key: item[key] for key in _ATTACHED if item.get(key)})
    return {
        "role": item["sender"],
        "content": content,
        "text": text,
        "id": item.get("uuid"),
        "observed_at": item.get("created_at"),
        "extra": extra,
    }


def _is_empty(item: Any) -> bool:
    return isinstance(item, dict) and item.get("text") == "" and not item.get("content")


def _placeholder(attachment: Any) -> str:
    name = attachment.get("file_name") if isinstance(attachment, Mapping) else None
    return blocks.placeholder("file", name)
