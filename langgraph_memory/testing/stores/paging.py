"""Checks of pages without a query."""

from __future__ import annotations

from langgraph_memory.testing.stores.suite import Bench, Capability, check, equal, keys

NAMESPACE = ("pages",)


@check(Capability.PAGING)
async def pages_are_disjoint_and_whole(bench: Bench) -> None:
    """Page by page every item comes once."""
    await bench.fill(NAMESPACE, ((f"{number:02}", {}) for number in range(25)))
    pages = [keys(await bench.store.asearch(NAMESPACE, limit=7, offset=offset)) for offset in range(0, 28, 7)]
    equal(sorted(key for page in pages for key in page), [f"{number:02}" for number in range(25)], "the keys")
    equal([len(page) for page in pages], [7, 7, 7, 4], "the sizes")


@check(Capability.PAGING)
async def ten_is_the_limit_where_none_is_given(bench: Bench) -> None:
    """A search without a limit returns ten items."""
    await bench.fill(NAMESPACE, ((str(number), {}) for number in range(12)))
    equal(len(await bench.store.asearch(NAMESPACE)), 10, "the number of items")


@check(Capability.PAGING)
async def behind_the_end_is_nothing(bench: Bench) -> None:
    """An offset beyond the last item gives an empty page."""
    await bench.fill(NAMESPACE, [("k", {})])
    equal(await bench.store.asearch(NAMESPACE, offset=1), [], "the page")
    equal(await bench.store.asearch(("nobody",)), [], "another namespace")


@check(Capability.PAGING)
async def what_was_put_last_comes_first(bench: Bench) -> None:
    """Without a query items are ordered by when they were put, the newest first."""
    for key in ("a", "b", "c", "a"):
        await bench.store.aput(NAMESPACE, key, {})
        await bench.wait(0.001)
    equal(keys(await bench.store.asearch(NAMESPACE)), ["a", "c", "b"], "the order")


@check(Capability.PAGING)
async def no_query_gives_no_score(bench: Bench) -> None:
    """None and the empty text ask for a list, whose items have no score."""
    await bench.fill(NAMESPACE, [("a", {"text": "tea"}), ("b", {"text": "coffee"})])
    for query in (None, ""):
        found = await bench.store.asearch(NAMESPACE, query=query)
        equal([one.score for one in found], [None, None], f"the scores for {query!r}")


@check(Capability.PAGING)
async def pages_of_a_filter_are_disjoint_and_whole(bench: Bench) -> None:
    """Offset and limit count what matches."""
    await bench.fill(NAMESPACE, ((f"{number:02}", {"odd": number % 2 == 1}) for number in range(20)))
    pages = [
        keys(await bench.store.asearch(NAMESPACE, filter={"odd": True}, limit=4, offset=offset)) for offset in (0, 4, 8)
    ]
    equal(sorted(key for page in pages for key in page), [f"{number:02}" for number in range(1, 20, 2)], "the keys")
    equal([len(page) for page in pages], [4, 4, 2], "the sizes")
