"""The tools that the model may call: create, update, delete and done, of which only what is permitted is shown."""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from langgraph_memory.editing.schemas import MEMORY, Schema

Action = Literal["create", "update", "delete", "done"]

LONGEST_NAME = 56
"""Characters of a tool's name at most; providers refuse more than 64 of `[A-Za-z0-9_-]`, and a number may follow."""

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")
_OTHER_NAMES: dict[str, Action] = {
    "patchdoc": "update",
    "updatememory": "update",
    "edit": "update",
    "removedoc": "delete",
    "deletememory": "delete",
    "remove": "delete",
    "noop": "done",
    "finish": "done",
}
"""What models call our tools instead, compared without case and signs: Trustcall's names, and everyday words."""

_SCALARS = [{"type": name} for name in ("string", "number", "boolean", "null")]
_VALUE = {
    "description": "The new value; needed by add and replace.",
    "anyOf": [*_SCALARS, {"type": "object"}, {"type": "array", "items": {"anyOf": [*_SCALARS, {"type": "object"}]}}],
}
_ID = {"type": "integer", "description": "Number of the document, one of those shown."}
_REASON = {"type": "string", "description": "Why, in a few words."}
_CONTENT = {"type": "string", "description": "The whole new sentence, in the speaker's language."}
_PATCHES = {
    "type": "array",
    "description": "JSON Patch operations, carried out in this order on the document's value; only what changes.",
    "items": {
        "type": "object",
        "properties": {
            "op": {"type": "string", "enum": ["add", "remove", "replace"]},
            "path": {
                "type": "string",
                "description": "JSON pointer such as /address/city or /tags/0; /tags/- adds at the end. "
                "In a name, ~ is written ~0 and / is written ~1.",
            },
            "value": _VALUE,
        },
        "required": ["op", "path"],
    },
}


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as the model sees it.

    Attributes:
        name: what the model calls.
        action: what it does.
        judge: what its arguments must look like; for `create` that is the schema of the document, under this name.
        schema: the schema that it creates documents of; None for the other actions.
    """

    name: str
    action: Action
    judge: Schema
    schema: Schema | None = None

    def as_openai(self) -> dict[str, Any]:
        """Return the tool in the form that every chat model takes."""
        parameters = copy.deepcopy(dict(self.judge.json_schema))
        for noise in ("title", "description", "$schema"):
            parameters.pop(noise, None)
        function = {"name": self.name, "description": self.judge.description, "parameters": parameters}
        return {"type": "function", "function": function}


class Toolbox:
    """The tools for some schemas, and which of them are permitted.

    Args:
        schemas: the schemas whose documents are edited.
        inserts, updates, deletes: what is permitted.
    """

    def __init__(self, schemas: Sequence[Schema], *, inserts: bool, updates: bool, deletes: bool) -> None:
        self._permitted = {"create": inserts, "update": updates, "delete": deletes, "done": True}
        self._tools = [*_creates(schemas), _update(schemas), _delete(), _done()]

    def bound(self, *, documents: bool) -> list[Tool]:
        """Return what the model is shown; without documents there is nothing to update or delete."""
        usable = {"create", "done", *(("update", "delete") if documents else ())}
        return [tool for tool in self._tools if tool.action in usable and self.permits(tool.action)]

    def permits(self, action: Action) -> bool:
        """Say whether an action is permitted."""
        return self._permitted[action]

    def find(self, name: str) -> Tool | None:
        """Return the tool that the model means, permitted or not; None where it could be any.

        Case and signs do not matter, and a schema's own name means its `create`, where only one tool fits.
        """
        exact = [tool for tool in self._tools if tool.name == name]
        if exact:
            return exact[0]
        plain = _plain(name.rpartition(".")[2])
        other = _OTHER_NAMES.get(plain)
        fitting = [
            tool
            for tool in self._tools
            if plain and (plain == _plain(tool.name) or (tool.schema is not None and plain == _plain(tool.schema.name)))
        ] or [tool for tool in self._tools if tool.action == other]
        return fitting[0] if len(fitting) == 1 else None


def _plain(name: str) -> str:
    return "".join(char for char in name.casefold() if char.isalnum())


def _creates(schemas: Sequence[Schema]) -> list[Tool]:
    if [schema.name for schema in schemas] == [MEMORY.name] and schemas[0] is MEMORY:
        judge = replace(MEMORY, name="create", description="Write a new memory: one fact in one sentence.")
        return [Tool("create", "create", judge, MEMORY)]
    tools: list[Tool] = []
    for schema in schemas:
        slug = _NOT_IN_NAMES.sub("_", schema.name).strip("_")[: LONGEST_NAME - len("create_")]
        name = f"create_{slug}" if slug else "create"
        taken = {_plain(tool.name) for tool in tools}
        if _plain(name) in taken or not slug:
            name = f"{name}_{len(tools) + 1}"
        description = f"Write a new {schema.name}. {schema.description}".strip()
        tools.append(Tool(name, "create", replace(schema, name=name, description=description), schema))
    return tools


def _update(schemas: Sequence[Schema]) -> Tool:
    plain, typed = any(schema is MEMORY for schema in schemas), any(schema is not MEMORY for schema in schemas)
    how: dict[str, Any] = {"content": _CONTENT} if plain else {}
    how |= {"patches": _PATCHES} if typed else {}
    ways = {
        (True, False): "Give the whole new sentence.",
        (False, True): "Give patches for what changes; everything else stays.",
        (True, True): "For a memory give the whole new content; for any other document give patches for what changes.",
    }
    text = f"Change a document that exists. {ways[plain, typed]} Several documents can be updated in one turn."
    required = ["id"] if plain and typed else ["id", *how]
    return Tool("update", "update", _judge("update", text, {"id": _ID, **how, "reason": _REASON}, required))


def _delete() -> Tool:
    text = "Delete a document that is wrong or must be forgotten. What merely changed is updated instead."
    return Tool("delete", "delete", _judge("delete", text, {"id": _ID, "reason": _REASON}, ["id"]))


def _done() -> Tool:
    return Tool("done", "done", _judge("done", "Say that nothing, or nothing more, has to be written.", {}, []))


def _judge(name: str, description: str, properties: dict[str, Any], required: list[str]) -> Schema:
    """Return what a tool's arguments look like; whether they make sense is decided where they are used."""
    schema = {"type": "object", "properties": properties, "required": required}
    return Schema(name, schema, description, lambda value: (value, None), dict)
