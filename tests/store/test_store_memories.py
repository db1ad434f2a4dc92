from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from langgraph_memory.errors import InvalidInput
from langgraph_memory.memory import Memory
from langgraph_memory.testing import FrozenClock

ANA, ROOT = ("acme", "ana.b"), ("@memories",)
SHOWN = ("@memories", "acme", "ana%2Eb")


@pytest.fixture
def ids(memory: Memory) -> list[str]:
    memory.record([("user", "I drink tea and I play the cello.")], scope=ANA, thread_id="t")
    texts = ["Ana drinks green tea.", "Ana plays the cello.", "Ana was in Oslo."]
    added = [memory.add(text, scope=ANA, metadata={"n": n}).ids[0] for n, text in enumerate(texts)]
    memory.add("Bob drinks green tea.", scope=("acme", "bob"))
    return added


def keys(found: Any) -> list[str]:
    return [item.key for item in found]


def test_a_memory_is_a_plain_item(memory: Memory, ids: list[str]) -> None:
    item, record = memory.store.get(SHOWN, ids[0]), memory.get(ids[0])
    assert (item.namespace, item.key, item.created_at) == (SHOWN, ids[0], record.recorded_at)
    assert list(item.value)[:3] == ["text", "kind", "actor"]
    assert item.value["text"] == "Ana drinks green tea." and item.value["metadata"] == {"n": 0}
    assert item.value["valid_from"] == record.valid_from.isoformat()
    assert json.loads(json.dumps(item.value)) == item.value


def test_only_live_ones_are_shown(open_memory: Callable[..., Memory], store_url: str) -> None:
    clock = FrozenClock()
    memory = open_memory(store_url, clock=clock)
    old = memory.add("Ana lives in Oslo.", scope=ANA).ids[0]
    forgotten = memory.add("Ana has a cat.", scope=ANA).ids[0]
    passing = memory.add("Ana is out.", scope=ANA, expires_at=clock() + timedelta(minutes=5)).ids[0]
    memory.forget(forgotten)
    new = memory.update(old, text="Ana lives in Bergen.").ids[0]
    assert keys(memory.store.search(SHOWN)) == [new, passing]
    clock.advance(minutes=6)
    assert keys(memory.store.search(SHOWN)) == [new]
    assert [memory.store.get(SHOWN, name) is None for name in (old, forgotten, passing, new)] == [True] * 3 + [False]


def test_a_list_is_newest_first_and_has_pages_and_filters(memory: Memory, ids: list[str]) -> None:
    store = memory.store
    assert keys(store.search(SHOWN)) == ids[::-1]
    assert keys(store.search(SHOWN, limit=2, offset=1)) == [ids[1], ids[0]]
    assert keys(store.search(SHOWN, filter={"metadata": {"n": {"$lt": 2}}})) == [ids[1], ids[0]]
    assert keys(store.search(SHOWN, filter={"kind": "no such"})) == []
    assert len(store.search(("@memories", "acme"))) == 4 == len(store.search(ROOT))


def test_a_query_ranks_as_recall_does_among_memories_only(memory: Memory, ids: list[str]) -> None:
    found = memory.store.search(SHOWN, query="What does Ana drink, tea?")
    hits = memory.recall("What does Ana drink, tea?", scope=ANA, kinds=["fact"]).hits
    assert keys(found) == [hit.id for hit in hits]
    assert [item.score for item in found] == pytest.approx([hit.score for hit in hits])
    assert found[0].key == ids[0]
    assert keys(memory.store.search(SHOWN, query="tea", limit=1, offset=1)) == keys(
        memory.store.search(SHOWN, query="tea")[1:2]
    )
    assert keys(memory.store.search(SHOWN, query="tea in Oslo", filter={"metadata": {"n": 0}}, limit=1)) == [ids[0]]
    assert keys(memory.store.search(SHOWN, query="tea in Oslo", filter={"metadata": {"n": 2}}, limit=1)) == [ids[2]]


def test_a_query_needs_a_scope(memory: Memory, ids: list[str]) -> None:
    with pytest.raises(InvalidInput, match="needs a scope"):
        memory.store.search(ROOT, query="tea")


def test_namespaces_of_memories_are_listed_where_they_are_asked_for(memory: Memory, ids: list[str]) -> None:
    memory.store.put(("app",), "k", {})
    bobs = ("@memories", "acme", "bob")
    assert memory.store.list_namespaces(prefix=ROOT) == [SHOWN, bobs]
    assert memory.store.list_namespaces(prefix=("@memories", "*", "bob")) == [bobs]
    assert memory.store.list_namespaces(prefix=ROOT, max_depth=2) == [("@memories", "acme")]
    assert memory.store.list_namespaces() == [("app",)]
    assert [item.namespace for item in memory.store.search(())] == [("app",)]


@pytest.mark.parametrize("namespace", [SHOWN, ROOT, ("@memories", "acme"), ("@memories", "nobody")])
def test_what_is_shown_is_not_written(memory: Memory, ids: list[str], namespace: tuple[str, ...]) -> None:
    for write in (memory.store.delete, lambda *where: memory.store.put(*where, {"text": "x"})):
        with pytest.raises(InvalidInput, match=r"memory\.add, memory\.update or memory\.forget"):
            write(namespace, ids[0])
    assert len(memory.list(scope=ANA)) == 3


def test_another_namespace_does_not_show_it(memory: Memory, ids: list[str]) -> None:
    for namespace in (ROOT, ("@memories", "acme"), ("@memories", "acme", "bob"), ("@memories", " ")):
        assert memory.store.get(namespace, ids[0]) is None
    assert memory.store.get(SHOWN, "nope") is None


def test_what_is_no_scopes_namespace_is_empty(memory: Memory, ids: list[str]) -> None:
    for namespace in (("@memories", "acme", "ana%2eb"), ("@memories", " "), ("@memories", "nobody")):
        assert memory.store.search(namespace) == [] == memory.store.search(namespace, query="tea")


def test_a_label_that_only_begins_the_same_is_the_applications_own(memory: Memory) -> None:
    memory.store.put(("@memories2",), "k", {})
    assert keys(memory.store.search(("@memories2",))) == ["k"]


def test_a_typed_memory_shows_its_data(memory: Memory) -> None:
    since = datetime(2020, 1, 1, tzinfo=UTC)
    name = memory.add("Ana is 30.", scope="ana", importance=0.5, valid_from=since).ids[0]
    value = memory.store.get(("@memories", "ana"), name).value
    assert value["importance"] == 0.5 and value["valid_from"] == since.isoformat()
