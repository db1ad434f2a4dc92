"""A schema says what a document may hold; it judges values, and its error tells the model what to mend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph_memory.errors import InvalidInput
from langgraph_memory.records import MESSAGE

LONGEST_KIND = 40
"""Characters of a memory's kind: it is a word to filter by, not a sentence."""

Verdict = tuple[Any, str | None]
"""The clean value and None, or the value as given and what is wrong with it, one line a fault."""


@dataclass(frozen=True, slots=True)
class Schema:
    """What a kind of document may hold.

    Attributes:
        name: how documents refer to it.
        json_schema: the object's JSON schema, for the model to read.
        description: what such a document is, in words.
        validate: judges a JSON value. The clean value is JSON-plain, with types converted and defaults filled in.
        parse: turns a valid value into what the user's schema makes of it: a pydantic object, or a dict.
    """

    name: str
    json_schema: Mapping[str, Any]
    description: str
    validate: Callable[[Any], Verdict]
    parse: Callable[[Any], Any]


def _memory(value: Any) -> Verdict:
    if not isinstance(value, Mapping):
        return value, "a memory is an object with `content`"
    faults = []
    content, kind = value.get("content"), value.get("kind")
    if not isinstance(content, str):
        faults.append("/content: a text is required")
    elif not content.strip():
        faults.append("/content: must not be blank")
    if kind is not None and (not isinstance(kind, str) or len(kind.strip()) > LONGEST_KIND):
        faults.append(f"/kind: must be a word of at most {LONGEST_KIND} characters")
    if isinstance(kind, str) and kind.strip().lower() == MESSAGE:
        faults.append(f"/kind: {MESSAGE!r} is what was said, and no memory may have it")
    if faults or not isinstance(content, str):
        return value, "\n".join(faults)
    clean = {"content": content.strip()}
    return (clean | {"kind": kind.strip().lower()} if isinstance(kind, str) and kind.strip() else clean), None


MEMORY = Schema(
    name="Memory",
    json_schema={
        "type": "object",
        "properties": {
            "content": {"type": "string", "description": "One fact that stands alone, in the speaker's language."},
            "kind": {
                "type": "string",
                "description": "One word: fact, preference, event, procedure, insight or profile.",
            },
        },
        "required": ["content"],
    },
    description="A sentence worth remembering.",
    validate=_memory,
    parse=dict,
)
"""Plain memories: a sentence and, where it is known, its kind. `Memory(schemas=[MEMORY, Person])` lets `manage` create
both; without it, schemas of your own stand alone."""


def schemas_of(forms: Sequence[Any]) -> tuple[Schema, ...]:
    """Return the schemas that were given, whatever their form.

    Args:
        forms: a `Schema`, a pydantic model, a TypedDict, a JSON schema with a `title`, a tool in OpenAI's form, a
            LangChain tool, or a function (its injected arguments are left out); several of each.

    Raises:
        InvalidInput: a form is not known, describes no object, or has the name of another one; or there is none.
    """
    from langgraph_memory.editing.forms import schema_of

    schemas = tuple(form if isinstance(form, Schema) else schema_of(form) for form in forms)
    if not schemas:
        raise InvalidInput("At least one schema is needed; without schemas of your own use MEMORY.")
    names = [schema.name for schema in schemas]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidInput(f"Several schemas are named {', '.join(twice)}; give each a name of its own.")
    return schemas
