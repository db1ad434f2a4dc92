"""A turn decides, from the messages alone, what to ask memory, what not to repeat, and what to record."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, RemoveMessage, ToolMessage, convert_to_messages

from langgraph_memory.agent.state import MemoryRecall, value_of
from langgraph_memory.records import Answer, Hit, Neighbour
from langgraph_memory.retrieval.compose import compose
from langgraph_memory.text.fence import strip_fences
from langgraph_memory.text.normalise import clean

RECHECKED = 200
"""Newest messages offered to `record` every turn although they should be recorded already: an edited message
replaces its former wording, and looking 200 of them up takes about 10 ms (measured, 2 cores)."""

RECALLED = "(recalled from memory)"
"""Stands in the record for a tool result that held nothing but recalled memory."""

STAND_IN = "memory_evicted"
"""In `additional_kwargs` of a message that is only the two ends of one that memory holds whole."""

MOST_EXTRA_HITS = 50
"""Hits asked for beyond the limit, because those that the conversation still shows are left out."""


def newest_question(messages: Sequence[BaseMessage]) -> HumanMessage | None:
    """Return the newest message that a person wrote; a summary written in their name is none."""
    for message in reversed(messages):
        if isinstance(message, HumanMessage) and not is_summary(message):
            return message
    return None


def messages_in(state: Any) -> list[Any]:
    """Return the messages of a state, dicts and `(role, text)` pairs among them as LangChain's.

    What is no message at all is returned as it is, for whoever records to refuse it.
    """
    found = value_of(state, "messages")
    if not isinstance(found, list | tuple):
        return [] if found is None else [found]
    return [message if isinstance(message, BaseMessage) else _converted(message) for message in found]


def spoken_in(state: Any) -> list[BaseMessage]:
    """Return the messages of a state as `messages_in`, without what is none."""
    return [message for message in messages_in(state) if isinstance(message, BaseMessage)]


def wording(messages: Sequence[BaseMessage]) -> frozenset[str]:
    """Return the texts of messages as memory keeps them."""
    return frozenset(clean(str(message.text)).strip() for message in messages)


def _converted(message: Any) -> Any:
    try:
        [converted] = convert_to_messages([message])
    except Exception:
        return message
    return converted


def is_summary(message: Any) -> bool:
    """Say whether a summariser wrote it: a retelling of what is recorded already, word for word."""
    return isinstance(message, BaseMessage) and message.additional_kwargs.get("lc_source") == "summarization"


def unrecorded(messages: Sequence[Any], upto: str | None) -> list[Any]:
    """Return the messages to offer to `record`: all behind `upto` and, for edits, the newest `RECHECKED`.

    Where `upto` is unknown or gone from the list, that is all of them; recording skips what it has. So a long
    thread costs no more than a short one, and a turn that failed to record is made up for by the next.

    Recalled blocks are cut out of tool results: a copy of memory inside memory would be recalled as if somebody had
    said it again, and would survive the erasure of its original.
    """
    start = 0
    if upto is not None:
        places = [place for place, message in enumerate(messages) if id_of(message) == upto]
        start = min(places[-1] + 1, max(0, len(messages) - RECHECKED)) if places else 0
    return [
        _without_copies(message)
        for message in messages[start:]
        if not isinstance(message, RemoveMessage) and not is_summary(message) and not _is_stand_in(message)
    ]


def summarised_question(messages: Sequence[Any], recall: MemoryRecall | None) -> list[Any]:
    """Return this turn's question where a summariser took it away before the turn was recorded; mostly nothing.

    What a person said must not get lost because the agent then took many steps. Recall noted its text and id.
    """
    if not recall or not recall["query"] or not any(is_summary(message) for message in messages):
        return []
    if any(id_of(message) == recall["message_id"] for message in messages):
        return []
    return [HumanMessage(recall["query"], id=recall["message_id"])]


def id_of(message: Any) -> str | None:
    """Return the id of a message; None where it has none, or is none."""
    return message.id if isinstance(message, BaseMessage) else None


def _is_stand_in(message: Any) -> bool:
    """Say whether recording it would replace the whole message by its two ends."""
    return isinstance(message, BaseMessage) and bool(message.additional_kwargs.get(STAND_IN))


def _without_copies(message: Any) -> Any:
    if not isinstance(message, ToolMessage) or not isinstance(message.content, str):
        return message
    kept = strip_fences(message.content)
    return message if kept == message.content else message.model_copy(update={"content": kept.strip() or RECALLED})


def without_visible(
    answer: Answer,
    visible: Collection[str],
    words: Collection[str],
    thread_id: str | None,
    *,
    limit: int,
    budget: int,
    count_tokens: Callable[[str], int],
) -> tuple[Sequence[Hit], str]:
    """Return hits and block without the lines of this very conversation that the model sees anyway.

    Args:
        answer: what `Memory.recall` found when asked for more hits than `limit`.
        visible: ids of the messages in the state.
        words: their texts, as `wording`: what another branch said in the same words is left out too.
        thread_id: this conversation; lines of others stay, whatever their ids.
        limit: hits at most.
        budget: tokens that the block may take.
        count_tokens: estimates the tokens of a text.
    """
    hits = [
        _without_visible_neighbours(hit, visible, words) if hit.session_id == thread_id else hit
        for hit in answer.hits
        if not (
            hit.kind == "message" and hit.session_id == thread_id and (hit.id in visible or hit.text.strip() in words)
        )
    ][:limit]
    if hits == list(answer.hits):
        return hits, answer.block
    block, _ = compose(hits, budget=budget, count_tokens=count_tokens)
    return hits, block


def _without_visible_neighbours(hit: Hit, visible: Collection[str], words: Collection[str]) -> Hit:
    def hidden(lines: Sequence[Neighbour]) -> tuple[Neighbour, ...]:
        return tuple(line for line in lines if line.message_id not in visible and line.text.strip() not in words)

    return replace(hit, before=hidden(hit.before), after=hidden(hit.after))
