"""A candidate is a proposed memory on its way through the phases, with what became of it so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, cast

from typing_extensions import TypedDict  # typing's has no JSON schema on Python 3.11

from langgraph_memory.records import Outcome, Report, Usage
from langgraph_memory.writing.proposal import key_of

NO_USAGE = Usage()

Status = Literal["proposed", "added", "reinforced", "skipped", "refused", "failed"]


class Candidate(TypedDict):
    """One proposed memory, JSON-plain, so that every phase can be looked at in graph state.

    Attributes:
        actor: who asserts it.
        sources: `seq` of the entries that it rests on.
        valid_from: ISO 8601 where the sentence says since when it is true.
        about: names that the model gave for what it is about.
        related: ids of known memories that it adds to or changes.
        extracted_by: `rules`, or `model`.
        of: the record that it repeats.
        id: the record that it became, or that stands for it.
        novelty: 1 minus the nearest similarity to what was known, 0..1.
    """

    text: str
    kind: str
    actor: str
    sources: list[int]
    importance: float | None
    valid_from: str | None
    about: list[str]
    related: list[str]
    data: dict[str, Any] | None
    schema: str | None
    extracted_by: str
    status: Status
    reason: str | None
    of: str | None
    id: str | None
    novelty: float | None


def candidate(text: str, **given: Any) -> Candidate:
    """Return a new candidate; what is not given is empty."""
    empty = Candidate(
        text=text,
        kind="fact",
        actor="user",
        sources=[],
        importance=None,
        valid_from=None,
        about=[],
        related=[],
        data=None,
        schema=None,
        extracted_by="model",
        status="proposed",
        reason=None,
        of=None,
        id=None,
        novelty=None,
    )
    return cast(Candidate, {**empty, **given})


def settled(item: Candidate, status: Status, reason: str | None = None, **more: Any) -> Candidate:
    """Return the candidate with what became of it."""
    return cast(Candidate, {**item, "status": status, "reason": reason, **more})


def key(item: Candidate) -> str:
    """Return what candidates that say exactly the same have in common; see `proposal.key_of`."""
    return key_of(item["text"], item["schema"], item["data"])


def proposed(items: Iterable[Candidate]) -> list[Candidate]:
    """Return those that are still on their way."""
    return [item for item in items if item["status"] == "proposed"]


def report_of(
    items: Sequence[Candidate], *, batch: str | None = None, usage: Usage = NO_USAGE, notes: Sequence[str] = ()
) -> Report:
    """Return what became of every candidate; one that never got anywhere counts as failed."""
    outcomes: dict[str, list[Outcome]] = {}
    for item in items:
        status = "failed" if item["status"] == "proposed" else item["status"]
        reason = item["reason"] or ("never written" if item["status"] == "proposed" else None)
        outcomes.setdefault(status, []).append(Outcome(item["id"], item["text"], reason, item["of"]))
    return Report(
        **{status: tuple(found) for status, found in outcomes.items()},
        batches=(batch,) if batch else (),
        usage=usage,
        notes=tuple(notes),
    )
