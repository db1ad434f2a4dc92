"""Checks of stores that batch awaited calls, and of more than one event loop."""

from __future__ import annotations

import asyncio
from typing import Any

from langgraph_memory.testing.stores.suite import Bench, Capability, check, equal, refused, true

NAMESPACE = ("tasks",)


@check(Capability.ASYNC_BATCHING)
async def a_blocking_call_on_the_loop_is_refused(bench: Bench) -> None:
    """Every blocking method raises `InvalidStateError` in a thread whose loop it would block."""
    calls: dict[str, Any] = {
        "get": lambda: bench.store.get(NAMESPACE, "k"),
        "put": lambda: bench.store.put(NAMESPACE, "k", {}),
        "delete": lambda: bench.store.delete(NAMESPACE, "k"),
        "search": lambda: bench.store.search(NAMESPACE),
        "list_namespaces": lambda: bench.store.list_namespaces(),
        "batch": lambda: bench.store.batch([]),
    }
    for name, call in calls.items():

        async def awaited(call: Any = call) -> Any:
            return call()

        await refused(awaited, f"{name}()", asyncio.InvalidStateError)
    equal(await bench.store.asearch(()), [], "what is there")


@check(Capability.ASYNC_BATCHING)
async def puts_of_one_tick_are_embedded_together(bench: Bench) -> None:
    """Puts awaited together ask the embedding model far less often than once each."""
    await asyncio.gather(*(bench.store.aput(NAMESPACE, str(n), {"text": f"line {n}"}) for n in range(50)))
    true(bench.embeddings.calls <= 5, f"the model was asked {bench.embeddings.calls} times")


@check(Capability.ASYNC_BATCHING)
async def the_last_of_concurrent_puts_wins(bench: Bench) -> None:
    """Puts of one key take effect in the order in which they were called."""
    await asyncio.gather(*(bench.store.aput(NAMESPACE, "k", {"n": n}) for n in range(20)))
    item = await bench.store.aget(NAMESPACE, "k")
    equal(None if item is None else item.value, {"n": 19}, "the value")


@check(Capability.ASYNC_BATCHING)
async def a_call_that_fails_harms_no_other_of_its_tick(bench: Bench) -> None:
    """What is refused to one caller is done for the others."""
    calls = [bench.store.aput(NAMESPACE, str(n), {"n": object() if n == 3 else n}) for n in range(6)]
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    failed = [number for number, outcome in enumerate(outcomes) if isinstance(outcome, BaseException)]
    equal(failed, [3], "the calls that failed")
    equal(len(await bench.store.asearch(NAMESPACE)), 5, "the number of items")


@check(Capability.MANY_LOOPS)
async def every_loop_may_use_the_store(bench: Bench) -> None:
    """Loops in several threads, one after the other and at once, share one store."""

    async def work(name: str) -> None:
        await asyncio.gather(*(bench.store.aput((*NAMESPACE, name), str(n), {"n": n}) for n in range(10)))
        equal(len(await bench.store.asearch((*NAMESPACE, name), limit=50)), 10, "the number of items of one loop")

    def elsewhere(name: str) -> None:
        for turn in range(2):
            asyncio.run(work(f"{name}{turn}"))

    await asyncio.gather(work("here"), *(asyncio.to_thread(elsewhere, name) for name in "abc"))
    equal(len(await bench.store.asearch(NAMESPACE, limit=200)), 70, "the number of items")
