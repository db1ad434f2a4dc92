"""Recall, step by step: find in the scope, let a reranker order, check against the truth, compose."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from langgraph_memory.clock import to_micros
from langgraph_memory.flows.finding import Asked, Finder
from langgraph_memory.flows.hits import Ranked, lines_of, read_hits
from langgraph_memory.flows.request import Request
from langgraph_memory.flows.rerank import Reranking
from langgraph_memory.maintenance.recall_log import RecallLog
from langgraph_memory.models.ports import Reranker
from langgraph_memory.records import Answer
from langgraph_memory.retrieval.compose import CountTokens, compose
from langgraph_memory.retrieval.gaps import find_gaps
from langgraph_memory.settings import Settings
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.entries import spoken_terms
from langgraph_memory.text.asked import asked_words


class Recaller:
    """Answers questions from one store."""

    def __init__(
        self,
        database: Database,
        finder: Finder,
        settings: Settings,
        count_tokens: CountTokens,
        log: RecallLog | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        self._database = database
        self._finder = finder
        self._reranking = Reranking(database, reranker, settings)
        self._count_tokens = count_tokens
        self._log = log

    def recall(self, requests: Sequence[Request]) -> list[Answer]:
        """Answer requests about one scope; see `Memory.recall` and `Memory.recall_many`."""
        notes: list[str] = []
        asked = [(request, self._finder.embed(request, notes)) for request in map(self._reranking.prepared, requests)]
        own: list[list[str]] = [[] for _ in asked]  # of each question's reranking
        found = [
            self._reranking.rerank(request, ranked, told)
            for (request, _), ranked, told in zip(asked, self._finder.rank(asked, notes), own, strict=True)
        ]
        return self.answers(asked, found, [[*notes, *told] for told in own])

    async def arecall(self, requests: Sequence[Request]) -> list[Answer]:
        """Async twin of `recall`; an embedder or reranker with an async face is awaited."""
        notes: list[str] = []
        prepared = map(self._reranking.prepared, requests)
        asked = [(request, await self._finder.aembed(request, notes)) for request in prepared]
        own: list[list[str]] = [[] for _ in asked]
        found = await asyncio.to_thread(self._finder.rank, asked, notes)
        for place, (request, _) in enumerate(asked):
            if request.shortlist:
                found[place] = await self._reranking.arerank(request, found[place], own[place])
        return await asyncio.to_thread(self.answers, asked, found, [[*notes, *told] for told in own])

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
