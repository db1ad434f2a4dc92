"""Checks of prefixes, and of listing namespaces."""

from __future__ import annotations

from typing import Any

from langgraph_memory.testing.stores.suite import Bench, Capability, check, equal, keys

TREE = [("a", "b", "c"), ("a", "b", "d", "e"), ("a", "b", "d", "i"), ("a", "b", "f"), ("a", "c", "f"), ("x", "c")]


@check(Capability.NAMESPACES)
async def a_prefix_is_made_of_whole_labels(bench: Bench) -> None:
    """`("foo",)` holds `("foo", "x")` and not `("foobar",)`."""
    await place(bench, [("foo",), ("foo", "x"), ("foobar",), ("fo",), ("x", "foo")])
    equal(await below(bench, ("foo",)), [("foo",), ("foo", "x")], "below foo")


@check(Capability.NAMESPACES)
async def labels_that_sort_around_the_separator_stay_apart(bench: Bench) -> None:
    """A label that goes on with a low or a high character is another label."""
    await place(bench, [("foo",), ("foo ",), ("foo-x",), ("foo!", "x"), ("foo/",), ("foo/x",), ("foo~",)])
    equal(await below(bench, ("foo",)), [("foo",)], "below foo")


@check(Capability.NAMESPACES)
async def case_counts(bench: Bench) -> None:
    """`("Foo",)` and `("foo",)` are two namespaces."""
    await place(bench, [("foo",), ("Foo",), ("FOO", "x")])
    equal(await below(bench, ("Foo",)), [("Foo",)], "below Foo")


@check(Capability.NAMESPACES)
async def wildcards_of_databases_are_only_signs(bench: Bench) -> None:
    """`%`, `_`, `*`, `?` and `[` in a prefix match themselves."""
    await place(bench, [("%",), ("_",), ("*",), ("?",), ("[a]",), ("a",), ("ab",)])
    for label in ("%", "_", "*", "?", "[a]", "a"):
        equal(await below(bench, (label,)), [(label,)], f"below {label!r}")


@check(Capability.NAMESPACES)
async def the_empty_prefix_holds_everything(bench: Bench) -> None:
    """A search in `()` sees all items."""
    await place(bench, TREE)
    equal(await below(bench, ()), sorted(TREE), "everything")


@check(Capability.NAMESPACES)
async def a_prefix_may_be_a_list(bench: Bench) -> None:
    """JSON has no tuples, so a list of labels is taken for one."""
    await place(bench, TREE)
    prefix: Any = ["x"]
    equal(await below(bench, prefix), [("x", "c")], "below a list")


@check(Capability.NAMESPACES)
async def namespaces_are_listed_once_and_sorted(bench: Bench) -> None:
    """A listing has each namespace that holds an item once, sorted by labels."""
    await place(bench, [*reversed(TREE), *TREE])
    await bench.store.aput(TREE[0], "another key", {})
    equal(await bench.store.alist_namespaces(), sorted(TREE), "the namespaces")


@check(Capability.NAMESPACES)
async def labels_are_sorted_one_by_one(bench: Bench) -> None:
    """`("a", "z")` comes before `("a b",)`, whatever separates labels in the database."""
    wanted = [("a",), ("a", "z"), ("a b",), ("a-b",), ("ab",)]
    await place(bench, reversed(wanted))
    equal(await bench.store.alist_namespaces(), wanted, "the order")


@check(Capability.NAMESPACES)
async def prefix_and_suffix_choose_namespaces(bench: Bench) -> None:
    """A prefix fits the beginning and a suffix the end; given both, both must fit."""
    await place(bench, TREE)
    listing = bench.store.alist_namespaces
    equal(await listing(prefix=("a", "c")), [("a", "c", "f")], "by prefix")
    equal(await listing(suffix=("f",)), [("a", "b", "f"), ("a", "c", "f")], "by suffix")
    equal(await listing(prefix=("a", "b"), suffix=("f",)), [("a", "b", "f")], "by both")
    equal(await listing(prefix=("a", "b", "c", "d")), [], "by a longer prefix")


@check(Capability.NAMESPACES)
async def a_star_is_exactly_one_label(bench: Bench) -> None:
    """`*` in a prefix or suffix of a listing stands for one label, whatever it is."""
    await place(bench, TREE)
    listing = bench.store.alist_namespaces
    equal(await listing(prefix=("a", "*", "f")), [("a", "b", "f"), ("a", "c", "f")], "in a prefix")
    equal(await listing(prefix=("*", "c")), [("a", "c", "f"), ("x", "c")], "at the start of a prefix")
    equal(await listing(suffix=("d", "*")), [("a", "b", "d", "e"), ("a", "b", "d", "i")], "in a suffix")


@check(Capability.NAMESPACES)
async def a_depth_cuts_and_joins(bench: Bench) -> None:
    """With `max_depth` longer namespaces are cut, and what is then equal is listed once."""
    await place(bench, TREE)
    listing = bench.store.alist_namespaces
    wanted = [("a", "b", "c"), ("a", "b", "d"), ("a", "b", "f")]
    equal(await listing(prefix=("a", "b"), max_depth=3), wanted, "three deep")
    equal(await listing(max_depth=1), [("a",), ("x",)], "one deep")


@check(Capability.NAMESPACES)
async def a_listing_has_pages(bench: Bench) -> None:
    """Limit and offset count namespaces after cutting."""
    await place(bench, TREE)
    listing = bench.store.alist_namespaces
    equal(await listing(limit=2), sorted(TREE)[:2], "the first page")
    equal(await listing(limit=2, offset=4), sorted(TREE)[4:], "the last page")
    equal(await listing(max_depth=2, limit=1, offset=1), [("a", "c")], "a page of cut ones")


@check(Capability.NAMESPACES)
async def a_namespace_without_items_is_not_listed(bench: Bench) -> None:
    """Reading makes no namespace, and deleting the last item ends one."""
    await bench.store.aget(("never",), "k")
    await bench.store.aput(("ended",), "k", {})
    await bench.store.adelete(("ended",), "k")
    equal(await bench.store.alist_namespaces(), [], "the namespaces")


@check(Capability.NAMESPACES)
async def a_label_may_hold_a_line_break(bench: Bench) -> None:
    """Line breaks in labels neither end a namespace nor a match."""
    await place(bench, [("a\nb", "c"), ("a", "c")])
    equal(await bench.store.alist_namespaces(prefix=("a\nb",)), [("a\nb", "c")], "by prefix")
    equal(sorted(await bench.store.alist_namespaces(suffix=("c",))), [("a", "c"), ("a\nb", "c")], "by suffix")


async def place(bench: Bench, namespaces: Any) -> None:
    """Put one item into each namespace."""
    for namespace in namespaces:
        await bench.store.aput(namespace, "k", {"in": list(namespace)})


async def below(bench: Bench, prefix: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the namespaces of what a search finds, sorted."""
    found = await bench.store.asearch(prefix, limit=100)
    equal(keys(found), ["k"] * len(found), "the keys")
    return sorted(tuple(one.namespace) for one in found)
