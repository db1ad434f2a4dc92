"""What an update did not touch stays exactly as it was, also where the schema would write it differently."""

from __future__ import annotations

import copy
import json
from typing import Any

_NOTHING = object()


def same(one: Any, other: Any) -> bool:
    """Say whether two JSON values are the same; `1`, `1.0` and `true` are three values, the order of keys is none."""
    return one is other or _text(one) == _text(other)


def settle(before: Any, patched: Any, clean: Any) -> tuple[Any, list[str]]:
    """Return the value to keep after an update, and the pointers of new fields that the schema does not know.

    Fields that the patch left alone keep their old bytes, and so do fields that the schema never knew. What the patch
    wrote is taken as the schema cleaned it; defaults of fields that the document never had are not added.

    Args:
        before: the value before the update.
        patched: the value with the patch applied.
        clean: what the schema made of `patched`.
    """
    unknown: list[str] = []
    return _settle(before, patched, clean, "", unknown), unknown


def _settle(before: Any, patched: Any, clean: Any, path: str, unknown: list[str]) -> Any:
    if before is not _NOTHING and same(before, patched):
        return copy.deepcopy(before)
    if isinstance(patched, dict) and isinstance(clean, dict):
        old = before if isinstance(before, dict) else {}
        kept = {}
        for key, value in patched.items():
            here = f"{path}/{key.replace('~', '~0').replace('/', '~1')}"
            if key in clean:
                kept[key] = _settle(old.get(key, _NOTHING), value, clean[key], here, unknown)
            elif key in old:
                kept[key] = copy.deepcopy(value)
            else:
                unknown.append(here)
        return kept
    if isinstance(patched, list) and isinstance(clean, list) and len(patched) == len(clean):
        old_items = before if isinstance(before, list) else []
        return [
            _settle(_twin(old_items, place, value), value, clean[place], f"{path}/{place}", unknown)
            for place, value in enumerate(patched)
        ]
    return copy.deepcopy(clean)


def _twin(items: list[Any], place: int, value: Any) -> Any:
    """Return the old item that this one was: an equal one wherever it stood, else the one in its place."""
    for item in items:
        if same(item, value):
            return item
    return items[place] if place < len(items) else _NOTHING


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=repr)


def fields_set(before: dict[str, Any], after: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """Return patches that set, or remove, each top-level field in which two values differ."""
    patches: list[dict[str, Any]] = []
    for key in [*before, *(key for key in after if key not in before)]:
        path = "/" + key.replace("~", "~0").replace("/", "~1")
        if key not in after:
            patches.append({"op": "remove", "path": path})
        elif key not in before or not same(before[key], after[key]):
            op = "replace" if key in before else "add"
            patches.append({"op": op, "path": path, "value": copy.deepcopy(after[key])})
    return tuple(patches)
