"""An update becomes the next value of its document, or the reason why it does not."""

from __future__ import annotations

import copy
import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import BaseMessage

from langgraph_memory.editing.calls import Call
from langgraph_memory.editing.draft import Sheet
from langgraph_memory.editing.keep import fields_set, same, settle
from langgraph_memory.editing.patches import Patched, apply
from langgraph_memory.editing.repair import Repaired
from langgraph_memory.editing.schemas import MEMORY, Schema
from langgraph_memory.editing.steps import Fix

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Change:
    """What an update makes of a document.

    Attributes:
        value: the next value; the old one where nothing could be changed.
        patches: what leads to it.
        faults: what of the update could not be carried out, one by one.
        attempts: model answers that it took.
        failed: the repair that did not succeed; the value is the old one then.
    """

    value: dict[str, Any]
    patches: Sequence[Mapping[str, Any]]
    faults: tuple[str, ...]
    attempts: int = 1
    failed: Repaired | None = None


def wanted(sheet: Sheet, schema: Schema | None, args: Mapping[str, Any]) -> Patched | None:
    """Return the document with what the model wants changed in it; None where it does not say what.

    A plain memory takes its whole new `content`; every document takes `patches`.
    """
    patches, content = args.get("patches"), args.get("content")
    if patches in (None, "", []):
        if content is None or not is_sentence(sheet, schema):
            return None
        patches = [{"op": "add", "path": "/content", "value": content}]
    return apply(sheet.value, patches)


def filled(sheet: Sheet, args: Mapping[str, Any]) -> Patched:
    """Return the document with what was given for a new one in its place; what was given empty empties nothing."""
    given = {key: part for key, part in args.items() if part not in (None, "", [], {})}
    value = copy.deepcopy({**sheet.value, **given})
    return Patched(value, fields_set(sheet.value, value))


def is_sentence(sheet: Sheet, schema: Schema | None) -> bool:
    """Say whether a document is a plain memory, or looks like one and has a schema that nobody knows."""
    return schema is MEMORY or (schema is None and isinstance(sheet.value.get("content"), str))


def change(
    sheet: Sheet, schema: Schema | None, patched: Patched, call: Call, messages: Sequence[BaseMessage], attempts: int
) -> Generator[Fix, Repaired, Change]:
    """Yield a repair where the patched value does not fit its schema, and return what is to be written.

    Args:
        sheet: the document as it stands; it is not changed.
        schema: its schema; None where that is not known, and then its value is taken as it comes.
        patched: what `wanted` returned.
        call: the model's call.
        messages: what the model was asked.
        attempts: model answers that the call took so far.
    """
    value = patched.value
    if schema is None or same(value, sheet.value):
        return Change(value, patched.applied, patched.problems, attempts)
    patches: Sequence[Mapping[str, Any]] = patched.applied
    clean, fault = schema.validate(value)
    if fault is not None and (sheet.begun or not _was_faulty(sheet, schema, fault)):
        judge = replace(schema, name=f"update_{_NOT_IN_NAMES.sub('_', schema.name)}")
        fixed = yield Fix(Call(judge.name, value, call.id), [judge], messages)
        attempts = attempts + fixed.attempts - 1
        if fixed.error is not None:
            return Change(sheet.value, (), patched.problems, attempts, fixed)
        value, clean = fixed.last_value, fixed.value
        patches = fields_set(sheet.value, value)
    kept, unknown = settle(sheet.value, value, clean)
    value = clean if sheet.begun else kept
    faults = [*patched.problems, *(f"{schema.name} has no field {path}; it was left out" for path in unknown)]
    return Change(value, patches, tuple(faults), attempts)


def _was_faulty(sheet: Sheet, schema: Schema, fault: str) -> bool:
    """Say whether the document had all these faults before; then it is not for this update to mend them."""
    before = schema.validate(sheet.value)[1]
    return before is not None and set(fault.splitlines()) <= set(before.splitlines())
