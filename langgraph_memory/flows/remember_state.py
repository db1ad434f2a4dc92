"""What the phases of remember tell each other: the state, the context, and what a candidate becomes in them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NotRequired

from typing_extensions import TypedDict  # typing's has no JSON schema on Python 3.11

from langgraph_memory.text.line import spoken_line
from langgraph_memory.writing.candidate import Candidate
from langgraph_memory.writing.known import Known, Queried
from langgraph_memory.writing.proposal import Proposal
from langgraph_memory.writing.turns import Turn

JOB = "remember"
"""Names this job's watermarks."""


class RememberInput(TypedDict):
    """Which conversation to read on in: the scope's segments, and the thread."""

    scope: list[str]
    thread_id: str


class RememberState(RememberInput):
    """What the phases tell each other, JSON-plain.

    Attributes:
        session_row, before, upto: the session's row, and the watermark before and after this batch.
        turns: the new messages; `context`: earlier ones; `system`: what the developer told the model; `known`: the
            memories that the model is shown; `queried`: what a query model had searched for.
        candidates: every proposal, with what became of it so far.
        batch: names what was written, for undo.
    """

    session_row: NotRequired[int]
    before: NotRequired[int]
    upto: NotRequired[int]
    turns: NotRequired[list[Turn]]
    context: NotRequired[list[Turn]]
    system: NotRequired[list[str]]
    queried: NotRequired[Queried]
    known: NotRequired[list[Known]]
    candidates: NotRequired[list[Candidate]]
    notes: NotRequired[list[str]]
    usage: NotRequired[dict[str, int]]
    batch: NotRequired[str | None]
    report: NotRequired[dict[str, Any]]


@dataclass(frozen=True)
class RememberContext:
    """What may differ from run to run.

    Attributes:
        instructions: the developer's own, added to the prompt's rules.
        max_calls: model calls that this batch may make; None for no limit.
    """

    instructions: str | None = None
    max_calls: int | None = None


def observed(item: Candidate, state: RememberState) -> datetime:
    """Return when the newest message was said that the memory rests on."""
    moments = [turn["said_at"] for turn in state["turns"] if turn["seq"] in item["sources"]]
    return max(datetime.fromisoformat(moment) for moment in moments)


def line_of(item: Candidate, state: RememberState) -> str:
    """Return the candidate as the line that is embedded and stored."""
    return spoken_line(item["actor"], observed(item, state), item["text"])


def proposal_of(item: Candidate, state: RememberState) -> Proposal:
    """Return the candidate as what the ledger writes."""
    metadata: dict[str, Any] = {"extracted_by": item["extracted_by"]}
    metadata.update({name: item[name] for name in ("about", "related") if item[name]})
    since = item["valid_from"]
    return Proposal(
        text=item["text"],
        kind=item["kind"],
        actor=item["actor"],
        session_id=state["thread_id"],
        observed_at=observed(item, state),
        valid_from=None if since is None else datetime.fromisoformat(since),
        importance=item["importance"],
        novelty=item["novelty"],
        data=item["data"],
        schema=item["schema"],
        metadata=metadata,
    )
