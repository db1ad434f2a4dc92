"""Whatever is put, read, deleted and left to expire, the store answers as a plain dict would."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from langgraph.store.base import GetOp, PutOp, SearchOp

from langgraph_memory.memory import Memory
from langgraph_memory.settings import Settings
from langgraph_memory.store.filters import check_filter, matches
from langgraph_memory.testing import FrozenClock, HashEmbedder

LABELS = ["a", "b", "a b", "A", "%", "é"]
namespaces = st.lists(st.sampled_from(LABELS), min_size=1, max_size=3).map(tuple)
prefixes = st.lists(st.sampled_from(LABELS), max_size=2).map(tuple)
keys = st.sampled_from(["k", "K", "_", "日"])
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
)
values = st.dictionaries(st.sampled_from(["n", "text", "tags"]), json_values, max_size=3)
filters = st.dictionaries(
    st.sampled_from(["n", "text", "tags"]),
    scalars | st.dictionaries(st.sampled_from(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"]), scalars, min_size=1),
    max_size=2,
)
lifetimes = st.none() | st.sampled_from([1.0, 5.0])

Where = tuple[tuple[str, ...], str]


class PlainStore:
    """What a store is, in a dict: values in the order of their puts, with the time when they end."""

    def __init__(self) -> None:
        self.items: dict[Where, tuple[dict[str, Any], datetime, float | None, datetime | None]] = {}

    def put(self, where: Where, value: dict[str, Any] | None, ttl: float | None, now: datetime) -> None:
        created = self.items[where][1] if where in self.items else now
        self.items.pop(where, None)
        if value is not None:
            self.items[where] = value, created, ttl, None if ttl is None else now + timedelta(minutes=ttl)

    def expire(self, now: datetime) -> int:
        gone = [where for where, item in self.items.items() if item[3] is not None and item[3] <= now]
        for where in gone:
            del self.items[where]
        return len(gone)

    def refresh(self, where: Where, now: datetime) -> None:
        value, created, ttl, _ = self.items[where]
        if ttl is not None:
            self.items[where] = value, created, ttl, now + timedelta(minutes=ttl)

    def below(self, prefix: tuple[str, ...]) -> Iterator[Where]:
        """Yield what lies below, the newest put first."""
        return (where for where in reversed(self.items) if where[0][: len(prefix)] == prefix)


class StoreMachine(RuleBasedStateMachine):
    """Drives the store and the dict side by side."""

    @initialize()
    def open(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.clock = FrozenClock()
        self.plain = PlainStore()
        self.reopen()

    @rule()
    def reopen(self) -> None:
        if hasattr(self, "memory"):
            self.memory.close()
        options = Settings(background=False)
        self.memory = Memory(Path(self.folder.name), embeddings=HashEmbedder(), settings=options, clock=self.clock)
        self.store = self.memory.store

    @rule(puts=st.lists(st.tuples(namespaces, keys, st.none() | values, lifetimes), min_size=1, max_size=4))
    def put(self, puts: list[tuple[tuple[str, ...], str, dict[str, Any] | None, float | None]]) -> None:
        self.store.batch([PutOp(namespace, key, value, ttl=ttl) for namespace, key, value, ttl in puts])
        last = {}
        for namespace, key, value, ttl in puts:
            last.pop((namespace, key), None)
            last[namespace, key] = value, ttl
        for where, (value, ttl) in last.items():
            self.plain.put(where, value, ttl, self.clock())

    @rule(minutes=st.sampled_from([0.5, 1, 4]))
    def wait(self, minutes: float) -> None:
        self.clock.advance(minutes=minutes)
        self.plain.expire(self.clock())

    @rule()
    def sweep(self) -> None:
        self.store.sweep_ttl()
        assert self.store.sweep_ttl() == 0

    @rule(namespace=namespaces, key=keys, refresh=st.booleans())
    def get(self, namespace: tuple[str, ...], key: str, refresh: bool) -> None:
        item = self.store.get(namespace, key, refresh_ttl=refresh)
        wanted = self.plain.items.get((namespace, key))
        assert (item is None) == (wanted is None)
        if item is not None and wanted is not None:
            assert (item.namespace, item.key) == (namespace, key)
            assert (item.value, item.created_at) == wanted[:2]
            if refresh:
                self.plain.refresh((namespace, key), self.clock())

    @rule(prefix=prefixes, condition=st.none() | filters, limit=st.integers(0, 6), offset=st.integers(0, 4))
    def search(self, prefix: tuple[str, ...], condition: dict[str, Any] | None, limit: int, offset: int) -> None:
        found = self.store.search(prefix, filter=condition, limit=limit, offset=offset, refresh_ttl=False)
        every = [where for where in self.plain.below(prefix) if matches(self.plain.items[where][0], condition)]
        assert [(item.namespace, item.key) for item in found] == every[offset : offset + limit]

    @rule(prefix=prefixes, query=st.sampled_from(["tea", "n", "日"]))
    def rank(self, prefix: tuple[str, ...], query: str) -> None:
        found = self.store.search(prefix, query=query, limit=50, refresh_ttl=False)
        assert {(item.namespace, item.key) for item in found} == set(self.plain.below(prefix))
        scores = [item.score for item in found]
        assert scores == sorted(scores, reverse=True)

    @rule(prefix=prefixes, depth=st.none() | st.integers(1, 3))
    def list_namespaces(self, prefix: tuple[str, ...], depth: int | None) -> None:
        wanted = sorted({where[0][:depth] for where in self.plain.below(prefix)})
        assert self.store.list_namespaces(prefix=prefix, max_depth=depth) == wanted

    @invariant()
    def everything_is_there(self) -> None:
        if hasattr(self, "store"):
            found = self.store.search((), limit=200, refresh_ttl=False)
            assert {(item.namespace, item.key): item.value for item in found} == {
                where: item[0] for where, item in self.plain.items.items()
            }

    def teardown(self) -> None:
        if hasattr(self, "memory"):
            self.memory.close()
            self.folder.cleanup()


TestStoreLikeADict = StoreMachine.TestCase
TestStoreLikeADict.settings = settings(max_examples=20, stateful_step_count=25, deadline=None)


@given(st.lists(st.tuples(namespaces, keys, values), max_size=6), st.lists(st.tuples(namespaces, keys), max_size=3))
def test_the_reads_of_a_batch_see_what_was_there_before_it(
    shared: Memory, puts: list[tuple[tuple[str, ...], str, dict[str, Any]]], reads: list[Where]
) -> None:
    before = {where: shared.store.get(*where) for where in reads}
    listed = shared.store.search((), limit=100)
    results = shared.store.batch(
        [*(PutOp(*put) for put in puts), *(GetOp(*where) for where in reads), SearchOp((), limit=100)]
    )
    assert results[: len(puts)] == [None] * len(puts)
    assert results[len(puts) : -1] == [before[where] for where in reads]
    assert results[-1] == listed
    for namespace, key, value in {put[:2]: put for put in puts}.values():
        assert shared.store.get(namespace, key).value == value


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder = tmp_path_factory.mktemp("shared")
    with Memory(folder, embeddings=HashEmbedder(), settings=Settings(background=False)) as memory:
        yield memory


@given(values, filters)
def test_no_filter_of_known_operators_ever_fails(value: dict[str, Any], condition: dict[str, Any]) -> None:
    check_filter(condition)
    matches(value, condition)


@given(values)
def test_a_value_meets_itself(value: dict[str, Any]) -> None:
    assert matches(value, {name: {"$eq": part} for name, part in value.items()})
    assert not any(matches(value, {name: {"$ne": part}}) for name, part in value.items())
