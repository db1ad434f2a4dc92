"""Events tell whoever streams a run with `stream_mode="custom"` what memory just did."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class RecalledHitEvent(TypedDict):
    """One recalled line by id; its text is in the `memory_recall` state, not in the stream."""

    id: str
    score: float


class RecalledEvent(TypedDict):
    """Memory was searched.

    Attributes:
        source: name of the middleware, tool or node.
        query: what was asked.
        hits: what was found, best first.
        gaps: what was asked and not found.
        error: why the search failed; the run went on without memory.
    """

    type: Literal["memory.recalled"]
    source: str
    query: str
    hits: list[RecalledHitEvent]
    gaps: list[str]
    error: NotRequired[str]


class RecordedEvent(TypedDict):
    """Messages were written to memory.

    Attributes:
        source: name of the middleware or node.
        added, skipped: how many messages were new, and how many already recorded.
        refused: why others cannot be recorded.
        error: why nothing was written; they are tried again after the next turn.
    """

    type: Literal["memory.recorded"]
    source: str
    added: int
    skipped: int
    refused: NotRequired[list[str]]
    error: NotRequired[str]


class WrittenEvent(TypedDict):
    """Something became of one proposed memory.

    Attributes:
        id: the memory that was added, reinforced or retired; None where there is none.
        reason: why it was skipped, refused or failed.
        of: the memory that it repeats.
    """

    type: Literal[
        "memory.added",
        "memory.reinforced",
        "memory.skipped",
        "memory.refused",
        "memory.failed",
        "memory.retired",
        "memory.restored",
    ]
    id: str | None
    reason: str | None
    of: str | None


class CompactedEvent(TypedDict):
    """A conversation was to be shortened.

    Attributes:
        source: name of the middleware or node.
        left: how many messages left the window for the summary.
        evicted: how many tool results gave way to their two ends.
        by: who wrote the summary, `model` or `rules`; None where none was written.
        error: why the history, or a part of it, stayed as it was.
    """

    type: Literal["memory.compacted"]
    source: str
    left: int
    evicted: int
    by: str | None
    error: NotRequired[str]


MemoryEvent = RecalledEvent | RecordedEvent | WrittenEvent | CompactedEvent


def emit(runtime: Any, event: MemoryEvent) -> None:
    """Send the event to the run's custom stream; nothing happens where nobody streams."""
    writer = getattr(runtime, "stream_writer", None)
    if writer is not None:
        writer(event)


def reason(error: BaseException) -> str:
    """Return an exception as one line for states, events and logs."""
    return f"{type(error).__name__}: {error}"
