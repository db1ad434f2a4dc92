"""Limits say when a conversation is compacted and how much stays: in messages, tokens or a share of the window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from langgraph_memory.compaction.cut import Keep
from langgraph_memory.errors import InvalidInput

Size: TypeAlias = tuple[str, float]
"""`("messages", 50)`, `("tokens", 30_000)`, or `("fraction", 0.8)` of the model's window."""

Trigger: TypeAlias = "Size | Mapping[str, float] | Sequence[Size | Mapping[str, float]]"
"""A size; several that must all be reached, as a dict; or a list, of which any one is enough."""

UNITS = ("messages", "tokens", "fraction")


@dataclass(frozen=True, slots=True)
class Clause:
    """Sizes that must all be reached; None where one does not matter."""

    messages: int | None = None
    tokens: int | None = None

    def reached(self, messages: int, tokens: int) -> bool:
        """Say whether a conversation of so many messages and tokens is large enough."""
        enough = self.messages is None or messages >= self.messages
        return enough and (self.tokens is None or tokens >= self.tokens)


def read_trigger(trigger: Trigger, window: int | None) -> tuple[Clause, ...]:
    """Return the clauses of which any one starts a compaction.

    Args:
        trigger: see `Trigger`.
        window: tokens that the model takes; needed for fractions.

    Raises:
        InvalidInput: it makes no sense.
    """
    if isinstance(trigger, tuple | Mapping):
        trigger = [trigger]
    if isinstance(trigger, str) or not isinstance(trigger, Sequence) or not trigger:
        raise InvalidInput(f'trigger is for example ("tokens", 30_000) or ("messages", 50), not {trigger!r}.')
    return tuple(_clause(item, window) for item in trigger)


def read_keep(keep: Size, window: int | None) -> Keep:
    """Return how much stays; arguments and errors as for `read_trigger`."""
    unit, amount = _size(keep, "keep", window)
    return Keep("messages" if unit == "messages" else "tokens", amount)


def _clause(item: Any, window: int | None) -> Clause:
    sizes = [_size(one, "trigger", window) for one in (item.items() if isinstance(item, Mapping) else [item])]
    if not sizes:
        raise InvalidInput(f"A trigger without a size never starts: name one of {', '.join(UNITS)}.")
    tokens = [amount for unit, amount in sizes if unit == "tokens"]
    return Clause(next((amount for unit, amount in sizes if unit == "messages"), None), max(tokens, default=None))


def _size(given: Any, name: str, window: int | None) -> tuple[str, int]:
    unit, amount = given if isinstance(given, tuple) and len(given) == 2 else (None, None)
    numeric = isinstance(amount, int | float) and not isinstance(amount, bool)
    if unit not in UNITS or not numeric:
        raise InvalidInput(f'{name} is a pair such as ("messages", 20) with one of {", ".join(UNITS)}, not {given!r}.')
    assert amount is not None
    if unit == "fraction":
        if not 0 < amount <= 1:
            raise InvalidInput(f"{name}: a fraction lies above 0 and is at most 1, not {amount}.")
        if window is None:
            raise InvalidInput(
                f"{name} is a share of the model's window, and nobody knows how large that is. Pass window=128_000, "
                "or count messages or tokens."
            )
        return "tokens", max(1, int(window * amount))
    if amount != int(amount) or amount < 1:
        raise InvalidInput(f"{name}: a number of {unit} is whole and at least 1, not {amount}.")
    return str(unit), int(amount)
