"""Checks of what order a batch has, inside and in its results."""

from __future__ import annotations

from typing import Any

from langgraph.store.base import GetOp, Item, ListNamespacesOp, MatchCondition, PutOp, SearchOp

from langgraph_memory.testing.stores.suite import Bench, Capability, check, equal, keys, true

NAMESPACE = ("batch",)


@check(Capability.BATCHES)
async def results_stand_where_their_operations_stood(bench: Bench) -> None:
    """A batch returns one result per operation, in order; a put gives None."""
    await bench.fill(NAMESPACE, [("a", {"n": 1}), ("b", {"n": 2})])
    conditions = (MatchCondition("prefix", NAMESPACE),)
    found: list[Any] = await bench.store.abatch(
        [
            GetOp(NAMESPACE, "b"),
            PutOp(NAMESPACE, "c", {"n": 3}),
            SearchOp(NAMESPACE, filter={"n": 1}),
            GetOp(NAMESPACE, "none"),
            ListNamespacesOp(conditions),
            PutOp(NAMESPACE, "a", None),
            GetOp(NAMESPACE, "a"),
        ]
    )
    equal(len(found), 7, "the number of results")
    true(isinstance(found[0], Item) and isinstance(found[6], Item), "a get gave no item")
    equal((found[0].value, found[6].value), ({"n": 2}, {"n": 1}), "what was got")
    equal(keys(found[2]), ["a"], "what was searched")
    equal(found[4], [NAMESPACE], "what was listed")
    equal((found[1], found[3], found[5]), (None, None, None), "puts, and a missing key")


@check(Capability.BATCHES)
async def reads_come_before_puts(bench: Bench) -> None:
    """The reads of a batch see what was there before it, wherever they stand."""
    await bench.fill(NAMESPACE, [("a", {"n": 1})])
    found: list[Any] = await bench.store.abatch(
        [PutOp(NAMESPACE, "a", {"n": 2}), GetOp(NAMESPACE, "a"), PutOp(NAMESPACE, "b", {}), SearchOp(NAMESPACE)]
    )
    equal(found[1].value, {"n": 1}, "what was got")
    equal(keys(found[3]), ["a"], "what was searched")
    item = await bench.store.aget(NAMESPACE, "a")
    equal(None if item is None else item.value, {"n": 2}, "what is there afterwards")


@check(Capability.BATCHES)
async def the_last_put_of_a_key_wins(bench: Bench) -> None:
    """Of several puts and deletions of one key in a batch only the last one counts."""
    await bench.store.abatch(
        [
            PutOp(NAMESPACE, "a", {"n": 1}),
            PutOp(NAMESPACE, "b", {"n": 1}),
            PutOp(NAMESPACE, "c", None),
            PutOp(NAMESPACE, "a", {"n": 2}),
            PutOp(NAMESPACE, "b", None),
            PutOp(NAMESPACE, "c", {"n": 3}),
        ]
    )
    found = {one.key: one.value for one in await bench.store.asearch(NAMESPACE)}
    equal(found, {"a": {"n": 2}, "c": {"n": 3}}, "what is there")


@check(Capability.BATCHES)
async def one_key_in_two_namespaces_is_put_twice(bench: Bench) -> None:
    """Puts are told apart by namespace and key, not by key."""
    await bench.store.abatch([PutOp(("one",), "k", {"n": 1}), PutOp(("two",), "k", {"n": 2})])
    equal(sorted(one.value["n"] for one in await bench.store.asearch(())), [1, 2], "the values")


@check(Capability.BATCHES)
async def equal_reads_each_get_their_result(bench: Bench) -> None:
    """The same read twice in a batch gives the same result twice."""
    await bench.fill(NAMESPACE, [("a", {"n": 1})])
    found: list[Any] = await bench.store.abatch(
        [GetOp(NAMESPACE, "a"), GetOp(NAMESPACE, "a"), SearchOp(NAMESPACE), SearchOp(NAMESPACE)]
    )
    equal([one.key for one in found[:2]], ["a", "a"], "what was got")
    equal([keys(page) for page in found[2:]], [["a"], ["a"]], "what was searched")


@check(Capability.BATCHES)
async def a_batch_may_be_empty_or_any_iterable(bench: Bench) -> None:
    """No operations give no results, and operations may come from a generator."""
    equal(await bench.store.abatch([]), [], "the results of nothing")
    equal(
        await bench.store.abatch(PutOp(NAMESPACE, str(n), {"n": n}) for n in range(3)),
        [None] * 3,
        "the results of puts",
    )
    equal(len(await bench.store.asearch(NAMESPACE)), 3, "the number of items")


@check(Capability.BATCHES)
async def a_blocking_batch_is_the_same(bench: Bench) -> None:
    """`batch`, called from another thread, keeps the same order."""
    found = await bench.sync("batch", [PutOp(NAMESPACE, "a", {"n": 1}), GetOp(NAMESPACE, "a")])
    equal(found, [None, None], "the results")
    true(await bench.store.aget(NAMESPACE, "a") is not None, "the put is lost")
