"""The state channel of a compaction, plain enough for any checkpointer and readable in Studio."""

from __future__ import annotations

from typing import Annotated, NotRequired

from langchain.agents.middleware.types import PrivateStateAttr
from typing_extensions import TypedDict

COMPACTION_CHANNEL = "memory_compaction"


class MemoryCompaction(TypedDict):
    """What the last compaction did.

    Attributes:
        left: how many messages left the window for the summary.
        evicted: how many tool results gave way to their two ends.
        by: who wrote the summary, `model` or `rules`; None where none was written.
        tokens: estimated tokens of the conversation afterwards.
        failed_at: how many messages there were when it failed.
        error: why the history, or a part of it, stayed as it was.
    """

    left: int
    evicted: int
    by: str | None
    tokens: int
    failed_at: NotRequired[int]
    error: NotRequired[str]


class CompactionState(TypedDict):
    """The channel to add to the state of a hand-built graph: `class State(MessagesState, CompactionState)`."""

    memory_compaction: NotRequired[Annotated[MemoryCompaction, PrivateStateAttr]]
