"""Checks of which texts of a value are indexed, by default and by each put."""

from __future__ import annotations

from langgraph_memory.testing.stores.suite import Bench, Capability, check, equal, keys, true

NAMESPACE = ("indexed",)
CLOSE = 1e-3


@check(Capability.INDEXING, fields=["title"])
async def the_stores_fields_are_indexed_where_a_put_does_not_say(bench: Bench) -> None:
    """Without `index` the fields that the store was made with count, and no others."""
    await bench.store.aput(NAMESPACE, "k", {"title": "tea", "body": "coffee"})
    await score(bench, "tea", 1.0)
    await score(bench, "coffee", bench.embeddings.cosine("coffee", "tea"))


@check(Capability.INDEXING, fields=["title"])
async def a_put_may_name_its_own_paths(bench: Bench) -> None:
    """`index=[...]` replaces the store's fields for this item."""
    await bench.store.aput(NAMESPACE, "k", {"title": "tea", "deep": {"body": "coffee"}}, index=["deep.body"])
    await score(bench, "coffee", 1.0)
    await score(bench, "tea", bench.embeddings.cosine("coffee", "tea"))


@check(Capability.INDEXING, fields=["title", "body"])
async def the_best_of_several_texts_is_the_score(bench: Bench) -> None:
    """Each path has a vector of its own; the nearest one counts, and the item comes once."""
    await bench.store.aput(NAMESPACE, "k", {"title": "green tea", "body": "black coffee"})
    await score(bench, "green tea", 1.0)
    await score(bench, "black coffee", 1.0)


@check(Capability.INDEXING, fields=["lines[*].text"])
async def each_element_of_a_list_is_indexed(bench: Bench) -> None:
    """A path through a list gives a vector for each element."""
    await bench.store.aput(NAMESPACE, "k", {"lines": [{"text": "green tea"}, {"text": "black coffee"}, {"other": 1}]})
    await score(bench, "green tea", 1.0)
    await score(bench, "black coffee", 1.0)


@check(Capability.INDEXING)
async def elements_may_be_chosen_by_number(bench: Bench) -> None:
    """`[0]` and `[-1]` are the first and the last element."""
    value = {"lines": ["green tea", "black coffee", "cold water"]}
    await bench.store.aput(NAMESPACE, "k", value, index=["lines[0]", "lines[-1]"])
    await score(bench, "green tea", 1.0)
    await score(bench, "cold water", 1.0)
    wanted = max(bench.embeddings.cosine("black coffee", text) for text in ("green tea", "cold water"))
    await score(bench, "black coffee", wanted)


@check(Capability.INDEXING)
async def what_is_not_indexed_is_not_found_by_meaning(bench: Bench) -> None:
    """`index=False` keeps an item out of every ranking; it is got and listed all the same."""
    await bench.store.aput(NAMESPACE, "hidden", {"text": "tea"}, index=False)
    await bench.store.aput(NAMESPACE, "shown", {"text": "coffee"})
    equal(keys(await bench.store.asearch(NAMESPACE, query="tea")), ["shown"], "the ranking")
    equal(sorted(keys(await bench.store.asearch(NAMESPACE))), ["hidden", "shown"], "the list")
    true(await bench.store.aget(NAMESPACE, "hidden") is not None, "it cannot be got")


@check(Capability.INDEXING)
async def an_item_put_again_without_index_leaves_the_ranking(bench: Bench) -> None:
    """`index=False` on an item that was indexed removes its vectors."""
    await bench.store.aput(NAMESPACE, "k", {"text": "tea"})
    await bench.store.asearch(NAMESPACE, query="tea")
    await bench.store.aput(NAMESPACE, "k", {"text": "tea"}, index=False)
    equal(keys(await bench.store.asearch(NAMESPACE, query="tea")), [], "the ranking")


@check(Capability.INDEXING)
async def an_item_put_again_with_fewer_texts_loses_the_others(bench: Bench) -> None:
    """The vectors of elements that are gone are gone too."""
    await bench.store.aput(NAMESPACE, "k", {"lines": ["green tea", "black coffee"]}, index=["lines[*]"])
    await bench.store.aput(NAMESPACE, "k", {"lines": ["green tea"]}, index=["lines[*]"])
    await score(bench, "black coffee", bench.embeddings.cosine("black coffee", "green tea"))


@check(Capability.INDEXING, fields=["title"])
async def a_value_without_the_field_is_not_ranked(bench: Bench) -> None:
    """An item that has nothing at the paths is stored, and no ranking shows it."""
    await bench.store.aput(NAMESPACE, "without", {"body": "tea"})
    await bench.store.aput(NAMESPACE, "with", {"title": "coffee"})
    equal(keys(await bench.store.asearch(NAMESPACE, query="tea")), ["with"], "the ranking")


async def score(bench: Bench, query: str, wanted: float) -> None:
    """Fail unless the one item is found once, with this score."""
    found = await bench.store.asearch(NAMESPACE, query=query)
    equal(keys(found), ["k"], f"the ranking for {query!r}")
    given = found[0].score
    true(given is not None and abs(given - wanted) < CLOSE, f"the score for {query!r} is {given}, not {wanted}")
