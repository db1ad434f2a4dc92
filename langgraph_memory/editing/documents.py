"""Documents are shown to the model under small numbers, and only numbers that were shown are accepted back."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")

_NUMBER = re.compile(r"(?:#|id[-_: ]?|\[|\()?([0-9]{1,9})(?:\]|\))?")


@dataclass(frozen=True, slots=True)
class Document:
    """A typed document that exists: a memory, a profile, whatever the schema describes.

    Attributes:
        id: its identity for the caller; the model never sees it.
        schema: the name of its schema; one that the editor does not know is allowed.
        value: a JSON object.
        begun: it is what a document starts from, and nobody has written it yet: what is written must fit its schema,
            and there is nothing to delete.
    """

    id: str
    schema: str
    value: dict[str, Any]
    begun: bool = False


class Aliases(Generic[Item]):
    """Numbers for items, counted from 0 in the order in which they are shown; a number is never used again."""

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self._shown: list[Item] = list(items)
        self._gone: set[int] = set()

    def show(self, item: Item) -> int:
        """Return the number of the item, which from now on is accepted."""
        if item not in self._shown:
            self._shown.append(item)
        return self._shown.index(item)

    def drop(self, item: Item) -> None:
        """Stop accepting the item's number: it was deleted."""
        if item in self._shown:
            self._gone.add(self._shown.index(item))

    @property
    def numbers(self) -> list[int]:
        """The numbers that are accepted."""
        return [number for number in range(len(self._shown)) if number not in self._gone]

    def find(self, given: Any, *, lone: bool = True) -> tuple[Item, None] | tuple[None, str]:
        """Return the item that the model means, or why there is none.

        Args:
            given: what the model wrote: `1`, `"1"`, `"#1"`, `"id-1"`, `"[1]"`.
            lone: where exactly one item exists, anything that is no number of another one means it. Off for acts
                that must not rest on a guess, such as deleting.
        """
        numbers, number = self.numbers, _number(given)
        if number in numbers and number is not None:
            return self._shown[number], None
        if number in self._gone:
            return None, f"document {number} was deleted; {self._existing()}"
        if lone and len(numbers) == 1:
            return self._shown[numbers[0]], None
        named = "no id was given" if given in (None, "") else f"there is no document {str(given)[:40]!r}"
        return None, f"{named}; {self._existing()}"

    def _existing(self) -> str:
        numbers = self.numbers
        return f"the ids that exist are {_ranges(numbers)}" if numbers else "no document exists"


def _number(given: Any) -> int | None:
    if isinstance(given, bool):
        return None
    if isinstance(given, float) and given.is_integer():
        given = int(given)
    if not isinstance(given, int | str):
        return None
    match = _NUMBER.fullmatch(unicodedata.normalize("NFKC", str(given)).strip().strip("\"'").lower())
    return int(match[1]) if match else None


def _ranges(numbers: list[int]) -> str:
    """Write `0-3, 5`: the list of a thousand ids would be longer than the prompt."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1] = [runs[-1][0], number]
        else:
            runs.append([number])
    return ", ".join("-".join(map(str, run)) if run[-1] - run[0] != 1 else f"{run[0]}, {run[1]}" for run in runs)
