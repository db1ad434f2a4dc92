"""An OpenAI item becomes an entry whose text can be recalled, and comes back exactly as it was given."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph_memory.clock import from_micros
from langgraph_memory.errors import InvalidInput, MessageError
from langgraph_memory.records import SEALED, Entry, Message
from langgraph_memory.sessions import blocks
from langgraph_memory.sessions.messages import message_digest, to_messages
from langgraph_memory.sessions.plain import MAX_DEPTH, plain
from langgraph_memory.sessions.recorder import LONGEST_NAME
from langgraph_memory.storage.database import dump_json
from langgraph_memory.toolkits.sealing import Sealing

ITEM = "item"
"""The key in an entry's `extra` under which the item stands, where the entry alone does not tell it."""

AT = "at"
"""The key under which an item of a session's head tells when it was written, in microseconds."""

PLACEHOLDER_ID = "__fake_id__"
"""What openai-agents gives every item of a model without ids of its own: it names nothing."""


@dataclass(frozen=True, slots=True)
class GivenItem:
    """An item ready to be stored.

    Attributes:
        item_id: its own id, None where it has none that names it.
        item: as given.
        message: what is recorded of it; nothing readable where it is sealed.
        digest: what tells its content apart.
    """

    item_id: str | None
    item: Mapping[str, Any]
    message: Message
    digest: str


def read_items(items: Any, seal: Sealing | None) -> list[GivenItem]:
    """Return items ready to be stored.

    Raises:
        InvalidInput: this is no list of dicts, or one holds something that JSON does not know, or is nested too deep
            for an entry; it says which.
    """
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Sequence):
        raise InvalidInput('items is a list of dicts. Write for example [{"role": "user", "content": "Hello"}].')
    return [_given(index, item, seal) for index, item in enumerate(items)]


def item_of(entry: Entry, seal: Sealing | None = None) -> Any:
    """Return the item that an entry stands for; a message that was recorded elsewhere becomes one with its text.

    Raises:
        SealBroken: it is sealed and cannot be opened.
    """
    if SEALED in entry.extra:
        return json.loads(Sealing.open(seal, entry.extra[SEALED], entry.recorded_at))
    if seal is not None:
        seal.allow_plain()
    if ITEM in entry.extra:
        return entry.extra[ITEM]
    done = blocks.only_item(entry.content)
    if done is not None:
        return done
    return _said(entry.role, entry.content, entry.text)


def written_item(written: Mapping[str, Any], seal: Sealing | None = None) -> Any:
    """Return an item that a compaction wrote; see `item_of`."""
    if SEALED in written:
        return json.loads(Sealing.open(seal, written[SEALED], from_micros(written[AT])))
    if seal is not None:
        seal.allow_plain()
    return written[ITEM]


def to_written(given: GivenItem, at: int) -> dict[str, Any]:
    """Return an item as the head of a session keeps it, sealed where it was read with a seal.

    Args:
        at: the present, in microseconds.
    """
    kept = {SEALED: given.message.extra[SEALED]} if SEALED in given.message.extra else {ITEM: dict(given.item)}
    return {**kept, AT: at}


def _given(index: int, item: Any, seal: Sealing | None) -> GivenItem:
    if not isinstance(item, Mapping):
        raise InvalidInput(f"Item {index} is no dict but {type(item).__name__}. Nothing was added.")
    try:
        text = json.dumps(dict(item), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"Item {index} holds something that JSON does not know ({error}).") from None
    try:
        plain([[dict(item)]])  # it stands as deep in what an entry holds
    except MessageError:
        raise InvalidInput(
            f"Item {index} is nested deeper than {MAX_DEPTH - 2} levels. Flatten it; nothing was added."
        ) from None
    item_id = item.get("id")
    if not _names(item_id):
        item_id = None
    message = _message(item)
    if seal is not None:
        sealed = Message(message.role, "", None, extra={SEALED: seal.close(text)})
        return GivenItem(item_id, item, sealed, message_digest(sealed))
    calls = {key: message.extra[key] for key in ("tool_calls", "tool_call_id") if key in message.extra}
    extra = calls if _tells_all(message, item) else {**calls, ITEM: dict(item)}
    # What is done rather than said is the tool's in recall, the assistant's call too.
    role = "tool" if blocks.only_done(message.content) else message.role
    kept = Message(role, message.text, message.content, speaker=message.speaker, extra=extra)
    return GivenItem(item_id, item, kept, message_digest(message))


def _names(item_id: object) -> bool:
    if not isinstance(item_id, str) or not item_id.strip() or item_id == PLACEHOLDER_ID:
        return False
    return len(item_id.encode("utf-8", "replace")) <= LONGEST_NAME


def _message(item: Mapping[str, Any]) -> Message:
    """Return what is readable of an item; one of a kind not known yet is the assistant's and says nothing."""
    try:
        return to_messages(dict(item))[0]
    except MessageError:
        calls = blocks.block_calls([dict(item)])
        extra = {"tool_calls": calls} if calls else {}
        return Message("assistant", "", [dict(item)], speaker="assistant", extra=extra)


def _tells_all(message: Message, item: Mapping[str, Any]) -> bool:
    """Say whether `item_of` will find the item without its being kept a second time."""
    told = blocks.only_item(message.content) or _said(message.role, message.content, message.text)
    return dump_json(told) == dump_json(dict(item))


def _said(role: str, content: Any, text: str) -> dict[str, Any]:
    """Return the plainest item that says this.

    A tool's result becomes the assistant's words: the call that it answers may be told in another shape, and a result
    without its call is refused by the API.
    """
    return {"role": "assistant" if role == "tool" else role, "content": content if isinstance(content, str) else text}
