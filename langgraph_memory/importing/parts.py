"""What reading a conversation file gives: sessions, memories, and refusals that say what was left out and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

from langgraph_memory.errors import MessageError
from langgraph_memory.importing.cut import is_cut
from langgraph_memory.records import Message
from langgraph_memory.sessions.messages import each_message


@dataclass(frozen=True, slots=True)
class ImportedSession:
    """Messages of one conversation, in order; a large conversation may come in several of these.

    Attributes:
        session_id: the conversation's own id, or one made from the file's name.
        scope_suffix: segments to put behind the scope that the file is imported into.
    """

    session_id: str
    messages: tuple[Message, ...]
    scope_suffix: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportedMemory:
    """One exported memory, its fields as they stand in the file.

    Attributes:
        line: 1-based line of the file.
        scope_suffix: segments to put behind the scope that the file is imported into.
    """

    line: int
    data: dict[str, Any]
    scope_suffix: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something in the file that was not imported.

    Attributes:
        line: 1-based line where it stands or starts; None where it is not known.
        where: the place in words, such as `conversation 2, message 5`.
        reason: why, and what to do where something can be done.
        skipped: True where it is sound but left out on purpose, such as an abandoned branch.
    """

    line: int | None
    where: str
    reason: str
    skipped: bool = False


Part: TypeAlias = ImportedSession | ImportedMemory | Refusal


@dataclass(frozen=True)
class ImportFile:
    """A file that was recognised; iterating reads it, part by part in the order of the file.

    Iterate over it where the file may be large: JSON Lines are then never held in memory as a whole. It can
    be iterated again. `sessions`, `memories` and `refusals` read the whole file once and keep the result.

    Attributes:
        format: the name under `FORMATS`.
    """

    format: str
    read: Callable[[], Iterator[Part]] = field(repr=False)

    def __iter__(self) -> Iterator[Part]:
        return self.read()

    @cached_property
    def _parts(self) -> tuple[Part, ...]:
        return tuple(self)

    @cached_property
    def sessions(self) -> tuple[ImportedSession, ...]:
        """Every conversation once, with all of its messages."""
        merged: dict[tuple[tuple[str, ...], str], ImportedSession] = {}
        for part in self._parts:
            if isinstance(part, ImportedSession):
                key = (part.scope_suffix, part.session_id)
                known = merged.get(key)
                merged[key] = replace(part, messages=known.messages + part.messages) if known else part
        return tuple(merged.values())

    @property
    def memories(self) -> tuple[ImportedMemory, ...]:
        """The exported memories."""
        return tuple(part for part in self._parts if isinstance(part, ImportedMemory))

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """What was not imported, and why."""
        return tuple(part for part in self._parts if isinstance(part, Refusal))


def gather(
    items: Mapping[int, Any], where: str, line_of: Callable[[int], int | None]
) -> tuple[list[Message], list[Refusal]]:
    """Return the messages among numbered `items`, and a refusal for each item that is none or is an error.

    An item that was cut off is left out; the file's own refusal says where that happened.

    Args:
        items: by their 1-based number in the conversation.
        where: the conversation in words.
        line_of: finds the line of an item by its number.
    """
    messages: list[Message] = []
    refusals: list[Refusal] = []
    whole = {number: item for number, item in items.items() if not is_cut(item)}
    outcomes = each_message([item for item in whole.values() if not isinstance(item, MessageError)])
    for number, item in whole.items():
        outcome = item if isinstance(item, MessageError) else next(outcomes)
        if isinstance(outcome, MessageError):
            refusals.append(Refusal(line_of(number), f"{where}, message {number}", plain_reason(outcome)))
        else:
            messages.append(outcome)
    return messages, refusals


def filed_as(line: int, where: str, name: str) -> Refusal:
    """Return the note that a conversation that was cut off had no name before the cut."""
    return Refusal(
        line,
        where,
        f"It has no name before the cut, so what was whole of it is filed as {name!r}. If the whole file names it, "
        f"erase {name!r} before you import that: the same messages would be there under both names.",
    )


def plain_reason(error: MessageError) -> str:
    """Return why an item is no message, without its place in the list, which the refusal gives better."""
    return re.sub(r"^Message \d+ (is|cannot)", r"It \1", str(error))


def text_id(*candidates: object) -> str | None:
    """Return the first candidate that can name a session: non-blank text, or a whole number as text."""
    for given in candidates:
        if isinstance(given, str) and given.strip():
            return given
        if isinstance(given, int) and not isinstance(given, bool):
            return str(given)
    return None
