"""Arguments are checked before anything is done: what cannot be used is refused by name, with what to write instead."""

from __future__ import annotations

import io
import json
import math
import os
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from numbers import Integral, Real
from typing import Any
from urllib.parse import urlsplit

from langgraph_memory.clock import Clock
from langgraph_memory.errors import InvalidInput

LARGEST = 2**62
"""Numbers of rows beyond this mean "all of them"; the databases count in 64 bits."""

_LONG_BITS = 200  # longer numbers are not written out, and Python refuses to write the longest


def words(name: str, value: object, example: str) -> str:
    """Return text that is not blank.

    Raises:
        InvalidInput: it is no text, or blank.
    """
    found = name_of(name, value, example)
    if not found.strip():
        raise InvalidInput(f"{name} is blank. Write a text, for example {name}={example!r}.")
    return found


def maybe_words(name: str, value: object, example: str) -> str | None:
    """Return text that is not blank, or None where nothing was given.

    Raises:
        InvalidInput: it is no text, or blank.
    """
    return None if value is None else words(name, value, example)


def name_of(name: str, value: object, example: str) -> str:
    """Return any text; a name that names nothing is simply not found.

    Raises:
        InvalidInput: it is no text.
    """
    if not isinstance(value, str):
        raise InvalidInput(f"{name} is a text, not {_shown(value)}. Write for example {name}={example!r}.")
    return value


def many(name: str, value: object, example: str) -> tuple[Any, ...]:
    """Return the items of a collection.

    Raises:
        InvalidInput: it is a single text or mapping, which would be cut into its letters or keys, or no collection.
    """
    if isinstance(value, str | bytes | bytearray | Mapping) or not isinstance(value, Iterable):
        raise InvalidInput(f"{name} is a list, not {_shown(value)}. Write for example {name}={example}.")
    return tuple(value)


def texts(name: str, value: object, example: str) -> tuple[str, ...]:
    """Return the texts of a collection.

    Raises:
        InvalidInput: it is a single text, no collection, or holds something else than texts.
    """
    found = many(name, value, f"[{example!r}]")
    for item in found:
        if not isinstance(item, str):
            raise InvalidInput(f"{name} holds {_shown(item)}, and lists texts. Write for example {name}=[{example!r}].")
    return found


def choices(name: str, value: object, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return texts that are all among the known ones.

    Raises:
        InvalidInput: as `texts`, or one is not known.
    """
    found = texts(name, value, known[0])
    unknown = [item for item in found if item not in known]
    if unknown:
        raise InvalidInput(f"{name} holds {', '.join(map(repr, unknown))}; there are {', '.join(map(repr, known))}.")
    return found


def number(name: str, value: object, *, least: int = 0) -> int:
    """Return a whole number.

    Raises:
        InvalidInput: it is none, or less than `least`.
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InvalidInput(f"{name} is a whole number, not {_shown(value)}. Write for example {name}=10.")
    if value < least:
        raise InvalidInput(f"{name} must be at least {least}, not {_shown(value)}.")
    return min(int(value), LARGEST)


def maybe_number(name: str, value: object, *, least: int = 0) -> int | None:
    """Return a whole number, or None where nothing was given.

    Raises:
        InvalidInput: it is none, or less than `least`.
    """
    return None if value is None else number(name, value, least=least)


def share(name: str, value: object) -> float | None:
    """Return a number from 0 to 1, or None where nothing was given.

    Raises:
        InvalidInput: it is none, or lies outside.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InvalidInput(f"{name} is a number from 0 to 1, not {_shown(value)}.")
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not 0 <= found <= 1:  # NaN neither
        raise InvalidInput(f"{name} lies between 0 and 1, not {_shown(value)}.")
    return found


def maybe_real(name: str, value: object) -> float | None:
    """Return a finite number, or None where nothing was given.

    Raises:
        InvalidInput: it is none, or not finite.
    """
    if value is None:
        return None
    found = float(value) if isinstance(value, Real) and not isinstance(value, bool | Integral) else value
    if isinstance(value, Integral) and not isinstance(value, bool):
        found = float(value) if value.__int__().bit_length() < _LONG_BITS else math.inf
    if not isinstance(found, float) or not math.isfinite(found):
        raise InvalidInput(f"{name} is a number, not {_shown(value)}. Write for example {name}=0.3.")
    return found


def flag(name: str, value: object) -> bool:
    """Return True or False.

    Raises:
        InvalidInput: it is neither.
    """
    if not isinstance(value, bool):
        raise InvalidInput(f"{name} is True or False, not {_shown(value)}.")
    return value


def fields(name: str, value: object) -> Mapping[str, Any]:
    """Return a mapping that JSON can hold; None is an empty one.

    Raises:
        InvalidInput: it is no mapping, or holds something that JSON does not know.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInput(f'{name} is a dict, not {_shown(value)}. Write for example {name}={{"source": "survey"}}.')
    try:
        json.dumps(dict(value), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(
            f"{name} holds something that JSON does not know ({error}). Write texts, numbers, True, False, None, and "
            "lists and dicts of these."
        ) from None
    return value


def place(name: str, value: object) -> str | os.PathLike[str]:
    """Return a path in the file system.

    Raises:
        InvalidInput: it is none, or empty.
    """
    path = value if isinstance(value, str) else os.fspath(value) if isinstance(value, os.PathLike) else None
    if not isinstance(path, str):
        raise InvalidInput(f"{name} is a path, not {_shown(value)}. Write it as a text or a pathlib.Path.")
    if not path.strip() or "\0" in path:
        fault = "holds a NUL character" if path.strip() else "is empty"
        raise InvalidInput(f"{name} {fault}. Write the path of a file or folder.")
    try:
        os.fsencode(path)
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{name} holds half a character, which no path can. Write it anew.") from error
    return path


def stream_or_place(name: str, value: Any) -> Any:
    """Return a path, or an open text stream.

    Raises:
        InvalidInput: it is neither.
    """
    is_stream = hasattr(value, "write") and not isinstance(value, io.RawIOBase | io.BufferedIOBase)
    return value if is_stream else place(name, value)


def action(name: str, value: Any) -> Callable[..., Any]:
    """Return something that can be called.

    Raises:
        InvalidInput: it cannot.
    """
    if not callable(value):
        raise InvalidInput(f"{name} is a function, not {_shown(value)}.")
    called: Callable[..., Any] = value
    return called


def clock(name: str, value: Any) -> Clock:
    """Return a function that gives the present, and raises `InvalidInput` if it ever gives something else.

    Raises:
        InvalidInput: it cannot be called, or gives something else than a `datetime`.
    """
    asked: Clock = action(name, value)

    def present() -> datetime:
        given: object = asked()
        if isinstance(given, datetime):
            return given
        raise InvalidInput(f"{name} returns {_shown(given)}. It must return a datetime, for example datetime.now(UTC).")

    present()
    return present


def counter(name: str, value: Any) -> Callable[[str], int]:
    """Return a function that counts the tokens of a text.

    Raises:
        InvalidInput: it cannot be called, or gives something else than a whole number of at least 0.
    """
    asked: Callable[[str], int] = action(name, value)
    given: object = asked("Ana lives in Lyon.")
    if isinstance(given, bool) or not isinstance(given, Integral) or given < 0:
        raise InvalidInput(f"{name} returns {_shown(given)}. It must return a number of tokens, for example 5.")
    return asked


def web_address(name: str, value: object, example: str) -> str | None:
    """Return the address of a server, or None where nothing was given.

    Raises:
        InvalidInput: it is no http or https URL.
    """
    found = maybe_words(name, value, example)
    if found is None:
        return None
    try:
        parts = urlsplit(found)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is none, half an IPv6 address
        sound = False
    if not sound:  # the text is not repeated: it may hold a password
        raise InvalidInput(f"{name} is no address of a server. Write it as {example}.")
    return found


def _shown(value: object) -> str:
    """Return a value in few characters: what a person typed is the quickest hint, but it may be long or secret."""
    if isinstance(value, int) and value.bit_length() > _LONG_BITS:
        return f"a number of {value.bit_length()} bits"
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    if isinstance(value, str):
        return f"the text {value[:40]!r}" if value else "an empty text"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    return f"an object of type {type(value).__name__}"
