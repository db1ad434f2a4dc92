"""What a run needs from outside: a question to the model, or the repair of a call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage

from langgraph_memory.editing.calls import Call
from langgraph_memory.editing.schemas import Schema


@dataclass(frozen=True, slots=True)
class Ask:
    """The model is to be asked; the answer is an `AIMessage`."""

    messages: Sequence[BaseMessage]
    tools: Sequence[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Fix:
    """A call is to be repaired; the answer is a `Repaired`."""

    call: Call
    schemas: Sequence[Schema]
    messages: Sequence[BaseMessage]
