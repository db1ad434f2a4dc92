"""Proposals between extraction and dedupe: chosen by rule where no model is, bounded in number, and gated."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from langgraph_memory.flows.documents import refuse_document
from langgraph_memory.flows.remember_state import RememberState
from langgraph_memory.writing import extract, sentences
from langgraph_memory.writing.candidate import Candidate, candidate, settled
from langgraph_memory.writing.gates import MAX_MEMORY_CHARS, refuse
from langgraph_memory.writing.turns import Turn

_OF_THE_WHOLE = ("echo", "system prompt")
"""Reasons that a document has as a whole; all others are those of its fields."""


def chosen(turns: Sequence[Turn]) -> list[Candidate]:
    """Return what the rules choose from messages, marked as such."""
    return [
        candidate(
            found.text,
            kind=found.kind,
            actor=turn["speaker"],
            sources=[turn["seq"]],
            importance=found.importance,
            valid_from=found.valid_from.isoformat() if found.valid_from else None,
            extracted_by="rules",
        )
        for turn in turns
        for found in sentences.propose(
            turn["role"], turn["speaker"], turn["text"], datetime.fromisoformat(turn["said_at"])
        )
    ]


def bounded(items: Sequence[Candidate], most: int) -> list[Candidate]:
    """Refuse what one answer proposes beyond the limit."""
    why = f"more than {most} proposals in one answer of the model"
    return [
        settled(item, "refused", why) if place >= most and item["status"] == "proposed" else item
        for place, item in enumerate(items)
    ]


def halves(lost: Sequence[str]) -> list[Candidate]:
    """Refuse the items in which an answer is cut off or broken: what is whole in them may not be what was meant."""
    return [settled(candidate(text[:200]), "refused", "the answer is cut off or broken in this item") for text in lost]


def gated(item: Candidate, shown: Sequence[str], state: RememberState) -> Candidate:
    """Refuse a candidate that is no memory, with the reason."""
    if item["status"] != "proposed":
        return item
    turns = state["turns"]
    why = refuse(
        item["text"] if item["schema"] is None else item["text"][:MAX_MEMORY_CHARS],
        shown=() if extract.is_said(item, turns) else shown,
        said=[turn["text"] for turn in turns],
        system_texts=state.get("system", ()),
    )
    if item["schema"] is not None:
        why = refuse_document(item["schema"], item["data"] or {}) or (why if why in _OF_THE_WHOLE else None)
    return item if why is None else settled(item, "refused", why)
