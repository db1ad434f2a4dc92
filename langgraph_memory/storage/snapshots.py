"""The snapshot cache keeps the scopes in use searchable in memory and follows the truth by `seq`."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from langgraph_memory.retrieval.entity import EntityView
from langgraph_memory.retrieval.snapshot import FOREVER, Line, Snapshot
from langgraph_memory.scope import Scope
from langgraph_memory.storage import text_index, vectors
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.entities import aliases_inside, live_at, root_of
from langgraph_memory.storage.schema import entities, entries, has_text, memories, mentions
from langgraph_memory.storage.scopes import ScopeState, ids_inside, state

_CHUNK = 5_000
_BYTES_PER_LINE_GUESS = 700
"""Postings and columns of an average line, for judging a scope before it is loaded."""


@dataclass(slots=True)
class _Cached:
    snapshot: Snapshot
    entities: EntityView
    state: ScopeState = field(default_factory=lambda: ScopeState(0, 0, 0))
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def nbytes(self) -> int:
        return self.snapshot.nbytes + self.entities.nbytes

    def empty(self) -> None:
        """Begin anew."""
        self.snapshot = Snapshot(self.snapshot.dimension)
        self.entities = EntityView(self.snapshot.dimension)
        self.state = ScopeState(0, 0, 0)


class SnapshotCache:
    """Snapshots of the scopes in use, least recently used first out, bounded by bytes."""

    def __init__(self, database: Database, model_id: int, dimension: int, max_bytes: int) -> None:
        self._database = database
        self._model_id = model_id
        self._dimension = dimension
        self._max_bytes = max_bytes
        self._cached: OrderedDict[str, _Cached] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def open(self, scope: Scope) -> Iterator[Snapshot | None]:
        """Give the scope's snapshot, up to date with everything committed before this call.

        The snapshot is this thread's alone until the block ends. It is None where the scope does not fit.
        """
        with self.open_known(scope) as opened:
            yield None if opened is None else opened[0]

    @contextmanager
    def open_known(self, scope: Scope) -> Iterator[tuple[Snapshot, EntityView] | None]:
        """Give the scope's snapshot as `open` does, together with its entities."""
        if not self._fits(scope):
            yield None
            return
        with self._lock:
            cached = self._cached.get(scope.path)
            if cached is None:
                cached = self._cached[scope.path] = _Cached(Snapshot(self._dimension), EntityView(self._dimension))
            self._cached.move_to_end(scope.path)
        with cached.lock:
            try:
                self._follow(scope, cached)
            except BaseException:  # half read is worse than unread: begin anew next time
                cached.empty()
                raise
            yield cached.snapshot, cached.entities
        self._evict()

    def clear(self) -> None:
        """Drop every snapshot; the next recall reads the truth anew."""
        with self._lock:
            self._cached.clear()

    def _fits(self, scope: Scope) -> bool:
        """Say whether the scope's lines may be held in memory under the cache's limit."""
        with self._lock:
            cached = self._cached.get(scope.path)
        if cached is not None:
            return cached.nbytes <= self._max_bytes
        with self._database.read() as connection:
            lines = count_lines(connection, scope)
        return lines * (4 * self._dimension + _BYTES_PER_LINE_GUESS) <= self._max_bytes

    def _follow(self, scope: Scope, cached: _Cached) -> None:
        with self._database.read() as connection:
            present = state(connection, scope) or ScopeState(0, 0, 0)
            if present.erased_seq != cached.state.erased_seq or present.last_seq < cached.state.last_seq:
                cached.empty()
            if present != cached.state:
                if present.last_seq > cached.state.last_seq:
                    for lines in load_lines(connection, scope, self._model_id, after=cached.state.last_seq):
                        cached.snapshot.append(lines)
                if present.changed_seq > cached.state.changed_seq:
                    _apply_changes(connection, scope, cached.snapshot, after=cached.state.changed_seq)
                    _follow_entities(connection, scope, cached.entities, self._model_id, after=cached.state.changed_seq)
                cached.state = present
            if cached.snapshot.waiting:  # another worker may have embedded them by now
                cached.snapshot.set_vectors(vectors.get(connection, self._model_id, sorted(cached.snapshot.waiting)))

    def _evict(self) -> None:
        with self._lock:
            sizes = {path: cached.nbytes for path, cached in self._cached.items()}
            total = sum(sizes.values())
            for path in list(self._cached)[:-1]:  # the one just used stays
                if total <= self._max_bytes:
                    break
                total -= sizes[path]
                del self._cached[path]


def count_lines(connection: Connection, scope: Scope) -> int:
    """Return how many rows there are inside the scope."""
    inside = ids_inside(scope)
    return sum(
        connection.execute(
            sa.select(sa.func.count()).select_from(table).where(table.c.scope_id.in_(inside))
        ).scalar_one()
        for table in (entries, memories)
    )


def load_lines(connection: Connection, scope: Scope, model_id: int, *, after: int) -> Iterator[list[Line]]:
    """Yield the scope's lines recorded after a `seq`, ascending, in chunks."""
    while True:
        found = [*_entry_rows(connection, scope, after), *_memory_rows(connection, scope, after)]
        found.sort(key=lambda row: row["seq"])
        found = found[:_CHUNK]
        if not found:
            return
        yield _lines(connection, model_id, found)
        after = found[-1]["seq"]


def lines_of(connection: Connection, scope: Scope, model_id: int, seqs: Sequence[int]) -> list[Line]:
    """Return these rows as lines, those that lie inside the scope, ascending."""
    found = [*_entry_rows(connection, scope, 0, seqs), *_memory_rows(connection, scope, 0, seqs)]
    return _lines(connection, model_id, sorted(found, key=lambda row: row["seq"]))


def _lines(connection: Connection, model_id: int, found: Sequence[dict[str, Any]]) -> list[Line]:
    seqs = [row["seq"] for row in found]
    terms = text_index.terms_of(connection, seqs)
    embedded = vectors.get(connection, model_id, seqs)
    return [Line(terms=terms.get(row["seq"], ()), vector=embedded.get(row["seq"]), **row) for row in found]


def _entry_rows(
    connection: Connection, scope: Scope, after: int, seqs: Sequence[int] | None = None
) -> list[dict[str, Any]]:
    blank = sa.not_(has_text(entries.c.text))
    query = (
        sa.select(
            entries.c.seq,
            entries.c.session_id,
            entries.c.role,
            entries.c.recorded_at,
            entries.c.observed_at,
            entries.c.replaced_by,
            entries.c.retired_at,
            blank.label("blank"),
        )
        .where(entries.c.scope_id.in_(ids_inside(scope)), entries.c.seq > after)
        .order_by(entries.c.seq)
        .limit(_CHUNK)
    )
    if seqs is not None:
        query = query.where(entries.c.seq.in_(list(seqs)))
    return [
        {
            "seq": row.seq,
            "session": row.session_id,
            "role": row.role,
            "kind": "message",
            "recorded_at": row.recorded_at,
            "valid_from": min(row.observed_at, row.recorded_at),  # what was said is never in the future
            "valid_inferred": True,
            "gone_at": _entry_end(row),
            "needs_vector": not row.blank,
        }
        for row in connection.execute(query)
    ]


def _memory_rows(
    connection: Connection, scope: Scope, after: int, seqs: Sequence[int] | None = None
) -> list[dict[str, Any]]:
    query = (
        sa.select(
            memories.c.seq,
            memories.c.kind,
            memories.c.recorded_at,
            memories.c.valid_from,
            memories.c.valid_inferred,
            memories.c.valid_to,
            memories.c.retired_at,
            memories.c.expires_at,
        )
        .where(memories.c.scope_id.in_(ids_inside(scope)), memories.c.seq > after)
        .order_by(memories.c.seq)
        .limit(_CHUNK)
    )
    if seqs is not None:
        query = query.where(memories.c.seq.in_(list(seqs)))
    return [
        {
            "seq": row.seq,
            "session": None,
            "role": "memory",
            "kind": row.kind,
            "recorded_at": row.recorded_at,
            "valid_from": row.valid_from,
            "valid_inferred": row.valid_inferred,
            **_ends(row),
        }
        for row in connection.execute(query)
    ]


def _entry_end(row: Any) -> int:
    """Return until when an entry was shown; one that was replaced counts as never said that way."""
    if row.replaced_by is not None:
        return 0
    return FOREVER if row.retired_at is None else int(row.retired_at)


def _ends(row: Any) -> dict[str, int]:
    return {
        "valid_to": FOREVER if row.valid_to is None else row.valid_to,
        "gone_at": FOREVER if row.retired_at is None else row.retired_at,
        "expires_at": FOREVER if row.expires_at is None else row.expires_at,
    }


def _apply_changes(connection: Connection, scope: Scope, snapshot: Snapshot, *, after: int) -> None:
    inside = ids_inside(scope)
    changed = sa.select(
        memories.c.seq, memories.c.valid_from, memories.c.valid_to, memories.c.retired_at, memories.c.expires_at
    ).where(memories.c.scope_id.in_(inside), memories.c.changed_seq > after)
    for row in connection.execute(changed):
        snapshot.change(row.seq, valid_from=row.valid_from, **_ends(row))
    hidden = sa.select(entries.c.seq, entries.c.replaced_by, entries.c.retired_at).where(
        entries.c.scope_id.in_(inside), entries.c.changed_seq > after
    )
    for entry in connection.execute(hidden):
        snapshot.change(entry.seq, gone_at=_entry_end(entry))


def _follow_entities(connection: Connection, scope: Scope, view: EntityView, model_id: int, *, after: int) -> None:
    """Add what was linked or merged since; aliases are few and read anew, since an undone merge leaves no row."""
    inside = ids_inside(scope)
    new = sa.select(entities.c.seq, entities.c.key).where(entities.c.scope_id.in_(inside), entities.c.seq > view.newest)
    for row in connection.execute(new.order_by(entities.c.seq)):
        view.add(row.seq, row.key)
    if not view:
        return
    view.set_aliases(aliases_inside(connection, scope))
    linked = (
        sa.select(mentions.c.memory_seq, mentions.c.entity_seq)
        .join(memories, memories.c.seq == mentions.c.memory_seq)
        .where(memories.c.scope_id.in_(inside), memories.c.changed_seq > after)
    )
    for memory_seq, entity_seq in connection.execute(linked):
        view.mention(memory_seq, entity_seq)
    if view.waiting:
        view.set_vectors(vectors.get(connection, model_id, sorted(view.waiting)))


def entities_named(
    connection: Connection, scope: Scope, keys: Sequence[str], *, now: int, known_at: int | None, as_of: int | None
) -> EntityView:
    """Return a view of only the entities with these keys, for a scope too large to be held.

    Names are not compared by meaning there, and only memories that are live at the given times (microseconds) count.
    """
    view = EntityView(0)
    inside = ids_inside(scope)
    named: dict[int, str] = {}
    for start in range(0, len(keys), _CHUNK):
        query = sa.select(entities.c.seq, entities.c.key).where(
            entities.c.scope_id.in_(inside), entities.c.key.in_(list(keys[start : start + _CHUNK]))
        )
        named.update((row.seq, row.key) for row in connection.execute(query))
    if not named:
        return view
    for seq, key in named.items():
        view.add(seq, key)
    aliases = aliases_inside(connection, scope)
    view.set_aliases(aliases)
    roots = {root_of(seq, aliases) for seq in named}
    members = sorted(roots | {seq for seq in aliases if root_of(seq, aliases) in roots})
    for start in range(0, len(members), _CHUNK):
        linked = (
            sa.select(mentions.c.memory_seq, mentions.c.entity_seq)
            .join(memories, memories.c.seq == mentions.c.memory_seq)
            .where(mentions.c.entity_seq.in_(members[start : start + _CHUNK]), live_at(now, known_at, as_of))
        )
        for memory_seq, entity_seq in connection.execute(linked):
            view.mention(memory_seq, entity_seq)
    return view
