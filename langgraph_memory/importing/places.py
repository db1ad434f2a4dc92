"""The line on which something inside a JSON document stands, looked up only when it is asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_SPACE = re.compile(r"[ \t\r\n]*")

Step = str | int
"""One step into a document: the name of a field, or the 0-based place in a list."""


class Places:
    """Finds lines within one value of a document."""

    def __init__(self, text: str, at: int, line: int) -> None:
        self._text = text
        self._at = at
        self._line = line
        self._inside: dict[tuple[Step, ...], dict[Step, int]] = {}
        self._last = (at, line)

    def line(self, *path: Step) -> int | None:
        """Return the 1-based line where the item at the path starts; None where the path leads nowhere."""
        at = self._at
        for depth, step in enumerate(path):
            around = path[:depth]
            if around not in self._inside:
                self._inside[around] = dict(_children(self._text, at))
            found = self._inside[around].get(step)
            if found is None:
                return None
            at = found
        known_at, known_line = self._last if self._last[0] <= at else (self._at, self._line)
        self._last = at, known_line + self._text.count("\n", known_at, at)
        return self._last[1]


def skip(text: str, at: int) -> int:
    """Return the place of the next character that is no white space."""
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _children(text: str, at: int) -> Iterator[tuple[Step, int]]:
    """Yield each child of the object or list at `at` with the place where it starts, as far as it can be read."""
    decoder = json.JSONDecoder()
    is_object, number = text.startswith("{", at), 0
    if not is_object and not text.startswith("[", at):
        return
    at = skip(text, at + 1)
    try:
        while at < len(text) and text[at] not in "}]":
            step: Step = number
            if is_object:
                step, at = decoder.raw_decode(text, at)
                at = skip(text, skip(text, at) + 1)  # behind the colon
            yield step, at
            _, at = decoder.raw_decode(text, at)
            at, number = skip(text, at), number + 1
            if text.startswith(",", at):
                at = skip(text, at + 1)
    except (ValueError, RecursionError):
        return
