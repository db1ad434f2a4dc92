"""MemoryStore: LangGraph's store interface over the memory's own database and embedder."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import Future

import numpy as np
from langgraph.store.base import BaseStore, Op, Result, TTLConfig
from numpy.typing import NDArray

from langgraph_memory.clock import Clock
from langgraph_memory.flows.finding import Finder
from langgraph_memory.flows.request import LONGEST_QUERY
from langgraph_memory.models.ports import Embedder
from langgraph_memory.settings import Settings
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.item_index import ItemIndex
from langgraph_memory.store.engine import Engine, embedded
from langgraph_memory.store.lanes import Lane
from langgraph_memory.store.memories import MemoryView
from langgraph_memory.store.plan import Plan, make_plan
from langgraph_memory.store.sweeper import Sweeper
from langgraph_memory.text.normalise import clean
from langgraph_memory.twins import in_thread
from langgraph_memory.unportable import Unportable

_SHARE = 4
"""The vectors of items take at most this fraction (a quarter) of what `settings.cache_mb` gives to scopes."""


class MemoryStore(Unportable, BaseStore):
    """Keys and values in namespaces, with search by meaning; get it as `memory.store`.

    For `compile(store=...)`, `create_agent(store=...)`, the `store.path` of `langgraph.json`, and any library that
    wants a LangGraph store. Items are the application's own data: nothing is distilled from them and `recall` does not
    find them. They survive restarts and are seen by every process on the same memory.

    * A batch runs its reads first, all on one view of the data, then its puts in one transaction; of several puts of
      one key the last wins. Its results are in the order of the operations. A batch with an operation that cannot be
      used does nothing.
    * `put` replaces the whole value, keeps `created_at`, and returns when the item can be found: its texts are embedded
      before it is written, unless some item has the same text already.
    * `search` with a query returns what is indexed, by the best cosine of each item's texts; without one, everything,
      the item put last first. Both look only inside the namespace given, by whole labels.
    * An item with a `ttl` is hidden the moment it expires; `sweep_ttl` or the sweeper deletes it. A read gives it its
      whole time again unless told not to.
    * Below `("@memories", *scope.namespace())` the live memories of a scope are shown, to read only, by id; a query
      there ranks as `memory.recall` does. They appear only where the namespace or prefix begins with `"@memories"`.
    * `memory.erase(scope=...)` also erases the items whose namespace begins with `scope.namespace()`. Items elsewhere
      go by `delete`.

    Many event loops and threads may use one store. Calls of one tick of a loop are run together.
    """

    supports_ttl = True

    def __init__(
        self,
        database: Database,
        embedder: Embedder,
        model_id: int,
        finder: Finder,
        settings: Settings,
        clock: Clock,
        check_open: Callable[[], object],
    ) -> None:
        super().__init__()
        self._embedder = embedder
        self._check_open = check_open
        self._fields = settings.store_fields
        self._sweep_minutes = settings.store_sweep_minutes
        self.ttl_config: TTLConfig = {
            "refresh_on_read": settings.store_refresh_on_read,
            "default_ttl": settings.store_ttl_minutes,
            "omit_expired": True,
        }
        index = ItemIndex(model_id, embedder.dimension, settings.cache_mb * 2**20 // _SHARE)
        self._engine = Engine(database, embedder, model_id, index, MemoryView(database, finder, clock), clock)
        self._reads = Lane(self._arun, ordered=False)
        self._writes = Lane(self._arun, ordered=True)
        self._sweeper = Sweeper(self.sweep_ttl)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations and return their results in order; see the class for what comes first.

        Raises:
            InvalidStateError: this thread runs an event loop, which the call would block.
            ValueError: an operation cannot be used; nothing was read or written.
            LangGraphMemoryError: the embedding model or the database failed; nothing was written.
        """
        _refuse_on_loop()
        self._check_open()
        return self._run(make_plan(ops, self._fields))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations and return their results in order, together with others of the same tick.

        Raises:
            ValueError: an operation cannot be used; nothing was read or written.
            LangGraphMemoryError: the embedding model or the database failed; nothing was written.
        """
        self._check_open()
        plan = make_plan(ops, self._fields)
        return await (self._writes if plan.writes else self._reads).submit(plan)

    def sweep_ttl(self) -> int:
        """Delete what has expired, and return how many items that were."""
        self._check_open()
        return self._engine.sweep()

    asweep_ttl = in_thread(sweep_ttl)

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> Future[None]:
        """Sweep every so many minutes in a thread (default `settings.store_sweep_minutes`), until stopped or closed.

        Returns:
            a future that is done when the sweeper has ended; cancelling it ends the sweeper.
        """
        self._check_open()
        return self._sweeper.start(sweep_interval_minutes or self._sweep_minutes)

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """Stop sweeping; say whether the thread has ended within `timeout` seconds."""
        return self._sweeper.stop(timeout)

    def _run(self, plan: Plan) -> list[Result]:
        vectors = self._engine.known(plan)
        missing = _missing(plan, vectors)
        if missing:
            vectors |= embedded(missing, self._embedder.embed_documents(list(missing.values())))
        queries = {query: self._embedder.embed_query(_question(query)) for query in dict.fromkeys(plan.queries)}
        return self._engine.run(plan, vectors, queries)

    async def _arun(self, plan: Plan) -> list[Result]:
        """Run a plan off the event loop; an embedder with an async face is awaited."""
        embed = getattr(self._embedder, "aembed_documents", None)
        embed_query = getattr(self._embedder, "aembed_query", None)
        if embed is None or embed_query is None or not (plan.texts or plan.queries):
            return await asyncio.to_thread(self._run, plan)
        vectors = await asyncio.to_thread(self._engine.known, plan)
        missing = _missing(plan, vectors)
        if missing:
            vectors |= embedded(missing, await embed(list(missing.values())))
        questions = list(dict.fromkeys(plan.queries))
        rows: list[NDArray[np.float32]] = await asyncio.gather(*(embed_query(_question(text)) for text in questions))
        return await asyncio.to_thread(self._engine.run, plan, vectors, dict(zip(questions, rows, strict=True)))


def _missing(plan: Plan, known: dict[str, bytes]) -> dict[str, str]:
    return {name: text for name, text in plan.texts.items() if name not in known}


def _question(query: str) -> str:
    return clean(query[:LONGEST_QUERY])


def _refuse_on_loop() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise asyncio.InvalidStateError(
        "This thread runs an event loop, which a blocking call of the store would hold up. Write `await "
        "store.aget(...)` (aput, asearch, adelete, alist_namespaces, abatch) instead, or call it from another thread."
    )
