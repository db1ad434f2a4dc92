"""Filters on the values of items: pure, and never an error for an item that lacks what is compared.

A condition is met by an equal value; a list is equal in full, a mapping in the keys that the condition names. The
operators are `$eq $ne $gt $gte $lt $lte`. Numbers compare with numbers and texts with texts (so ISO dates compare);
whatever else is compared by order does not match. A missing key counts as null.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from langgraph_memory.errors import InvalidInput

_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
_OPERATORS = ("$eq", "$ne", *_ORDERS)


def check_filter(conditions: Any) -> None:
    """Refuse a filter that means nothing, whether or not there are items to try it on.

    Raises:
        InvalidInput: it is no mapping, or holds an operator that there is not.
    """
    if conditions is None:
        return
    if not isinstance(conditions, Mapping):
        raise InvalidInput(f'A filter is a mapping such as {{"status": "open"}}, not {type(conditions).__name__}.')
    for wanted in conditions.values():
        _check(wanted)


def matches(value: Mapping[str, Any], conditions: Mapping[str, Any] | None) -> bool:
    """Say whether a value meets every condition."""
    return all(_meets(value.get(name), wanted) for name, wanted in (conditions or {}).items())


def _check(wanted: Any) -> None:
    if isinstance(wanted, Mapping):
        if _is_operation(wanted):
            for name in wanted:
                if name not in _OPERATORS:
                    raise InvalidInput(f"Unsupported operator: {name}. There are {', '.join(_OPERATORS)}.")
        else:
            for inner in wanted.values():
                _check(inner)
    elif isinstance(wanted, list | tuple):
        for inner in wanted:
            _check(inner)


def _meets(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if _is_operation(wanted):
            return all(_applies(found, name, operand) for name, operand in wanted.items())
        return isinstance(found, Mapping) and all(_meets(found.get(name), inner) for name, inner in wanted.items())
    if isinstance(wanted, list | tuple):
        return (
            isinstance(found, list)
            and len(found) == len(wanted)
            and all(_meets(one, inner) for one, inner in zip(found, wanted, strict=True))
        )
    return _same(found, wanted)


def _is_operation(wanted: Mapping[str, Any]) -> bool:
    return any(isinstance(name, str) and name.startswith("$") for name in wanted)


def _applies(found: Any, name: str, operand: Any) -> bool:
    if name == "$eq":
        return _same(found, operand)
    if name == "$ne":
        return not _same(found, operand)
    both_text = isinstance(found, str) and isinstance(operand, str)
    return (both_text or (_is_number(found) and _is_number(operand))) and _ORDERS[name](found, operand)


def _same(found: Any, wanted: Any) -> bool:
    """Compare as JSON does: true is not 1, 1 is 1.0, lists and mappings in full."""
    if isinstance(found, bool) or isinstance(wanted, bool):
        return found is wanted
    if isinstance(wanted, Mapping) and isinstance(found, Mapping):
        return found.keys() == wanted.keys() and all(_same(found[name], wanted[name]) for name in wanted)
    if isinstance(wanted, list | tuple) and isinstance(found, list):
        return len(found) == len(wanted) and all(map(_same, found, wanted))
    return bool(found == wanted)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
