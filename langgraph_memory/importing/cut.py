"""A JSON value that was cut off is read as far as it goes, and whatever encloses the cut is marked as not whole."""

from __future__ import annotations

import json
import re
from typing import Any, TypeGuard

_PIECE = re.compile(r'[ \t\r\n]*("[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}:,]|[^ \t\r\n"\[\]{}:,]+)', re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}


class CutDict(dict[str, Any]):
    """An object that the file does not hold to its end."""


class CutList(list[Any]):
    """A list that the file does not hold to its end."""


def is_cut(value: Any) -> TypeGuard[CutDict | CutList]:
    """Say whether the end of a value is missing; what it holds may be whole."""
    return isinstance(value, CutDict | CutList)


def read_cut(text: str, at: int, stop: int) -> CutDict | CutList | None:
    """Return what can be read of the object or list at `at`, of which only the part before `stop` is sound.

    Everything in it that was complete is there. The containers around the cut are `CutDict` and `CutList`.

    Returns:
        None where nothing in it is a whole object.
    """
    closing, safe = _walk(text, at, stop)
    if not closing:
        return None
    try:
        data = json.loads(text[at:safe] + "".join(reversed(closing)))
    except (ValueError, RecursionError):
        return None
    marked, holds_whole = _mark(data, len(closing))
    return marked if holds_whole else None


def _walk(text: str, at: int, stop: int) -> tuple[list[str], int]:
    """Return what would close the containers open at the cut, and the place behind the last complete value in them."""
    closing: list[str] = []
    named: list[bool] = []  # whether the next value of an object has its name already
    safe = at
    while piece := _PIECE.match(text, at, stop):
        at, token = piece.end(), piece[1]
        if token in _CLOSING:
            closing.append(_CLOSING[token])
            named.append(False)
            safe = at
        elif token in ("}", "]"):
            if not closing or closing.pop() != token:
                return [], safe
            named.pop()
            safe = at
        elif token == ":":
            named[-1:] = [True]
        elif token == ",":
            named[-1:] = [False]
        elif closing and (closing[-1] == "]" or named[-1]) and (token[0] == '"' or at < stop):
            safe = at  # a number at the very end may go on
    return closing, safe


def _mark(data: Any, depth: int) -> tuple[Any, bool]:
    """Return the value with its `depth` unfinished containers marked, and whether any whole object stands in them.

    What is unfinished is always the last thing in what is around it.
    """
    if depth == 0 or not isinstance(data, dict | list):
        return data, _holds_object(data)
    steps: list[Any] = list(data) if isinstance(data, dict) else list(range(len(data)))
    holds_whole = any(_holds_object(data[step]) for step in steps[:-1])
    marked: Any = CutDict(data) if isinstance(data, dict) else CutList(data)
    if steps:
        marked[steps[-1]], whole_inside = _mark(data[steps[-1]], depth - 1)
        holds_whole = holds_whole or whole_inside
    return marked, holds_whole


def _holds_object(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(map(_holds_object, value)))
