"""Memories as the documents that an editor changes, and documents as the sentences that recall finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from langgraph_memory.editing.documents import Document
from langgraph_memory.editing.schemas import MEMORY
from langgraph_memory.records import MemoryRecord
from langgraph_memory.text.secrets import find_secret
from langgraph_memory.writing.gates import refuse

LONGEST_LABEL = 40
"""Characters of a field that can be the name of the next one's value."""

MOST_FIELDS = 500
"""Values in one document, those of lists and of objects inside it counted one by one. A profile that a person could
read has some dozens; every value is judged, written out and searched, so more belongs in a table of the application."""

LONGEST_DOCUMENT = 20_000
"""Characters of all keys and values of a document, about five pages: the model is shown the whole at every update."""

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


def refuse_document(schema: str, value: Mapping[str, Any]) -> str | None:
    """Return the first reason why a document is nothing to keep, or None: in a field, or in all of them as one line."""
    why = _refuse_size(value) or _refuse_fields(value)
    if why is None and (secret := find_secret(written_out(schema, value))) is not None:
        why = f"secret: {secret}"
    return why


def _refuse_size(value: Mapping[str, Any]) -> str | None:
    fields = length = 0
    waiting: list[Any] = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            length += sum(len(str(key)) for key in part)
            waiting.extend(part.values())
        elif isinstance(part, Sequence) and not isinstance(part, str):
            waiting.extend(part)
        else:
            fields += 1
            length += len(str(part))
    if fields > MOST_FIELDS:
        return f"too many fields: {fields:,}, where a document may have {MOST_FIELDS}"
    if length > LONGEST_DOCUMENT:
        return f"too long: {length:,} characters, where a document may have {LONGEST_DOCUMENT:,}"
    return None


def _refuse_fields(value: Any, name: str = "value") -> str | None:
    """Judge each field with its name before it, whatever its type: a card number is one as an integer too."""
    if isinstance(value, Mapping):
        parts = [*((str(key), "key") for key in value), *((part, str(key)) for key, part in value.items())]
        why = next((why for part, key in parts if (why := _refuse_fields(part, key)) is not None), None)
        return why or _named_secret(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return next((why for part in value if (why := _refuse_fields(part, name)) is not None), None)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    why = None if value is None else refuse(f"{name}: {value}")
    return None if why == "blank" else why


def _named_secret(value: Mapping[str, Any]) -> str | None:
    """Find a secret that a neighbouring field names: `{"name": "PIN", "value": 4711}`."""
    scalars = [str(part) for part in value.values() if isinstance(part, str | int | float)]
    named = (f"{one}: {other}" for one, other in pairwise(scalars) if len(one) <= LONGEST_LABEL)
    found = next((secret for pair in named if (secret := find_secret(pair)) is not None), None)
    return None if found is None else f"secret: {found}"


def _written(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {_written(part)}" for key, part in value.items() if part not in (None, "", [], {}))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_written(part) for part in value)
    return str(value)
