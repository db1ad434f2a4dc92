"""Compaction of another toolkit's items: older turns become one summary item, the newest stay as they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from langgraph_memory.compaction.digest import OPENING, digest
from langgraph_memory.compaction.middleware import SUMMARY_TOKENS
from langgraph_memory.compaction.summary import Summary, prompt, summary_message, tidy
from langgraph_memory.errors import InvalidInput, MessageError, ModelError
from langgraph_memory.models.chat import CallBudget, Chat, as_chat
from langgraph_memory.sessions.messages import to_messages

KEEP_TURNS = 2
"""Turns that stay word for word: the one that was just had, and what it answers to."""

READ_TOKENS = 24_000

_OPENING = re.compile(r"Summary of the (\d+) messages before this point, written by (a model|rule)\b[^\n]*\n\n")


def summarise_items(
    model: str | BaseChatModel | Chat | None = None,
    *,
    keep_turns: int = KEEP_TURNS,
    summary_tokens: int = SUMMARY_TOKENS,
    searchable: bool = True,
) -> Callable[[list[Any]], list[Any]]:
    """Return a compactor for sessions of the OpenAI Agents SDK; see `ItemCompaction`.

    All that stands before the last `keep_turns` messages of the user, with the summary so far, becomes one new summary
    in a message of the user's, in at most one model call. So a call of tools is never parted from its outputs.

    Args:
        model: who summarises: a name such as `"openai:gpt-5-mini"` or any LangChain chat model; None for rules.
        keep_turns: at least 1.
        summary_tokens: estimated tokens that the summary may take.
        searchable: whether the summary says that what it stands for can be searched; sealed items cannot.

    Raises:
        InvalidInput: an option makes no sense. The compactor itself raises `ModelError` where the model fails or
            answers nothing.
    """
    for name, number, least in (("keep_turns", keep_turns, 1), ("summary_tokens", summary_tokens, 32)):
        if isinstance(number, bool) or not isinstance(number, int) or number < least:
            raise InvalidInput(f"{name} is a whole number of at least {least}, not {number!r}.")
    chat = as_chat(model)

    def summarise(items: list[Any]) -> list[Any]:
        earlier = _summary_in(items[0]) if items else None
        talk = items[1:] if earlier else items
        turns = [place for place, item in enumerate(talk) if item.get("role") == "user"]
        cut = turns[-keep_turns] if len(turns) > keep_turns else 0
        if cut == 0:
            return items
        leaving = [_message(item) for item in talk[:cut]]
        if chat is None:
            summary = digest(leaving, earlier, summary_tokens)
        else:
            answer = chat.ask(prompt(leaving, earlier, summary_tokens, READ_TOKENS), budget=CallBudget())
            text = tidy(answer.text, summary_tokens)
            if not text:
                raise ModelError("The chat model answered with no text when it was asked for a summary.")
            count = len(leaving) + (earlier["messages"] if earlier else 0)
            summary = Summary(text=text, messages=count, by="model", lines=[])
        return [{"role": "user", "content": summary_message(summary, searchable).text}, *talk[cut:]]

    return summarise


def _summary_in(item: Mapping[str, Any]) -> Summary | None:
    """Return the summary that an item is, None for any other item."""
    content = item.get("content")
    found = _OPENING.match(content) if item.get("role") == "user" and isinstance(content, str) else None
    if found is None:
        return None
    text = str(content)[found.end() :]
    if found[2] == "a model":
        return Summary(text=text, messages=int(found[1]), by="model", lines=[])
    chosen = text.partition(OPENING)[2].splitlines()
    lines = [line.removeprefix("- ") for line in chosen if line.startswith("- ")]
    return Summary(text=text, messages=int(found[1]), by="rules", lines=lines)


def _message(item: Mapping[str, Any]) -> BaseMessage:
    """Return what an item says as a message that can be summarised; nothing where it is of an unknown kind."""
    try:
        (read,) = to_messages([dict(item)])
    except MessageError:
        return AIMessage("")
    if read.role == "user":
        return HumanMessage(read.text)
    return ToolMessage(read.text, tool_call_id="") if read.role == "tool" else AIMessage(read.text)
