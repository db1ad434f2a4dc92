"""The snapshot cache keeps the scopes in use searchable in memory and follows the truth by `seq`."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from langgraph_memory.retrieval.entity import EntityView
from langgraph_memory.retrieval.snapshot import Snapshot
from langgraph_memory.scope import Scope
from langgraph_memory.storage import vectors
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.entity_views import follow_entities
from langgraph_memory.storage.lines import apply_changes, count_lines, load_lines
from langgraph_memory.storage.scopes import ScopeState, state

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
    def open_known(self, scope: Scope) -> Iterator[tuple[Snapshot, EntityView, ScopeState] | None]:
        """Give the scope's snapshot as `open` does, together with its entities and the state that both show."""
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
            yield cached.snapshot, cached.entities, cached.state
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
                    apply_changes(connection, scope, cached.snapshot, after=cached.state.changed_seq)
                    follow_entities(connection, scope, cached.entities, self._model_id, after=cached.state.changed_seq)
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
