"""Typed documents in an extraction: asked for by schema, judged by it, mended once, found by their sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import BaseMessage

from langgraph_memory.editing.calls import Call
from langgraph_memory.editing.repair import Repaired, arepair, repair
from langgraph_memory.editing.schemas import MEMORY, Schema, schemas_of
from langgraph_memory.flows.documents import sentence_of
from langgraph_memory.models.chat import CallBudget, Chat
from langgraph_memory.writing.candidate import Candidate, settled

ATTEMPTS = 2
"""Model answers for one document, the first included: the source is kept, so a document is worth one repair."""

RULES = (
    "Besides memories, fill in `documents`: one for each thing of a schema below that the new messages tell of. Fill "
    "only fields that were said, and give the numbers of the messages in `sources`. What a document holds needs no "
    "memory."
)


class Typed:
    """The schemas that extraction may fill, beside sentences.

    Args:
        forms: as for `editing.schemas.schemas_of`; none means no documents. `MEMORY` among them adds nothing here:
            sentences are asked for anyway.
    """

    def __init__(self, forms: Sequence[Any]) -> None:
        own = schemas_of(forms) if forms else ()
        self.schemas: tuple[Schema, ...] = tuple(schema for schema in own if schema is not MEMORY)
        self._by_name = {schema.name: schema for schema in self.schemas}

    def asked(self, form: dict[str, Any]) -> dict[str, Any]:
        """Return the schema of an answer with room for the documents."""
        if not self.schemas:
            return form
        one_of = [
            {
                "type": "object",
                "description": schema.description,
                "properties": {
                    "schema": {"type": "string", "enum": [schema.name]},
                    "value": _inlined(schema.json_schema),
                    "sources": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["schema", "value", "sources"],
            }
            for schema in self.schemas
        ]
        documents = {"type": "array", "items": one_of[0] if len(one_of) == 1 else {"anyOf": one_of}}
        return {
            **form,
            "properties": {**form["properties"], "documents": documents},
            "required": [*form["required"], "documents"],
        }

    def told(self, instructions: str | None) -> str | None:
        """Return the developer's instructions with the rule for documents."""
        return "\n".join(filter(None, (RULES, instructions))) if self.schemas else instructions

    def mend(self, items: list[Candidate], prompt: Sequence[BaseMessage], chat: Chat, budget: CallBudget) -> None:
        """Judge the documents among the candidates in place; ask once for what a schema refuses."""
        for place, call, schema in self._judged(items):
            mended = repair(call, [schema], prompt, chat, budget=budget, max_attempts=_attempts(budget))
            items[place] = _mended(items[place], mended)

    async def amend(
        self, items: list[Candidate], prompt: Sequence[BaseMessage], chat: Chat, budget: CallBudget
    ) -> None:
        """Async twin of `mend`."""
        for place, call, schema in self._judged(items):
            mended = await arepair(call, [schema], prompt, chat, budget=budget, max_attempts=_attempts(budget))
            items[place] = _mended(items[place], mended)

    def _judged(self, items: list[Candidate]) -> list[tuple[int, Call, Schema]]:
        """Settle what needs no model; return the documents that do not fit their schema."""
        faulty = []
        for place, item in enumerate(items):
            if item["schema"] is None or item["status"] != "proposed":
                continue
            schema = self._by_name.get(item["schema"])
            if schema is None:
                known = ", ".join(self._by_name) or "none"
                items[place] = settled(item, "refused", f"there is no schema {item['schema']!r}; there are: {known}")
                continue
            value, fault = schema.validate(item["data"])
            if fault is None:
                items[place] = _clean(item, value)
            else:
                faulty.append((place, Call(schema.name, dict(item["data"] or {}), f"document-{place}"), schema))
        return faulty


def _attempts(budget: CallBudget) -> int:
    return ATTEMPTS if budget.left is None or budget.left > 0 else 1


def _mended(item: Candidate, mended: Repaired) -> Candidate:
    if mended.error is not None:
        text = item["text"] or sentence_of(str(item["schema"]), mended.last_value)
        return settled(item, "refused", f"does not fit {item['schema']}: {mended.error}", text=text)
    return _clean(item, mended.value)


def _clean(item: Candidate, value: dict[str, Any]) -> Candidate:
    return settled(item, "proposed", data=value, text=sentence_of(str(item["schema"]), value))


def _inlined(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON schema with its definitions written out, as inside another schema no reference reaches them.

    A type that holds itself becomes any value at the second turn.
    """
    definitions = schema.get("$defs", {})

    def inline(node: Any, above: tuple[str, ...]) -> Any:
        if isinstance(node, list):
            return [inline(part, above) for part in node]
        if not isinstance(node, Mapping):
            return node
        name = str(node.get("$ref", "")).removeprefix("#/$defs/")
        if "$ref" in node:
            rest = {key: value for key, value in node.items() if key != "$ref"}
            if name in above or name not in definitions:
                return rest
            return {**inline(definitions[name], (*above, name)), **rest}
        return {key: inline(value, above) for key, value in node.items() if key != "$defs"}

    return dict(inline(schema, ()))
