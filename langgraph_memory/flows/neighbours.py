"""Neighbours finds the memories of exactly one scope that a text is about or near to, and remembers vectors."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

from langgraph_memory.flows.finding import Finder
from langgraph_memory.flows.request import ROLES, Request
from langgraph_memory.models.ports import Embedder, SimilarityThresholds, Vector
from langgraph_memory.records import MemoryRecord
from langgraph_memory.retrieval.ranks import fuse_ranks
from langgraph_memory.retrieval.recipe import HYBRID
from langgraph_memory.scope import Scope
from langgraph_memory.storage import memories
from langgraph_memory.storage.database import Database
from langgraph_memory.text.line import spoken_line
from langgraph_memory.writing.known import Known

MOST_VECTORS = 4_096
"""Vectors kept between phases and runs, about 6 MB at 384 dimensions."""

OVERFETCH = 3
"""Memories looked at for each that is wanted, because documents may stand between."""


class Neighbours:
    """What writing asks of recall; safe to share between threads."""

    def __init__(self, database: Database, finder: Finder, embedder: Embedder) -> None:
        self._database = database
        self._finder = finder
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

    def about(self, queries: Sequence[str], scope: Scope, limit: int) -> list[Known]:
        """Return the scope's own memories that any of the texts are about, best first, mixed by reciprocal rank."""
        requests = [_request(query, scope, limit) for query in queries]
        rankings = self._finder.order([(request, self._finder.embed(request, [])) for request in requests], [])
        best = [seq for seq, _ in fuse_ranks(rankings)[:limit]]
        return self._read(scope, [best])[0]

    def nearest(self, lines: Sequence[Vector], scope: Scope, limit: int, notes: list[str]) -> list[list[Known]]:
        """Return, for each line's vector, the scope's own plain memories nearest to it, and documents as near as they.

        Documents take no place from sentences, which they can neither repeat nor be repeated by.

        Args:
            notes: told what could not be compared.
        """
        found = self._finder.nearest(_request("nearest", scope, OVERFETCH * limit), lines, notes)
        return [_plain_first(ranking, limit) for ranking in self._read(scope, found)]

    def _read(self, scope: Scope, rankings: Sequence[Sequence[int]]) -> list[list[Known]]:
        """Read what was found all at once, without what is no longer there."""
        with self._database.read() as connection:
            own = memories.texts(connection, scope, sorted({seq for ranking in rankings for seq in ranking}))
        known = {
            seq: Known(id=id, text=text, since=at.isoformat(), schema=schema)
            for seq, (id, text, at, schema) in own.items()
        }
        return [[known[seq] for seq in ranking if seq in known] for ranking in rankings]


def _plain_first(ranking: Sequence[Known], limit: int) -> list[Known]:
    """Cut a ranking behind so many plain memories."""
    plain = [place for place, item in enumerate(ranking) if item["schema"] is None]
    return list(ranking if len(plain) <= limit else ranking[: plain[limit]])


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
        hidden_roles=ROLES,
        own=True,
    )
