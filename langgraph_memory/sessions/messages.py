"""Whatever a conversation is written in, it becomes a list of our own messages, with nothing lost."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from langgraph_memory.clock import as_utc, zoned
from langgraph_memory.errors import MessageError
from langgraph_memory.records import SEALED, Message
from langgraph_memory.sessions import blocks
from langgraph_memory.sessions.plain import canonical, plain
from langgraph_memory.sessions.shapes import ACCEPTED, ROLES, Unreadable, describe, fields_of, is_single
from langgraph_memory.text.normalise import clean

_OWN_FIELDS = (
    "role",
    "content",
    "text",
    "id",
    "name",
    "speaker",
    "observed_at",
    "tool_calls",
    "function_call",
    "extra",
)


def to_messages(value: Any) -> list[Message]:
    """Return the messages that `value` holds, in order.

    Args:
        value: one message or a collection of them, in any mixture of: LangChain messages, also
            serialised; dicts with `role` and `content`, as OpenAI and Anthropic take them; OpenAI
            Responses items; `(role, content)` tuples; plain text, which the user said; `Message`. A dict
            may also carry `speaker` (text), `observed_at` (datetime or ISO 8601 text; UTC where it names
            no zone), `text` (to show instead of the rendered content) and `extra` (a dict).

    Returns:
        One message for each item. `content` is as given but JSON-plain (see `plain`); `text` is what a
        person would read; `extra` holds `tool_calls` as `{"type": "tool_call", "name", "args", "id"}`,
        `tool_call_id`, `status`, and every other field that the item had and that is not empty.

    Raises:
        MessageError: an item has no usable shape. It says which item, what it is, and what is accepted.
    """
    messages: list[Message] = []
    for outcome in each_message(value):
        if isinstance(outcome, MessageError):
            raise outcome
        messages.append(outcome)
    return messages


def each_message(value: Any) -> Iterator[Message | MessageError]:
    """Yield, for each item of `value`, its message or the error that says why it is none.

    A collection that cannot be read at all yields one error. A tool's name is taken from the call that it
    answers where the result does not give it and the call came before it in `value`.
    """
    if isinstance(value, Message) or is_single(value):
        items: Iterable[Any] = (value,)
    elif isinstance(value, Iterable):
        items = value
    else:
        yield MessageError(f"Expected messages, but got {describe(value)}. Accepted: {ACCEPTED}.")
        return
    tools: dict[str, str] = {}
    for index, item in enumerate(items):
        try:
            message = _checked_message(item) if isinstance(item, Message) else _message(fields_of(item), tools)
        except Unreadable as reason:
            yield MessageError(f"Message {index} is {describe(item)}: {reason}. Accepted: {ACCEPTED}.")
            continue
        except (MessageError, RecursionError) as error:
            yield MessageError(f"Message {index} cannot be read. {error}")
            continue
        for call in tool_calls(message):
            if isinstance(call.get("id"), str) and isinstance(call.get("name"), str):
                tools[call["id"]] = call["name"]
        yield message


def tool_calls(message: Message) -> list[dict[str, Any]]:
    """Return the calls that a message makes, each `{"type": "tool_call", "name", "args", "id", ...}`."""
    calls = message.extra.get("tool_calls")
    return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []


def message_digest(message: Message) -> str:
    """Return 32 hexadecimal digits that are equal for two messages that say the same.

    Compared are role, speaker, content, tool calls and the id of the call that is answered; the text only
    where there is no content. A tool's speaker is left out: whether its name is known depends on whether
    the call was given along. A lone call is the tool's, whoever is said to make it: some files call it the
    assistant's. Text is compared as it is stored, so that an export says the same as what it was made of. Md5
    because it only tells messages apart; it protects nothing.
    """
    calls = [{key: call.get(key) for key in ("name", "args", "id")} for call in tool_calls(message)]
    role = "tool" if blocks.only_done(message.content) else message.role
    said = [
        role,
        None if role == "tool" else clean(message.speaker or role),
        message.content if message.content is not None else {"text": clean(message.text)},
        calls,
        message.extra.get("tool_call_id"),
    ]
    if SEALED in message.extra:
        said.append(message.extra[SEALED])
    return hashlib.md5(canonical(plain(said)).encode("ascii"), usedforsecurity=False).hexdigest()


def _message(fields: dict[str, Any], tools: Mapping[str, str]) -> Message:
    given_role = fields["role"]
    role = ROLES[given_role]
    content = plain(fields["content"]) if "content" in fields else fields.get("text")
    extra = _extra(fields, content)
    answered = blocks.results_only(content)
    if answered is not None and role == "user":
        # Anthropic sends a tool's result in the user's name; nobody should believe that the user said it.
        role = "tool"
        if len(answered) == 1:
            extra.setdefault("tool_call_id", answered[0])
        else:
            extra.setdefault("tool_call_ids", answered)
    if given_role not in ("human", "ai", role):
        extra.setdefault("given_role", given_role)
    text = fields.get("text")
    if text is not None and not isinstance(text, str):
        raise Unreadable(f"its text is {describe(text)}")
    return Message(
        role=role,
        text=text if text is not None else _readable(content, extra, as_result=role == "tool"),
        content=content,
        id=_identity(fields.get("id")),
        speaker=_speaker(fields, extra) or tools.get(str(extra.get("tool_call_id")), role),
        observed_at=_moment(fields, extra),
        extra=extra,
    )


def _extra(fields: Mapping[str, Any], content: Any) -> dict[str, Any]:
    """Everything that has no place of its own in a message; what is None says nothing and is left out."""
    nested = fields.get("extra")
    if nested is not None and not isinstance(nested, Mapping):
        raise Unreadable(f"its extra is {describe(nested)}, not a dict")
    extra: dict[str, Any] = plain(dict(nested or {}))
    extra.update({key: plain(value) for key, value in fields.items() if key not in _OWN_FIELDS and value is not None})
    if "speaker" in fields and isinstance(fields.get("name"), str):
        extra["name"] = fields["name"]
    calls = _calls(fields, extra, content)
    if calls:
        extra["tool_calls"] = calls
    return extra


def _calls(fields: Mapping[str, Any], extra: Mapping[str, Any], content: Any) -> list[dict[str, Any]]:
    """The tool calls of a message, from the first place that has any."""
    more = extra.get("additional_kwargs")
    kwargs = more if isinstance(more, dict) else {}
    for source in (fields, extra, kwargs):
        calls, single = plain(source.get("tool_calls")), plain(source.get("function_call"))
        if calls is not None and not (isinstance(calls, list) and all(isinstance(call, dict) for call in calls)):
            raise Unreadable("its tool_calls are not a list of dicts")
        given = [*(calls or ()), *([single] if isinstance(single, dict) else ())]
        # What was read before and exported stays: reading it again might change it.
        found = [call if source is extra and blocks.is_own_call(call) else blocks.tool_call(call) for call in given]
        if found:
            return found
    return blocks.block_calls(content)


def _readable(content: Any, extra: Mapping[str, Any], *, as_result: bool) -> str:
    pieces = [blocks.render(content, as_result=as_result)]
    if isinstance(extra.get("refusal"), str):
        pieces.append(extra["refusal"])
    if isinstance(extra.get("audio"), dict):
        pieces.append(blocks.render({"type": "audio", **extra["audio"]}))
    shown = blocks.block_calls(content)
    for call in extra.get("tool_calls", ()):
        if not any(_same_call(call, other) for other in shown):
            pieces.append(blocks.call_text(call))
    return "\n".join(piece for piece in pieces if piece)


def _same_call(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    if one.get("id") is not None and other.get("id") is not None:
        return bool(one["id"] == other["id"])
    return bool(one.get("name") == other.get("name") and one.get("args") == other.get("args"))


def _identity(given: object) -> str | None:
    if given is None or given == "":
        return None
    if isinstance(given, bool) or not isinstance(given, str | int):
        raise Unreadable(f"its id is {describe(given)}, not text")
    return str(given)


def _speaker(fields: Mapping[str, Any], extra: Mapping[str, Any]) -> str | None:
    for key in ("speaker", "name"):
        given = fields.get(key)
        if given is not None and not isinstance(given, str):
            raise Unreadable(f"its {key} is {describe(given)}, not text")
        if given and given.strip():
            return str(given)
    # LangChain messages have no field for it, so people put it beside the content.
    more = extra.get("additional_kwargs")
    beside = more.get("speaker") if isinstance(more, dict) else None
    return beside if isinstance(beside, str) and beside.strip() else None


def _moment(fields: Mapping[str, Any], extra: Mapping[str, Any]) -> datetime | None:
    given = fields.get("observed_at")
    more = extra.get("additional_kwargs")
    if given is None and isinstance(more, dict):
        try:
            return to_moment(more.get("observed_at"))
        except ValueError:
            return None  # somebody else's field of that name; it stays in `extra`
    try:
        return to_moment(given)
    except ValueError as error:
        raise Unreadable(f"its observed_at {error}") from None


def to_moment(given: object) -> datetime | None:
    """Return a time with its zone from a datetime or ISO 8601 text; without a zone it is UTC; None stays None.

    Raises:
        ValueError: it is neither, or outside the years 1 to 9999 in UTC.
    """
    if given is None:
        return None
    if not isinstance(given, str | datetime):
        raise ValueError(f"is {describe(given)}, neither a datetime nor ISO 8601 text")
    try:
        moment = zoned(datetime.fromisoformat(given.strip()) if isinstance(given, str) else given)
        as_utc(moment)  # the first and last days of the calendar do not exist everywhere
        return moment
    except (ValueError, OverflowError):
        raise ValueError(f"is not a date that can be read as ISO 8601: {str(given)[:40]!r}") from None


def _checked_message(message: Message) -> Message:
    if message.role not in ROLES.values() or not isinstance(message.text, str):
        raise Unreadable(f"a Message needs a role of {', '.join(dict.fromkeys(ROLES.values()))} and a text")
    return replace(
        message,
        content=plain(message.content),
        id=_identity(message.id),
        speaker=_speaker({"speaker": message.speaker}, {}) or message.role,
        observed_at=_moment({"observed_at": message.observed_at}, {}),
        extra=plain(dict(message.extra)),
    )


def name_of(messages: Iterable[Message]) -> str:
    """Return a thread name that the same messages always get, so that saying them twice is saying them once."""
    told = "\n".join(f"{message.role}\t{message.id or ''}\t{message.text}" for message in messages)
    return f"remembered-{hashlib.md5(told.encode('utf-8', 'surrogatepass'), usedforsecurity=False).hexdigest()[:16]}"
