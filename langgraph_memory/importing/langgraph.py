"""The state of LangGraph threads, as its server, its SDK and its checkpoints write it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from langgraph_memory.importing.cut import is_cut
from langgraph_memory.importing.documents import Source, Value
from langgraph_memory.importing.openai import standing_alone
from langgraph_memory.importing.parts import ImportedSession, Part, Refusal, gather, text_id
from langgraph_memory.records import Message
from langgraph_memory.sessions.messages import message_digest, to_moment

SHAPE = (
    'thread state {"values": {"messages": [...]}, "metadata": {"thread_id"}, ...}, alone, as a history list or one a '
    "line; or a list of serialised LangChain messages"
)

_TYPES = ("human", "ai", "AIMessageChunk", "HumanMessageChunk", "system", "tool", "function", "chat", "remove")

_LOST = "The file is cut off before its thread and its time, without which its messages cannot be filed."


@dataclass(frozen=True, slots=True)
class _State:
    value: Value
    path: tuple[str, ...]
    messages: list[Any]
    at: datetime | None

    def line(self, number: int) -> int:
        return self.value.line_of(*self.path, number - 1)


def detect(source: Source) -> bool:
    """Say whether `source` is in this format."""
    return any(isinstance(data, Mapping) and _belongs(data, source.container) for data in source.peek)


def _belongs(data: Mapping[str, Any], container: str) -> bool:
    if _is_langchain(data):
        return container != "lines"  # one message a line is our own format's business
    found = _messages(data)
    return found is not None and ("values" in data or "channel_values" in data or any(map(_is_langchain, found[1])))


def read(source: Source) -> Iterator[Part]:
    """Yield a session for each thread, with every message that any of its states held.

    A message that a later state has changed or removed is kept; where it was changed, both forms come, the
    older one first. A message without a date of its own gets the date of the first state that held it,
    which `extra["observed_from"] = "checkpoint"` says.
    """
    threads: dict[str, list[_State]] = {}
    loose: list[Value] = []
    for value in source.values():
        if isinstance(value, Refusal):
            yield value
        elif _is_langchain(value.data):
            loose.append(value)
        elif not isinstance(value.data, Mapping):
            yield Refusal(value.line, f"state {value.number}", "It is no thread state, which is a JSON object.")
        else:
            found = _messages(value.data)
            if found is None:
                yield Refusal(value.line, f"state {value.number}", 'It has no "messages".', skipped=True)
                continue
            own, at = _thread_id(value.data), _moment(value.data)
            if is_cut(value.data) and (own is None or at is None):
                whole = sum(not is_cut(message) for message in found[1])
                yield Refusal(value.line, f"state {value.number}", f"{_LOST} Left out: {whole} messages.")
                continue
            threads.setdefault(own or source.stem, []).append(_State(value, *found, at))
    for thread, states in threads.items():
        yield from _thread(thread, states)
    yield from standing_alone(loose, source)


def _thread(thread: str, states: list[_State]) -> Iterator[Part]:
    seen: set[tuple[str | None, str]] = set()
    told: set[str] = set()
    kept: list[Message] = []
    for state in _oldest_first(states):
        messages, refusals = gather(dict(enumerate(state.messages, 1)), f"thread {thread}", state.line)
        for refusal in refusals:
            if refusal.where not in told:  # every later state holds the same broken message again
                told.add(refusal.where)
                yield refusal
        new = [message for message in messages if (message.id, message_digest(message)) not in seen]
        seen.update((message.id, message_digest(message)) for message in new)
        kept.extend(_dated(message, state.at) for message in new)
    if kept:
        yield ImportedSession(thread, tuple(kept))


def _oldest_first(states: list[_State]) -> list[_State]:
    """Order a history, which LangGraph gives newest first, by its dates where all states have one."""
    reverse = states[::-1]
    if all(state.at is not None for state in states):
        return sorted(reverse, key=lambda state: (state.at is not None, state.at))
    return reverse


def _dated(message: Message, at: datetime | None) -> Message:
    if message.observed_at is not None or at is None:
        return message
    return replace(message, observed_at=at, extra={**message.extra, "observed_from": "checkpoint"})


def _messages(data: Mapping[str, Any]) -> tuple[tuple[str, ...], list[Any]] | None:
    """Return the messages of a state and the path to them."""
    for path in (("values",), ("channel_values",), ()):
        holder = data.get(path[0]) if path else data
        found, path = (holder.get("messages"), (*path, "messages")) if isinstance(holder, Mapping) else (holder, path)
        if isinstance(found, list):
            return path, found
    return None


def _thread_id(data: Mapping[str, Any]) -> str | None:
    places: list[Any] = [data, data.get("checkpoint"), data.get("metadata")]
    config = data.get("config")
    if isinstance(config, Mapping):
        places.append(config.get("configurable"))
    return text_id(*(place.get("thread_id") for place in places if isinstance(place, Mapping)))


def _moment(data: Mapping[str, Any]) -> datetime | None:
    for name in ("created_at", "ts"):
        try:
            return to_moment(data[name])
        except (KeyError, ValueError):
            continue
    return None


def _is_langchain(data: Any) -> bool:
    if not isinstance(data, Mapping) or "role" in data:
        return False
    if data.get("lc") is not None and data.get("type") == "constructor":
        return True
    return data.get("type") in _TYPES and ("content" in data or isinstance(data.get("data"), Mapping))
