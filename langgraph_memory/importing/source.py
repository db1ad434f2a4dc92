"""A conversation file is opened, its format recognised, and what it holds handed over part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from langgraph_memory.errors import ImportFormatError
from langgraph_memory.importing import chatgpt, claude, jsonl, langgraph, locomo, openai
from langgraph_memory.importing.documents import Source, open_source, unreadable
from langgraph_memory.importing.parts import ImportFile, Part, Refusal
from langgraph_memory.sessions.shapes import describe


class Format(NamedTuple):
    """One way to write conversations down.

    Attributes:
        detect: says whether an opened file is in it.
        read: yields what the file holds.
        shape: what such a file looks like, for people.
    """

    detect: Callable[[Source], bool]
    read: Callable[[Source], Iterator[Part]]
    shape: str


FORMATS: Mapping[str, Format] = {
    "chatgpt": Format(chatgpt.detect, chatgpt.read, chatgpt.SHAPE),
    "claude": Format(claude.detect, claude.read, claude.SHAPE),
    "locomo": Format(locomo.detect, locomo.read, locomo.SHAPE),
    "langgraph": Format(langgraph.detect, langgraph.read, langgraph.SHAPE),
    "openai": Format(openai.detect, openai.read, openai.SHAPE),
    "jsonl": Format(jsonl.detect, jsonl.read, jsonl.SHAPE),
}
"""Every format by name, in the order in which a file is compared with them: the most particular first."""


def read_file(path: str | PathLike[str], format: str | None = None) -> ImportFile:
    """Open a conversation file and return what it holds.

    Text may be UTF-8 (with or without its mark), or UTF-16 or UTF-32 with their mark; gzip is unpacked.
    Whatever cannot be read becomes a `Refusal` with its line, and the rest is imported: also of a file that was cut
    off, every message that is whole.

    Args:
        path: a file.
        format: a name from `FORMATS`; None recognises it.

    Raises:
        ImportFormatError: there is no such file; it is empty, a folder, a pipe or a device, or in none of the formats;
            `format` is unknown or not that of the file; or a newer version of this package wrote it. The message
            lists the formats with their shapes.
    """
    place = Path(path)
    if format is not None and format not in FORMATS:
        raise ImportFormatError(f"There is no format {format!r}. {_known()}")
    source = open_source(place)
    if not source.peek:
        raise _nothing_in(source)
    names = FORMATS if format is None else (format,)
    for name in names:
        if FORMATS[name].detect(source):
            return ImportFile(name, partial(FORMATS[name].read, source))
    found = f"It starts with {_first(source.peek[0])}."
    if format is not None:
        raise ImportFormatError(f"{place}: this is not in the format {format}: {FORMATS[format].shape}. {found}")
    raise ImportFormatError(f"{place}: this is in no format that is known here. {found} {_known()}")


def _nothing_in(source: Source) -> ImportFormatError:
    if source.damage is not None:
        return ImportFormatError(f"{source.path}: {source.damage}. Nothing of it could be read; copy the file again.")
    first = next(source.values(), None)
    if isinstance(first, Refusal):
        return unreadable(source.path, first)
    return ImportFormatError(f"{source.path}: the file holds no conversation, only an empty list.")


def _first(data: Any) -> str:
    return "text" if isinstance(data, str) else describe(data)


def _known() -> str:
    return "Known formats: " + "; ".join(f"{name} ({entry.shape})" for name, entry in FORMATS.items()) + "."
