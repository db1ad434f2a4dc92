"""Checks of search by meaning."""

from __future__ import annotations

from langgraph.store.base import PutOp

from langgraph_memory.testing.stores.suite import Bench, Capability, check, equal, keys, true

NAMESPACE = ("meaning",)
TEXTS = {"tea": "green tea from uji", "coffee": "black coffee from kenya", "cat": "the cat sleeps on the sofa"}
CLOSE = 1e-3
"""How far a score may be from the cosine."""


@check(Capability.VECTORS, fields=["text"])
async def a_score_is_the_cosine(bench: Bench) -> None:
    """Results are ordered by cosine similarity, which is their score."""
    await bench.fill(NAMESPACE, ((key, {"text": text}) for key, text in TEXTS.items()))
    query = "which tea is green and from uji"
    found = await bench.store.asearch(NAMESPACE, query=query)
    equal(len(found), len(TEXTS), "the number of results")
    equal(found[0].key, "tea", "the best")
    for one in found:
        wanted = bench.embeddings.cosine(query, TEXTS[one.key])
        true(one.score is not None and abs(one.score - wanted) < CLOSE, f"{one.key} has {one.score}, cosine {wanted}")
    scores = [one.score or 0.0 for one in found]
    equal(scores, sorted(scores, reverse=True), "the scores")


@check(Capability.VECTORS)
async def the_whole_value_is_indexed_by_default(bench: Bench) -> None:
    """With the field `$` a word anywhere in the value finds it."""
    await bench.fill(NAMESPACE, [("a", {"deep": {"down": ["gyokuro"]}}), ("b", {"text": "coffee"})])
    found = await bench.store.asearch(NAMESPACE, query="gyokuro")
    equal(found[0].key, "a", "the best")
    true((found[0].score or 0) > 0.3, f"its score is {found[0].score}")


@check(Capability.VECTORS, fields=["text"])
async def an_item_put_again_is_found_by_its_new_text_only(bench: Bench) -> None:
    """The vector of a replaced value is gone."""
    await bench.fill(NAMESPACE, [("k", {"text": "green tea"}), ("k", {"text": "black coffee"})])
    found = await bench.store.asearch(NAMESPACE, query="green tea")
    wanted = bench.embeddings.cosine("green tea", "black coffee")
    equal(keys(found), ["k"], "the results")
    true(abs((found[0].score or 0.0) - wanted) < CLOSE, f"the score {found[0].score} is not that of the new text")


@check(Capability.VECTORS, fields=["text"])
async def a_deleted_item_is_not_found_by_meaning(bench: Bench) -> None:
    """Deletion removes the vector."""
    await bench.fill(NAMESPACE, ((key, {"text": text}) for key, text in TEXTS.items()))
    await bench.store.asearch(NAMESPACE, query="tea")
    await bench.store.adelete(NAMESPACE, "tea")
    equal(sorted(keys(await bench.store.asearch(NAMESPACE, query="tea"))), ["cat", "coffee"], "the results")


@check(Capability.VECTORS, fields=["text"])
async def items_of_one_text_in_one_batch_are_all_found(bench: Bench) -> None:
    """Two items with the same text may be put in one batch."""
    await bench.store.abatch([PutOp(NAMESPACE, key, {"text": "the same"}) for key in ("a", "b")])
    found = await bench.store.asearch(NAMESPACE, query="the same")
    equal(sorted(keys(found)), ["a", "b"], "the results")
    true(all((one.score or 0) > 0.99 for one in found), f"the scores are {[one.score for one in found]}")


@check(Capability.VECTORS, fields=["text"])
async def only_the_prefix_is_searched(bench: Bench) -> None:
    """Search by meaning stays inside the namespace, by whole labels."""
    for namespace in (("a",), ("a", "b"), ("ab",)):
        await bench.store.aput(namespace, "k", {"text": "tea"})
    found = await bench.store.asearch(("a",), query="tea")
    equal(sorted(tuple(one.namespace) for one in found), [("a",), ("a", "b")], "the namespaces")


@check(Capability.VECTORS, fields=["text"])
async def a_filter_leaves_all_matches_of_a_query(bench: Bench) -> None:
    """With filter and query all matches come, up to the limit, however many others rank better."""
    better = [(f"x{number}", {"text": "tea", "mine": False}) for number in range(40)]
    mine = [(f"m{number}", {"text": f"tea and {number} more things to say", "mine": True}) for number in range(5)]
    await bench.fill(NAMESPACE, [*better, *mine])
    found = await bench.store.asearch(NAMESPACE, query="tea", filter={"mine": True}, limit=10)
    equal(sorted(keys(found)), ["m0", "m1", "m2", "m3", "m4"], "the matches")


@check(Capability.VECTORS, fields=["text"])
async def pages_of_a_ranking_are_disjoint_and_whole(bench: Bench) -> None:
    """Page by page every result comes once, in the order of the whole ranking, ties included."""
    await bench.fill(NAMESPACE, ((f"{number:02}", {"text": f"tea {number % 3}"}) for number in range(20)))
    whole = keys(await bench.store.asearch(NAMESPACE, query="tea", limit=50))
    pages = [keys(await bench.store.asearch(NAMESPACE, query="tea", limit=6, offset=n)) for n in (0, 6, 12, 18)]
    equal([key for page in pages for key in page], whole, "the pages")
    equal(len(set(whole)), 20, "the number of results")


@check(Capability.VECTORS, fields=["text"])
async def every_script_is_found(bench: Bench) -> None:
    """Text outside of ASCII is embedded as it is."""
    texts = {"ja": "お茶が好き", "ru": "зелёный чай", "de": "grüner Tee 😀"}
    await bench.fill(NAMESPACE, ((key, {"text": text}) for key, text in texts.items()))
    for key, text in texts.items():
        found = await bench.store.asearch(NAMESPACE, query=text)
        equal(found[0].key, key, f"the best for {text!r}")
        true((found[0].score or 0) > 0.99, f"its score is {found[0].score}")


@check(Capability.VECTORS, fields=["text"])
async def the_empty_query_ranks_nothing(bench: Bench) -> None:
    """`query=""` lists everything without scores, also what is not indexed."""
    await bench.store.aput(NAMESPACE, "a", {"text": "tea"})
    await bench.store.aput(NAMESPACE, "b", {"text": "tea"}, index=False)
    found = await bench.store.asearch(NAMESPACE, query="")
    equal(sorted((one.key, one.score) for one in found), [("a", None), ("b", None)], "the list")
