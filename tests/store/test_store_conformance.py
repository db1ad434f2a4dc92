from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest
import sqlalchemy as sa
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from langgraph_memory.memory import Memory
from langgraph_memory.settings import Settings
from langgraph_memory.storage.schema import item_vectors, items
from langgraph_memory.store import MemoryStore
from langgraph_memory.testing import FrozenClock
from langgraph_memory.testing.stores import BASE, CHECKS, EXTENDED, Capability, StoreOptions, check_store

FAULTS_OF_IN_MEMORY_STORE = {
    "a value is the stores own",
    "a missing key is no error",
    "what is no number is no error",
    "what was put last comes first",
    "a prefix may be a list",
    "a namespace without items is not listed",
    "created at is kept when a key is put again",
    "items of one text in one batch are all found",
    "what is not indexed is not found by meaning",
    "an item put again without index leaves the ranking",
    "an item put again with fewer texts loses the others",
    "a value without the field is not ranked",
}
"""What langgraph-checkpoint 4.3.2's own store does otherwise; the test fails when that changes, so that we notice."""


def settings_for(options: StoreOptions) -> Settings:
    ttl = options.ttl or {}
    return Settings(
        background=False,
        store_fields=tuple(options.index["fields"] or ()),
        store_ttl_minutes=ttl.get("default_ttl"),
        store_refresh_on_read=ttl.get("refresh_on_read", True),
    )


async def test_our_store_does_all_that_is_checked(store_url: str) -> None:
    clock = FrozenClock()

    @asynccontextmanager
    async def ours(options: StoreOptions) -> AsyncIterator[MemoryStore]:
        memory = Memory(store_url, embeddings=options.index["embed"], settings=settings_for(options), clock=clock)
        yield memory.store
        with memory._parts.database.write() as connection:  # the next check wants it empty
            connection.execute(sa.delete(item_vectors))
            connection.execute(sa.delete(items))
        await memory.aclose()

    report = await check_store(ours, have=EXTENDED, wait=lambda minutes: clock.advance(minutes=minutes))
    assert report.ok, str(report)
    assert report.conformant and not report.skipped
    assert len(report.passed) == len(CHECKS)


async def test_the_faults_of_langgraphs_own_store_are_those_we_know() -> None:
    report = await check_store(lambda options: InMemoryStore(index=options.index))
    assert set(report.failed) == FAULTS_OF_IN_MEMORY_STORE, str(report)
    assert set(report.skipped) == {Capability.TTL, Capability.ASYNC_BATCHING}
    assert not report.ok and not report.conformant


def test_every_capability_has_checks_and_every_check_a_law_and_a_name_of_its_own() -> None:
    assert {one.capability for one in CHECKS} == set(Capability) == {*BASE, *EXTENDED}
    assert len({one.name for one in CHECKS}) == len(CHECKS)
    for one in CHECKS:
        assert one.law.endswith(".") and len(one.law) > 20, one.name


class Broken(InMemoryStore):
    """Forgets that a namespace counts."""

    async def abatch(self, ops: Any) -> Any:
        return await super().abatch([op._replace(namespace=("x",)) if hasattr(op, "namespace") else op for op in ops])


class Hanging(InMemoryStore):
    """Never finds any tea."""

    async def abatch(self, ops: Any) -> Any:
        if any(getattr(op, "key", None) == "tea" for op in ops):
            await asyncio.Event().wait()
        return await super().abatch(ops)


async def test_a_report_says_what_failed_and_why() -> None:
    report = await check_store(lambda _: Broken())
    assert report.store == "Broken" and not report.conformant
    assert "instead of" in report.failed["one key in two namespaces is two items"]
    shown = str(report)
    assert "FAILED one key in two namespaces is two items (basics)" in shown
    assert "vectors            extended  not there: a query gives no scores" in shown
    assert f"{len(report.passed)} passed, {len(report.failed)} failed" in shown


async def test_a_check_that_hangs_has_failed() -> None:
    report = await check_store(lambda _: Hanging(), patience=0.5)
    assert report.failed["a missing key is none"] == "hung for 0.5 s"


async def test_a_store_may_be_made_in_any_usual_way() -> None:
    @contextmanager
    def blocking(_: StoreOptions) -> Any:
        yield InMemoryStore()

    async def awaited(_: StoreOptions) -> BaseStore:
        return InMemoryStore()

    plain = await check_store(lambda _: InMemoryStore())
    for factory in (blocking, awaited):
        assert (await check_store(factory)).failed.keys() == plain.failed.keys()


async def test_a_capability_that_a_store_must_have_is_not_skipped() -> None:
    report = await check_store(lambda _: InMemoryStore(), have=[Capability.TTL], wait=lambda _: None)
    assert Capability.TTL not in report.skipped
    assert "an expired item is hidden everywhere" in report.failed


@pytest.mark.parametrize("capability", list(Capability))
def test_capabilities_are_called_by_short_words(capability: Capability) -> None:
    assert len(capability.value) <= 18
