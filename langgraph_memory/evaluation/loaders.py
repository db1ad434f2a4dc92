"""A data set is opened, its format recognised, and its conversations and questions handed over."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from langgraph_memory.errors import ImportFormatError
from langgraph_memory.evaluation import locomo, longmemeval, own, realtalk
from langgraph_memory.evaluation.datasets import DataSet
from langgraph_memory.evaluation.drafts import Draft, whole
from langgraph_memory.importing.documents import Source, open_source

_SUFFIXES = {".json", ".jsonl", ".ndjson"}


class Format(NamedTuple):
    """One way to write a data set down.

    Attributes:
        detect: says whether an opened file is in it.
        read: yields its conversations.
        shape: what such a file looks like, for people.
    """

    detect: Callable[[Source], bool]
    read: Callable[[Source], Iterator[Draft]]
    shape: str


FORMATS: Mapping[str, Format] = {
    "locomo": Format(locomo.detect, locomo.read, locomo.SHAPE),
    "longmemeval": Format(longmemeval.detect, longmemeval.read, longmemeval.SHAPE),
    "realtalk": Format(realtalk.detect, realtalk.read, realtalk.SHAPE),
    "own": Format(own.detect, own.read, own.SHAPE),
}
"""Every format by name, in the order in which a file is compared with them: the most particular first."""


def load(path: str | PathLike[str], *, format: str | None = None, name: str | None = None) -> DataSet:
    """Read a data set: LoCoMo, LongMemEval or REALTALK as released, or our own format (`evaluation/own.py`).

    What cannot be measured, such as a question whose evidence does not exist, is in `DataSet.left_out`.

    Args:
        path: a file, which may be packed with gzip, or a folder whose .json and .jsonl files are one data set together.
        format: a name from `FORMATS`; None recognises it.
        name: what to call it; by default what it calls itself, or the file's or the folder's name.

    Raises:
        ImportFormatError: there is no such file; it is damaged, or in none of the formats; it holds no question that
            can be measured; or something in our own format cannot be read, which names the line.
    """
    place = Path(path)
    if format is not None and format not in FORMATS:
        raise ImportFormatError(f"There is no format {format!r}. {_known()}")
    files = sorted(_files(place), key=_natural) if place.is_dir() else [place]
    if not files:
        raise ImportFormatError(f"{place}: this folder holds no .json or .jsonl file. Give the folder of a data set.")
    drafts: list[Draft] = []
    formats: set[str] = set()
    named = name
    for file in files:
        source = open_source(file)
        found = _format_of(source, format)
        formats.add(found)
        drafts += FORMATS[found].read(source)
        named = named or (_own_name(source) if found == "own" and len(files) == 1 else None)
    if len(formats) > 1:
        raise ImportFormatError(
            f"{place}: this folder holds files in several formats ({', '.join(sorted(formats))}). Give them one by one."
        )
    _check_names(place, drafts)
    data = DataSet(
        named or (place.name if place.is_dir() else source.stem),
        tuple(draft.finished() for draft in drafts),
        formats.pop(),
        tuple(left for draft in drafts for left in draft.left_out),
    )
    if not data.questions:
        reason = next((left.reason for left in data.left_out if left.what == "question"), "It holds no question.")
        raise ImportFormatError(f"{place}: there is no question that can be measured. The first reason: {reason}")
    return data


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        packed = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
        if path.is_file() and packed.lower() in _SUFFIXES and not path.name.startswith("."):
            yield path


def _natural(path: Path) -> list[tuple[bool, int, str]]:
    """Sort `Chat_2` before `Chat_10`."""
    return [(piece.isdigit(), int(piece) if piece.isdigit() else 0, piece) for piece in re.split(r"(\d+)", path.name)]


def _format_of(source: Source, format: str | None) -> str:
    next(whole(source), None)  # a file that is no JSON at all says where
    for name in FORMATS if format is None else (format,):
        if FORMATS[name].detect(source):
            return name
    if format is not None:
        raise ImportFormatError(f"{source.path}: this is not in the format {format}: {FORMATS[format].shape}.")
    raise ImportFormatError(f"{source.path}: this is in no format of a data set that is known here. {_known()}")


def _own_name(source: Source) -> str | None:
    first = source.peek[0] if source.peek else None
    name = first.get("name") if isinstance(first, Mapping) and source.container == "object" else None
    return name if isinstance(name, str) and name.strip() else None


def _check_names(place: Path, drafts: list[Draft]) -> None:
    seen: set[str] = set()
    for draft in drafts:
        if draft.id in seen:
            raise ImportFormatError(f"{place}: two conversations are called {draft.id!r}. Give each its own name.")
        seen.add(draft.id)


def _known() -> str:
    return "Known formats: " + "; ".join(f"{name} ({entry.shape})" for name, entry in FORMATS.items()) + "."
