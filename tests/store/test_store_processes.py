from __future__ import annotations

from collections.abc import Callable
from typing import Any

from children import barrier, run_all

from langgraph_memory.memory import Memory
from langgraph_memory.settings import Settings
from langgraph_memory.testing import HashEmbedder

TEAS = ("teas",)


def in_child(store_url: str, work: Callable[..., Any], *args: Any) -> Any:
    with Memory(store_url, embeddings=HashEmbedder(), settings=Settings(background=False)) as memory:
        return work(memory.store, *args)


def ranking(store: Any) -> list[tuple[str, float]]:
    return [(item.key, round(item.score, 2)) for item in store.search(TEAS, query="green tea")]


def put(store: Any, key: str, text: str) -> None:
    store.put(TEAS, key, {"text": text}, index=["text"])


def delete(store: Any, key: str) -> None:
    store.delete(TEAS, key)


def crowd(store: Any, gate: Any, name: str) -> int:
    gate.wait()
    for number in range(20):
        store.put(TEAS, f"{name}{number}", {"text": f"tea {number}"})
        store.put(TEAS, "same", {"text": f"tea of {name}"})
        assert any(item.key == f"{name}{number}" for item in store.search(TEAS, query=f"tea {number}", limit=100))
    return 20


def test_a_ranking_kept_in_memory_sees_what_another_process_wrote(
    open_memory: Callable[..., Memory], store_url: str
) -> None:
    mine = open_memory(store_url, embeddings=HashEmbedder()).store
    put(mine, "a", "black coffee")
    put(mine, "b", "green tea")
    assert ranking(mine)[0] == ("b", 1.0)
    run_all(in_child, [(store_url, put, "a", "green tea")])
    assert ranking(mine) == [("a", 1.0), ("b", 1.0)]
    run_all(in_child, [(store_url, delete, "b")])
    assert ranking(mine) == [("a", 1.0)]
    put(mine, "c", "water")
    assert run_all(in_child, [(store_url, ranking)]) == [ranking(mine)]


def test_processes_that_put_at_once_lose_nothing(open_memory: Callable[..., Memory], store_url: str) -> None:
    store = open_memory(store_url, embeddings=HashEmbedder()).store
    gate = barrier(3)
    assert run_all(in_child, [(store_url, crowd, gate, name) for name in "xyz"]) == [20, 20, 20]
    assert len(store.search(TEAS, limit=100)) == 61
    assert len(store.search(TEAS, query="tea", limit=100)) == 61
