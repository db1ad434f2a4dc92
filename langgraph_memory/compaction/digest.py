"""A summary without a model: the sentences of people that say most, word for word, within a number of tokens."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import BaseMessage, HumanMessage

from langgraph_memory.agent.turn import STAND_IN
from langgraph_memory.clock import system_clock
from langgraph_memory.compaction.summary import Summary, spoken
from langgraph_memory.text.tokens import clip, estimate_tokens
from langgraph_memory.writing.sentences import propose

OPENING = "From them, as far as rules can tell that it matters:"
NOTHING = "Rules found no sentence in them to show here."


def digest(messages: Sequence[BaseMessage], earlier: Summary | None, most_tokens: int) -> Summary:
    """Return a summary that rules wrote.

    From each person's message the statements are taken that `writing.sentences` would remember. Where they are too
    many, the newest stay. What a model wrote earlier stays in front, in at most half of the room.

    Args:
        messages: what leaves.
        earlier: the summary so far.
        most_tokens: estimated tokens that the text may have.
    """
    lines = list(earlier["lines"]) if earlier else []
    for message in messages:
        if isinstance(message, HumanMessage):
            text = spoken(message).partition(": ")[2]
            # The moment only dates what is remembered, and nothing here is.
            lines += [one.text for one in propose("user", "user", text, system_clock())]
        elif message.additional_kwargs.get(STAND_IN):
            size = message.additional_kwargs[STAND_IN]["characters"]
            lines.append(f"A tool result of {size:,} characters is kept under the message id {message.id}.")
    lines = list(dict.fromkeys(lines))
    before = ""
    if earlier and earlier["text"] and earlier["by"] == "model":
        before = clip(earlier["text"], most_tokens // 2)
    elif earlier:
        before = earlier["text"].partition(OPENING)[0].replace(NOTHING, "").strip()
    lines = _newest(lines, most_tokens - estimate_tokens(f"{before}\n\n{OPENING}\n"))
    said = "\n".join([OPENING, *(f"- {line}" for line in lines)]) if lines else NOTHING
    return Summary(
        text=f"{before}\n\n{said}".strip(),
        messages=(earlier["messages"] if earlier else 0) + len(messages),
        by="rules",
        lines=lines,
    )


def _newest(lines: Sequence[str], room: int) -> list[str]:
    kept: list[str] = []
    for line in reversed(lines):
        room -= estimate_tokens(f"\n- {line}")
        if room < 0:
            break
        kept.append(line)
    return kept[::-1]
