"""A file is read as a row of JSON values, whether it is one document, one list, or one value a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from langgraph_memory.errors import ImportFormatError
from langgraph_memory.importing import encoded
from langgraph_memory.importing.cut import read_cut
from langgraph_memory.importing.parts import Refusal
from langgraph_memory.importing.places import Places, Step, skip

Container = Literal["lines", "list", "object"]

PEEK = 20
"""Values looked at to recognise a format."""

KEPT = " What was whole before that is read."

_LINE_SUFFIXES = {".jsonl", ".ndjson"}
_UNDECODED = re.compile("[\udc80-\udcff]")  # what the surrogateescape handler leaves in place of a bad byte
_BETWEEN = re.compile(r"\}\s*,\s*(?=\{)")
MOST_TRIES = 10_000
"""Places behind a broken item at which the next one is looked for."""

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Value:
    """One JSON value of a file, with its place.

    Attributes:
        number: 1-based position among the values.
        line: 1-based line where it starts.
        data: what it holds; a `CutDict` or `CutList` where the file ends or breaks inside it, which a refusal says.
        places: finds the lines of what stands in it; None where it is a line itself.
    """

    number: int
    line: int
    data: Any
    places: Places | None = field(default=None, repr=False, compare=False)

    def line_of(self, *path: Step) -> int:
        """Return the 1-based line where the item at this path starts, or its own line where that is not known."""
        found = None if self.places is None else self.places.line(*path)
        return self.line if found is None else found


@dataclass(frozen=True)
class Source:
    """A file that holds JSON.

    Attributes:
        path: where it is.
        container: one value a `line`, the items of a `list`, or single `object`s.
        text: all of it, unless it is read line by line.
        damage: why the text is not all there, where it was packed.
    """

    path: Path
    container: Container
    text: str | None = field(default=None, repr=False)
    damage: encoded.Damaged | None = field(default=None, repr=False)

    @property
    def stem(self) -> str:
        """The file's name without its endings, for things that have no name of their own."""
        name = self.path.name
        return name.split(".", 1)[0] if not name.startswith(".") else name

    @cached_property
    def peek(self) -> tuple[Any, ...]:
        """The first values that can be read."""
        return tuple(value.data for value in islice((v for v in self.values() if isinstance(v, Value)), PEEK))

    def values(self) -> Iterator[Value | Refusal]:
        """Yield every value, and a refusal for every stretch that is no JSON."""
        if self.text is None:
            yield from _lines(self.path)
            return
        found = False
        for value in _whole(self.text):
            found = found or isinstance(value, Value)
            yield value
        if self.damage is not None:
            yield _damaged(self.text.count("\n") + 1, self.damage, found)


def open_source(path: Path) -> Source:
    """Return the file at `path`, opened far enough to know how its values are laid out.

    Raises:
        ImportFormatError: it does not exist, cannot be opened, is empty, or is no text.
    """
    first = encoded.first_line(path)
    if _is_lines(path, first):
        return Source(path, "lines")
    text, damage = encoded.whole_text(path)
    return Source(path, "list" if text.startswith("[", skip(text, 0)) else "object", text, damage)


def _is_lines(path: Path, first: str) -> bool:
    """Say whether each line is a document: a file's ending says so, or else its first lines do."""
    suffix = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    if suffix.lower() in _LINE_SUFFIXES and not first.startswith("[") and first != "{":
        return True
    opens = first.startswith(("{", "[")) if suffix.lower() in _LINE_SUFFIXES else first.startswith("{")
    return opens and encoded.has_more_lines(path) and _parses(first)


def _lines(path: Path) -> Iterator[Value | Refusal]:
    count, found = 0, False
    broken: Refusal | None = None  # the line before; where packed data ends in it, that says more
    for number, line in encoded.lines(path):
        where = f"line {number}"
        if isinstance(line, encoded.Damaged):
            yield _damaged(number, line, found)
            return
        if broken is not None:
            yield broken
            broken = None
        if isinstance(line, UnicodeError):
            yield Refusal(number, where, f"It holds bytes that are no {line.args[0]} text. Save the file as UTF-8.")
            continue
        if not line.strip():
            continue
        count += 1
        try:
            data = json.loads(line)
        except json.JSONDecodeError as error:
            broken = Refusal(number, where, f"It is no JSON: {error.msg} at column {error.colno}.")
        except (ValueError, RecursionError):
            yield Refusal(number, where, "It is JSON of a size that cannot be read: a number or a nesting is too long.")
        else:
            found = True
            yield Value(count, number, data)
    if broken is not None:
        yield broken


def _damaged(line: int, damage: encoded.Damaged, found: bool) -> Refusal:
    reason = f"T{str(damage)[1:]}.{KEPT if found else ''}"
    return Refusal(line, f"line {line}", reason)


def _whole(text: str) -> Iterator[Value | Refusal]:
    """Yield the items of a list, or the documents of a file that holds one after the other."""
    decoder = json.JSONDecoder()
    at = skip(text, 0)
    in_list = text.startswith("[", at)
    at = skip(text, at + 1) if in_list else at
    line, counted, number = 1, 0, 0
    alike: frozenset[str] = frozenset()  # the fields of the item before
    while at < len(text) and not (in_list and text[at] == "]"):
        line, counted, number = line + text.count("\n", counted, at), at, number + 1
        where = f"item {number}" if in_list else f"document {number}"
        try:
            data, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            position = error.pos if isinstance(error, json.JSONDecodeError) else at
            closed = _next_alike(text, at, alike) or _balanced_end(text, at)
            rest = read_cut(text, at, position) if closed is None else None
            yield _broken(
                text, line, where, error, position, recovered=closed is not None, kept=number > 1 or rest is not None
            )
            if rest is not None:
                yield Value(number, line, rest, Places(text, at, line))
            if closed is None:
                return
            end = closed
        else:
            if _UNDECODED.search(text, at, end):
                yield Refusal(line, where, "It holds bytes that are no UTF-8 text. Save the file as UTF-8.")
            else:
                alike = frozenset(data) if isinstance(data, dict) and in_list else alike
                yield Value(number, line, data, Places(text, at, line))
        at = skip(text, end)
        if in_list and at < len(text) and text[at] == ",":
            at = skip(text, at + 1)
        elif in_list and at < len(text) and text[at] != "]":
            line, counted = line + text.count("\n", counted, at), at
            yield Refusal(line, f"after item {number}", "A comma is missing here; what follows is still read.")
    yield from _ending(text, at, in_list, line + text.count("\n", counted, at), number > 0)


def _ending(text: str, at: int, in_list: bool, line: int, found: bool) -> Iterator[Refusal]:
    if in_list and at >= len(text):
        reason = f"The file ends inside its list: it was cut off.{KEPT if found else ''}"
        yield Refusal(line, f"line {line}", reason)
    elif in_list and skip(text, at + 1) < len(text):
        yield Refusal(line, f"line {line}", "There is more text after the end of the list; it was not read.")


def _broken(
    text: str, line: int, where: str, error: Exception, position: int, *, recovered: bool, kept: bool
) -> Refusal:
    if not isinstance(error, json.JSONDecodeError):
        return Refusal(line, where, "It is JSON of a size that cannot be read: a number or a nesting is too long.")
    place = f"line {error.lineno}, column {error.colno}"
    if recovered:
        return Refusal(line, where, f"It is no JSON: {error.msg} at {place}. The items after it are imported.")
    rest = KEPT if kept else ""
    if skip(text, position) >= len(text) - 1 or error.msg.startswith("Unterminated string"):
        return Refusal(error.lineno, where, f"The file is cut off inside it, at {place}.{rest}")
    return Refusal(error.lineno, where, f"It is no JSON: {error.msg} at {place}. Nothing after it could be read.{rest}")


def _next_alike(text: str, at: int, keys: frozenset[str]) -> int | None:
    """Return where a broken item ends, if an item with the fields of the one before it follows further down.

    A quote that is missing turns texts and brackets inside out, so that no counting of brackets finds the end.
    """
    if not keys:
        return None
    decoder = json.JSONDecoder()
    for place in islice(_BETWEEN.finditer(text, at), MOST_TRIES):
        try:
            found, _ = decoder.raw_decode(text, place.end())
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and keys <= found.keys():
            return place.start() + 1
    return None


def _balanced_end(text: str, at: int) -> int | None:
    """Return where the brackets opened at `at` are all closed, or None where they never are."""
    if text[at : at + 1] not in ("{", "["):
        return None
    depth = 0
    for token in _TOKEN.finditer(text, at):
        if token[0] in "{[":
            depth += 1
        elif token[0] in "}]":
            depth -= 1
            if depth == 0:
                return token.end()
    return None


def _parses(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def unreadable(path: Path, refusal: Refusal) -> ImportFormatError:
    """Return the error for a file of which nothing can be read, with the first reason."""
    return ImportFormatError(
        f"{path}: nothing in this file can be read as JSON. {refusal.where}: {refusal.reason} "
        "Check that it is the file you meant and that it was copied completely."
    )
