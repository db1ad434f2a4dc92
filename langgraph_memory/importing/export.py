"""Export writes a scope as JSON lines that a person can read and `ingest` can take back."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, TextIO

from pydantic import TypeAdapter, ValidationError

from langgraph_memory.clock import Clock
from langgraph_memory.errors import InvalidInput, ScopeError
from langgraph_memory.records import Entry, MemoryRecord
from langgraph_memory.scope import Scope

FORMAT_VERSION = 1


def write_export(
    target: Path | TextIO, scope: Scope, entries: Iterable[Entry], memories: Iterable[MemoryRecord], clock: Clock
) -> dict[str, int]:
    """Write a header, every entry in order of recording, and every memory with its history of belief.

    A file is written beside its final place first, so that a crash leaves either no export or a whole one.

    Returns:
        how many messages and memories were written.

    Raises:
        InvalidInput: the file cannot be written.
    """
    if not isinstance(target, Path):
        return _write(target, scope, entries, memories, clock)
    if not target.name:
        raise InvalidInput(f"Cannot write the export {str(target)!r}: that is no name of a file.")
    draft = target.with_name(f"{target.name}.part")
    try:
        with draft.open("w", encoding="utf-8") as stream:
            counts = _write(stream, scope, entries, memories, clock)
        draft.replace(target)
    except OSError as error:
        raise InvalidInput(f"Cannot write the export {target}: {error.strerror or error}.") from error
    return counts


def _write(
    stream: TextIO, scope: Scope, entries: Iterable[Entry], memories: Iterable[MemoryRecord], clock: Clock
) -> dict[str, int]:
    header = {
        "type": "header",
        "format": "langgraph-memory",
        "version": FORMAT_VERSION,
        "scope": list(scope.segments),
        "exported_at": clock().isoformat(),
    }
    counts = {"messages": 0, "memories": 0}
    stream.write(json.dumps(header, ensure_ascii=False) + "\n")
    for kind, lines in (("messages", map(_entry_line, entries)), ("memories", map(_memory_line, memories))):
        for line in lines:
            stream.write(_dumped(line) + "\n")
            counts[kind] += 1
    return counts


def _entry_line(entry: Entry) -> dict[str, Any]:
    line: dict[str, Any] = {
        "type": "entry",
        "scope": list(entry.scope.segments),
        "session": entry.session_id,
        "id": entry.message_id,
        "role": entry.role,
        "speaker": entry.speaker,
        "text": entry.text,
        "observed_at": entry.observed_at.isoformat(),
        "recorded_at": entry.recorded_at.isoformat(),
    }
    if entry.content != entry.text:
        line["content"] = entry.content
    if entry.extra:
        line["extra"] = dict(entry.extra)
    if entry.retired_at is not None:
        line["forgotten_at"] = entry.retired_at.isoformat()
    return line


def _memory_line(record: MemoryRecord) -> dict[str, Any]:
    fields = {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}
    fields["scope"] = list(record.scope.segments)
    fields["evidence"] = list(record.evidence)
    del fields["seq"]  # an order of this store, not of the next
    plain = {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in fields.items()
        if value not in (None, {}, [])
    }
    return {"type": "memory", **plain}


def memory_from_line(data: dict[str, Any]) -> MemoryRecord:
    """Return the record of an exported line.

    Raises:
        InvalidInput: a field is missing or malformed.
    """
    known = {field.name for field in dataclasses.fields(MemoryRecord)}
    fields: dict[str, Any] = {name: value for name, value in data.items() if name in known}
    try:
        scope = Scope.of(fields.pop("scope", ()))
        return _record_type().validate_python({**fields, "seq": 0, "scope": scope})
    except ScopeError as error:
        raise InvalidInput(f"This memory line cannot be read. {error}") from error
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors(include_url=False)
        )
        raise InvalidInput(f"This memory line cannot be read: {wrong}.") from error


@cache
def _record_type() -> TypeAdapter[MemoryRecord]:
    return TypeAdapter(MemoryRecord)


def _dumped(line: dict[str, Any]) -> str:
    text = json.dumps(line, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(line)
    return text
