"""Checks of many callers at once."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable
from typing import Any

from langgraph_memory.testing.stores.suite import Bench, Capability, check, equal, keys, true

NAMESPACE = ("crowd",)


@check(Capability.CONCURRENCY)
async def concurrent_puts_are_all_kept(bench: Bench) -> None:
    """A hundred puts awaited together leave a hundred items."""
    await asyncio.gather(*(bench.store.aput(NAMESPACE, str(n), {"n": n}) for n in range(100)))
    found = await bench.store.asearch(NAMESPACE, limit=200)
    equal(sorted(one.value["n"] for one in found), list(range(100)), "the values")


@check(Capability.CONCURRENCY)
async def mixed_calls_get_their_own_results(bench: Bench) -> None:
    """Gets, searches, listings and puts awaited together do not mix up their results."""
    await bench.fill(NAMESPACE, ((str(n), {"n": n}) for n in range(20)))
    calls: list[Awaitable[Any]] = []
    for n in range(20):
        calls += [
            bench.store.aget(NAMESPACE, str(n)),
            bench.store.asearch(NAMESPACE, filter={"n": n}),
            bench.store.aput(("other",), str(n), {"n": n}),
        ]
    found = await asyncio.gather(*calls)
    equal([item.value["n"] for item in found[::3]], list(range(20)), "what was got")
    equal([keys(page) for page in found[1::3]], [[str(n)] for n in range(20)], "what was searched")
    equal(set(found[2::3]), {None}, "what puts gave")


@check(Capability.CONCURRENCY)
async def threads_lose_no_puts(bench: Bench) -> None:
    """Eight threads that put at once leave all they put."""

    def write(number: int) -> None:
        for n in range(10):
            bench.store.put((*NAMESPACE, str(number)), str(n), {"n": n})

    await asyncio.gather(*(asyncio.to_thread(write, number) for number in range(8)))
    equal(len(await bench.store.asearch(NAMESPACE, limit=200)), 80, "the number of items")


@check(Capability.CONCURRENCY)
async def a_value_is_never_half_of_two(bench: Bench) -> None:
    """While threads put one key, a read sees one whole value."""

    def write(name: str) -> None:
        for _ in range(20):
            bench.store.put(NAMESPACE, "k", {"one": name, "other": name})

    async def read() -> None:
        for _ in range(20):
            item = await bench.store.aget(NAMESPACE, "k")
            true(item is None or item.value["one"] == item.value["other"], f"half a value: {item}")

    await asyncio.gather(*(asyncio.to_thread(write, name) for name in "abc"), read())
    equal(len(await bench.store.asearch(NAMESPACE)), 1, "the number of items")


@check(Capability.CONCURRENCY)
async def a_cancelled_call_harms_no_other(bench: Bench) -> None:
    """After a caller has gone away the store answers everybody else."""
    calls = [asyncio.ensure_future(bench.store.aput(NAMESPACE, str(n), {"n": n})) for n in range(10)]
    await asyncio.sleep(0)
    calls[3].cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await calls[3]
    await asyncio.gather(*(call for call in calls if not call.cancelled()))
    found = {one.value["n"] for one in await bench.store.asearch(NAMESPACE, limit=20)}
    true(found >= set(range(10)) - {3}, f"only {sorted(found)} are there")
