"""A scope says whose memory it is: a path of text segments such as `("acme", "alice@example.com")`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias
from urllib.parse import unquote

from langgraph_memory.errors import ScopeError

ScopeLike: TypeAlias = "Scope | str | int | Sequence[str | int]"
"""Anything `Scope.of` accepts: a scope, one segment, or a sequence of segments."""

_RESERVED_ROOT = "langgraph"  # LangGraph keeps this first label for itself (langgraph.store.base)
_SEPARATOR = "/"


@dataclass(frozen=True, slots=True, order=True)
class Scope:
    """Whose memory, as one or more non-blank text segments.

    Segments may hold any Unicode but NUL and lone surrogates, which no database stores. A scope
    contains itself and every longer scope that starts with the same segments.
    """

    segments: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.segments:
            raise ScopeError(
                "The scope is empty, which would mean everybody's memory. "
                'Say whose it is, for example scope=("alice",).'
            )
        for segment in self.segments:
            _check(segment)

    @classmethod
    def of(cls, value: ScopeLike) -> Scope:
        """Return the scope that `value` names.

        Args:
            value: a scope, one segment (`"alice"`, `42`), or a sequence of them. Whole numbers become
                their decimal text, so that the user ids `42` and `"42"` are one person. Blanks around a
                segment are removed.

        Raises:
            ScopeError: it is empty, blank, or holds something else than text and whole numbers.
        """
        if isinstance(value, Scope):
            return value
        if isinstance(value, str | int):
            return cls((_segment(value),))
        if isinstance(value, Iterable) and not isinstance(value, bytes | dict | set | frozenset):
            return cls(tuple(_segment(part) for part in value))
        raise ScopeError(f"A scope is text or a sequence of texts, not {type(value).__name__}: {value!r}.")

    @property
    def path(self) -> str:
        """The scope as one string that ends in `/`, so that segment prefix is string prefix.

        `%` and `/` inside a segment are escaped, which keeps the path reversible (`from_path`).
        """
        return _path(self.segments)

    @classmethod
    def from_path(cls, path: str) -> Scope:
        """Return the scope whose `path` this is."""
        return _from_path(path)

    def namespace(self) -> tuple[str, ...]:
        """Return LangGraph namespace labels: no dots, root not `langgraph`; `from_namespace` reverses it."""
        labels = [_escape(segment, ".") for segment in self.segments]
        if labels[0] == _RESERVED_ROOT:
            labels[0] = f"%{ord(labels[0][0]):02X}{labels[0][1:]}"
        return tuple(labels)

    @classmethod
    def from_namespace(cls, labels: Sequence[str]) -> Scope:
        """Return the scope that `namespace()` turned into these labels."""
        return cls(tuple(unquote(label) for label in labels))

    def contains(self, other: Scope) -> bool:
        """Say whether `other` is this scope or lies inside it, by whole segments."""
        return other.segments[: len(self.segments)] == self.segments

    def ancestors(self) -> Iterator[Scope]:
        """Yield the scopes that contain this one, widest first, itself last."""
        for length in range(1, len(self.segments) + 1):
            yield Scope(self.segments[:length])

    def __str__(self) -> str:
        return " / ".join(self.segments)


def _segment(part: object) -> str:
    if isinstance(part, bool) or not isinstance(part, str | int):
        raise ScopeError(
            f"A scope segment is text or a whole number, not {type(part).__name__}: {part!r}. "
            "Convert it to text yourself if that is what you mean."
        )
    try:
        return str(part).strip()
    except ValueError as error:  # Python writes out no number of more digits than sys.get_int_max_str_digits()
        raise ScopeError(
            f"A scope segment is a number of {int(part).bit_length()} bits. Give a shorter name."
        ) from error


def _check(segment: str) -> None:
    if not segment or not segment.strip():
        raise ScopeError("A scope segment is blank. Give each segment a name, or leave it out.")
    if "\x00" in segment:
        raise ScopeError(f"A scope segment holds a NUL character, which no database stores: {segment!r}.")
    try:
        segment.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ScopeError(f"A scope segment holds half a character (a lone surrogate): {segment!r}.") from error


def _escape(segment: str, *characters: str) -> str:
    escaped = segment.replace("%", "%25")
    for character in characters:
        escaped = escaped.replace(character, f"%{ord(character):02X}")
    return escaped


@lru_cache(maxsize=4_096)
def _path(segments: tuple[str, ...]) -> str:
    return "".join(_escape(segment, "/") + _SEPARATOR for segment in segments)


@lru_cache(maxsize=4_096)  # every row that is read names its scope
def _from_path(path: str) -> Scope:
    return Scope(tuple(unquote(part) for part in path.removesuffix(_SEPARATOR).split(_SEPARATOR)))
