"""`memory.nodes` in hand-built graphs, and the flows as subgraphs."""

from __future__ import annotations

import json
import operator
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from blockbuster import blockbuster_ctx
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import MessagesState, StateGraph
from typing_extensions import TypedDict

from langgraph_memory import Memory, Settings
from langgraph_memory.agent import MemoryState
from langgraph_memory.errors import ModelError, ScopeError
from langgraph_memory.testing import FrozenClock, HashEmbedder, ScriptedChatModel

CONFIG: Any = {"configurable": {"thread_id": "t1", "user_id": "alice"}}
FACTS = json.dumps({"memories": [{"text": "Ana sails on Sundays.", "sources": [0], "kind": "fact"}]})


class State(MessagesState, MemoryState):
    pass


@pytest.fixture
def model() -> ScriptedChatModel:
    return ScriptedChatModel([FACTS])


@pytest.fixture
def distilling(tmp_path: Path, model: ScriptedChatModel) -> Iterator[Memory]:
    settings = Settings(distil="manual", background=False)
    with Memory(
        tmp_path / "memory", embeddings=HashEmbedder(), clock=FrozenClock(), model=model, settings=settings
    ) as opened:
        yield opened


def build(memory: Memory, **options: Any) -> Any:
    graph = StateGraph(State)
    graph.add_node("recall", memory.nodes.recall(limit=3))
    graph.add_node("respond", lambda state: {"messages": [AIMessage("Noted.", id="a1")]})
    graph.add_node("remember", memory.nodes.remember(**options))
    graph.add_edge("recall", "respond").add_edge("respond", "remember")
    return graph.set_entry_point("recall").compile(checkpointer=InMemorySaver())


def said(text: str = "I sail on Sundays.") -> Any:
    return {"messages": [HumanMessage(text, id="q1")]}


def test_the_remember_node_records_and_distils(distilling: Memory, model: ScriptedChatModel) -> None:
    streamed = list(build(distilling).stream(said(), CONFIG, stream_mode=["custom", "messages", "values"]))
    state = [chunk for mode, chunk in streamed if mode == "values"][-1]
    [added] = state["memory_report"]["added"]
    assert added["text"] == "Ana sails on Sundays." and state["memory_record"]["added"] == 2
    assert json.loads(json.dumps(state["memory_report"])) == state["memory_report"]
    assert [event["type"] for mode, event in streamed if mode == "custom"] == [
        "memory.recalled",
        "memory.recorded",
        "memory.added",
    ]
    assert {chunk[0].text for mode, chunk in streamed if mode == "messages"} == {"Noted."}
    assert [record.text for record in distilling.list(scope="alice")] == ["Ana sails on Sundays."]
    model.assert_exhausted()


async def test_the_remember_node_does_not_block_the_loop(distilling: Memory) -> None:
    graph = build(distilling)
    with blockbuster_ctx():
        state = await graph.ainvoke(said(), CONFIG)
    assert [added["text"] for added in state["memory_report"]["added"]] == ["Ana sails on Sundays."]


def test_a_model_that_fails_costs_no_answer_and_is_asked_again(tmp_path: Path) -> None:
    model = ScriptedChatModel([ValueError("no"), FACTS])
    with Memory(tmp_path / "m", embeddings=HashEmbedder(), model=model) as memory:
        graph = build(memory)
        state = graph.invoke(said(), CONFIG)
        assert state["messages"][-1].text == "Noted." and state["memory_report"]["error"].startswith("ModelError: ")
        assert memory.list(scope="alice") == []
        memory.drain()
        assert [record.text for record in memory.list(scope="alice")] == ["Ana sails on Sundays."]


def test_it_may_raise_instead(tmp_path: Path) -> None:
    model = ScriptedChatModel([ValueError("no")])
    with Memory(tmp_path / "m", embeddings=HashEmbedder(), model=model) as memory, pytest.raises(ModelError):
        build(memory, on_write_error="raise").invoke(said(), CONFIG)


def test_nobody_is_remembered_for_nobody(distilling: Memory) -> None:
    with pytest.raises(ScopeError):
        build(distilling).invoke(said(), {"configurable": {"thread_id": "t1"}})


class Parent(TypedDict):
    scope: list[str]
    thread_id: str
    notes: Annotated[list[str], operator.add]
    report: dict[str, Any]


def test_a_flow_as_a_subgraph_does_not_double_lists_of_its_parent(distilling: Memory) -> None:
    distilling.record(said()["messages"], scope="alice", thread_id="t1")

    def before(_: Any) -> Any:
        return {"notes": ["mine"]}

    graph = StateGraph(Parent)
    graph.add_node("before", before)
    graph.add_node("remember", distilling.graph("remember").compile())
    graph.add_edge("before", "remember")
    app = graph.set_entry_point("before").compile(checkpointer=InMemorySaver())
    given: Any = {"scope": ["alice"], "thread_id": "t1", "notes": ["first"]}
    state = app.invoke(given, CONFIG)
    assert state["notes"] == ["first", "mine"] and len(state["report"]["added"]) == 1
    assert [record.text for record in distilling.list(scope="alice")] == ["Ana sails on Sundays."]
