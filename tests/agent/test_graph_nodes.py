from __future__ import annotations

from typing import Any

import pytest
from blockbuster import blockbuster_ctx
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import MessagesState, StateGraph

from langgraph_memory import Memory
from langgraph_memory.agent import MemoryState, recall_node, record_node, with_memory
from langgraph_memory.errors import InvalidInput, ScopeError
from langgraph_memory.testing import ScriptedChatModel

CONFIG: Any = {"configurable": {"thread_id": "t1", "user_id": "alice"}}


class State(MessagesState, MemoryState):
    pass


def build(memory: Memory, model: ScriptedChatModel, scope: Any = None) -> Any:
    def respond(state: State) -> dict[str, Any]:
        return {"messages": model.invoke(with_memory(state["messages"], state.get("memory_recall")))}

    graph = StateGraph(State)
    graph.add_node("recall", recall_node(memory, scope, limit=3))
    graph.add_node("respond", respond)
    graph.add_node("record", record_node(memory, scope))
    graph.add_edge("recall", "respond")
    graph.add_edge("respond", "record")
    return graph.set_entry_point("recall").compile(checkpointer=InMemorySaver())


def test_sync(memory: Memory) -> None:
    memory.record([("user", "The heron nests by the lake.")], scope="alice", thread_id="old")
    model = ScriptedChatModel(["By the lake."])
    state = build(memory, model).invoke({"messages": [HumanMessage("Where does the heron nest?")]}, CONFIG)
    assert "The heron nests by the lake." in model.calls[0].text
    assert state["memory_recall"]["hits"][0]["session_id"] == "old"
    assert state["memory_record"]["added"] == 2
    assert [entry.text for entry in memory.entries("t1", scope="alice")] == [m.text for m in state["messages"]]


async def test_async_off_the_loop(memory: Memory) -> None:
    memory.record([("user", "The heron nests by the lake.")], scope=("acme", "alice"), thread_id="old")
    model = ScriptedChatModel(["By the lake."])
    graph = build(memory, model, ("acme", "{user_id}"))
    with blockbuster_ctx():
        events = [
            event
            async for event in graph.astream(
                {"messages": [HumanMessage("Where does the heron nest?")]}, CONFIG, stream_mode="custom"
            )
        ]
    assert [(event["type"], event["source"]) for event in events] == [
        ("memory.recalled", "recall"),
        ("memory.recorded", "record"),
    ]
    assert "The heron nests by the lake." in model.calls[0].text


def test_errors_of_identity_are_raised(memory: Memory) -> None:
    graph = build(memory, ScriptedChatModel(["Hm."] * 2))
    with pytest.raises(ScopeError):
        graph.invoke({"messages": [HumanMessage("Hi")]}, {"configurable": {"thread_id": "t1"}})
    graph.checkpointer = None
    with pytest.raises(InvalidInput, match="thread_id"):
        graph.invoke({"messages": [HumanMessage("Hi")]}, {"configurable": {"user_id": "alice"}})


def test_the_state_has_a_schema_for_studio(memory: Memory) -> None:
    schema = build(memory, ScriptedChatModel()).get_output_jsonschema()
    assert {"messages", "memory_recall", "memory_record"} <= set(schema["properties"])
