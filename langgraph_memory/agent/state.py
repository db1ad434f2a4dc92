"""The state channels of memory, plain enough for any checkpointer and readable in Studio."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired, cast

from langchain.agents.middleware.types import PrivateStateAttr
from langgraph.channels import BinaryOperatorAggregate

# Not typing's: a class cannot inherit from one of each kind, and LangGraph's MessagesState is of this one.
from typing_extensions import TypedDict

RECALL_CHANNEL, RECORD_CHANNEL, REPORT_CHANNEL = "memory_recall", "memory_record", "memory_report"
STANDING_CHANNEL = "memory_standing"


class RecalledHit(TypedDict):
    """One recalled line; `said_at` is ISO 8601 in UTC, `session_id` the thread it was said in."""

    id: str
    kind: str
    text: str
    score: float
    speaker: str
    said_at: str
    session_id: str | None


class RecallGap(TypedDict):
    """Something that was asked and not found."""

    asked: str
    reason: str


class MemoryRecall(TypedDict):
    """What memory found for the current turn; each turn overwrites it.

    Attributes:
        query: what was asked: the text of the newest human message.
        block: the fenced text that the model sees for this turn only; empty where there is nothing to show.
        hits: what was found, best first, without what the conversation itself still shows.
        gaps: what was asked and not found.
        notes: remarks on the search itself.
        message_id: the message that asked, and beside which the block is shown.
        error: why the search failed.
    """

    query: str
    block: str
    hits: list[RecalledHit]
    gaps: list[RecallGap]
    notes: list[str]
    message_id: str | None
    error: NotRequired[str]


class MemoryRecord(TypedDict):
    """What the last turn wrote to memory.

    Attributes:
        added, skipped: how many messages were new, and how many already recorded.
        upto: id of the last message known to be recorded.
        refused: why messages among the new ones cannot be recorded; they are offered once and then left out.
        error: why nothing was written; the next turn tries again.
    """

    added: int
    skipped: int
    upto: str | None
    refused: NotRequired[list[str]]
    error: NotRequired[str]


class StandingMemory(TypedDict):
    """What stands in the system prompt of this thread, taken once so that the prompt keeps its bytes.

    Attributes:
        block: the fenced text; empty where there is nothing.
        ids: the memories in it, and those that did not fit.
    """

    block: str
    ids: list[str]


def _newest(_: Any, new: Any) -> Any:
    return new


class MemoryState(TypedDict):
    """The channels to add to the state of a hand-built graph: `class State(MessagesState, MemoryState)`.

    Agents made with `create_agent` get them from the middleware. They are hidden from input and output there;
    `get_state` and Studio show them. Where several nodes write one in the same step the last one stands; give those
    whose results you need side by side channels of their own, such as `team_recall: NotRequired[MemoryRecall]`.
    """

    # Channels, not the function alone: from that LangGraph would make an empty dict before anything was written.
    memory_recall: NotRequired[Annotated[MemoryRecall, PrivateStateAttr, BinaryOperatorAggregate(Any, _newest)]]
    memory_record: NotRequired[Annotated[MemoryRecord, PrivateStateAttr, BinaryOperatorAggregate(Any, _newest)]]
    memory_report: NotRequired[Annotated[dict[str, Any], PrivateStateAttr, BinaryOperatorAggregate(Any, _newest)]]


def state_with(channels: Mapping[str, Any]) -> type[Any]:
    """Return the schema of channels under names of their own, each optional and hidden from input and output.

    Args:
        channels: what each channel holds.
    """
    fields = {name: NotRequired[Annotated[kept, PrivateStateAttr]] for name, kept in channels.items()}
    # mypy takes only literal fields here, and these are known at run time only.
    return cast("type[Any]", TypedDict("NamedMemoryState", fields))  # type: ignore[operator]


def nothing_recalled(query: str = "", message_id: str | None = None) -> MemoryRecall:
    """Return the recall of a turn that asked or found nothing."""
    return MemoryRecall(query=query, block="", hits=[], gaps=[], notes=[], message_id=message_id)


def value_of(state: Any, channel: str) -> Any:
    """Return a channel of a state that is a dict, a dataclass or a pydantic model; None where it is missing."""
    return state.get(channel) if isinstance(state, dict) else getattr(state, channel, None)
