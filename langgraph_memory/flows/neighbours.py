"""Neighbours finds the memories of exactly one scope that a text is about or near to, and remembers vectors."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

from langgraph_memory.flows.recall import Recaller, Request
from langgraph_memory.models.ports import Embedder, SimilarityThresholds, Vector
from langgraph_memory.records import Hit, MemoryRecord
from langgraph_memory.retrieval.recipe import DENSE, HYBRID, Recipe
from langgraph_memory.scope import Scope
from langgraph_memory.text.line import spoken_line
from langgraph_memory.writing.known import Known

MOST_VECTORS = 4_096
"""Vectors kept between phases and runs, about 6 MB at 384 dimensions."""

OVERFETCH = 3
"""Hits asked for beyond the limit, because memories of scopes inside this one are not this one's."""

_ALL_ROLES = ("user", "assistant", "system", "tool")


class Neighbours:
    """What writing asks of recall; safe to share between threads."""

    def __init__(self, recaller: Recaller, embedder: Embedder) -> None:
        self._recaller = recaller
        self._embedder = embedder
        self._vectors: OrderedDict[str, Vector] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def thresholds(self) -> SimilarityThresholds:
        """The cosines from which two texts of this model say the same."""
        return self._embedder.thresholds

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """Return a unit vector per text; those not embedded lately are embedded in one call."""
        with self._lock:
            known = {text: self._vectors[text] for text in texts if text in self._vectors}
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            known.update(zip(missing, self._embedder.embed_documents(missing), strict=True))
        with self._lock:
            for text in texts:
                self._vectors[text] = known[text]
                self._vectors.move_to_end(text)
            while len(self._vectors) > MOST_VECTORS:
                self._vectors.popitem(last=False)
        return [known[text] for text in texts]

    def known_vector(self, text: str) -> Vector | None:
        """Return the text's vector if it was embedded lately."""
        with self._lock:
            return self._vectors.get(text)

    def line(self, record: MemoryRecord) -> str:
        """Return a memory as the line that is embedded for search."""
        return spoken_line(record.actor, record.observed_at, record.text)

    def about(self, query: str, scope: Scope, limit: int) -> list[Known]:
        """Return the scope's own memories that a text is about, best first."""
        answer = self._recaller.recall(_request(query, scope, limit, HYBRID))
        return [
            Known(id=hit.id, text=hit.text, since=hit.said_at.isoformat()) for hit in _own(answer.hits, scope, limit)
        ]

    def nearest(self, line: Vector, scope: Scope, limit: int) -> list[tuple[str, str]]:
        """Return `(id, text)` of the scope's own memories nearest to a line's vector."""
        answer = self._recaller.answer(_request("nearest", scope, limit, DENSE), line, [])
        return [(hit.id, hit.text) for hit in _own(answer.hits, scope, limit)]


def _own(hits: Sequence[Hit], scope: Scope, limit: int) -> list[Hit]:
    return [hit for hit in hits if hit.scope == scope][:limit]


def _request(query: str, scope: Scope, limit: int, recipe: Recipe) -> Request:
    return Request(
        query=query,
        scope=scope,
        limit=OVERFETCH * limit,
        budget=0,
        recipe=recipe,
        as_of=None,
        known_at=None,
        include_history=False,
        kinds=None,
        hidden_roles=_ALL_ROLES,
    )
