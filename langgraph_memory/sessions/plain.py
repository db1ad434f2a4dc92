"""Any Python value can be written down as plain JSON, always in the same way."""

from __future__ import annotations

import base64
import dataclasses
import json
import math
from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from numbers import Integral, Real
from pathlib import PurePath
from typing import Any
from uuid import UUID

from langgraph_memory.errors import MessageError

MAX_DEPTH = 100
"""Levels of nesting that are followed; deeper is a cycle or a mistake, and breaks JSON readers elsewhere."""

_TOO_LONG = 10**4300  # the first whole number that Python refuses to print, and to read


def plain(value: Any, _depth: int = 0) -> Any:
    """Return `value` as JSON-plain data that `json.dumps(..., allow_nan=False)` accepts.

    | given | written as |
    |---|---|
    | text, bool, None, whole and finite numbers (numpy's too) | itself; hexadecimal text where too long to print |
    | NaN, infinities | the texts `NaN`, `Infinity`, `-Infinity` |
    | bytes | `{"base64": "..."}` |
    | datetime, date, time | ISO 8601 text |
    | timedelta | seconds, as a float |
    | Decimal, UUID, path | its text |
    | Enum | its value |
    | mapping | dict; keys become text; a key that then exists twice gets a trailing `'` |
    | list, tuple, other iterables | list; a set is sorted first |
    | pydantic model, dataclass | dict of its fields |
    | anything else | its `repr`, or `<module.Class>` where that would only show a memory address |

    Text is never altered, not even NUL characters and lone surrogates: `json.dumps` escapes them.

    Raises:
        MessageError: it is nested deeper than 100 levels, or contains itself.
    """
    if value is None or isinstance(value, bool) or type(value) is str:
        return value
    if isinstance(value, Enum):
        return plain(value.value, _depth + 1)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Integral):
        return int(value) if -_TOO_LONG < int(value) < _TOO_LONG else hex(int(value))
    if isinstance(value, Real):
        return float(value) if math.isfinite(value) else _not_finite(float(value))
    if _depth >= MAX_DEPTH:
        raise MessageError(
            f"A message holds data nested deeper than {MAX_DEPTH} levels, or data that contains itself. "
            "Flatten it, or give its text only."
        )
    if isinstance(value, Mapping):
        return _plain_mapping(value, _depth)
    if isinstance(value, set | frozenset):
        return sorted((plain(item, _depth + 1) for item in value), key=canonical)
    if isinstance(value, list | tuple):
        return [plain(item, _depth + 1) for item in value]
    return _plain_object(value, _depth)


def canonical(value: Any) -> str:
    """Return one ASCII text for equal JSON-plain values, whatever the order of their keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _plain_mapping(value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, item in value.items():
        name = plain(key, depth + 1)
        if not isinstance(name, str):
            name = canonical(name)
        while name in result:
            name += "'"
        result[name] = plain(item, depth + 1)
    return result


def _plain_object(value: Any, depth: int) -> Any:
    if isinstance(value, bytes | bytearray | memoryview):
        return {"base64": base64.b64encode(bytes(value)).decode("ascii")}
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Decimal | UUID | PurePath):
        return str(value)
    if isinstance(value, type):
        return f"<{value.__module__}.{value.__qualname__}>"
    fields = model_fields(value)
    if fields is not None:
        return _plain_mapping(fields, depth)
    if dataclasses.is_dataclass(value):
        return _plain_mapping(
            {field.name: getattr(value, field.name, None) for field in dataclasses.fields(value)}, depth
        )
    if isinstance(value, Iterable):
        return [plain(item, depth + 1) for item in value]
    shown = repr(value)
    if shown == object.__repr__(value):
        return f"<{type(value).__module__}.{type(value).__qualname__}>"
    return shown


def model_fields(value: Any) -> dict[str, Any] | None:
    """Return the fields of a pydantic model as it holds them, or None for anything else.

    Read without `model_dump`, which warns or fails on fields that hold another type than declared.
    """
    declared = getattr(type(value), "model_fields", None)
    if not isinstance(declared, Mapping):
        return None
    fields = {str(name): getattr(value, name, None) for name in declared}
    more = getattr(value, "model_extra", None)
    return {**fields, **more} if isinstance(more, Mapping) else fields


def _not_finite(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
