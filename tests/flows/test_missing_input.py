"""A flow that is given too little, as Studio allows, says which key it needs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from langgraph_memory import Memory
from langgraph_memory.errors import InvalidInput
from langgraph_memory.testing import HashEmbedder, ScriptedChatModel


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    model = ScriptedChatModel([])
    with Memory(tmp_path / "m", embeddings=HashEmbedder(), model=model, query_model=model) as opened:
        yield opened


@pytest.mark.parametrize(
    ("flow", "given", "key"),
    [
        ("remember", {"thread_id": "t"}, "scope"),
        ("remember", {"scope": ["ana"]}, "thread_id"),
        ("remember", {"scope": ["ana"], "thread_id": 5}, "thread_id"),
        ("manage", {"conversation": "user: Hello."}, "scope"),
        ("manage", {"scope": ["ana"]}, "conversation"),
        ("manage", {"scope": ["ana"], "conversation": 7}, "conversation"),
        ("manage", {"scope": ["ana"], "conversation": "user: Hello.", "thread_id": 7}, "thread_id"),
        ("consolidate", {"ids": None}, "scope"),
        ("consolidate", {"scope": ["ana"], "ids": "0197"}, "ids"),
        ("deepen", {"query": "tea"}, "scope"),
        ("deepen", {"scope": ["ana"]}, "query"),
        ("deepen", {"scope": ["ana"], "query": 7}, "query"),
        ("deepen", {"scope": ["ana"], "query": " "}, "query is empty"),
    ],
)
def test_what_is_missing_is_named(memory: Memory, flow: Any, given: dict[str, Any], key: str) -> None:
    with pytest.raises(InvalidInput, match=key):
        memory.graph(flow).compile().invoke(given)


def test_consolidate_looks_at_everything_where_no_ids_are_given(memory: Memory) -> None:
    state = memory.graph("consolidate").compile().invoke({"scope": ["ana"]})
    assert state["report"]["retired"] == []
