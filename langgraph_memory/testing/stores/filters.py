"""Checks of filters on values."""

from __future__ import annotations

from typing import Any

from langgraph_memory.testing.stores.suite import Bench, Capability, check, equal, keys, refused

NAMESPACE = ("teas",)

TEAS: dict[str, dict[str, Any]] = {
    "gyokuro": {"kind": "green", "grams": 5, "price": 24.5, "tags": ["shaded", "fine"], "from": {"country": "jp"}},
    "sencha": {"kind": "green", "grams": 50, "price": 9, "tags": ["fine"], "from": {"country": "jp", "place": "uji"}},
    "assam": {"kind": "black", "grams": 100, "price": -1.5, "tags": [], "fair": True, "from": {"country": "in"}},
    "bare": {"kind": 'it\'s "odd" %_*', "grams": 200, "price": 100},
}


@check(Capability.FILTERS)
async def a_condition_is_met_by_an_equal_value(bench: Bench) -> None:
    """A condition without an operator means equality, also as `$eq`."""
    await expect(bench, {"kind": "green"}, "gyokuro sencha")
    await expect(bench, {"kind": {"$eq": "green"}}, "gyokuro sencha")
    await expect(bench, {"grams": 50}, "sencha")
    await expect(bench, {"fair": True}, "assam")
    await expect(bench, {"kind": "gree"}, "")


@check(Capability.FILTERS)
async def all_conditions_must_be_met(bench: Bench) -> None:
    """Several keys, and several operators of one key, are joined by "and"."""
    await expect(bench, {"kind": "green", "grams": 5}, "gyokuro")
    await expect(bench, {"kind": "green", "grams": 100}, "")
    await expect(bench, {"grams": {"$gt": 5, "$lt": 100}}, "sencha")


@check(Capability.FILTERS)
async def not_equal_leaves_the_others(bench: Bench) -> None:
    """`$ne` leaves out the equal ones; what it means for a missing key is the store's own affair."""
    found = await matching(bench, {"kind": {"$ne": "green"}})
    equal(sorted(found), ["assam", "bare"], "what is not green")


@check(Capability.FILTERS)
async def numbers_are_compared_as_numbers(bench: Bench) -> None:
    """Order is that of numbers, whole or broken, below zero too, never that of their digits."""
    await expect(bench, {"grams": {"$gt": 99}}, "assam bare")
    await expect(bench, {"grams": {"$gte": 100}}, "assam bare")
    await expect(bench, {"price": {"$lt": 0}}, "assam")
    await expect(bench, {"price": {"$lte": 24.5}}, "assam gyokuro sencha")
    await expect(bench, {"price": {"$gt": 24.49}}, "bare gyokuro")


@check(Capability.FILTERS)
async def a_missing_key_is_no_error(bench: Bench) -> None:
    """An item without the key that is compared by order simply does not match."""
    for name in ("$gt", "$gte", "$lt", "$lte"):
        await expect(bench, {"unheard_of": {name: 1}}, "")


@check(Capability.FILTERS)
async def what_is_no_number_is_no_error(bench: Bench) -> None:
    """A text, a list or nothing compared with a number does not match."""
    for key in ("kind", "tags", "from"):
        await expect(bench, {key: {"$gt": 1}}, "")


@check(Capability.FILTERS)
async def a_mapping_matches_in_part(bench: Bench) -> None:
    """A condition that is a mapping names the keys that count; others may be there."""
    await expect(bench, {"from": {"country": "jp"}}, "gyokuro sencha")
    await expect(bench, {"from": {"country": "jp", "place": "uji"}}, "sencha")


@check(Capability.FILTERS)
async def a_list_matches_in_full(bench: Bench) -> None:
    """A condition that is a list means the same elements in the same order and no others."""
    await expect(bench, {"tags": ["fine"]}, "sencha")
    await expect(bench, {"tags": ["shaded", "fine"]}, "gyokuro")
    await expect(bench, {"tags": ["fine", "shaded"]}, "")
    await expect(bench, {"tags": []}, "assam")


@check(Capability.FILTERS)
async def signs_in_a_condition_are_only_signs(bench: Bench) -> None:
    """Quotes and wildcards in a condition mean nothing else."""
    await expect(bench, {"kind": 'it\'s "odd" %_*'}, "bare")
    await expect(bench, {"kind": "%"}, "")
    await expect(bench, {"kind": "' OR 1=1 --"}, "")


@check(Capability.FILTERS)
async def an_unknown_operator_is_refused(bench: Bench) -> None:
    """An operator that there is not is an error, not an empty page."""
    await bench.fill(NAMESPACE, TEAS.items())
    await refused(lambda: bench.store.asearch(NAMESPACE, filter={"grams": {"$near": 5}}), "the operator $near")


@check(Capability.FILTERS)
async def a_match_far_down_is_found(bench: Bench) -> None:
    """A filter is applied before the page is cut."""
    await bench.fill(NAMESPACE, ((str(number), {"n": number}) for number in range(60)))
    equal(keys(await bench.store.asearch(NAMESPACE, filter={"n": 0}, limit=1)), ["0"], "the oldest")
    equal(keys(await bench.store.asearch(NAMESPACE, filter={"n": 59}, limit=1)), ["59"], "the newest")
    found = await bench.store.asearch(NAMESPACE, filter={"n": {"$lt": 30}}, limit=100)
    equal(len(found), 30, "the number of matches")


async def matching(bench: Bench, condition: dict[str, Any]) -> list[str]:
    """Return the keys of the teas that meet a condition."""
    await bench.fill(NAMESPACE, TEAS.items())
    return keys(await bench.store.asearch(NAMESPACE, filter=condition, limit=50))


async def expect(bench: Bench, condition: dict[str, Any], wanted: str) -> None:
    """Fail unless exactly these teas meet the condition."""
    equal(sorted(await matching(bench, condition)), wanted.split(), f"what matches {condition}")
