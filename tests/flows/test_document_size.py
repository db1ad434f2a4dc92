"""A document has as many fields, and is as long, as somebody could read; a larger one is refused with the numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from pydantic import BaseModel

from langgraph_memory import Memory
from langgraph_memory.flows.documents import LONGEST_DOCUMENT, MOST_FIELDS
from langgraph_memory.testing import ScriptedChatModel

Open = Callable[..., Memory]
A = ("acme", "alice")


class Table(BaseModel):
    """Values that belong together."""

    title: str = ""
    numbers: list[int] = []
    rows: list[dict[str, Any]] = []
    notes: list[str] = []


def create(value: dict[str, Any]) -> AIMessage:
    calls = [("create_Table", value), ("done", {})]
    return AIMessage("", tool_calls=[{"name": n, "args": a, "id": n, "type": "tool_call"} for n, a in calls])


def reports(memory: Memory) -> list[Any]:
    return [memory.remember("Keep my table.", scope=A), memory.manage("Keep my table, please.", scope=A)]


def opened(open_memory: Open, folder: Path, value: dict[str, Any]) -> Memory:
    said = json.dumps({"memories": [], "documents": [{"schema": "Table", "value": value, "sources": [0]}]})
    return open_memory(folder, model=ScriptedChatModel([said, create(value)]), schemas=[Table])


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"numbers": list(range(2_000))}, "too many fields: 2,001, where a document may have 500"),
        ({"rows": [{"a": n, "b": {"c": [n]}} for n in range(300)]}, "too many fields: 601, "),
        ({"notes": ["la " * 300] * 25}, "too long: 22,"),
        ({"rows": [{"k" * 300: n} for n in range(100)]}, "too long: 30,"),
    ],
)
def test_a_document_beyond_the_bound_is_refused_by_both_writers(
    open_memory: Open, folder: Path, value: dict[str, Any], why: str
) -> None:
    memory = opened(open_memory, folder, value)
    for report in reports(memory):
        assert [(outcome.reason or "").startswith(why) for outcome in report.refused] == [True], report.refused
    assert memory.list(scope=A) == []


def test_a_document_at_the_bound_is_kept(open_memory: Open, folder: Path) -> None:
    note = "la " * 300
    notes = [note] * ((LONGEST_DOCUMENT - MOST_FIELDS * 4) // len(note))
    value = {"title": "Mine", "numbers": list(range(MOST_FIELDS - 1 - len(notes))), "notes": notes}
    memory = opened(open_memory, folder, value)
    added = reports(memory)[0].added
    assert [dict(memory.get(outcome.id).data or {})["numbers"] for outcome in added] == [value["numbers"]]


def test_an_update_that_grows_beyond_the_bound_leaves_the_document_as_it_was(open_memory: Open, folder: Path) -> None:
    patch = {"op": "replace", "path": "/numbers", "value": list(range(MOST_FIELDS + 1))}
    update = {"name": "update", "args": {"id": 0, "patches": [patch]}, "id": "u", "type": "tool_call"}
    done = {"name": "done", "args": {}, "id": "d", "type": "tool_call"}
    model = ScriptedChatModel([create({"numbers": [1]}), AIMessage("", tool_calls=[update, done])])
    memory = open_memory(folder, model=model, schemas=[Table])
    memory.manage("Keep my table.", scope=A)
    report = memory.manage("Add all the others.", scope=A)
    assert ["too many fields" in (outcome.reason or "") for outcome in report.refused] == [True]
    assert [dict(record.data or {})["numbers"] for record in memory.list(scope=A)] == [[1]]
