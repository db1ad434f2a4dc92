"""What the tests of editing share: schemas, scripted turns, and both faces of the editor as one call."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from langchain_core.messages import AIMessage
from pydantic import BaseModel, Field

from langgraph_memory.editing.documents import Document
from langgraph_memory.editing.editor import Editor
from langgraph_memory.editing.edits import Edits
from langgraph_memory.models.chat import CallBudget, Chat
from langgraph_memory.testing import ScriptedChatModel

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


class User(BaseModel):
    """What is known about a person."""

    name: str
    age: int = Field(ge=0)
    tags: list[str] = []
    nickname: str | None = None


class Place(BaseModel):
    """A place that matters."""

    title: str
    country: str = "Norway"


def turn(*calls: tuple[str, dict[str, Any]]) -> AIMessage:
    """Return one answer with several tool calls."""
    return AIMessage(
        "",
        tool_calls=[
            {"type": "tool_call", "name": name, "args": args, "id": f"call-{place}"}
            for place, (name, args) in enumerate(calls)
        ],
    )


def fix(*patches: dict[str, Any], call: str = "call-0") -> AIMessage:
    """Return an answer to a repair."""
    return turn(("PatchFunctionErrors", {"json_doc_id": call, "planned_edits": "-", "patches": list(patches)}))


def set_(path: str, value: Any) -> dict[str, Any]:
    return {"op": "add", "path": path, "value": value}


def put(path: str, value: Any) -> dict[str, Any]:
    return {"op": "replace", "path": path, "value": value}


def gone(path: str) -> dict[str, Any]:
    return {"op": "remove", "path": path}


DONE: tuple[str, dict[str, Any]] = ("done", {})


def propose(
    model: Any,
    schemas: Sequence[Any] | None = None,
    documents: Sequence[Document] = (),
    conversation: Any = "Hello.",
    *,
    face: str = "sync",
    budget: CallBudget | None = None,
    **options: Any,
) -> Edits:
    """Run an editor once by one of its faces, and see that the whole script was played."""
    editor = Editor(Chat(model), schemas, **options)
    spend = budget or CallBudget()
    if face == "sync":
        edits = editor.propose(conversation, documents, budget=spend, now=NOW)
    else:
        edits = asyncio.run(editor.apropose(conversation, documents, budget=spend, now=NOW))
    if isinstance(model, ScriptedChatModel):
        model.assert_exhausted()
    return edits


def untagged(text: str) -> str:
    """Return a prompt without the random part of its tags."""
    return re.sub(r"(documents|conversation)-[0-9a-f]{12}", r"\1", text)
