"""The one way in which a spoken line is written for the indexes: who, when, what."""

from __future__ import annotations

from datetime import datetime

from langgraph_memory.clock import as_utc
from langgraph_memory.text.dates import date_words


def spoken_line(speaker: str, said_at: datetime, text: str) -> str:
    """Return the line with its speaker and date, which questions ask for ("what did Bob say in May?").

    The day is that in UTC, so that the line is the same whether its time comes from the database or from its speaker.
    """
    return f"{speaker} ({date_words(as_utc(said_at))}): {text}"
