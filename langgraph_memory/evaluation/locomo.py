"""LoCoMo as released (Maharana et al. 2024): a list of samples, each a conversation with its questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from langgraph_memory.evaluation.drafts import Draft, whole
from langgraph_memory.evaluation.numbered import add_questions, add_turns, sessions_in
from langgraph_memory.importing.documents import Source
from langgraph_memory.importing.locomo import parse_date
from langgraph_memory.importing.parts import text_id

SHAPE = (
    '[{"sample_id", "conversation": {"session_1": [{"speaker", "dia_id", "text"}], ...}, "qa": [{"question", ...}]}]'
)

CATEGORIES = {1: "1 multi-hop", 2: "2 temporal", 3: "3 open-domain", 4: "4 single-hop", 5: "5 adversarial"}
"""What its numbers mean; the paper's figures and the data are numbered differently, this is the data's order."""


def detect(source: Source) -> bool:
    """Say whether `source` is in this format."""
    return any(
        isinstance(data, Mapping) and "qa" in data and bool(sessions_in(data.get("conversation")))
        for data in source.peek
    )


def read(source: Source) -> Iterator[Draft]:
    """Yield a conversation for each sample."""
    for value in whole(source):
        sample = value.data if isinstance(value.data, Mapping) else {}
        draft = Draft(text_id(sample.get("sample_id")) or f"{source.stem}-{value.number}")
        dialogue = sample.get("conversation")
        if isinstance(dialogue, Mapping):
            add_turns(draft, dialogue, value, "conversation", text="text", date=None, dated=parse_date)
        add_questions(draft, sample.get("qa"), value, "qa", categories=CATEGORIES)
        yield draft
