"""The fields of one object that a person wrote, each checked when it is read, with an error that says what to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langgraph_memory.importing.parts import text_id
from langgraph_memory.records import Role
from langgraph_memory.sessions.messages import to_moment
from langgraph_memory.sessions.shapes import ROLES, describe


class Malformed(Exception):
    """Something cannot be read; the text says what and what to do, `line` where."""

    def __init__(self, message: str, line: int | None) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class Item:
    """An object of the file, and how to find its line. Each method raises `Malformed` for what it cannot read."""

    data: Any
    line: Callable[[], int | None]

    def wrong(self, reason: str) -> Malformed:
        """Return the error for it."""
        return Malformed(reason, self.line())

    def check(self) -> Mapping[str, Any]:
        """Return it as a JSON object, which it must be."""
        if not isinstance(self.data, Mapping):
            raise self.wrong(f"It is {describe(self.data)}, and must be a JSON object. Write {{...}}, or delete it.")
        return self.data

    def only(self, known: set[str]) -> None:
        """Refuse fields that are not known: one may be a misspelt one."""
        unknown = sorted(set(map(str, self.check())) - known)
        if unknown:
            raise self.wrong(
                f"It has an unknown field {unknown[0]!r}. Known are {', '.join(sorted(known))}. Rename or delete it."
            )

    def text(self, name: str) -> str | None:
        """Return a name: text or a whole number as text; None where it is left out, blank or null."""
        given = self.check().get(name)
        found = text_id(given)
        if found is None and given is not None and not isinstance(given, str):
            raise self.wrong(
                f"Its {name!r} is {describe(given)}, and must be text. Write it in quotes, or leave it out."
            )
        return found

    def words(self, name: str) -> str:
        """Return what is said, which may be empty."""
        given = self.check().get(name)
        if not isinstance(given, str):
            raise self.wrong(f"Its {name!r} is {describe(given)}, and must be text. Write it in quotes.")
        return given

    def texts(self, name: str) -> list[str]:
        """Return a list of names; a single one may stand without the list."""
        given = self.check().get(name)
        listed: list[Any] = given if isinstance(given, list) else [] if given is None else [given]
        found = [text_id(item) for item in listed]
        if None in found:
            raise self.wrong(f'Its {name!r} must be a list of texts. Write it like ["...", "..."].')
        return [item for item in found if item is not None]

    def items(self, name: str) -> Sequence[Any]:
        """Return a list of objects; empty where it is left out."""
        given = self.check().get(name, [])
        if not isinstance(given, list):
            raise self.wrong(
                f"Its {name!r} is {describe(given)}, and must be a list. Write it like [{{...}}, {{...}}]."
            )
        return given

    def moment(self, name: str) -> datetime | None:
        """Return a time; None where it is left out or null."""
        try:
            return to_moment(self.check().get(name))
        except ValueError as error:
            raise self.wrong(f"Its {name!r} {error}. Write 2026-05-31 or 2026-05-31T18:00.") from None

    def role(self) -> Role:
        """Return who speaks in the field's words; the speaker's name says it where the role is left out."""
        given = self.text("role")
        if given is None:
            return "assistant" if self.text("speaker") == "assistant" else "user"
        if given not in ROLES:
            raise self.wrong(f"Its role {given[:40]!r} is unknown. Known are {', '.join(ROLES)}.")
        return ROLES[given]

    def scope(self) -> str | None:
        """Return the scope of an exported line as one name."""
        given = self.check().get("scope")
        return "/".join(map(str, given)) if isinstance(given, list) and given else None
