"""The graphs that langgraph.json names load the way the server loads them, and answer."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from blockbuster import blockbuster_ctx

from langgraph_memory import Memory

ROOT = Path(__file__).parents[2]
GRAPHS = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))["graphs"]


def load(name: str) -> Any:
    """Import by path under a random name, as the server does, so that a relative import would fail."""
    path, attribute = GRAPHS[name]["path"].split(":")
    spec = importlib.util.spec_from_file_location(f"graph_{uuid4().hex}", ROOT / path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module, getattr(module, attribute)


@pytest.fixture
def recall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with Memory(tmp_path / "memory") as memory:
        memory.record([("user", "The heron nests by the lake.")], scope=("acme", "alice"), thread_id="t1")
    monkeypatch.setenv("LANGGRAPH_MEMORY", str(tmp_path / "memory"))
    module, graph = load("recall")
    yield graph
    module.open_once(str(tmp_path / "memory")).close()


@pytest.mark.parametrize("name", sorted(GRAPHS))
def test_every_graph_is_described_and_brings_no_saver_of_its_own(name: str) -> None:
    _, graph = load(name)
    assert GRAPHS[name]["description"]
    assert graph.checkpointer is None and graph.store is None  # langgraph dev refuses such graphs


def test_recall_graph(recall: Any) -> None:
    assert list(recall.get_graph().nodes) == ["__start__", "recall", "answer", "__end__"]
    assert set(recall.get_input_jsonschema()["properties"]) == {"query", "scope"}
    fields = recall.get_context_jsonschema()["properties"]
    assert set(fields) == {"limit", "budget", "recipe"} and all(field["description"] for field in fields.values())
    state = recall.invoke({"query": "Where does the heron nest?", "scope": ["acme", "alice"]})
    assert "user: The heron nests by the lake." in state["answer"]
    assert state["hits"][0]["signals"]
    json.dumps(state)


async def test_recall_graph_does_not_block_the_loop(recall: Any) -> None:
    with blockbuster_ctx():
        state = await recall.ainvoke(
            {"query": "Where does the heron nest in winter?", "scope": ["acme"]}, context={"limit": 1, "budget": 0}
        )
    assert len(state["hits"]) == 1 and state["block"] == ""
    assert "Not found: winter" in state["answer"]
