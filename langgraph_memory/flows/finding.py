"""Finding searches one scope, which is held in memory or sampled through the indexes, for one question or several."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.clock import Clock, to_micros
from langgraph_memory.events import reason
from langgraph_memory.flows.found import FoundHere
from langgraph_memory.flows.hits import Ranked
from langgraph_memory.flows.kept import Kept
from langgraph_memory.flows.narrow import hidden_roles, narrowed, rated
from langgraph_memory.flows.request import ROLES, Request
from langgraph_memory.knowledge.asked import asked_entities, possible_keys
from langgraph_memory.maintenance.indexer import Indexer
from langgraph_memory.maintenance.recall_log import RecallLog
from langgraph_memory.models.checked import word_reader
from langgraph_memory.models.ports import Embedder, QuestionWords, TermDirections
from langgraph_memory.records import MESSAGE
from langgraph_memory.retrieval.bm25 import Collection
from langgraph_memory.retrieval.entity import EntityView, boosts, linked_rows
from langgraph_memory.retrieval.formulae import RATED, Rated
from langgraph_memory.retrieval.mem0 import BOOST
from langgraph_memory.retrieval.picking import pool_of
from langgraph_memory.retrieval.region import Scores
from langgraph_memory.retrieval.search import Question, search
from langgraph_memory.retrieval.snapshot import Snapshot
from langgraph_memory.scope import Scope
from langgraph_memory.settings import Settings
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.entity_views import entities_named
from langgraph_memory.storage.snapshots import SnapshotCache
from langgraph_memory.storage.wide import MOST_SAMPLED, Sample, WideSearch
from langgraph_memory.text.tokenise import query_terms

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

Asked: TypeAlias = tuple[Request, NDArray[np.float32] | None]
"""A request with the vector of its question, where there is one."""


_Views: TypeAlias = dict[Any, NDArray[np.bool_]]
"""What may be shown, by the options of the requests of one search."""


class Finder:
    """Searches the scopes of one store."""

    def __init__(
        self,
        database: Database,
        cache: SnapshotCache,
        wide: WideSearch,
        embedder: Embedder,
        indexer: Indexer,
        settings: Settings,
        clock: Clock,
        log: RecallLog | None = None,
    ) -> None:
        self._database = database
        self._cache = cache
        self._wide = wide
        self._embedder = embedder
        self._indexer = indexer
        self._settings = settings
        self._clock = clock
        self._log = log
        self._kept: Kept[Ranked] = Kept()

    async def aembed(self, request: Request, notes: list[str]) -> NDArray[np.float32] | None:
        """Async twin of `embed`."""
        embed: Callable[[str], Awaitable[NDArray[np.float32]]] | None = getattr(self._embedder, "aembed_query", None)
        if embed is None or not request.recipe.is_dense:
            return await asyncio.to_thread(self.embed, request, notes)
        try:
            return await embed(request.question)
        except Exception as error:
            self.without_vector(error, notes)
            return None

    def embed(self, request: Request, notes: list[str]) -> NDArray[np.float32] | None:
        """Return the question's vector; None, with a note, where the model fails."""
        if not request.recipe.is_dense:
            return None
        try:
            return self._embedder.embed_query(request.question)
        except Exception as error:
            self.without_vector(error, notes)
            return None

    def without_vector(self, error: Exception, notes: list[str]) -> None:
        """Note that the question could not be embedded: words alone still find a lot."""
        logger.warning("The question could not be embedded (%s); it is searched by its words.", error)
        notes.append(f"the embedding model failed ({error}); searched by words only")

    def rank(self, asked: Sequence[Asked], notes: list[str]) -> list[Ranked]:
        """Search one scope for several requests at once; what was found is not read yet."""
        lines = self._settings.context_lines
        return self._each(asked, notes, lambda found: found.ranked(lines), self._kept) if asked else []

    def order(self, asked: Sequence[Asked], notes: list[str]) -> list[list[int]]:
        """Search one scope for several requests at once; return the `seq` of what was found for each, best first."""
        return self._each(asked, notes, FoundHere.seqs) if asked else []

    def nearest(self, request: Request, vectors: Sequence[NDArray[np.float32]], notes: list[str]) -> list[list[int]]:
        """Return, for each unit vector, the `seq` of the lines nearest to it of those that the request may show.

        The scope's own memories are embedded first, all of them: a restatement that is missed becomes a second record.
        """
        if not vectors:
            return []
        self._embed_memories(request.scope, notes)
        with self._cache.open_known(request.scope) as opened:
            if opened is not None:
                return self._nearest(request, opened[0], vectors)
        found: list[list[int]] = []
        for vector in vectors:
            sample, _ = self._sample(request, vector, (), notes)
            found += self._nearest(request, sample.snapshot, [vector])
        return found

    def _nearest(self, request: Request, snapshot: Snapshot, vectors: Sequence[NDArray[np.float32]]) -> list[list[int]]:
        rows = snapshot.nearest(np.stack(vectors), self._shown(request, snapshot), request.limit)
        return [snapshot.seqs(found) for found in rows]

    def _each(
        self, asked: Sequence[Asked], notes: list[str], take: Callable[[FoundHere], _T], kept: Kept[_T] | None = None
    ) -> list[_T]:
        """Search the scope for each request, and take from each search what is wanted while the scope is open.

        Args:
            kept: what was taken before.
        """
        with self._cache.open_known(asked[0][0].scope) as opened:
            if opened is None:
                return [take(self._sampled(request, vector, notes)) for request, vector in asked]
            snapshot, known, state = opened
            if any(vector is not None for _, vector in asked):
                self._embed_waiting(snapshot, notes)
            views: _Views = {}
            taken: list[_T] = []
            for request, vector in asked:
                shown, failed = self._view(request, snapshot, views), list[Exception]()
                terms = query_terms(request.question)
                find = partial(self._search, request, snapshot, known, vector, terms, shown, failed)
                if kept is None or snapshot.waiting or (vector is None and request.recipe.is_dense):
                    taken.append(take(find()))
                else:
                    taken.append(kept.once(request, state, shown, partial(_then, find, take), vector, failed))
            return taken

    def _most(self, request: Request) -> int:
        """Return how many candidates a channel gives, so that there are enough to choose from."""
        return max(self._settings.candidates, pool_of(request.recipe, max(request.limit, request.shortlist)))

    def _sampled(self, request: Request, vector: NDArray[np.float32] | None, notes: list[str]) -> FoundHere:
        """Search a scope that is too large to be held."""
        terms = query_terms(request.question)
        sample, shown = self._sample(request, vector, terms, notes)
        return self._search(request, sample.snapshot, self._named(request), vector, terms, shown, [], sample.collection)

    def _sample(
        self, request: Request, vector: NDArray[np.float32] | None, terms: Sequence[str], notes: list[str]
    ) -> tuple[Sample, NDArray[np.bool_]]:
        """Return candidates enough of a scope that is too large to be held, and which lines may be shown.

        What may not be shown takes places among the candidates, so more are looked for until enough may be shown.
        """
        enough = self._most(request)
        most = min(enough, MOST_SAMPLED)
        said_hidden = set(ROLES) <= set(request.hidden_roles) or (request.kinds and MESSAGE not in request.kinds)
        while True:
            told: list[str] = []
            sample = self._wide.sample(request.scope, vector, terms, most, told, memories_only=bool(said_hidden))
            if vector is not None:
                self._embed_waiting(sample.snapshot, told)
            shown = self._shown(request, sample.snapshot)
            rows = [sample.snapshot.rows[seq] for seq in sample.found if seq in sample.snapshot.rows]
            left = int(shown[rows].sum())
            if sample.whole or left >= enough or most >= MOST_SAMPLED:
                break
            most = min(4 * most, MOST_SAMPLED)
        if not sample.whole and left < request.limit:
            told.append(f"a scope this large is not ranked whole: only the best {most:,} of each channel were")
        notes += told
        return sample, shown

    def _embed_waiting(self, snapshot: Snapshot, notes: list[str]) -> None:
        """See everything recorded before this call: embed the newest lines that the queue has not reached."""
        if not snapshot.waiting:
            return
        newest = sorted(snapshot.waiting, reverse=True)[: self._settings.embed_at_recall]
        try:
            snapshot.set_vectors(self._indexer.embed_now(newest))
        except Exception as error:
            logger.warning("New lines could not be embedded yet: %s", error)
        if snapshot.waiting:
            notes.append(f"{len(snapshot.waiting)} lines are not embedded yet and were searched by words only")

    def _embed_memories(self, scope: Scope, notes: list[str]) -> None:
        try:
            self._indexer.embed_memories(scope)
        except Exception as error:
            logger.warning("Memories could not be embedded before they were compared: %s", error)
            notes.append(f"memories that are not embedded yet were not compared: {reason(error)}")

    def _search(
        self,
        request: Request,
        snapshot: Snapshot,
        known: EntityView,
        vector: NDArray[np.float32] | None,
        terms: Sequence[str],
        allowed: NDArray[np.bool_],
        failed: list[Exception],
        collection: Collection | None = None,
    ) -> FoundHere:
        found = search(
            request.recipe,
            snapshot,
            Question(terms, vector, self._words(request, vector, failed)),
            allowed,
            limit=request.limit,
            shortlist=request.shortlist,
            floor=self._embedder.thresholds.floor,
            most=self._settings.candidates,
            least=request.min_score,
            rated=self._rated(request, snapshot, allowed),
            boost=self._boost(request, snapshot, known, allowed if collection is None else None, vector, failed),
            collection=collection,
        )
        return FoundHere(snapshot, found, allowed)

    def _view(self, request: Request, snapshot: Snapshot, views: _Views) -> NDArray[np.bool_]:
        """Return which lines the request may show; those of one search that agree on it share the work."""
        if request.options not in views:
            views[request.options] = self._shown(request, snapshot)
        return views[request.options]

    def _shown(self, request: Request, snapshot: Snapshot) -> NDArray[np.bool_]:
        """Return which lines the request may show."""
        now, as_of, known_at = _times(request, self._clock)
        shown = snapshot.visibility.allowed(
            now=now,
            as_of=as_of,
            known_at=known_at,
            include_history=request.include_history,
            kinds=request.kinds,
            hidden_roles=hidden_roles(request, snapshot),
            own=request.own,
        )
        return narrowed(request, snapshot, shown, self._database)

    def _words(
        self, request: Request, vector: NDArray[np.float32] | None, failed: list[Exception]
    ) -> tuple[QuestionWords, TermDirections] | None:
        """Return the question word by word, where the embedder reads it so and has not failed to just now."""
        reader = word_reader(self._embedder)
        if not request.recipe.kindred or reader is None or (vector is None and request.recipe.is_dense):
            return None
        try:
            words = reader.question_words(request.question)
            return None if words is None else (words, reader.term_directions())
        except Exception as error:  # one signal less, where others find a lot
            logger.warning("The question could not be read word by word: %s", error)
            failed.append(error)
            return None

    def _boost(
        self,
        request: Request,
        snapshot: Snapshot,
        known: EntityView,
        live: NDArray[np.bool_] | None,
        vector: NDArray[np.float32] | None,
        failed: list[Exception],
    ) -> Scores | None:
        """Return what each line gains for mentioning an entity of the question; None where the question names none."""
        recipe, query = request.recipe, request.question
        if not known or not recipe.entity:
            return None
        try:
            embed = None if vector is None else self._embedder.embed_documents
            asked = asked_entities(query, known, floor=recipe.entity_floor, embed=embed, vector=vector)
        except Exception as error:
            logger.warning("The question's names could not be compared by meaning: %s", error)
            failed.append(error)
            asked = asked_entities(query, known, floor=recipe.entity_floor, embed=None)
        if not asked:
            return None
        if live is not None and (request.include_history or request.kinds is not None):
            now, as_of, known_at = _times(request, self._clock)
            live = snapshot.visibility.allowed(
                now=now, as_of=as_of, known_at=known_at
            )  # what is shown is not what links
        return boosts(linked_rows(asked, known, snapshot.rows, live), len(snapshot), BOOST)

    def _rated(self, request: Request, snapshot: Snapshot, allowed: NDArray[np.bool_]) -> Rated | None:
        """Return how old and how important the lines are, where the formula asks for it."""
        if request.recipe.formula not in RATED:
            return None
        now, as_of, known_at = _times(request, self._clock)
        with self._database.read() as connection:
            return rated(
                connection, snapshot, allowed, self._log if request.recipe.renewed else None, known_at or as_of or now
            )

    def _named(self, request: Request) -> EntityView:
        """Return the entities that the question may name in a scope too large to be held; the read is one look-up."""
        keys = possible_keys(request.question) if request.recipe.entity else []
        now, as_of, known_at = _times(request, self._clock)
        with self._database.read() as connection:
            return entities_named(connection, request.scope, keys, now=now, known_at=known_at, as_of=as_of)


def _then(find: Callable[[], FoundHere], take: Callable[[FoundHere], _T]) -> _T:
    return take(find())


def _times(request: Request, clock: Clock) -> tuple[int, int | None, int | None]:
    """Return the present, and the times of the question, in microseconds."""
    as_of = None if request.as_of is None else to_micros(request.as_of)
    known_at = None if request.known_at is None else to_micros(request.known_at)
    return to_micros(clock()), as_of, known_at
