"""Recall, step by step: open the scope, search both channels, fuse, check against the truth, compose."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.clock import Clock, to_micros
from langgraph_memory.flows.hits import Ranked, lines_of, read_hits
from langgraph_memory.flows.narrow import hidden_roles, narrowed, rated
from langgraph_memory.flows.request import Request
from langgraph_memory.flows.rerank import Reranking
from langgraph_memory.knowledge.asked import asked_entities, possible_keys
from langgraph_memory.maintenance.indexer import Indexer
from langgraph_memory.maintenance.recall_log import RecallLog
from langgraph_memory.models.checked import word_reader
from langgraph_memory.models.ports import Embedder, QuestionWords, Reranker, TermDirections
from langgraph_memory.records import Answer
from langgraph_memory.retrieval.bm25 import Collection
from langgraph_memory.retrieval.compose import CountTokens, compose
from langgraph_memory.retrieval.entity import EntityView, boosts, linked_rows
from langgraph_memory.retrieval.formulae import RATED, Rated
from langgraph_memory.retrieval.gaps import find_gaps
from langgraph_memory.retrieval.mem0 import BOOST
from langgraph_memory.retrieval.region import Scores
from langgraph_memory.retrieval.search import Found, Question, search
from langgraph_memory.retrieval.snapshot import Snapshot
from langgraph_memory.settings import Settings
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.entity_views import entities_named
from langgraph_memory.storage.entries import spoken_terms
from langgraph_memory.storage.snapshots import SnapshotCache
from langgraph_memory.storage.wide import WideSearch
from langgraph_memory.text.asked import asked_words
from langgraph_memory.text.tokenise import query_terms

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

Asked: TypeAlias = tuple[Request, NDArray[np.float32] | None]
"""A request with the vector of its question, where there is one."""


_Views: TypeAlias = dict[Any, NDArray[np.bool_]]
"""What may be shown, by the options of the requests of one search."""


@dataclass(frozen=True, slots=True)
class _Found:
    """The best rows of one search; good as long as the snapshot is open."""

    snapshot: Snapshot
    found: Found
    allowed: NDArray[np.bool_]

    def seqs(self) -> list[int]:
        return self.snapshot.seqs(self.found.rows)

    def ranked(self, lines: int) -> Ranked:
        """Return them with their signals and so many lines around each."""
        seqs, walk, rows = self.snapshot.seqs, self.snapshot.walk, self.found.rows
        before = [walk(row, -lines, self.allowed)[::-1] for row in rows]
        after = [walk(row, lines, self.allowed) for row in rows]
        shown = np.array([*rows, *chain(*before, *after)], dtype=np.int32)
        return Ranked(
            seqs=self.seqs(),
            scores=self.found.scores,
            signals=self.found.signals(),
            before=[seqs(around) for around in before],
            after=[seqs(around) for around in after],
            wordings=self.snapshot.wordings(shown[: len(rows)]).tolist(),
            terms=self.snapshot.postings.terms_of(shown),
        )


class Recaller:
    """Answers questions from one store."""

    def __init__(
        self,
        database: Database,
        cache: SnapshotCache,
        wide: WideSearch,
        embedder: Embedder,
        indexer: Indexer,
        settings: Settings,
        clock: Clock,
        count_tokens: CountTokens,
        log: RecallLog | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        self._reranking = Reranking(database, reranker, settings)
        self._log = log
        self._database = database
        self._cache = cache
        self._wide = wide
        self._embedder = embedder
        self._indexer = indexer
        self._settings = settings
        self._clock = clock
        self._count_tokens = count_tokens

    def recall(self, requests: Sequence[Request]) -> list[Answer]:
        """Answer requests about one scope; see `Memory.recall` and `Memory.recall_many`."""
        notes: list[str] = []
        asked = [(request, self.embed(request, notes)) for request in map(self._reranking.prepared, requests)]
        own: list[list[str]] = [[] for _ in asked]  # of each question's reranking
        found = [
            self._reranking.rerank(request, ranked, told)
            for (request, _), ranked, told in zip(asked, self.rank(asked, notes), own, strict=True)
        ]
        return self.answers(asked, found, [[*notes, *told] for told in own])

    async def arecall(self, requests: Sequence[Request]) -> list[Answer]:
        """Async twin of `recall`; an embedder or reranker with an async face is awaited."""
        notes: list[str] = []
        asked = [(request, await self.aembed(request, notes)) for request in map(self._reranking.prepared, requests)]
        own: list[list[str]] = [[] for _ in asked]
        found = await asyncio.to_thread(self.rank, asked, notes)
        for place, (request, _) in enumerate(asked):
            if request.shortlist:
                found[place] = await self._reranking.arerank(request, found[place], own[place])
        return await asyncio.to_thread(self.answers, asked, found, [[*notes, *told] for told in own])

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

    def answers(self, asked: Sequence[Asked], found: Sequence[Ranked], notes: Sequence[Sequence[str]]) -> list[Answer]:
        """Check and compose what was found for each question, and touch it now that all is found."""
        self.note([(request.query, ranked) for (request, _), ranked in zip(asked, found, strict=True)])
        return [
            self.composed(request, ranked, told) for (request, _), ranked, told in zip(asked, found, notes, strict=True)
        ]

    def composed(self, request: Request, ranked: Ranked, notes: Sequence[str]) -> Answer:
        """Read what was found, and compose the answer."""
        with self._database.read() as connection:
            hits = read_hits(connection, request.scope, ranked)
        block, tokens = compose(hits, budget=request.budget, count_tokens=self._count_tokens)
        found = ranked.terms
        if found is None:
            lines = [line for hit in hits for line in lines_of(hit)]
            found = {term for line in lines for term in spoken_terms(line.speaker, to_micros(line.said_at), line.text)}
        gaps = find_gaps(request.query, asked_words(request.question), found)
        return Answer(request.query, tuple(hits), block, tuple(gaps), tokens, tuple(dict.fromkeys(notes)))

    def note(self, found: Sequence[tuple[str, Ranked]]) -> None:
        """Count what questions found, all at one moment: together they touch what they found once."""
        if self._log is not None:
            at = None
            for query, ranked in found:
                at = self._log.note(query, zip(ranked.seqs, ranked.scores, strict=True), at)

    def rank(self, asked: Sequence[Asked], notes: list[str]) -> list[Ranked]:
        """Search one scope for several requests at once; what was found is not read yet."""
        lines = self._settings.context_lines
        return self._each(asked, notes, lambda found: found.ranked(lines)) if asked else []

    def order(self, asked: Sequence[Asked], notes: list[str]) -> list[list[int]]:
        """Search one scope for several requests at once; return the `seq` of what was found for each, best first."""
        return self._each(asked, notes, _Found.seqs) if asked else []

    def nearest(self, request: Request, vectors: Sequence[NDArray[np.float32]]) -> list[list[int]]:
        """Return, for each unit vector, the `seq` of the lines nearest to it of those that the request may show."""
        if not vectors:
            return []
        with self._cache.open_known(request.scope) as opened:
            if opened is not None:
                return self._nearest(request, opened[0], vectors)
        samples = ((vector, self._wide.sample(request.scope, vector, (), [])[0]) for vector in vectors)
        return [found for vector, sample in samples for found in self._nearest(request, sample, [vector])]

    def _nearest(self, request: Request, snapshot: Snapshot, vectors: Sequence[NDArray[np.float32]]) -> list[list[int]]:
        self._embed_waiting(snapshot, [])
        rows = snapshot.nearest(np.stack(vectors), self._shown(request, snapshot), request.limit)
        return [snapshot.seqs(found) for found in rows]

    def _each(self, asked: Sequence[Asked], notes: list[str], take: Callable[[_Found], _T]) -> list[_T]:
        """Search the scope for each request, and take from each search what is wanted while the scope is open."""
        scope = asked[0][0].scope
        views: _Views = {}
        terms = [query_terms(request.question) for request, _ in asked]
        with self._cache.open_known(scope) as opened:
            if opened is not None:
                snapshot, known = opened
                if any(vector is not None for _, vector in asked):
                    self._embed_waiting(snapshot, notes)
                return [
                    take(self._search(request, snapshot, known, vector, found, views))
                    for (request, vector), found in zip(asked, terms, strict=True)
                ]
        taken: list[_T] = []
        for (request, vector), wanted in zip(asked, terms, strict=True):
            sample, collection = self._wide.sample(scope, vector, wanted, notes)
            if vector is not None:
                self._embed_waiting(sample, notes)
            known = self._named(request)
            taken.append(take(self._search(request, sample, known, vector, wanted, {}, collection)))
        return taken

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

    def _search(
        self,
        request: Request,
        snapshot: Snapshot,
        known: EntityView,
        vector: NDArray[np.float32] | None,
        terms: Sequence[str],
        views: _Views,
        collection: Collection | None = None,
    ) -> _Found:
        options = request.options
        if options not in views:
            views[options] = self._shown(request, snapshot)
        allowed = views[options]
        found = search(
            request.recipe,
            snapshot,
            Question(terms, vector, None if vector is None else self._words(request)),
            allowed,
            limit=request.limit,
            shortlist=request.shortlist,
            floor=self._embedder.thresholds.floor,
            most=self._settings.candidates,
            least=request.min_score,
            rated=self._rated(request, snapshot, allowed),
            boost=self._boost(request, snapshot, known, allowed if collection is None else None, vector),
            collection=collection,
        )
        return _Found(snapshot, found, allowed)

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

    def _words(self, request: Request) -> tuple[QuestionWords, TermDirections] | None:
        """Return the question word by word, where the embedder reads it so."""
        reader = word_reader(self._embedder)
        if not request.recipe.kindred or reader is None:
            return None
        try:
            words = reader.question_words(request.question)
            return None if words is None else (words, reader.term_directions())
        except Exception as error:  # one signal less, where others find a lot
            logger.warning("The question could not be read word by word: %s", error)
            return None

    def _boost(
        self,
        request: Request,
        snapshot: Snapshot,
        known: EntityView,
        live: NDArray[np.bool_] | None,
        vector: NDArray[np.float32] | None,
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


def _times(request: Request, clock: Clock) -> tuple[int, int | None, int | None]:
    """Return the present, and the times of the question, in microseconds."""
    as_of = None if request.as_of is None else to_micros(request.as_of)
    known_at = None if request.known_at is None else to_micros(request.known_at)
    return to_micros(clock()), as_of, known_at
