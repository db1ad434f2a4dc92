"""A scope's memories seen as items of a store: live ones only, and only to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from langgraph.store.base import GetOp, SearchOp
from numpy.typing import NDArray
from sqlalchemy.engine import Connection

from langgraph_memory.clock import Clock, to_micros
from langgraph_memory.errors import InvalidInput, ScopeError
from langgraph_memory.flows.finding import Finder
from langgraph_memory.flows.request import Request
from langgraph_memory.records import MemoryRecord
from langgraph_memory.retrieval.recipe import HYBRID
from langgraph_memory.scope import Scope
from langgraph_memory.storage import memories
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.items import Labels
from langgraph_memory.store.filters import matches

MEMORIES = "@memories"
"""The first label of namespaces that show memories; the scope's own labels follow."""

_ALL_ROLES = ("user", "assistant", "system", "tool")
_PAGE = 200
_MOMENTS = ("valid_from", "valid_to", "observed_at", "expires_at")
_OPTIONAL = (*_MOMENTS, "session_id", "schema", "data", "subject", "relation", "object", "importance", "novelty")


@dataclass(frozen=True, slots=True)
class Shown:
    """A memory as an item, with its score where it was searched by meaning."""

    record: MemoryRecord
    score: float | None = None

    @property
    def namespace(self) -> Labels:
        """Where it is shown."""
        return (MEMORIES, *self.record.scope.namespace())

    @property
    def value(self) -> dict[str, Any]:
        """The record as plain JSON; fields that are not set are left out."""
        return as_value(self.record)


class MemoryView:
    """Reads memories for a store."""

    def __init__(self, database: Database, finder: Finder, clock: Clock) -> None:
        self._database = database
        self._finder = finder
        self._clock = clock

    def get(self, op: GetOp) -> Shown | None:
        """Return one live memory by namespace and id."""
        scope = _scope(op.namespace)
        if scope is None:
            return None
        with self._database.read() as connection:
            record = memories.by_id(connection, op.key)
        if record is None or record.scope != scope or not record.is_live(self._clock()):
            return None
        return Shown(record)

    def search(self, op: SearchOp, vector: NDArray[np.float32] | None) -> list[Shown]:
        """Return a page of live memories inside a namespace: best first for a query, newest first without one.

        Raises:
            InvalidInput: a query goes to all scopes at once.
        """
        scope = _scope(op.namespace_prefix)
        if scope is None and op.namespace_prefix != (MEMORIES,):
            return []
        if not op.limit:
            return []
        if op.query and scope is None:
            raise InvalidInput(f'A search by meaning needs a scope: search in ({MEMORIES!r}, "alice") for example.')
        found = self._ranked(op, scope, vector) if op.query and scope else self._newest(op, scope)
        return _page((one for one in found if matches(one.value, op.filter)), op.offset, op.limit)

    def namespaces(self) -> list[Labels]:
        """Return the namespaces of all scopes that have live memories."""
        with self._database.read() as connection:
            scopes = memories.live_scopes(connection, now=to_micros(self._clock()))
        return [(MEMORIES, *scope.namespace()) for scope in scopes]

    def _newest(self, op: SearchOp, scope: Scope | None) -> Iterator[Shown]:
        now, offset = to_micros(self._clock()), 0
        with self._database.read() as connection:
            while records := memories.newest_live(connection, scope, now=now, limit=_PAGE, offset=offset):
                yield from map(Shown, records)
                offset += _PAGE

    def _ranked(self, op: SearchOp, scope: Scope, vector: NDArray[np.float32] | None) -> Iterator[Shown]:
        """Yield what recall finds; where a filter leaves too little, recall is asked for more."""
        assert op.query is not None
        limit, given = op.offset + op.limit, 0
        while True:
            ranked = self._finder.rank([(_request(op.query, scope, limit), vector)], [])[0]
            with self._database.read() as connection:
                records = self._read(connection, scope, ranked.seqs[given:])
            for seq, score in zip(ranked.seqs[given:], ranked.scores[given:], strict=True):
                if seq in records:
                    yield Shown(records[seq], score)
            if len(ranked.seqs) < limit:
                return
            given, limit = len(ranked.seqs), 4 * limit

    def _read(self, connection: Connection, scope: Scope, seqs: Any) -> Mapping[int, MemoryRecord]:
        return memories.by_seq(connection, scope, list(seqs))


def as_value(record: MemoryRecord) -> dict[str, Any]:
    """Return a memory as plain JSON: what a person reads first, and no field that is not set."""
    value: dict[str, Any] = {"text": record.text, "kind": record.kind, "actor": record.actor}
    for name in _OPTIONAL:
        given = getattr(record, name)
        if given is not None:
            value[name] = given.isoformat() if name in _MOMENTS else given
    return {
        **value,
        "reinforced": record.reinforced,
        "tier": record.tier,
        "pinned": record.pinned,
        "evidence": list(record.evidence),
        "metadata": dict(record.metadata),
    }


def _page(found: Iterator[Shown], offset: int, limit: int) -> list[Shown]:
    page: list[Shown] = []
    for number, one in enumerate(found):
        if number >= offset:
            page.append(one)
        if len(page) == limit:
            break
    return page


def _scope(namespace: Labels) -> Scope | None:
    """Return the scope whose namespace this is; None where it is no scope's."""
    labels = namespace[1:]
    try:
        scope = Scope.from_namespace(labels)
    except ScopeError:
        return None
    return scope if scope.namespace() == labels else None


def _request(query: str, scope: Scope, limit: int) -> Request:
    return Request(
        query=query,
        scope=scope,
        limit=limit,
        budget=0,
        recipe=HYBRID,
        as_of=None,
        known_at=None,
        include_history=False,
        kinds=None,
        hidden_roles=_ALL_ROLES,  # of what was said; what is known has none
    )
