"""Checks of when an item was made and last put."""

from __future__ import annotations

from datetime import timedelta

from langgraph.store.base import Item

from langgraph_memory.testing.stores.suite import Bench, Capability, check, equal, true

NAMESPACE = ("times",)
MOMENT = 0.001
"""Minutes: 60 ms, so that a resolution of seconds shows."""


@check(Capability.TIMESTAMPS)
async def times_are_aware_and_in_utc(bench: Bench) -> None:
    """Both times carry the zone UTC, from `get` and from `search`."""
    await bench.store.aput(NAMESPACE, "k", {})
    for item in [await got(bench), *await bench.store.asearch(NAMESPACE)]:
        for at in (item.created_at, item.updated_at):
            equal(at.utcoffset(), timedelta(0), f"the offset of {at!r}")


@check(Capability.TIMESTAMPS)
async def created_at_is_kept_when_a_key_is_put_again(bench: Bench) -> None:
    """A second put leaves the time when the item was made."""
    await bench.store.aput(NAMESPACE, "k", {"n": 1})
    first = await got(bench)
    await bench.wait(MOMENT)
    await bench.store.aput(NAMESPACE, "k", {"n": 2})
    equal((await got(bench)).created_at, first.created_at, "created_at")


@check(Capability.TIMESTAMPS)
async def updated_at_tells_puts_of_one_second_apart(bench: Bench) -> None:
    """A put moves `updated_at`, with a resolution finer than seconds."""
    await bench.store.aput(NAMESPACE, "k", {"n": 1})
    first = await got(bench)
    await bench.wait(MOMENT)
    await bench.store.aput(NAMESPACE, "k", {"n": 2})
    true((await got(bench)).updated_at > first.updated_at, f"updated_at stayed {first.updated_at!r}")


@check(Capability.TIMESTAMPS)
async def reading_changes_no_time(bench: Bench) -> None:
    """Neither `get` nor `search` moves `updated_at`."""
    await bench.store.aput(NAMESPACE, "k", {"n": 1})
    first = await got(bench)
    await bench.wait(MOMENT)
    await bench.store.asearch(NAMESPACE)
    equal((await got(bench)).updated_at, first.updated_at, "updated_at")


@check(Capability.TIMESTAMPS)
async def what_was_deleted_is_made_anew(bench: Bench) -> None:
    """A put after a deletion makes another item, with a time of its own."""
    await bench.store.aput(NAMESPACE, "k", {"n": 1})
    first = await got(bench)
    await bench.store.adelete(NAMESPACE, "k")
    await bench.wait(MOMENT)
    await bench.store.aput(NAMESPACE, "k", {"n": 1})
    true((await got(bench)).created_at > first.created_at, f"created_at stayed {first.created_at!r}")


async def got(bench: Bench) -> Item:
    """Return the one item."""
    item = await bench.store.aget(NAMESPACE, "k")
    if item is None:
        raise AssertionError("the item is missing")
    return item
