"""Runs the suite: each check on a fresh store, so that none sees what another left."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from typing import Any, TypeAlias

from langgraph.store.base import BaseStore, IndexConfig

from langgraph_memory.testing.stores import (
    basics,
    batches,
    concurrency,
    filters,
    indexing,
    namespaces,
    paging,
    tasks,
    timestamps,
    ttl,
    vectors,
)
from langgraph_memory.testing.stores.report import Outcome, StoreReport
from langgraph_memory.testing.stores.suite import (
    BASE,
    CHECKS,
    DIMENSION,
    Bench,
    Capability,
    Check,
    CountingEmbeddings,
    StoreOptions,
)

Made: TypeAlias = (
    "BaseStore | Awaitable[BaseStore] | AbstractContextManager[BaseStore] | AbstractAsyncContextManager[BaseStore]"
)
StoreFactory: TypeAlias = Callable[[StoreOptions], Made]
"""Makes an empty store: itself, awaited, or as a context manager that closes it."""

Wait: TypeAlias = Callable[[float], "Awaitable[None] | object"]

_MODULES = (
    basics, timestamps, filters, paging, namespaces, batches, concurrency, vectors, indexing, ttl, tasks,
)  # fmt: skip
"""Imported so that their checks are in the list."""


async def check_store(
    factory: StoreFactory,
    *,
    have: Collection[Capability] = (),
    wait: Wait | None = None,
    patience: float = 60.0,
) -> StoreReport:
    """Try every behaviour of a store and report what held.

    Args:
        factory: makes an empty store for one check, as its options say.
        have: extended capabilities that the store must have; others are looked for, and skipped where it has not.
        wait: lets so many minutes pass, for a store with a clock that can be moved; by default the time is waited out
            (about half a minute in all, where the store has time to live).
        patience: seconds after which a check counts as hung.
    """
    passing = _patient(wait)
    missing = {
        capability: reason
        for capability, probe in _PROBES.items()
        if capability not in have and (reason := await _ask(factory, probe, passing))
    }
    outcomes = []
    name = "store"
    for one in CHECKS:
        if one.capability in missing:
            outcomes.append(Outcome(one.name, one.capability, one.law, "skipped", missing[one.capability]))
            continue
        try:
            async with _open(factory, one, passing) as bench:
                name = type(bench.store).__name__
                await asyncio.wait_for(one.run(bench), patience)
        except TimeoutError:
            outcomes.append(Outcome(one.name, one.capability, one.law, "failed", f"hung for {patience:g} s"))
        except Exception as error:
            reason = str(error) if isinstance(error, AssertionError) else f"{type(error).__name__}: {error}"
            outcomes.append(Outcome(one.name, one.capability, one.law, "failed", reason))
        else:
            outcomes.append(Outcome(one.name, one.capability, one.law, "passed"))
    return StoreReport(name, outcomes)


@asynccontextmanager
async def _open(factory: StoreFactory, one: Check, wait: Callable[[float], Awaitable[None]]) -> AsyncIterator[Bench]:
    embeddings = CountingEmbeddings()
    index: IndexConfig = {"dims": DIMENSION, "embed": embeddings, "fields": list(one.fields)}
    made: Any = factory(StoreOptions(index, one.ttl))
    if inspect.isawaitable(made):
        made = await made
    if isinstance(made, BaseStore):
        yield Bench(made, embeddings, wait)
    elif hasattr(made, "__aenter__"):
        async with made as store:
            yield Bench(store, embeddings, wait)
    else:
        with made as store:
            yield Bench(store, embeddings, wait)


async def _ask(
    factory: StoreFactory, probe: Callable[[Bench], Awaitable[str | None]], wait: Callable[[float], Awaitable[None]]
) -> str | None:
    """Return why a store lacks a capability; None where it has it."""
    async with _open(factory, CHECKS[0], wait) as bench:
        return await probe(bench)


def _patient(wait: Wait | None) -> Callable[[float], Awaitable[None]]:
    async def passing(minutes: float) -> None:
        outcome = asyncio.sleep(minutes * 60) if wait is None else wait(minutes)
        if inspect.isawaitable(outcome):
            await outcome

    return passing


async def _scores(bench: Bench) -> str | None:
    await bench.store.aput(("probe",), "key", {"text": "tea"})
    found = await bench.store.asearch(("probe",), query="tea")
    return None if any(one.score is not None for one in found) else "a query gives no scores"


async def _has_ttl(bench: Bench) -> str | None:
    return None if bench.store.supports_ttl else "supports_ttl is False"


async def _guards_loop(bench: Bench) -> str | None:
    try:
        bench.store.get(("probe",), "key")
    except asyncio.InvalidStateError:
        return None
    return "it answers blocking calls on the loop"


async def _serves_loops(bench: Bench) -> str | None:
    def elsewhere() -> None:
        asyncio.run(bench.store.aput(("probe",), "key", {}))

    try:
        await bench.store.aput(("probe",), "key", {})
        await asyncio.wait_for(asyncio.to_thread(elsewhere), 5)
    except Exception as error:
        return f"on a second loop: {type(error).__name__}"
    return None


_PROBES: dict[Capability, Callable[[Bench], Awaitable[str | None]]] = {
    Capability.VECTORS: _scores,
    Capability.INDEXING: _scores,
    Capability.TTL: _has_ttl,
    Capability.ASYNC_BATCHING: _guards_loop,
    Capability.MANY_LOOPS: _serves_loops,
}
assert set(_PROBES).isdisjoint(BASE)
