"""Wide search serves scopes that do not fit in memory: candidates from the indexes, scored like any scope."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy.engine import Connection

from langgraph_memory.errors import IndexUnavailable
from langgraph_memory.retrieval.bm25 import Collection
from langgraph_memory.retrieval.region import REACH
from langgraph_memory.retrieval.snapshot import Snapshot
from langgraph_memory.scope import Scope
from langgraph_memory.storage import outbox, text_index, vectors
from langgraph_memory.storage.chroma_index import OWNERS, ChromaIndex, Owner
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.lines import count_lines, lines_of
from langgraph_memory.storage.schema import entries
from langgraph_memory.storage.scopes import lineage

logger = logging.getLogger(__name__)

MOST_SAMPLED = 2_000
"""Candidates of each channel at most: with what stands around them a snapshot of up to 80 MB for one question."""

MOST_WAITING = 300
"""Lines that the index does not hold yet up to which they are simply searched with the others."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Some lines of a scope that is too large to be held.

    Attributes:
        found: the `seq` of the candidates; the other lines stand around them.
        whole: whether no channel has more.
    """

    snapshot: Snapshot
    collection: Collection
    found: Set[int]
    whole: bool


class WideSearch:
    """Finds candidates through Chroma and the text index, and falls back to reading every vector in SQL."""

    def __init__(
        self,
        database: Database,
        model_id: int,
        dimension: int,
        index: Callable[[], ChromaIndex | None],
        doubt: Callable[[ChromaIndex, IndexUnavailable], None],
    ) -> None:
        self._database = database
        self._model_id = model_id
        self._dimension = dimension
        self._index = index
        self._doubt = doubt

    def sample(
        self,
        scope: Scope,
        vector: NDArray[np.float32] | None,
        terms: Sequence[str],
        most: int,
        notes: list[str],
        *,
        memories_only: bool = False,
    ) -> Sample:
        """Return the best candidates with their neighbours, and the whole scope's statistics.

        Args:
            most: candidates of each channel.
            memories_only: what was said is none.
        """
        with self._database.read() as connection:
            scope_id = lineage(connection, scope)[-1]
            by_words = text_index.search(connection, scope_id, terms, most, memories_only=memories_only)
            frequencies = {term: text_index.frequency(connection, scope_id, term) for term in terms}
            population = count_lines(connection, scope)
        by_meaning: Sequence[int] = ()
        if vector is not None:
            owners: tuple[Owner, ...] = ("memories",) if memories_only else OWNERS
            by_meaning = self._nearest(scope, scope_id, vector, most, owners, notes)
        found = {*by_words, *by_meaning}
        with self._database.read() as connection:
            lines = lines_of(connection, scope, self._model_id, sorted(found | _neighbours(connection, found)))
        sample = Snapshot(self._dimension)
        sample.append(lines)
        whole = max(len(by_words), len(by_meaning)) < most
        return Sample(sample, Collection(frequencies, population), found, whole)

    def _nearest(
        self,
        scope: Scope,
        scope_id: int,
        vector: NDArray[np.float32],
        most: int,
        owners: tuple[Owner, ...],
        notes: list[str],
    ) -> list[int]:
        index = None
        try:
            index = self._index()
            if index is not None:
                with self._database.read() as connection:
                    late = outbox.waiting(connection, scope, MOST_WAITING + 1)
                if len(late) <= MOST_WAITING:  # these are searched exactly
                    return [*index.search(vector, scope_id, most, owners), *late]
                notes.append("the vector index is being filled; every vector was read from SQL, which is slow")
        except IndexUnavailable as error:
            if index is not None:
                self._doubt(index, error)
            logger.warning("The vector index is unavailable, reading vectors from SQL instead: %s", error)
            notes.append("the vector index is unavailable; every vector was read from SQL, which is slow")
        return self._scan(scope, vector, most, owners)

    def _scan(self, scope: Scope, query: NDArray[np.float32], most: int, owners: tuple[Owner, ...]) -> list[int]:
        """Compare with every vector inside the scope, a chunk at a time: slow, exact, and always possible."""
        best: list[tuple[float, int]] = []
        with self._database.read() as connection:
            for chunk in vectors.stream_inside(connection, scope, self._model_id, owners):
                seqs = np.fromiter(chunk, dtype=np.int64)
                scores = np.stack(list(chunk.values())) @ query
                keep = np.argsort(-scores)[:most]
                best = sorted([*best, *zip(scores[keep].tolist(), seqs[keep].tolist(), strict=True)], reverse=True)
                best = best[:most]
        return [seq for _, seq in best]


def _neighbours(connection: Connection, seqs: set[int]) -> set[int]:
    """Return the entries said shortly before and after these, so that windows can be scored."""
    other = entries.alias()
    found: set[int] = set()
    ordered = sorted(seqs)
    for start in range(0, len(ordered), 5_000):
        query = (
            sa.select(other.c.seq)
            .join(entries, entries.c.session_id == other.c.session_id)
            .where(
                entries.c.seq.in_(ordered[start : start + 5_000]),
                other.c.position.between(entries.c.position - REACH, entries.c.position + REACH),
            )
        )
        found.update(connection.execute(query).scalars())
    return found
