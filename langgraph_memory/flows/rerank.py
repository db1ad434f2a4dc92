"""Shows the best lines of a search to the user's reranker, and takes its order where it gives one."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from langgraph_memory.events import reason
from langgraph_memory.flows.hits import Ranked, spoken_lines, taken
from langgraph_memory.flows.request import Request
from langgraph_memory.models.ports import Reranker
from langgraph_memory.retrieval.rerank import lines_within, read_scores, reranked
from langgraph_memory.settings import Settings
from langgraph_memory.storage.database import Database

logger = logging.getLogger(__name__)

CALLS_MEASURED = 5
"""The latest calls whose pace says how many lines the next one is shown."""


class Reranking:
    """One reranker over one store; safe to share between threads. Without a reranker it changes nothing."""

    def __init__(self, database: Database, reranker: Reranker | None, settings: Settings) -> None:
        self._database = database
        self._reranker = reranker
        self._settings = settings
        self._paces: deque[float] = deque(maxlen=CALLS_MEASURED)
        self._lock = threading.Lock()

    def prepared(self, request: Request) -> Request:
        """Return the request with the number of lines that will be shown to the reranker, where it is asked."""
        if self._reranker is None or not request.rerank or not request.recipe.rerank:
            return request
        with self._lock:
            paces = tuple(self._paces)
        lines = lines_within(self._settings.rerank_seconds, paces, self._settings.rerank_lines)
        return replace(request, shortlist=lines)

    def rerank(self, request: Request, ranked: Ranked, notes: list[str]) -> Ranked:
        """Return the best `limit` lines in the new order; in the old one, with a note, where the reranker fails."""
        if not request.shortlist:
            return ranked
        ranked, texts = self._shown(request, ranked)
        if self._reranker is None or len(texts) < 2:
            return _best(request, ranked)
        began = time.perf_counter()
        try:
            given = read_scores(self._reranker.scores(request.question, texts), len(texts))
        except Exception as error:
            return self._failed(request, ranked, error, notes)
        return self._ordered(request, ranked, given, time.perf_counter() - began)

    async def arerank(self, request: Request, ranked: Ranked, notes: list[str]) -> Ranked:
        """Async twin of `rerank`; a reranker with an async face is awaited, any other runs in a thread."""
        score: Callable[[str, Sequence[str]], Awaitable[Any]] | None = getattr(self._reranker, "ascores", None)
        if score is None or not request.shortlist:
            return await asyncio.to_thread(self.rerank, request, ranked, notes)
        ranked, texts = await asyncio.to_thread(self._shown, request, ranked)
        if len(texts) < 2:
            return _best(request, ranked)
        began = time.perf_counter()
        try:
            given = read_scores(await score(request.question, texts), len(texts))
        except Exception as error:
            return self._failed(request, ranked, error, notes)
        return self._ordered(request, ranked, given, time.perf_counter() - began)

    def _shown(self, request: Request, ranked: Ranked) -> tuple[Ranked, list[str]]:
        """Return the ranking without what is no longer there, and its first lines as they were spoken."""
        with self._database.read() as connection:
            lines = spoken_lines(connection, request.scope, ranked.seqs)
        here = taken(ranked, [place for place, seq in enumerate(ranked.seqs) if seq in lines])
        return here, [lines[seq] for seq in here.seqs[: request.shortlist]]

    def _ordered(self, request: Request, ranked: Ranked, given: Sequence[float], seconds: float) -> Ranked:
        with self._lock:
            self._paces.append(seconds / len(given))
        order = reranked(ranked.scores, ranked.signals, given, weight=request.recipe.rerank)
        scored = replace(
            taken(ranked, [place for place, _, _ in order]),
            scores=[score for _, score, _ in order],
            signals=[signals for _, _, signals in order],
        )
        return _best(request, scored)

    def _failed(self, request: Request, ranked: Ranked, error: Exception, notes: list[str]) -> Ranked:
        logger.warning("The reranker failed (%s); what was found keeps its order.", error)
        notes.append(f"the reranker failed ({reason(error)}); what was found keeps its order")
        return _best(request, ranked)


def _best(request: Request, ranked: Ranked) -> Ranked:
    return taken(ranked, range(min(request.limit, len(ranked.seqs))))
