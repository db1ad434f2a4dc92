"""Injection shows recalled memory to the model beside the question, for one call and without touching the state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from langchain_core.messages import BaseMessage, HumanMessage

from langgraph_memory.agent.state import MemoryRecall
from langgraph_memory.agent.turn import newest_question

MessageT = TypeVar("MessageT", bound=BaseMessage)


def with_memory(messages: Sequence[MessageT], recall: MemoryRecall | None) -> list[MessageT]:
    """Return the messages with the recalled block put before the text of the message that asked.

    Only that message differs, and it is a copy. The system prompt and everything before the question keep their
    bytes from turn to turn, so a provider's prompt cache still holds; within a turn each call shows the same
    bytes. The block stands inside the message, not in one of its own, because some models refuse two messages of
    one role in a row. Content that is a list (images, files) gets it as a first text block.

    Args:
        messages: what would be sent to the model.
        recall: the `memory_recall` channel; None and an empty block change nothing.
    """
    shown = list(messages)
    if not recall or not recall["block"]:
        return shown
    place = _place(shown, recall["message_id"])
    if place is not None:
        shown[place] = _prefixed(shown[place], recall["block"])
    return shown


def _place(messages: Sequence[BaseMessage], message_id: str | None) -> int | None:
    """Return where the question stands; the last human message where it was summarised or rewritten meanwhile."""
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if message_id is not None and message.id == message_id and isinstance(message, HumanMessage):
            return place
    question = newest_question(messages)
    for place in range(len(messages) - 1, -1, -1):
        if messages[place] is question or (question is None and isinstance(messages[place], HumanMessage)):
            return place
    return None


def _prefixed(message: MessageT, block: str) -> MessageT:
    if isinstance(message.content, str):
        return message.model_copy(update={"content": f"{block}\n\n{message.content}"})
    return message.model_copy(update={"content": [{"type": "text", "text": f"{block}\n\n"}, *message.content]})
