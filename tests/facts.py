"""A chat model that distils by a fixed rule, so that what it answers depends on the messages alone."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage

from langgraph_memory.testing import ScriptedChatModel

_LINE = re.compile(r"^\[(\d+)\] \d{4}-\d\d-\d\d \(\w+\) (\S+)(?: [^:]*)?: (.*)$")


def new_lines(messages: Sequence[BaseMessage]) -> list[tuple[int, str, str]]:
    """Return `(number, role, text)` of the new messages in an extraction prompt."""
    prompt = str(messages[-1].content).partition("New messages:")[2]
    return [(int(m[1]), m[2], m[3]) for m in map(_LINE.match, prompt.splitlines()) if m]


def every_fact(messages: list[BaseMessage]) -> str:
    """Answer with one memory for each new message that begins with "Fact"."""
    return answer(*({"text": text, "sources": [n]} for n, _, text in new_lines(messages) if text.startswith("Fact")))


def answer(*memories: Any) -> str:
    """Return an answer with these memories."""
    return json.dumps({"memories": list(memories)}, ensure_ascii=False)


def distiller(calls: int = 1_000) -> ScriptedChatModel:
    """Return a model that answers with `every_fact` as often as it is asked."""
    return ScriptedChatModel([every_fact] * calls)
