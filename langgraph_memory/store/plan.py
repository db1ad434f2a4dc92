"""A plan is a checked batch: reads in order, and the last put of each key; nothing is run before all is right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, Op, PutOp, SearchOp, validate_op_namespace

from langgraph_memory import arguments
from langgraph_memory.errors import InvalidInput
from langgraph_memory.storage.database import dump_json
from langgraph_memory.storage.items import LONGEST_ADDRESS, Labels, Write, to_path
from langgraph_memory.store.filters import check_filter
from langgraph_memory.store.memories import MEMORIES
from langgraph_memory.store.values import digest, plain_value, texts_at

Read = GetOp | SearchOp | ListNamespacesOp

_MICROS = 60_000_000
_FOREVER = 2**61
"""Microseconds beyond which a time to live has no end that a database could write down."""


@dataclass(slots=True)
class Plan:
    """What a batch asks for.

    Attributes:
        reads: by the position of their result.
        writes: one for each namespace and key, the last one given.
        texts: what is to be indexed, by digest.
        queries: what is searched by meaning.
    """

    size: int = 0
    reads: dict[int, Read] = field(default_factory=dict)
    writes: dict[tuple[Labels, str], Write] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    queries: list[str] = field(default_factory=list)

    def add(self, other: Plan) -> None:
        """Append another batch, whose results then follow this one's."""
        self.reads.update((self.size + position, read) for position, read in other.reads.items())
        for where, one in other.writes.items():
            self.writes.pop(where, None)  # so that the order of puts is the order of what is newest
            self.writes[where] = one
        self.texts.update(other.texts)
        self.queries += other.queries
        self.size += other.size


def make_plan(ops: Iterable[Op], fields: Sequence[str]) -> Plan:
    """Check a batch.

    Args:
        fields: what is indexed of a value whose put does not say.

    Raises:
        InvalidNamespaceError: a namespace is none, as LangGraph decides.
        InvalidInput: something else cannot be used; nothing was read or written.
    """
    plan = Plan()
    if not isinstance(ops, Iterable):
        raise InvalidInput(f"A batch is a list of operations such as GetOp and PutOp, not {type(ops).__name__}.")
    for position, op in enumerate(ops):
        if isinstance(op, PutOp):
            _put(plan, op, fields)
        elif isinstance(op, GetOp):
            plan.reads[position] = _get(op)
        elif isinstance(op, SearchOp):
            search = plan.reads[position] = _search(op)
            if search.query:
                plan.queries.append(search.query)
        elif isinstance(op, ListNamespacesOp):
            plan.reads[position] = _list(op)
        else:
            raise InvalidInput(f"A batch holds GetOp, SearchOp, PutOp and ListNamespacesOp, not {type(op).__name__}.")
        plan.size += 1
    return plan


def _put(plan: Plan, op: PutOp, fields: Sequence[str]) -> None:
    namespace, key = _labels(op, op.namespace), _key(op.key)
    if namespace[:1] == (MEMORIES,):
        raise InvalidInput(
            f"What is below {MEMORIES!r} shows the memories of a scope and is not written through the store. Use "
            "memory.add, memory.update or memory.forget."
        )
    size = len(to_path(namespace).encode()) + len(key.encode())
    if size > LONGEST_ADDRESS:
        raise InvalidInput(f"Namespace and key take {size:,} bytes, more than {LONGEST_ADDRESS:,}. Use shorter ones.")
    where = namespace, key
    plan.writes.pop(where, None)
    if op.value is None:
        plan.writes[where] = Write(namespace, key, None)
        return
    value, paths = plain_value(op.value), _paths(op.index, fields)
    texts = {digest(text): text for text in texts_at(value, paths)}
    plan.texts.update(texts)
    plan.writes[where] = Write(namespace, key, dump_json(value), dump_json(paths), tuple(texts), _ttl(op.ttl))


def _get(op: GetOp) -> GetOp:
    return op._replace(namespace=_labels(op, op.namespace), key=_key(op.key))


def _search(op: SearchOp) -> SearchOp:
    check_filter(op.filter)
    if op.query is not None and not isinstance(op.query, str):
        raise InvalidInput(f"A query is text, not {type(op.query).__name__}.")
    query = op.query if op.query and op.query.strip() else None
    limit, offset = arguments.number("limit", op.limit), arguments.number("offset", op.offset)
    return op._replace(namespace_prefix=_labels(op, op.namespace_prefix), query=query, limit=limit, offset=offset)


def _list(op: ListNamespacesOp) -> ListNamespacesOp:
    limit, offset = arguments.number("limit", op.limit), arguments.number("offset", op.offset)
    depth = None if op.max_depth is None else arguments.number("max_depth", op.max_depth)
    conditions = []
    for condition in op.match_conditions or ():
        if condition.match_type not in ("prefix", "suffix"):
            raise InvalidInput(f"Unsupported match type: {condition.match_type}. There are prefix and suffix.")
        conditions.append(MatchCondition(condition.match_type, _labels(op, condition.path)))
    return op._replace(match_conditions=tuple(conditions), limit=limit, offset=offset, max_depth=depth)


def _labels(op: Op, given: Any) -> Labels:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InvalidInput(f'A namespace is a tuple of labels such as ("users", "mia"), not {given!r}.')
    validate_op_namespace(op)
    for label in given:
        _storable("A namespace label", label)
    return tuple(given)


def _key(given: Any) -> str:
    key = str(given)
    if "\0" in key:
        raise InvalidInput(f"A key holds a NUL character, which no database stores: {key!r}.")
    _storable("A key", key)
    return key


def _storable(what: str, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{what} holds half a character (a lone surrogate): {text!r}.") from error


def _paths(index: Any, fields: Sequence[str]) -> list[str]:
    if index is None:
        return list(fields)
    if index is False:
        return []
    if isinstance(index, list | tuple) and all(isinstance(path, str) for path in index):
        return list(index)
    raise InvalidInput(f'index is False, None or a list of paths such as ["text"], not {index!r}.')


def _ttl(minutes: Any) -> int | None:
    if minutes is None:
        return None
    if isinstance(minutes, bool) or not isinstance(minutes, int | float) or not minutes >= 0:  # NaN neither
        raise InvalidInput(f"ttl is a number of minutes, 0 or more, not {minutes!r}.")
    return int(min(minutes, _FOREVER / _MICROS) * _MICROS)
