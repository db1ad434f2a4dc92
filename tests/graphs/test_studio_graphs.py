"""The graphs that langgraph.json names load the way the server loads them, and answer."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from blockbuster import blockbuster_ctx
from langgraph.pregel import Pregel

from langgraph_memory import Memory
from langgraph_memory.errors import InvalidInput, ModelNeeded, ScopeError
from langgraph_memory.studio import close_shared, shared_memory
from langgraph_memory.testing import ScriptedChatModel

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


async def served(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a graph as the server gets it: what is there already, or what its factory makes."""
    monkeypatch.setenv("LANGGRAPH_MEMORY", str(tmp_path / "memory"))
    monkeypatch.setenv("LANGGRAPH_MEMORY_MODEL", "" if name == "remember" else "openai:gpt-5-mini")
    monkeypatch.setattr("langchain.chat_models.init_chat_model", lambda _: ScriptedChatModel([]))
    _, graph = load(name)
    return graph if isinstance(graph, Pregel) else await graph()


@pytest.fixture
def recall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with Memory(tmp_path / "memory") as memory:
        memory.record([("user", "The heron nests by the lake.")], scope=("acme", "alice"), thread_id="t1")
    monkeypatch.setenv("LANGGRAPH_MEMORY", str(tmp_path / "memory"))
    _, graph = load("recall")
    yield graph
    close_shared()


@pytest.mark.parametrize("name", sorted(GRAPHS))
def test_every_graph_is_described_and_brings_no_saver_of_its_own(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = asyncio.run(served(name, tmp_path, monkeypatch))
    close_shared()
    assert GRAPHS[name]["description"]
    assert graph.checkpointer is None and graph.store is None  # langgraph dev refuses such graphs


def test_recall_graph(recall: Any) -> None:
    assert list(recall.get_graph().nodes) == ["__start__", "recall", "answer", "__end__"]
    assert set(recall.get_input_jsonschema()["properties"]) == {"query", "scope"}
    fields = recall.get_context_jsonschema()["properties"]
    assert set(fields) == {"user_id", "limit", "budget", "recipe"} and all(
        field["description"] for field in fields.values()
    )
    state = recall.invoke({"query": "Where does the heron nest?", "scope": ["acme", "alice"]})
    assert "user: The heron nests by the lake." in state["answer"]
    assert state["hits"][0]["signals"]
    json.dumps(state)
    named = recall.invoke({"query": "Where does the heron nest?"}, context={"user_id": "acme"})
    assert [hit["id"] for hit in named["hits"]] == [hit["id"] for hit in state["hits"]]
    with pytest.raises(ScopeError, match="Whose memory is it"):
        recall.invoke({"query": "Where does the heron nest?"})
    with pytest.raises(InvalidInput, match="The query is empty"):
        recall.invoke({"scope": ["acme"]})


async def test_the_remember_graph_distils_with_each_phase_in_view(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with blockbuster_ctx():
        graph = await served("remember", tmp_path, monkeypatch)
        memory = await asyncio.to_thread(shared_memory)
        await memory.arecord([("user", "I live in Oslo. What time is it?")], scope="ana", thread_id="t1")
        steps = [step async for step in graph.astream({"scope": ["ana"], "thread_id": "t1"}, stream_mode="updates")]
    assert [next(iter(step)) for step in steps] == [
        "gather", "recall", "extract", "gate", "embed", "dedupe_exact", "dedupe_similar", "persist", "link", "record",
    ]  # fmt: skip
    assert [outcome["text"] for outcome in steps[-1]["record"]["report"]["added"]] == ["I live in Oslo."]
    assert set(graph.get_input_jsonschema()["properties"]) == {"scope", "thread_id"}
    assert set(graph.get_context_jsonschema()["properties"]) == {"instructions", "max_calls"}
    json.dumps(steps)
    close_shared()


@pytest.mark.parametrize("name", ["manage", "consolidate"])
async def test_a_graph_that_needs_a_model_says_so(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGGRAPH_MEMORY", str(tmp_path / "memory"))
    monkeypatch.delenv("LANGGRAPH_MEMORY_MODEL", raising=False)
    _, graph = load(name)
    with pytest.raises(ModelNeeded, match="needs a chat model"):
        await graph()
    close_shared()


async def test_recall_graph_does_not_block_the_loop(recall: Any) -> None:
    with blockbuster_ctx():
        state = await recall.ainvoke(
            {"query": "Where does the heron nest in winter?", "scope": ["acme"]}, context={"limit": 1, "budget": 0}
        )
    assert len(state["hits"]) == 1 and state["block"] == ""
    assert "Not found: winter" in state["answer"]
