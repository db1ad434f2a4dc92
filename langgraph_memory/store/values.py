"""Values as they are stored: plain JSON, the texts in it that are indexed, and a digest of each text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from langgraph.store.base import get_text_at_path, tokenize_path
from pydantic_core import PydanticSerializationError, to_jsonable_python

from langgraph_memory.errors import InvalidInput
from langgraph_memory.storage.database import dump_json
from langgraph_memory.text.normalise import clean

_WHOLE = "$"
_NOT_JSON = (bytes, bytearray, memoryview, set, frozenset)
_PLAIN = (str, bool, int, float, type(None))


def plain_value(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value as plain JSON; dates, UUIDs, enumerations and pydantic models become what pydantic makes of them.

    Raises:
        InvalidInput: it is no mapping with text keys, or holds something that JSON has no form for.
    """
    if not isinstance(value, Mapping):
        raise InvalidInput(f'A value is a mapping such as {{"text": "..."}}, not {type(value).__name__}.')
    try:
        plain = _plain(value)
        dump_json(plain)  # the one that knows, for instance, that a number has too many digits
    except (RecursionError, PydanticSerializationError, ValueError, TypeError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"The value cannot be written as JSON: {error}.") from error
    assert isinstance(plain, dict)
    return plain


def texts_at(value: Mapping[str, Any], paths: Sequence[str]) -> tuple[str, ...]:
    """Return the texts to index: one for each path, and for each element where a path leads to several."""
    found: list[str] = []
    for path in paths:
        found += get_text_at_path(value, path if path == _WHOLE else tokenize_path(path))
    return tuple(clean(text) for text in found if text.strip())


def digest(text: str) -> str:
    """Return what identifies a text, so that it is embedded once."""
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                raise InvalidInput(f"The keys of a value are text, not {type(name).__name__}: {name!r}.")
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if type(value) in _PLAIN:
        return value
    if isinstance(value, _NOT_JSON):
        raise InvalidInput(
            f"A value holds {type(value).__name__}, which JSON has no form for and would come back as something else. "
            "Write bytes as base64 text and a set as a sorted list."
        )
    return to_jsonable_python(value)
