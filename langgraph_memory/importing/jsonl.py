"""Our own format: one JSON object a line, as `export` writes it and as people write it by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from langgraph_memory.errors import ImportFormatError, MessageError, ScopeError
from langgraph_memory.importing.cut import is_cut
from langgraph_memory.importing.documents import Source, Value
from langgraph_memory.importing.parts import ImportedMemory, ImportedSession, Part, Refusal, plain_reason, text_id
from langgraph_memory.records import Message
from langgraph_memory.scope import Scope
from langgraph_memory.sessions.messages import each_message, to_moment

SHAPE = (
    'one JSON object a line: {"type": "entry", "session", "id", "role", "speaker", "text", "content", "observed_at", '
    '"extra"} or just {"role", "content"}; {"type": "memory", ...}; first, if you like, '
    '{"type": "header", "format": "langgraph-memory", "version": 1}'
)
FORMAT_NAME = "langgraph-memory"
VERSION = 1
"""The newest version of the format that is understood."""

CHUNK = 1000
"""Messages of one conversation that are held before they are handed on, so that a long file needs little memory."""

_PLACE = ("type", "scope", "session", "session_id", "thread_id")
_DATES = ("timestamp", "created_at", "date")  # read as observed_at where they are ISO 8601; they stay in `extra`


def detect(source: Source) -> bool:
    """Say whether `source` is in this format.

    Raises:
        ImportFormatError: it is, but was written by a newer version of this package.
    """
    for data in source.peek:
        if not isinstance(data, Mapping):
            continue
        if data.get("type") == "header" and data.get("format") == FORMAT_NAME:
            version = data.get("version")
            if not isinstance(version, int) or version > VERSION:
                raise ImportFormatError(
                    f"{source.path}: written in version {version!r} of the {FORMAT_NAME} format, and this package "
                    f"reads up to version {VERSION}. Install a newer langgraph-memory-plugin."
                )
            return True
        if data.get("type") in ("entry", "memory") or isinstance(data.get("text"), str):
            return True
        if source.container != "list" and data.keys() & {"role", "content", "data", "kwargs"}:
            return True
    return False


def read(source: Source) -> Iterator[Part]:
    """Yield the parts of a file in this format, holding no more than `CHUNK` messages at a time."""
    base: tuple[str, ...] = ()
    key: tuple[tuple[str, ...], str] = ((), "")
    waiting: list[Message] = []
    for value in source.values():
        if isinstance(value, Refusal):
            yield value
            continue
        if is_cut(value.data):
            continue  # a message or a memory that is not whole, as the refusal before it says
        try:
            data = _fields(value)
            if data.get("type") == "header":
                base = _segments(data.get("scope"))
                continue
            suffix = _suffix(data, base)
            if data.get("type") == "memory":
                yield ImportedMemory(value.line, {name: item for name, item in data.items() if name != "type"}, suffix)
                continue
            message = _message(data)
        except (MessageError, ScopeError, ValueError) as error:
            yield Refusal(value.line, f"line {value.line}", str(error))
            continue
        here = suffix, text_id(data.get("session"), data.get("session_id"), data.get("thread_id")) or source.stem
        if waiting and (here != key or len(waiting) >= CHUNK):
            yield ImportedSession(key[1], tuple(waiting), key[0])
            waiting = []
        key = here
        waiting.append(message)
    if waiting:
        yield ImportedSession(key[1], tuple(waiting), key[0])


def _fields(value: Value) -> dict[str, Any]:
    if not isinstance(value.data, dict):
        raise ValueError(f"A line is a JSON object, not {type(value.data).__name__}. Accepted: {SHAPE}.")
    return value.data


def _message(data: Mapping[str, Any]) -> Message:
    kind = data.get("type")
    own = kind in (None, "entry")
    fields = {name: item for name, item in data.items() if name not in (_PLACE if own else _PLACE[1:])}
    if kind == "entry":
        fields.pop("recorded_at", None)  # when another store wrote it down; this one has a clock of its own
    if own and "lc" not in fields:
        fields.setdefault("role", "user")  # {"speaker": "Alice", "text": "Hi"}: somebody said it
        if fields.get("text") is None and "content" not in fields:
            raise MessageError(f'It has neither "text" nor "content". Accepted: {SHAPE}.')
    if fields.get("observed_at") is None:
        date = next((fields[name] for name in _DATES if _is_date(fields.get(name))), None)
        if date is not None:
            fields["observed_at"] = date
    outcome = next(each_message([fields]))
    if isinstance(outcome, MessageError):
        raise MessageError(plain_reason(outcome))
    return outcome


def _suffix(data: Mapping[str, Any], base: tuple[str, ...]) -> tuple[str, ...]:
    """The scope of a line as seen from the scope that was exported."""
    scope = _segments(data.get("scope"))
    if not scope:
        return ()
    if scope[: len(base)] != base:
        raise ScopeError(f"Its scope {' / '.join(scope)} is not inside the exported scope {' / '.join(base)}.")
    return scope[len(base) :]


def _segments(scope: Any) -> tuple[str, ...]:
    return () if scope is None or scope == [] else Scope.of(scope).segments


def _is_date(given: object) -> bool:
    try:
        return isinstance(given, str) and to_moment(given) is not None
    except ValueError:
        return False
