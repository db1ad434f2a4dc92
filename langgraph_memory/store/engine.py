"""Runs a plan against the database: the reads on one view of the data, then the puts in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from itertools import islice
from typing import Any

import numpy as np
from langgraph.store.base import GetOp, Item, Result, SearchItem, SearchOp
from numpy.typing import NDArray
from sqlalchemy.engine import Connection

from langgraph_memory.clock import Clock, from_micros, to_micros
from langgraph_memory.models.ports import Embedder
from langgraph_memory.storage import item_vectors, items
from langgraph_memory.storage.database import Database, load_json
from langgraph_memory.storage.item_index import ItemIndex
from langgraph_memory.storage.items import Labels, StoredItem
from langgraph_memory.storage.vectors import encode
from langgraph_memory.store.filters import matches
from langgraph_memory.store.memories import MEMORIES, MemoryView, Shown
from langgraph_memory.store.namespaces import choose, common_prefix
from langgraph_memory.store.plan import Plan, Read
from langgraph_memory.store.values import digest, texts_at

Vector = NDArray[np.float32]

_BATCH = 256
"""Items that are given vectors of a new model at a time."""


class Engine:
    """The blocking half of a store; safe to share between threads."""

    def __init__(
        self,
        database: Database,
        embedder: Embedder,
        model_id: int,
        index: ItemIndex,
        view: MemoryView,
        clock: Clock,
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._model_id = model_id
        self._index = index
        self._view = view
        self._clock = clock

    def known(self, plan: Plan) -> dict[str, bytes]:
        """Return the vectors of texts to index that some item has already, by digest."""
        if not plan.texts:
            return {}
        with self._database.read() as connection:
            return item_vectors.known(connection, self._model_id, list(plan.texts))

    def run(self, plan: Plan, vectors: Mapping[str, bytes], queries: Mapping[str, Vector]) -> list[Result]:
        """Return the result of each operation, in their order.

        Args:
            vectors: of the texts to index, by digest.
            queries: the vector of each query.
        """
        results: list[Result] = [None] * plan.size
        if queries:
            self._complete()
        now, read = to_micros(self._clock()), _Reads()
        shown = {position for position, op in plan.reads.items() if _namespace(op)[:1] == (MEMORIES,)}
        for position in shown:
            results[position] = self._show(plan.reads[position], queries)
        if len(plan.reads) > len(shown):
            with self._database.read() as connection:
                for position, op in plan.reads.items():
                    if position not in shown:
                        results[position] = self._read(connection, op, queries, now, read)
            for prefix, seqs, upto in read.gone:
                self._index.forget(prefix, seqs, upto)
        if plan.writes or read.refreshed:
            with self._database.write() as connection:
                items.refresh(connection, sorted(read.refreshed), now=now)
                items.write(
                    self._database,
                    connection,
                    list(plan.writes.values()),
                    vectors,
                    model_id=self._model_id,
                    now=now,
                )
        return results

    def sweep(self) -> int:
        """Delete what has expired, and return how many items that were."""
        with self._database.write() as connection:
            return items.sweep(connection, now=to_micros(self._clock()))

    def _read(
        self,
        connection: Connection,
        op: Read,
        queries: Mapping[str, Vector],
        now: int,
        read: _Reads,
    ) -> Result:
        if isinstance(op, GetOp):
            return self._get(connection, op, now, read)
        if isinstance(op, SearchOp):
            return self._search(connection, op, queries, now, read)
        return choose(op, items.namespaces(connection, common_prefix(op), now=now))

    def _show(self, op: Read, queries: Mapping[str, Vector]) -> Result:
        """Answer from the memories of scopes."""
        if isinstance(op, GetOp):
            found = self._view.get(op)
            return None if found is None else Item(**_shown(found))
        if isinstance(op, SearchOp):
            vector = queries[op.query] if op.query else None
            return [SearchItem(**_shown(one), score=one.score) for one in self._view.search(op, vector)]
        return choose(op, self._view.namespaces())

    def _get(self, connection: Connection, op: GetOp, now: int, read: _Reads) -> Item | None:
        found = items.get(connection, op.namespace, [op.key], now=now).get(op.key)
        if found is None:
            return None
        if op.refresh_ttl:
            read.refresh([found])
        return Item(**_stored(found))

    def _search(
        self, connection: Connection, op: SearchOp, queries: Mapping[str, Vector], now: int, read: _Reads
    ) -> list[SearchItem]:
        if not op.limit:
            return []
        scores: Mapping[int, float] = {}
        if op.query:
            found, scores = self._nearest(connection, op, queries[op.query], now, read)
        elif op.filter:
            with closing(items.newest(connection, op.namespace_prefix, now=now)) as newest:
                matching = (one for one in newest if matches(one.value, op.filter))
                found = list(islice(matching, op.offset, op.offset + op.limit))
        else:
            found = list(items.newest(connection, op.namespace_prefix, now=now, limit=op.limit, offset=op.offset))
        if op.refresh_ttl:
            read.refresh(found)
        return [SearchItem(**_stored(one), score=scores.get(one.seq)) for one in found]

    def _nearest(
        self, connection: Connection, op: SearchOp, vector: Vector, now: int, read: _Reads
    ) -> tuple[list[StoredItem], Mapping[int, float]]:
        """Return a page of the ranking, reading items until enough of them meet the filter."""
        prefix, wanted = op.namespace_prefix, op.offset + op.limit
        upto = self._database.last_seq(connection)
        ranking, scores = self._index.rank(connection, prefix, vector, upto)
        found: list[StoredItem] = []
        gone: list[int] = []
        start, step = 0, wanted
        while len(found) < wanted and start < len(ranking):
            some = ranking[start : start + step]
            there = items.by_seq(connection, prefix, some, now=now)
            gone += [seq for seq in some if seq not in there]
            found += [there[seq] for seq in some if seq in there and matches(there[seq].value, op.filter)]
            start, step = start + step, step * 2
        if gone:
            read.gone.append((prefix, gone, upto))
        return found[op.offset : wanted], dict(zip(ranking, scores, strict=True))

    def _complete(self) -> None:
        """Embed the items that another embedding model left without vectors of this one."""
        with self._database.read() as connection:
            done = item_vectors.complete_with(connection) == self._embedder.name
        last = 0
        while not done:
            with self._database.read() as connection:
                lacking = item_vectors.missing(connection, self._model_id, last, _BATCH)
            done, last = not lacking, lacking[-1][0] if lacking else last
            texts = {
                seq: (changed, {digest(text): text for text in texts_at(load_json(value), load_json(paths))})
                for seq, changed, value, paths in lacking
            }
            wanted = {name: text for _, found in texts.values() for name, text in found.items()}
            vectors = embedded(wanted, self._embedder.embed_documents(list(wanted.values())) if wanted else [])
            with self._database.write() as connection:
                if done:
                    item_vectors.set_complete(connection, self._embedder.name)
                else:
                    item_vectors.fill(
                        connection,
                        self._model_id,
                        {seq: (changed, list(found)) for seq, (changed, found) in texts.items()},
                        vectors,
                    )
            self._index.clear()


def _namespace(op: Read) -> Labels:
    if isinstance(op, GetOp):
        return op.namespace
    return op.namespace_prefix if isinstance(op, SearchOp) else common_prefix(op)


class _Reads:
    """What reading leaves to be done."""

    def __init__(self) -> None:
        self.refreshed: set[int] = set()
        self.gone: list[tuple[Labels, list[int], int]] = []

    def refresh(self, found: Sequence[StoredItem]) -> None:
        self.refreshed.update(one.seq for one in found if one.ttl is not None)


def embedded(texts: Mapping[str, str], rows: Sequence[Vector] | NDArray[np.float32]) -> dict[str, bytes]:
    """Return the vectors of texts as they are stored, by digest."""
    return {name: encode(row) for name, row in zip(texts, rows, strict=True)}


def _stored(found: StoredItem) -> dict[str, Any]:
    return {
        "namespace": found.namespace,
        "key": found.key,
        "value": found.value,
        "created_at": from_micros(found.created_at),
        "updated_at": from_micros(found.updated_at),
    }


def _shown(found: Shown) -> dict[str, Any]:
    record = found.record
    return {
        "namespace": found.namespace,
        "key": record.id,
        "value": found.value,
        "created_at": record.recorded_at,
        "updated_at": record.recorded_at,  # a memory is never overwritten
    }
