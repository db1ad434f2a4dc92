"""REALTALK as released (Lee et al. 2025): a file for each of ten messenger conversations between two people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from langgraph_memory.evaluation.drafts import Draft, whole
from langgraph_memory.evaluation.numbered import add_questions, add_turns, sessions_in
from langgraph_memory.importing.documents import Source

SHAPE = (
    '{"name", "session_1": [{"speaker", "dia_id", "clean_text", "date_time"}], ..., "qa": [...]}, or a folder of them'
)

CATEGORIES = {1: "1 multi-hop", 2: "2 temporal", 3: "3 commonsense"}

_DATE = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4}), (\d{1,2}):(\d{2}):(\d{2})")


def detect(source: Source) -> bool:
    """Say whether `source` is in this format."""
    return any(isinstance(data, Mapping) and "qa" in data and bool(sessions_in(data)) for data in source.peek)


def read(source: Source) -> Iterator[Draft]:
    """Yield the one conversation of a file, called as the file is."""
    for value in whole(source):
        data = value.data if isinstance(value.data, Mapping) else {}
        draft = Draft(source.stem if value.number == 1 else f"{source.stem}-{value.number}")
        add_turns(draft, data, value, text="clean_text", date="date_time", dated=parse_date)
        add_questions(draft, data.get("qa"), value, "qa", categories=CATEGORIES)
        yield draft


def parse_date(text: object) -> datetime | None:
    """Return the time that `29.12.2023, 00:51:12` names, read as UTC; None where it is written otherwise."""
    match = _DATE.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        return None
    day, month, year, hour, minute, second = map(int, match.groups())
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
