"""Values that nothing can be done with are refused in our own words, whichever face and database they reach."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import empty_checkpoint

from langgraph_memory import CompactionMiddleware, Memory, MemoryMiddleware
from langgraph_memory.errors import InvalidInput
from langgraph_memory.testing import HashEmbedder

HUGE = 10**40
LINE = [("user", "Hello.")]


@pytest.fixture
def memory(store_url: str) -> Iterator[Memory]:
    with Memory(store_url, embeddings=HashEmbedder()) as opened:
        yield opened


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "memory", embeddings=HashEmbedder()) as opened:
        yield opened


def test_more_than_a_database_can_count_means_all_or_none(memory: Memory) -> None:
    store = memory.store
    store.put(("a",), "k", {"text": "tea"}, ttl=10**400)
    assert [item.key for item in store.search(("a",), limit=HUGE)] == ["k"]
    assert [item.key for item in store.search(("a",), query="tea", limit=HUGE)] == ["k"]
    assert store.search(("a",), offset=HUGE) == []
    assert store.list_namespaces(limit=HUGE, max_depth=HUGE) == [("a",)] and store.list_namespaces(offset=HUGE) == []
    session = memory.session("t", scope="ana").blocking
    session.add_items([{"role": "user", "content": "Hello."}])
    assert len(session.get_items(limit=HUGE)) == 1


@pytest.mark.parametrize("value", [b"1", bytearray(b"1"), {1, 2}, frozenset([1])])
def test_a_store_refuses_what_would_come_back_as_something_else(local: Memory, value: Any) -> None:
    for whole in ({"x": value}, {"x": [{"y": value}]}):
        with pytest.raises(InvalidInput, match="JSON has no form for"):
            local.store.put(("a",), "k", whole)
    assert local.store.get(("a",), "k") is None


@pytest.mark.parametrize("ops", [None, 5])
def test_a_batch_is_a_list(local: Memory, ops: Any) -> None:
    with pytest.raises(InvalidInput, match="A batch is a list"):
        local.store.batch(ops)


@pytest.mark.parametrize("number", [-1, "5", 1.5, True, pytest.param(-(10**5000), id="long")])
def test_a_limit_is_a_whole_number(local: Memory, number: Any) -> None:
    with pytest.raises(InvalidInput, match="limit"):
        local.store.search(("a",), limit=number)
    with pytest.raises(InvalidInput, match="limit"):
        local.session("t", scope="ana").blocking.get_items(limit=number)


@pytest.mark.parametrize("thread_id", [5, b"x", [], {}, " "])
def test_a_thread_id_is_text(local: Memory, thread_id: Any) -> None:
    for messages in (None, LINE):
        with pytest.raises(InvalidInput, match="thread_id"):
            local.remember(messages, scope="ana", thread_id=thread_id)


def test_a_span_beyond_all_time_is_refused(local: Memory) -> None:
    with pytest.raises(InvalidInput, match="older_than"):
        local.prune_checkpoints(older_than=timedelta.max)


@pytest.mark.parametrize(
    "option",
    [
        {"window": -1},
        {"window": "x"},
        {"window": True},
        {"scope": 5.5},
        {"record": "x"},
        {"extract": 1},
        {"count_tokens": 5},
        {"name": 5},
        {"name": " "},
    ],
)
def test_compaction_checks_its_options_at_once(local: Memory, option: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        CompactionMiddleware(local, **option)


def test_compaction_needs_a_memory() -> None:
    with pytest.raises(InvalidInput, match="memory is a Memory"):
        CompactionMiddleware("./memory")  # type: ignore[arg-type]


def put(thread_id: str = "t", **metadata: Any) -> Callable[[Any], Any]:
    config: Any = {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}
    told: Any = {"source": "loop", "step": 1, **metadata}
    return lambda saver: saver.put(config, empty_checkpoint(), told, {})


@pytest.mark.parametrize("call", [put("half \ud800"), put(weight=float("nan")), lambda s: s.delete_thread("\ud800")])
def test_a_checkpoint_that_no_database_can_hold_is_refused(memory: Memory, call: Callable[[Any], Any]) -> None:
    saver = memory.checkpointer()
    with pytest.raises(InvalidInput, match="A checkpoint cannot be kept"):
        call(saver)
    assert put("whole")(saver)["configurable"]["thread_id"] == "whole"
    assert len([*saver.list({"configurable": {"thread_id": "whole"}}, filter={"source": "loop"})]) == 1


def test_a_nul_is_kept_or_refused(memory: Memory) -> None:
    saver = memory.checkpointer()
    for call in (put("a\0b"), put(note="a\0b")):
        try:
            call(saver)
        except InvalidInput as error:
            assert "NUL" in str(error)


def test_what_is_open_is_not_pickled_and_says_what_to_do(memory: Memory) -> None:
    held = [memory, memory.store, memory.checkpointer(), memory.nodes, MemoryMiddleware(memory)]
    for thing in [*held, CompactionMiddleware(memory)]:
        for function in (pickle.dumps, copy.deepcopy):
            with pytest.raises(TypeError, match=f"A {type(thing).__name__} cannot be .* open the memory anew"):
                function(thing)
    assert copy.copy(memory).list(scope="ana") == []
