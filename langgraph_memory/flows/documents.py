"""Memories as the documents that an editor changes, and documents as the sentences that recall finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langgraph_memory.editing.documents import Document
from langgraph_memory.editing.schemas import MEMORY
from langgraph_memory.records import MemoryRecord
from langgraph_memory.writing.gates import refuse

_SENTENCES = ("content", "text", "sentence")


def document_of(record: MemoryRecord) -> Document:
    """Return a memory as a document: its data where it has a schema, else its sentence and kind."""
    if record.schema is not None:
        return Document(record.id, record.schema, dict(record.data or {}))
    return Document(record.id, MEMORY.name, {"content": record.text, "kind": record.kind})


def sentence_of(schema: str, value: Mapping[str, Any]) -> str:
    """Return the text under which a document is found: its own sentence, or its fields written out."""
    own = next((value[name] for name in _SENTENCES if isinstance(value.get(name), str) and value[name].strip()), None)
    if own is not None:
        return str(own).strip()
    return written_out(schema, value)


def written_out(schema: str, value: Mapping[str, Any]) -> str:
    """Return a document's fields as one line; empty ones are left out."""
    return f"{schema}: {_written(value)}"


def refuse_fields(value: Any, name: str = "value") -> str | None:
    """Return the first reason why a field of a document, with its name before it, is nothing to keep, or None."""
    if isinstance(value, Mapping):
        return next((why for key, part in value.items() if (why := refuse_fields(part, str(key))) is not None), None)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return next((why for part in value if (why := refuse_fields(part, name)) is not None), None)
    why = refuse(f"{name}: {value}") if isinstance(value, str) else None
    return None if why == "blank" else why


def _written(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {_written(part)}" for key, part in value.items() if part not in (None, "", [], {}))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_written(part) for part in value)
    return str(value)
