"""The summary message: how it is asked for, how it is marked, and how an earlier one is read again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from typing_extensions import TypedDict

from langgraph_memory.errors import MessageError
from langgraph_memory.prompts import load_prompt
from langgraph_memory.sessions.messages import to_messages
from langgraph_memory.text.enclose import enclose
from langgraph_memory.text.fence import neutralise, strip_fences
from langgraph_memory.text.tokens import clip, estimate_tokens

_RULES = load_prompt("compact").text  # read at import: never on an event loop

MARK = "memory_summary"
"""In `additional_kwargs` of a summary message: the `Summary` that it shows."""

RESULT_TOKENS = 400
"""Estimated tokens of each tool result that a summariser reads; all of it stays in memory."""

LEAST_TOKENS = 20
"""To which a very long conversation's messages are cut at most."""


class Summary(TypedDict):
    """A running summary, JSON-plain.

    Attributes:
        text: the summary itself, without any introduction.
        messages: how many messages it stands for, those of earlier summaries included.
        by: `model`, or `rules` where none wrote it.
        lines: sentences chosen by rule, where rules wrote it.
    """

    text: str
    messages: int
    by: str
    lines: list[str]


def summary_message(summary: Summary, in_memory: bool) -> HumanMessage:
    """Return the message that stands for what left the window; the same summary has the same id and bytes."""
    writer = "a model" if summary["by"] == "model" else "rule, without a model"
    kept = " They are kept in memory, word for word, and can be searched." if in_memory else ""
    opening = f"Summary of the {summary['messages']} messages before this point, written by {writer}.{kept}"
    digest = hashlib.sha256(f"{summary['messages']}\n{summary['text']}".encode("utf-8", "surrogatepass")).hexdigest()
    return HumanMessage(
        f"{opening}\n\n{summary['text']}",
        id=f"summary-{digest[:16]}",
        additional_kwargs={"lc_source": "summarization", MARK: summary},
    )


def read_summary(messages: Sequence[BaseMessage]) -> Summary | None:
    """Return what earlier summaries say, ours or another summariser's, as one; None where there is none."""
    if not messages:
        return None
    found = [_read(message) for message in messages]
    return Summary(
        text="\n\n".join(one["text"] for one in found if one["text"]),
        messages=sum(one["messages"] for one in found),
        by=found[-1]["by"],
        lines=[line for one in found for line in one["lines"]],
    )


def prompt(
    messages: Sequence[BaseMessage], earlier: Summary | None, most_tokens: int, read_tokens: int
) -> list[BaseMessage]:
    """Return the prompt that folds messages into a summary.

    Args:
        messages: what leaves; recalled blocks in it are left out, long tool results are cut.
        earlier: the summary so far.
        most_tokens: that the new one may have.
        read_tokens: estimated tokens of messages that the model is given; longer ones are all cut alike.
    """
    lines = [spoken(message) for message in messages]
    limits = [RESULT_TOKENS if message.type == "tool" else read_tokens for message in messages]
    if sum(min(limit, estimate_tokens(line)) for limit, line in zip(limits, lines, strict=True)) > read_tokens:
        share = max(LEAST_TOKENS, read_tokens // len(lines))
        limits = [min(limit, share) for limit in limits]
    parts = []
    if earlier is not None and earlier["text"]:
        parts.append("The summary so far:\n" + enclose("summary", earlier["text"]))
    shown = [clip(line, limit) for line, limit in zip(lines, limits, strict=True)]
    parts.append("The messages that follow it:\n" + enclose("messages", "\n\n".join(line for line in shown if line)))
    words = max(20, most_tokens * 6 // 10)
    parts.append(f"Write the new summary now, in at most {words} words.")
    return [SystemMessage(_RULES), HumanMessage("\n\n".join(parts))]


def spoken(message: BaseMessage) -> str:
    """Return who says what in a message, with its calls; pictures are placeholders, recalled memory is left out."""
    try:
        (read,) = to_messages([message])
    except MessageError:
        return ""
    text = strip_fences(read.text).strip()
    return f"{read.speaker}: {text}" if text else ""


def tidy(text: str, most_tokens: int) -> str:
    """Return a summary fit for the window: within its size, without anybody's fences or role tags."""
    return clip(neutralise(strip_fences(text)).strip(), most_tokens)


def _read(message: BaseMessage) -> Summary:
    ours = message.additional_kwargs.get(MARK)
    if isinstance(ours, dict) and isinstance(ours.get("text"), str):
        count, lines = ours.get("messages"), ours.get("lines")  # whoever calls a server can send such a message
        return Summary(
            text=ours["text"],
            messages=max(0, count) if isinstance(count, int) else 0,
            by="rules" if ours.get("by") == "rules" else "model",
            lines=[str(line) for line in lines] if isinstance(lines, list) else [],
        )
    return Summary(text=strip_fences(str(message.text)), messages=0, by="model", lines=[])
