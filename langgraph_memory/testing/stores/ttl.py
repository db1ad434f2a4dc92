"""Checks of time to live: hidden once expired, refreshed by reads that ask for it, swept away."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

from langgraph.store.base import TTLConfig

from langgraph_memory.testing.stores.suite import Bench, Capability, check, equal, keys, true

NAMESPACE = ("passing",)
LIFE = 0.02
"""Minutes that items of these checks live: 1.2 s."""
HALF, MORE = 0.6 * LIFE, 1.5 * LIFE

HIDE: TTLConfig = {"omit_expired": True, "refresh_on_read": True}
KEEP_TIME: TTLConfig = {"omit_expired": True, "refresh_on_read": False}


@check(Capability.TTL, ttl=HIDE)
async def an_expired_item_is_hidden_everywhere(bench: Bench) -> None:
    """After its time an item is in no get, search, ranking or listing, though nobody swept."""
    await bench.store.aput(NAMESPACE, "k", {"text": "tea"}, ttl=LIFE)
    await bench.store.aput(("lasting",), "k", {"text": "tea"})
    true(await bench.store.aget(NAMESPACE, "k", refresh_ttl=False) is not None, "it expired too early")
    await bench.wait(MORE)
    equal(await bench.store.aget(NAMESPACE, "k"), None, "what is got")
    equal([one.namespace for one in await bench.store.asearch(())], [("lasting",)], "what is listed")
    equal([one.namespace for one in await bench.store.asearch((), query="tea")], [("lasting",)], "what is ranked")
    equal(await bench.store.alist_namespaces(), [("lasting",)], "the namespaces")


@check(Capability.TTL, ttl=HIDE)
async def a_get_gives_the_time_again(bench: Bench) -> None:
    """An item that is got lives on for its whole time."""
    await bench.store.aput(NAMESPACE, "k", {}, ttl=LIFE)
    await bench.wait(HALF)
    await bench.store.aget(NAMESPACE, "k", refresh_ttl=True)
    await bench.wait(HALF)
    true(await bench.store.aget(NAMESPACE, "k") is not None, "it expired though it was refreshed")


@check(Capability.TTL, ttl=HIDE)
async def a_search_gives_the_time_again_to_what_it_returns(bench: Bench) -> None:
    """Items on the page that is returned live on, others do not."""
    await bench.fill(NAMESPACE, [("lasting", {})])
    await bench.store.aput(NAMESPACE, "a", {"page": 1}, ttl=LIFE)
    await bench.store.aput(NAMESPACE, "b", {"page": 2}, ttl=LIFE)
    await bench.wait(HALF)
    await bench.store.asearch(NAMESPACE, filter={"page": 1}, refresh_ttl=True)
    await bench.wait(HALF)
    equal(sorted(keys(await bench.store.asearch(NAMESPACE, refresh_ttl=False))), ["a", "lasting"], "what is left")


@check(Capability.TTL, ttl=HIDE)
async def a_read_that_says_so_gives_no_time(bench: Bench) -> None:
    """`refresh_ttl=False` leaves the end where it was."""
    await bench.store.aput(NAMESPACE, "k", {}, ttl=LIFE)
    await bench.wait(HALF)
    await bench.store.aget(NAMESPACE, "k", refresh_ttl=False)
    await bench.store.asearch(NAMESPACE, refresh_ttl=False)
    await bench.wait(HALF)
    equal(await bench.store.aget(NAMESPACE, "k"), None, "what is got")


@check(Capability.TTL, ttl=KEEP_TIME)
async def the_stores_own_setting_counts_where_a_read_does_not_say(bench: Bench) -> None:
    """With `refresh_on_read` off a plain read gives no time."""
    await bench.store.aput(NAMESPACE, "k", {}, ttl=LIFE)
    await bench.wait(HALF)
    await bench.store.aget(NAMESPACE, "k")
    await bench.wait(HALF)
    equal(await bench.store.aget(NAMESPACE, "k"), None, "what is got")


@check(Capability.TTL, ttl=HIDE)
async def what_has_expired_stays_so(bench: Bench) -> None:
    """Reading an expired item with `refresh_ttl=True` does not bring it back."""
    await bench.store.aput(NAMESPACE, "k", {}, ttl=LIFE)
    await bench.wait(MORE)
    await bench.store.aget(NAMESPACE, "k", refresh_ttl=True)
    await bench.store.asearch(NAMESPACE, refresh_ttl=True)
    equal(await bench.store.aget(NAMESPACE, "k"), None, "what is got")


@check(Capability.TTL, ttl={**HIDE, "default_ttl": LIFE})
async def a_default_time_is_given_to_every_put(bench: Bench) -> None:
    """`default_ttl` counts where a put does not say; `ttl=None` is forever."""
    await bench.store.aput(NAMESPACE, "passing", {})
    await bench.store.aput(NAMESPACE, "lasting", {}, ttl=None)
    await bench.wait(MORE)
    equal(keys(await bench.store.asearch(NAMESPACE)), ["lasting"], "what is left")


@check(Capability.TTL, ttl=HIDE)
async def a_put_sets_the_time_anew(bench: Bench) -> None:
    """A second put without a time ends the first one's."""
    await bench.store.aput(NAMESPACE, "k", {"n": 1}, ttl=LIFE)
    await bench.store.aput(NAMESPACE, "k", {"n": 2})
    await bench.wait(MORE)
    true(await bench.store.aget(NAMESPACE, "k") is not None, "it expired")


@check(Capability.TTL, ttl=HIDE)
async def an_expired_item_takes_no_place_on_a_page(bench: Bench) -> None:
    """Limits count what is shown."""
    await bench.store.aput(NAMESPACE, "lasting", {"text": "coffee"})
    for number in range(5):
        await bench.store.aput(NAMESPACE, str(number), {"text": "tea"}, ttl=LIFE)
    await bench.wait(MORE)
    equal(keys(await bench.store.asearch(NAMESPACE, limit=1)), ["lasting"], "the page of a list")
    equal(keys(await bench.store.asearch(NAMESPACE, query="tea", limit=1)), ["lasting"], "the page of a ranking")
    equal(await bench.store.alist_namespaces(limit=1), [NAMESPACE], "the page of a listing")


@check(Capability.TTL, ttl=HIDE)
async def what_expired_is_made_anew(bench: Bench) -> None:
    """A put under the key of an expired item makes another one."""
    await bench.store.aput(NAMESPACE, "k", {}, ttl=LIFE)
    first = await bench.store.aget(NAMESPACE, "k", refresh_ttl=False)
    await bench.wait(MORE)
    await bench.store.aput(NAMESPACE, "k", {"n": 2})
    item = await bench.store.aget(NAMESPACE, "k")
    assert first is not None
    true(item is not None and item.value == {"n": 2}, f"what is got: {item}")


@check(Capability.TTL, ttl=HIDE)
async def a_sweep_deletes_what_has_expired(bench: Bench) -> None:
    """`sweep_ttl` returns how many items it deleted, and leaves the others."""
    await bench.store.aput(NAMESPACE, "lasting", {})
    for number in range(3):
        await bench.store.aput(NAMESPACE, str(number), {}, ttl=LIFE)
    equal(await call(bench, "sweep_ttl"), 0, "what a sweep before the end deleted")
    await bench.wait(MORE)
    equal(await call(bench, "sweep_ttl"), 3, "what a sweep after the end deleted")
    equal(await call(bench, "sweep_ttl"), 0, "what a second sweep deleted")
    equal(keys(await bench.store.asearch(NAMESPACE)), ["lasting"], "what is left")


@check(Capability.TTL, ttl={**HIDE, "sweep_interval_minutes": 5})
async def the_sweeper_starts_and_stops(bench: Bench) -> None:
    """The sweeper starts once, however often it is started, and can be stopped and started again."""
    for _ in range(2):
        await call(bench, "start_ttl_sweeper")
        await call(bench, "start_ttl_sweeper")
        equal(await call(bench, "stop_ttl_sweeper", timeout=10), True, "whether it stopped")
    equal(await call(bench, "stop_ttl_sweeper", timeout=10), True, "whether what does not run stops")


async def call(bench: Bench, method: str, **kwargs: Any) -> Any:
    """Call a method that some stores have as a coroutine and others as a blocking function."""
    found = getattr(bench.store, method, None)
    if found is None:
        raise AssertionError(f"the store has no {method}")
    if inspect.iscoroutinefunction(found):
        answer = await found(**kwargs)
        return None if isinstance(answer, asyncio.Task) else answer
    return await asyncio.to_thread(found, **kwargs)
