"""Checks of what a store is for: what was put is there, whole and unchanged, until it is deleted."""

from __future__ import annotations

from typing import Any

from langgraph.store.base import GetOp, PutOp

from langgraph_memory.testing.stores.suite import Bench, Capability, check, equal, keys, refused, true

NAMESPACE = ("users", "mia")
ODD_TEXTS = ("a b", "ü", "日本", "%", "_", "*", "?", "[x]", "'", '"', "\\", "/", "\n", "@", "😀", "$", "{x}", "-")


@check(Capability.BASICS)
async def what_was_put_is_got(bench: Bench) -> None:
    """An item has the namespace, key and value that were put."""
    await bench.store.aput(NAMESPACE, "tea", {"text": "gyokuro"})
    item = await bench.store.aget(NAMESPACE, "tea")
    true(item is not None, "nothing was found")
    assert item is not None
    equal((item.namespace, item.key, item.value), (NAMESPACE, "tea", {"text": "gyokuro"}), "the item")


@check(Capability.BASICS)
async def a_missing_key_is_none(bench: Bench) -> None:
    """A key that was never put is None, and asking for it makes nothing."""
    equal(await bench.store.aget(NAMESPACE, "tea"), None, "the item")
    equal(await bench.store.asearch(NAMESPACE), [], "the items")


@check(Capability.BASICS)
async def a_put_replaces_the_whole_value(bench: Bench) -> None:
    """A second put of a key leaves nothing of the first value."""
    await bench.store.aput(NAMESPACE, "tea", {"text": "gyokuro", "cups": 2})
    await bench.store.aput(NAMESPACE, "tea", {"text": "sencha"})
    equal(await value_of(bench, "tea"), {"text": "sencha"}, "the value")
    equal(len(await bench.store.asearch(NAMESPACE)), 1, "the number of items")


@check(Capability.BASICS)
async def a_deleted_item_is_gone(bench: Bench) -> None:
    """Delete removes exactly one item; deleting what is not there is no error."""
    await bench.fill(NAMESPACE, [("tea", {"n": 1}), ("coffee", {"n": 2})])
    await bench.store.adelete(NAMESPACE, "tea")
    await bench.store.adelete(NAMESPACE, "tea")
    await bench.store.adelete(("nobody",), "tea")
    equal(await bench.store.aget(NAMESPACE, "tea"), None, "the deleted item")
    equal(keys(await bench.store.asearch(NAMESPACE)), ["coffee"], "what is left")


@check(Capability.BASICS)
async def one_key_in_two_namespaces_is_two_items(bench: Bench) -> None:
    """Namespaces keep their keys apart, also from the namespace above."""
    for number, namespace in enumerate([("users",), NAMESPACE, (*NAMESPACE, "old")]):
        await bench.store.aput(namespace, "tea", {"n": number})
    equal(await value_of(bench, "tea"), {"n": 1}, "the value in the middle")
    await bench.store.adelete(NAMESPACE, "tea")
    equal(len(await bench.store.asearch(("users",))), 2, "the number of others")


@check(Capability.BASICS)
async def json_values_come_back_equal(bench: Bench) -> None:
    """Whatever JSON can say comes back as it was."""
    value: dict[str, Any] = {
        "text": "naïve 日本語 😀 \"quoted\" 'single' back\\slash \n\t",
        "numbers": [0, -1, 2**53, 1.5, -0.25, 1e300],
        "flags": [True, False, None],
        "nested": {"list": [{"a": [[]]}, {}], "": "empty name", "$gt": 1, "a.b": 2},
    }
    await bench.store.aput(NAMESPACE, "all", value)
    equal(await value_of(bench, "all"), value, "the value")


@check(Capability.BASICS)
async def an_empty_value_is_a_value(bench: Bench) -> None:
    """An empty mapping is stored, not taken for a deletion."""
    await bench.store.aput(NAMESPACE, "nothing", {})
    equal(await value_of(bench, "nothing"), {}, "the value")


@check(Capability.BASICS)
async def a_value_is_the_stores_own(bench: Bench) -> None:
    """Changing what was put, or what was got, does not change what is stored."""
    value = {"tags": ["green"]}
    await bench.store.aput(NAMESPACE, "tea", value)
    value["tags"].append("put")
    got = await bench.store.aget(NAMESPACE, "tea")
    assert got is not None
    got.value["tags"].append("got")
    equal(await value_of(bench, "tea"), {"tags": ["green"]}, "the value")


@check(Capability.BASICS)
async def any_sign_may_stand_in_keys_and_labels(bench: Bench) -> None:
    """Keys and labels are texts, in which no sign means anything."""
    for text in ODD_TEXTS:
        await bench.store.aput(("odd", text), text, {"it": text})
    for text in ODD_TEXTS:
        item = await bench.store.aget(("odd", text), text)
        equal(None if item is None else item.value, {"it": text}, f"under {text!r}")
        equal(keys(await bench.store.asearch(("odd", text))), [text], f"in the namespace {text!r}")
    equal(len(await bench.store.asearch(("odd",), limit=100)), len(ODD_TEXTS), "the number of items")


@check(Capability.BASICS)
async def namespaces_that_are_none_are_refused(bench: Bench) -> None:
    """A put refuses an empty namespace, empty labels, dots, what is no text, and the root `langgraph`."""
    wrong: list[Any] = [(), ("",), ("a", ""), ("a.b",), ("a", 1), ("a", None), ("langgraph", "a")]
    for namespace in wrong:
        await refused(lambda namespace=namespace: bench.store.aput(namespace, "k", {}), f"namespace {namespace!r}")  # type: ignore[misc]


@check(Capability.BASICS)
async def a_dot_in_a_label_reaches_no_other_namespace(bench: Bench) -> None:
    """An operation sent straight to a batch with the label `a.b` is refused, or is not about `("a", "b")`."""
    await bench.store.aput(("a", "b"), "k", {"n": 1})
    try:
        found = (await bench.store.abatch([GetOp(("a.b",), "k")]))[0]
    except ValueError:
        return
    equal(found, None, "the item under a.b")
    try:
        await bench.store.abatch([PutOp(("a.b",), "k", {"n": 2})])
    except ValueError:
        return
    item = await bench.store.aget(("a", "b"), "k")
    equal(None if item is None else item.value, {"n": 1}, "the item under a, b")


@check(Capability.BASICS)
async def the_root_langgraph_is_open_to_batches(bench: Bench) -> None:
    """LangGraph's own namespace can be written by a batch, though not by `put`."""
    await bench.store.abatch([PutOp(("langgraph", "own"), "k", {"n": 1})])
    item = (await bench.store.abatch([GetOp(("langgraph", "own"), "k")]))[0]
    true(item is not None, "nothing was found")


@check(Capability.BASICS)
async def blocking_calls_see_what_awaited_calls_wrote(bench: Bench) -> None:
    """The blocking methods, called from another thread, do what the awaited ones do."""
    await bench.store.aput(NAMESPACE, "tea", {"n": 1})
    item = await bench.sync("get", NAMESPACE, "tea")
    equal(None if item is None else item.value, {"n": 1}, "the value")
    await bench.sync("put", NAMESPACE, "coffee", {"n": 2})
    equal(await value_of(bench, "coffee"), {"n": 2}, "the value")
    equal(sorted(keys(await bench.sync("search", NAMESPACE))), ["coffee", "tea"], "the keys")
    equal(await bench.sync("list_namespaces"), [NAMESPACE], "the namespaces")
    await bench.sync("delete", NAMESPACE, "tea")
    equal(await bench.store.aget(NAMESPACE, "tea"), None, "the deleted item")


async def value_of(bench: Bench, key: str) -> Any:
    """Return the value under a key, or None."""
    item = await bench.store.aget(NAMESPACE, key)
    return None if item is None else item.value
