"""Known memories are shown to the model under small numbers, and only those numbers are accepted back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from typing_extensions import TypedDict  # typing's has no JSON schema on Python 3.11

from langgraph_memory.records import Usage


class Known(TypedDict):
    """A memory that extraction was shown; its place in the list is the number the model sees.

    Attributes:
        schema: of a document; None for a plain memory.
    """

    id: str
    text: str
    since: str
    schema: str | None


class Queried(TypedDict):
    """What a query model said, JSON-plain.

    Attributes:
        queries: what to search for, each once; None where the messages are to be searched for instead.
        notes: why that is so, and what of the answer could not be used.
        usage: what it cost.
    """

    queries: list[str] | None
    notes: list[str]
    usage: dict[str, int]


NOT_ASKED = Queried(queries=None, notes=[], usage=asdict(Usage()))


def queries(texts: Sequence[str], longest: int = 1_000, most: int = 8) -> list[str]:
    """Return what to search memory for: each of the newest texts, and all of them together; each query once."""
    lines = [text[:longest] for text in texts if text.strip()][-most:]
    whole = "\n".join(lines)[-4 * longest :]
    return list(dict.fromkeys([*lines, *([whole] if whole else [])]))
