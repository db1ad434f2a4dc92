"""A patch is applied operation by operation: what can be done is done, and each that cannot says why.

The operations are `add`, `remove` and `replace` of JSON Patch (RFC 6902) at JSON Pointers (RFC 6901), with three
additions that models need: `add` creates missing parents, `add` at `/field/-` appends to a text, and `replace` fills a
field that an object could have and has not: a default that nobody has written yet.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

DEEPEST = 64
"""Parts of a pointer at most: no document that people describe is nested deeper, and copying a value recurses."""

_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")
_BAD_ESCAPE = re.compile(r"~(?![01])")


@dataclass(frozen=True, slots=True)
class Patched:
    """A value after a patch.

    Attributes:
        value: the new value, which shares nothing with the old one.
        applied: the operations that were carried out, as `{"op", "path", "value"?}`, in order.
        problems: why each other operation was not, in order.
    """

    value: dict[str, Any]
    applied: tuple[dict[str, Any], ...] = ()
    problems: tuple[str, ...] = ()


class _CannotApply(Exception):
    """This operation does not fit the value."""


def apply(value: Mapping[str, Any], patches: Any) -> Patched:
    """Return the value after all operations that can be applied, in the order given; never raises.

    Args:
        value: a JSON object; it is not changed.
        patches: a list of operations, one operation, or either as JSON text, whole or damaged.
    """
    current = copy.deepcopy(dict(value))
    operations, problem = read_patches(patches)
    problems = [] if problem is None else [problem]
    applied = []
    for place, operation in enumerate(operations, start=1):
        attempt = copy.deepcopy(current)  # so that half an operation leaves no trace
        try:
            done = _carry_out(attempt, operation)
        except (_CannotApply, RecursionError) as error:
            reason = "nested too deep" if isinstance(error, RecursionError) else error
            problems.append(f"patch {place} ({_label(operation)}): {reason}")
        else:
            current = attempt
            applied.append(done)
    return Patched(current, tuple(applied), tuple(problems))


def read_patches(patches: Any) -> tuple[list[Any], str | None]:
    """Return the operations in whatever the model wrote, and what was wrong with it, if anything."""
    if isinstance(patches, str):
        from langgraph_memory.models.json_text import read_json

        read, problem = read_json(patches)
        if not isinstance(read, list | Mapping):
            return [], f"the patches are no JSON list: {problem or 'a list of operations is needed'}"
        patches = read
    if isinstance(patches, Mapping):
        inner = patches.get("patches")
        patches = inner if isinstance(inner, list) and "op" not in patches else [patches]
    if patches is None:
        return [], None
    if not isinstance(patches, list):
        return [], f"the patches are {type(patches).__name__}, not a list of operations"
    return patches, None


def _carry_out(value: dict[str, Any], operation: Any) -> dict[str, Any]:
    """Change the value in place, and return the operation in its plain form."""
    if not isinstance(operation, Mapping):
        raise _CannotApply('an operation is an object like {"op": "replace", "path": "/field", "value": ...}')
    kind, path = operation.get("op"), operation.get("path")
    if kind not in ("add", "remove", "replace"):
        raise _CannotApply("op must be add, remove or replace")
    if not isinstance(path, str):
        raise _CannotApply("path must be a JSON pointer such as /field/0")
    if kind != "remove" and "value" not in operation:
        raise _CannotApply(f"{kind} needs a value")
    parts = _parts(path)
    new = copy.deepcopy(operation.get("value"))
    if kind == "remove":
        _remove(_reach(value, parts[:-1]), parts)
        return {"op": kind, "path": _pointer(parts)}
    if kind == "replace":
        _replace(_reach(value, parts[:-1]), parts, new)
    else:
        _add(value, parts, new)
    return {"op": kind, "path": _pointer(parts), "value": copy.deepcopy(new)}


def _parts(path: str) -> list[str]:
    if path in ("", "/"):  # "/" is the field with the empty name, but models mean the whole document by it
        raise _CannotApply("the whole document cannot be removed or replaced; name a field, or delete the document")
    if _BAD_ESCAPE.search(path):
        raise _CannotApply("in a path ~ is written ~0 and / is written ~1")
    parts = [part.replace("~1", "/").replace("~0", "~") for part in path.removeprefix("/").split("/")]
    if len(parts) > DEEPEST:
        raise _CannotApply(f"the path has {len(parts)} parts; {DEEPEST} is the limit")
    return parts


def _pointer(parts: list[str]) -> str:
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in parts)


def _reach(value: Any, parts: list[str]) -> Any:
    """Return what is at the pointer."""
    for done, part in enumerate(parts, start=1):
        value = value[_step(value, part, _pointer(parts[:done]))]
    return value


def _step(holder: Any, part: str, path: str) -> Any:
    """Return the key or index of something that exists in `holder`."""
    if isinstance(holder, dict):
        if part not in holder:
            raise _CannotApply(f"there is nothing at {path}")
        return part
    if isinstance(holder, list):
        place = _index(part)
        if place is None or place >= len(holder):
            raise _CannotApply(f"there is no item at {path}; the list has {len(holder)}")
        return place
    raise _CannotApply(f"there is nothing inside of {path.rpartition('/')[0]}")


def _index(part: str) -> int | None:
    return int(part) if _INDEX.fullmatch(part) else None


def _remove(holder: Any, parts: list[str]) -> None:
    del holder[_step(holder, parts[-1], _pointer(parts))]


def _replace(holder: Any, parts: list[str], new: Any) -> None:
    if isinstance(holder, dict):
        holder[parts[-1]] = new
        return
    holder[_step(holder, parts[-1], _pointer(parts))] = new


def _add(value: dict[str, Any], parts: list[str], new: Any) -> None:
    holder: Any = value
    for done, (part, following) in enumerate(pairwise(parts), start=1):
        path = _pointer(parts[:done])
        if following == "-" and done == len(parts) - 1 and _append_text(holder, part, path, new):
            return
        if isinstance(holder, dict) and part not in holder:
            holder[part] = [] if following in ("-", "0") else {}
        elif isinstance(holder, list) and (part == "-" or _index(part) == len(holder)):
            holder.append([] if following in ("-", "0") else {})
            part = str(len(holder) - 1)
        holder = holder[_step(holder, part, path)]
    _put(holder, parts, new)


def _append_text(holder: Any, part: str, path: str, new: Any) -> bool:
    """Append to the text at `part`, if it is one."""
    exists = part in holder if isinstance(holder, dict) else isinstance(holder, list) and part != "-"
    key = _step(holder, part, path) if exists else None
    if key is None or not isinstance(holder[key], str):
        return False
    if not isinstance(new, str):
        raise _CannotApply(f"{path} is a text; only text can be appended to it")
    holder[key] += new
    return True


def _put(holder: Any, parts: list[str], new: Any) -> None:
    last, path = parts[-1], _pointer(parts)
    if isinstance(holder, dict):
        holder[last] = new
    elif isinstance(holder, list):
        place = len(holder) if last == "-" else _index(last)
        if place is None or place > len(holder):
            raise _CannotApply(f"no item can be added at {path}; the list has {len(holder)}")
        holder.insert(place, new)
    else:
        raise _CannotApply(f"{_pointer(parts[:-1])} holds no fields")


def _label(operation: Any) -> str:
    if not isinstance(operation, Mapping):
        return str(operation)[:60]
    return f"{str(operation.get('op'))[:20]} {str(operation.get('path'))[:80]}"
