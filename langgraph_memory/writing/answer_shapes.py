"""Finds the memories in an answer, whatever shape it has; what is another kind of answer holds none.

Models wrap a list in an object, name it otherwise, put memories under keys, or leave the list out. But they, and what
stands between, also answer with an error, a status, the schema they were shown or the arguments of another tool, and
the texts in those are nobody's statements.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from langgraph_memory.text.normalise import normalise

TEXTS = ("text", "memory", "content", "fact", "sentence", "data")
"""Names under which the text of a memory may stand."""

_LISTS = ("memories", "memory", "facts", "results", "items")
_LIST_NAME = re.compile("memor|fact", re.IGNORECASE)
_PLACE = re.compile(r"(?:memory|fact|item)?[ _-]?(?:\d{1,4}|[a-z])", re.IGNORECASE)
_REPORTS = "error errors status success code detail details properties exception"
_NOT_OF_A_MEMORY = frozenset(_REPORTS.split())
_NOTHING = re.compile(
    r"none|null|nil|n/?a|not applicable|empty|nothing|no|\[\]|\{\}|-+|无|無|没有|沒有|なし|없음|keine?|nichts"
    r"|rien|aucun|nada|ninguno|nenhum|niente|нет|ничего"
    r"|(?:there (?:is|are|was|were) )?(?:no|nothing)\b.{0,40}\b(?:memor(?:y|ies)|(?:worth|to) (?:keep|remember|stor|sav"
    r"|extract|add|note)\w*).{0,20}|no (?:new |relevant )?(?:facts?|information)(?: found)?"
)


def items_of(data: Any) -> tuple[list[Any], bool]:
    """Return what of an answer may be memories, and whether it is an answer to the question at all."""
    if data is None or isinstance(data, list):
        return list(data or ()), True
    if not isinstance(data, Mapping):
        return [data], isinstance(data, str)
    name = next((name for name in _LISTS if isinstance(data.get(name), list | Mapping)), None)
    name = name or next((name for name in data if _LIST_NAME.search(str(name)) and isinstance(data[name], list)), None)
    if name is not None:
        found = data[name]
        return (list(found), True) if isinstance(found, list) else (_under_keys(found), True)
    if is_memory(data) or not data:
        return [data] if data else [], True
    lone = [data[name] for name in _LISTS if name in data]
    if lone:
        return [value for value in lone if value is not None], True
    return _under_keys(data), all(is_memory(value) or _is_numbered(key, value) for key, value in data.items())


def is_memory(item: Any) -> bool:
    """Say whether this is an object with a text, and no report of an error or a status."""
    return (
        isinstance(item, Mapping)
        and any(isinstance(item.get(name), str) for name in TEXTS)
        and _NOT_OF_A_MEMORY.isdisjoint(item)
    )


def says_nothing(text: str) -> bool:
    """Say whether a text only says that there is nothing to keep: `none`, `N/A`."""
    return _NOTHING.fullmatch(normalise(text).strip(" .!()[]\"'*")) is not None


def _under_keys(data: Mapping[str, Any]) -> list[Any]:
    """Return one memory, or memories under keys; a text under a key that is no number is an unread item."""
    if is_memory(data):
        return [data]
    return [
        value if isinstance(value, Mapping) or _is_numbered(key, value) else {str(key): value}
        for key, value in data.items()
    ]


def _is_numbered(key: Any, value: Any) -> bool:
    return isinstance(value, str) and _PLACE.fullmatch(str(key)) is not None
