from __future__ import annotations

import asyncio
import gc
import math
import threading
import uuid
import weakref
from collections.abc import Callable
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from langchain_core.embeddings import DeterministicFakeEmbedding
from langgraph.store.base import GetOp, InvalidNamespaceError, ListNamespacesOp, MatchCondition, PutOp, SearchOp
from pydantic import BaseModel
from stores import CountingEmbedder

from langgraph_memory.errors import EmbeddingError, InvalidInput, MemoryClosed
from langgraph_memory.memory import Memory
from langgraph_memory.settings import Settings
from langgraph_memory.storage.schema import item_vectors, items
from langgraph_memory.testing import FrozenClock

Open = Callable[..., Memory]
TEAS = ("teas",)


def keys(found: Any) -> list[str]:
    return [item.key for item in found]


def rows(memory: Memory, table: sa.Table) -> int:
    with memory._parts.database.read() as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


class TestEmbedding:
    def test_a_text_is_embedded_once_whoever_has_it(self, memory: Memory, embedder: CountingEmbedder) -> None:
        store = memory.store
        store.put(TEAS, "a", {"text": "tea", "n": 1}, index=["text"])
        assert embedder.texts == ["tea"]
        store.put(TEAS, "a", {"text": "tea", "n": 2}, index=["text"])
        store.put(("other",), "b", {"text": "tea"}, index=["text"])
        assert embedder.texts == ["tea"]
        store.put(TEAS, "a", {"text": "coffee"}, index=["text"])
        assert embedder.texts == ["tea", "coffee"]
        assert store.search((), query="tea")[0].score == pytest.approx(1, abs=1e-3)

    def test_a_batch_is_embedded_in_one_call(self, memory: Memory, embedder: CountingEmbedder) -> None:
        memory.store.batch([PutOp(TEAS, str(n), {"n": n // 2}) for n in range(6)])
        assert sorted(embedder.texts) == ['{"n": 0}', '{"n": 1}', '{"n": 2}']

    def test_what_is_not_indexed_is_not_embedded(self, memory: Memory, embedder: CountingEmbedder) -> None:
        memory.store.put(TEAS, "a", {"text": "tea"}, index=False)
        memory.store.put(TEAS, "b", {"text": "tea"}, index=["title"])
        memory.store.put(TEAS, "c", {"text": " "}, index=["text"])
        assert embedder.texts == [] and rows(memory, item_vectors) == 0
        assert len(memory.store.search(TEAS)) == 3

    def test_a_put_whose_text_cannot_be_embedded_writes_nothing(
        self, memory: Memory, embedder: CountingEmbedder
    ) -> None:
        memory.store.put(TEAS, "a", {"n": 1})
        embedder.failure = EmbeddingError("the model is down")
        with pytest.raises(EmbeddingError, match="down"):
            memory.store.batch([PutOp(TEAS, "a", {"n": 2}), PutOp(TEAS, "b", None)])
        assert memory.store.search(TEAS)[0].value == {"n": 1}

    async def test_an_embedder_with_an_async_face_is_awaited(self, open_memory: Open, store_url: str) -> None:
        class Awaited(DeterministicFakeEmbedding):
            def embed_documents(self, texts: list[str]) -> list[list[float]]:
                raise AssertionError("blocking")

            async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
                return DeterministicFakeEmbedding.embed_documents(self, texts)

        memory = open_memory(store_url, embeddings=Awaited(size=32))
        await memory.store.aput(TEAS, "a", {"text": "tea"}, index=["text"])
        found = await memory.store.asearch(TEAS, query="tea")
        assert found[0].score == pytest.approx(1, abs=1e-3)

    def test_another_model_embeds_the_items_anew_when_they_are_next_searched(
        self, open_memory: Open, store_url: str
    ) -> None:
        with open_memory(store_url) as first:
            first.store.batch([PutOp(TEAS, str(n), {"text": f"tea {n}"}, ["text"]) for n in range(300)])
            first.store.put(TEAS, "hidden", {"text": "tea"}, index=False)
            first.store.search(TEAS, query="tea")
        other = CountingEmbedder(32)
        with open_memory(store_url, embeddings=other, reindex=True) as second:
            found = second.store.search(TEAS, query="tea 7", limit=500)
            assert found[0].key == "7" and found[0].score == pytest.approx(1, abs=1e-3)
            assert len(found) == 300
            second.store.search(TEAS, query="tea 8")
            assert len(other.texts) == 300


class TestSearch:
    def test_equal_scores_are_ordered_newest_first(self, memory: Memory) -> None:
        for key in ("a", "b", "c", "a"):
            memory.store.put(TEAS, key, {"text": "tea"})
        assert keys(memory.store.search(TEAS, query="tea")) == ["a", "c", "b"]

    def test_a_prefix_too_large_to_be_kept_is_searched_all_the_same(
        self, open_memory: Open, store_url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("langgraph_memory.storage.item_vectors._CHUNK", 7)
        monkeypatch.setattr("langgraph_memory.store.store._SHARE", 2**20)  # one byte
        memory = open_memory(store_url, settings=Settings(background=False, cache_mb=1))
        memory.store.batch([PutOp(TEAS, str(n), {"text": f"tea {n}"}, ["text"]) for n in range(40)])
        for _ in range(2):
            found = memory.store.search(TEAS, query="tea 31", limit=50)
            assert found[0].key == "31" and len(found) == 40

    def test_searches_of_many_prefixes_do_not_mix(self, memory: Memory) -> None:
        for name in "abc":
            memory.store.put(("u", name), "k", {"text": f"tea of {name}"})
        for _ in range(2):
            assert len(memory.store.search((), query="tea")) == 3
            for name in "abc":
                assert [one.namespace for one in memory.store.search(("u", name), query="tea")] == [("u", name)]
            memory.store.put(("u", "b"), "k", {"text": "other tea of b"})

    def test_text_compares_with_text_by_order(self, memory: Memory) -> None:
        memory.store.put(TEAS, "old", {"at": "2025-01-01"})
        memory.store.put(TEAS, "new", {"at": "2026-01-01"})
        assert keys(memory.store.search(TEAS, filter={"at": {"$gte": "2025-06-01"}})) == ["new"]

    def test_true_is_not_one(self, memory: Memory) -> None:
        memory.store.put(TEAS, "flag", {"is": True})
        memory.store.put(TEAS, "number", {"is": 1.0})
        assert keys(memory.store.search(TEAS, filter={"is": True})) == ["flag"]
        assert keys(memory.store.search(TEAS, filter={"is": 1})) == ["number"]

    def test_a_missing_key_counts_as_null(self, memory: Memory) -> None:
        memory.store.put(TEAS, "a", {})
        assert keys(memory.store.search(TEAS, filter={"kind": {"$ne": "green"}})) == ["a"]
        assert keys(memory.store.search(TEAS, filter={"kind": None})) == ["a"]

    @pytest.mark.parametrize("number", [10**100, -(10**100), math.inf, -math.inf, 0.1, 2**63])
    def test_numbers_of_any_size_are_kept_and_compared(self, memory: Memory, number: float) -> None:
        memory.store.put(TEAS, "a", {"n": number})
        assert memory.store.get(TEAS, "a").value == {"n": number}
        assert memory.store.search(TEAS, filter={"n": number}) and memory.store.search(
            TEAS, filter={"n": {"$gte": number}}
        )
        assert not memory.store.search(TEAS, filter={"n": {"$gt": number}})

    def test_nothing_equals_no_number(self, memory: Memory) -> None:
        memory.store.put(TEAS, "a", {"n": math.nan})
        assert not memory.store.search(TEAS, filter={"n": math.nan})
        assert not memory.store.search(TEAS, filter={"n": {"$gt": 0}})


class Colour(Enum):
    GREEN = "green"


class Tea(BaseModel):
    name: str
    at: datetime


class TestValues:
    def test_what_json_has_no_form_for_becomes_what_pydantic_makes_of_it(self, memory: Memory) -> None:
        name, at = uuid.uuid4(), datetime(2026, 1, 1, tzinfo=UTC)
        memory.store.put(TEAS, "a", {"id": name, "colour": Colour.GREEN, "tea": Tea(name="uji", at=at), "pair": (1, 2)})
        assert memory.store.get(TEAS, "a").value == {
            "id": str(name), "colour": "green", "tea": {"name": "uji", "at": "2026-01-01T00:00:00Z"}, "pair": [1, 2],
        }  # fmt: skip

    def test_text_that_databases_refuse_is_kept(self, memory: Memory) -> None:
        value = {"nul": "a\0b", "half": "\ud800", "\0": "\udfff\ud800"}
        memory.store.put(TEAS, "a", value)
        assert memory.store.get(TEAS, "a").value == value
        assert memory.store.search(TEAS, query="a")

    @pytest.mark.parametrize(
        ("value", "reason"),
        [
            ({"a": object()}, "cannot be written as JSON"),
            ({1: "a"}, "keys of a value are text, not int"),
            ({"a": {None: 1}}, "keys of a value are text, not NoneType"),
            ("text", "a mapping"),
            ([1], "a mapping"),
        ],
    )
    def test_what_is_no_json_is_refused_and_nothing_written(self, memory: Memory, value: Any, reason: str) -> None:
        with pytest.raises(InvalidInput, match=reason):
            memory.store.batch([PutOp(TEAS, "good", {}), PutOp(TEAS, "bad", value)])
        assert memory.store.search(TEAS) == []

    def test_a_value_within_itself_is_refused(self, memory: Memory) -> None:
        value: dict[str, Any] = {}
        value["me"] = value
        with pytest.raises(InvalidInput, match="JSON"):
            memory.store.put(TEAS, "a", value)


@pytest.mark.parametrize(
    "op",
    [
        GetOp("teas", "k"),  # type: ignore[arg-type]
        GetOp(("teas",), "a\0b"),
        GetOp(("teas",), "\ud800"),
        GetOp(("\ud800",), "k"),
        GetOp(("a.b",), "k"),
        PutOp(("a", ""), "k", {}),
        PutOp(TEAS, "k" * 3_000, {}),
        PutOp(TEAS, "k", {}, index="text"),  # type: ignore[arg-type]
        PutOp(TEAS, "k", {}, index=True),  # type: ignore[arg-type]
        PutOp(TEAS, "k", {}, ttl=-1),
        PutOp(TEAS, "k", {}, ttl=math.nan),
        PutOp(TEAS, "k", {}, ttl="5"),  # type: ignore[arg-type]
        SearchOp(TEAS, limit=-1),
        SearchOp(TEAS, offset=-1),
        SearchOp(TEAS, limit=None),  # type: ignore[arg-type]
        SearchOp(TEAS, query=5),  # type: ignore[arg-type]
        SearchOp(TEAS, filter=["a"]),  # type: ignore[arg-type]
        SearchOp(TEAS, filter={"a": {"b": {"$in": [1]}}}),
        SearchOp(("a\0",)),
        ListNamespacesOp(max_depth=-1),
        ListNamespacesOp((MatchCondition("infix", ("a",)),)),  # type: ignore[arg-type]
        ListNamespacesOp((MatchCondition("prefix", ("a.b",)),)),
        "get",
    ],
)  # fmt: skip
async def test_what_cannot_be_used_is_refused_in_words(memory: Memory, op: Any) -> None:
    for call in (lambda: memory.store.abatch([op]), lambda: asyncio.to_thread(memory.store.batch, [op])):
        with pytest.raises((InvalidInput, InvalidNamespaceError)) as caught:
            await call()
        assert isinstance(caught.value, ValueError) and str(caught.value)


def test_no_time_to_live_is_forever_and_a_huge_one_too(memory: Memory) -> None:
    memory.store.put(TEAS, "a", {}, ttl=math.inf)
    memory.store.put(TEAS, "b", {}, ttl=1e300)
    assert len(memory.store.search(TEAS)) == 2


def test_settings_give_fields_and_time_to_live(open_memory: Open, store_url: str) -> None:
    clock = FrozenClock()
    options = Settings(background=False, store_fields=("title",), store_ttl_minutes=10)
    store = open_memory(store_url, settings=options, clock=clock).store
    assert store.supports_ttl and store.ttl_config == {
        "refresh_on_read": True, "default_ttl": 10, "omit_expired": True,
    }  # fmt: skip
    store.put(TEAS, "a", {"title": "tea"})
    assert store.search(TEAS, query="tea")[0].score == pytest.approx(1, abs=1e-3)
    clock.advance(minutes=10)
    assert store.get(TEAS, "a") is None and store.sweep_ttl() == 1


async def test_a_sweep_is_awaited_too(open_memory: Open, store_url: str) -> None:
    clock = FrozenClock()
    memory = open_memory(store_url, clock=clock)
    await memory.store.aput(TEAS, "a", {"text": "tea"}, ttl=1)
    clock.advance(minutes=1)
    assert await memory.store.asweep_ttl() == 1
    assert rows(memory, items) == rows(memory, item_vectors) == 0


class TestSweeper:
    def test_it_deletes_what_has_expired(self, open_memory: Open, store_url: str) -> None:
        clock, swept = FrozenClock(), threading.Event()
        memory = open_memory(store_url, clock=clock)
        memory.store.put(TEAS, "a", {}, ttl=1)
        clock.advance(minutes=2)
        database = memory._parts.database
        sa.event.listen(
            database.engine, "after_cursor_execute",
            lambda *args: swept.set() if args[2].startswith("DELETE FROM items") else None,
        )  # fmt: skip
        memory.store.start_ttl_sweeper(0.0001)
        assert swept.wait(30)
        assert memory.store.stop_ttl_sweeper(30)
        assert rows(memory, items) == 0

    def test_closing_the_memory_ends_it(self, open_memory: Open, store_url: str) -> None:
        memory = open_memory(store_url)
        ended = memory.store.start_ttl_sweeper()
        memory.close()
        assert ended.result(30) is None

    def test_cancelling_its_future_ends_it(self, open_memory: Open, store_url: str) -> None:
        memory = open_memory(store_url)
        ended = memory.store.start_ttl_sweeper()
        assert ended is memory.store.start_ttl_sweeper() and ended.cancel()
        assert memory.store.stop_ttl_sweeper(30)

    def test_it_keeps_no_memory_alive(self, folder: Path, embedder: CountingEmbedder) -> None:
        memory = Memory(folder, embeddings=embedder, settings=Settings(background=False))
        ended, watched = memory.store.start_ttl_sweeper(0.0001), weakref.ref(memory)
        del memory
        gc.collect()
        assert watched() is None and ended.result(30) is None


class TestOpenAndClosed:
    def test_it_is_one_store_and_is_there_without_a_loop(self, memory: Memory) -> None:
        assert memory.store is memory.store

    async def test_it_is_there_within_a_loop(self, memory: Memory) -> None:
        await memory.store.aput(TEAS, "a", {})
        assert await memory.store.aget(TEAS, "a")

    async def test_after_closing_every_call_says_so(self, open_memory: Open, store_url: str) -> None:
        memory = open_memory(store_url)
        store = memory.store
        await memory.aclose()
        for call in (lambda: store.aget(TEAS, "a"), lambda: asyncio.to_thread(store.get, TEAS, "a"), store.asweep_ttl):
            with pytest.raises(MemoryClosed):
                await call()
        with pytest.raises(MemoryClosed):
            memory.store.start_ttl_sweeper()

    def test_a_store_keeps_its_memory_open(self, folder: Path, embedder: CountingEmbedder) -> None:
        store = Memory(folder, embeddings=embedder, settings=Settings(background=False)).store
        gc.collect()
        store.put(TEAS, "a", {"n": 1})
        assert store.get(TEAS, "a")

    def test_what_was_put_outlives_the_process_that_put_it(self, open_memory: Open, store_url: str) -> None:
        with open_memory(store_url) as first:
            first.store.put(TEAS, "a", {"text": "tea"})
            made = first.store.get(TEAS, "a")
        with open_memory(store_url) as second:
            assert second.store.get(TEAS, "a") == made
            assert second.store.search(TEAS, query="tea")[0].score > 0.3
            assert second.store.list_namespaces() == [TEAS]


class TestErasure:
    def test_items_below_the_scopes_labels_are_erased_with_it(self, memory: Memory) -> None:
        for namespace in (("acme", "ana%2Eb"), ("acme", "ana%2Eb", "prefs"), ("acme", "ana"), ("memories", "ana%2Eb")):
            memory.store.put(namespace, "k", {"text": f"tea of {namespace}"})
        memory.store.search((), query="tea")
        receipt = memory.erase(scope=("acme", "ana.b"))
        assert receipt.counts["items"] == 2 and receipt.counts["vectors"] == 2
        assert sorted(memory.store.list_namespaces()) == [("acme", "ana"), ("memories", "ana%2Eb")]
        assert len(memory.store.search((), query="tea")) == 2 == rows(memory, item_vectors)

    def test_erasing_a_conversation_leaves_items(self, memory: Memory) -> None:
        memory.record([("user", "hi")], scope="ana", thread_id="t")
        memory.store.put(("ana",), "k", {})
        assert "items" not in memory.erase(scope="ana", thread_id="t").counts
        assert memory.store.get(("ana",), "k")

    def test_erased_text_is_in_no_file(self, open_memory: Open, folder: Path) -> None:
        memory = open_memory(folder)
        memory.store.put(("ana",), "xylophonium", {"text": "xylophonium"})
        memory.erase(scope="ana")
        for path in folder.rglob("*"):
            assert not path.is_file() or b"xylophonium" not in path.read_bytes(), path


def test_the_doctor_counts_items(memory: Memory) -> None:
    memory.store.put(TEAS, "a", {})
    assert any("1 items" in check.finding for check in memory.doctor())


def test_no_statement_of_a_get_or_put_or_search_reads_all_items(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder)
    store, seen = memory.store, []
    store.batch([PutOp(("u", str(n)), "k", {"text": f"tea {n}"}) for n in range(50)])
    store.search(("u", "1"), query="tea")  # from now on all is known to be embedded
    engine = memory._parts.database.engine
    sa.event.listen(engine, "before_cursor_execute", lambda *args: seen.append(args[2:4]))
    store.put(("u", "7"), "k", {"text": "coffee"}, ttl=5)
    store.get(("u", "7"), "k")
    for prefix in (("u", "7"), ("u", "8")):
        store.search(prefix, query="tea")
        store.search(prefix, filter={"text": "tea"})
    store.delete(("u", "7"), "k")
    store.search(("u", "7"), query="tea")
    asked = [pair for pair in seen if " item" in pair[0] and pair[0].startswith(("SELECT", "UPDATE", "DELETE"))]
    assert len(asked) > 10
    with memory._parts.database.read() as connection:
        for statement, parameters in asked:
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all()
            steps = [row[-1] for row in plan]
            assert not [step for step in steps if step.startswith("SCAN item")], (statement, steps)
            assert "(model_id=?)" not in str(steps), (statement, steps)
