"""The nodes of memory in one step, on channels of their own, and on messages that are dicts and pairs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NotRequired

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import MessagesState, StateGraph
from langgraph.types import Send
from typing_extensions import TypedDict

from langgraph_memory import Memory
from langgraph_memory.agent import MemoryRecall, MemoryState, with_memory
from langgraph_memory.errors import InvalidInput
from langgraph_memory.testing import FrozenClock, HashEmbedder

CONFIG: Any = {"configurable": {"thread_id": "t1", "user_id": "alice"}}
ASK = "Where does Ana live?"


class State(MessagesState, MemoryState):
    team_recall: NotRequired[MemoryRecall]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "memory", embeddings=HashEmbedder(), clock=FrozenClock()) as opened:
        opened.add("Ana lives in Oslo.", scope="alice")
        opened.add("Ana lives on the team's boat.", scope="team")
        yield opened


def asked() -> Any:
    return {"messages": [HumanMessage(ASK, id="q1")]}


def test_a_team_is_asked_beside_a_person(memory: Memory) -> None:
    graph = StateGraph(State)
    graph.add_node("own", memory.nodes.recall())
    graph.add_node("team", memory.nodes.recall("team", channel="team_recall"))
    graph.add_node("record", memory.nodes.record())
    graph.add_edge("__start__", "own").add_edge("__start__", "team").add_edge(["own", "team"], "record")
    app = graph.compile(checkpointer=InMemorySaver())
    app.invoke(asked(), CONFIG)
    state = app.get_state(CONFIG).values
    shown = with_memory(with_memory(state["messages"], state["team_recall"]), state["memory_recall"])[-1].text
    assert "Oslo" in shown and "boat" in shown and shown.endswith(ASK)
    assert state["memory_record"]["added"] == 1


def test_nodes_in_one_step_may_write_one_channel(memory: Memory) -> None:
    graph = StateGraph(State)
    graph.add_node("start", lambda state: {})
    for name in ("recall", "record"):
        graph.add_node(name, getattr(memory.nodes, name)())
    graph.set_entry_point("start")
    graph.add_conditional_edges(
        "start", lambda state: [Send(n, state) for n in ("recall", "recall", "record", "record")]
    )
    app = graph.compile(checkpointer=InMemorySaver())
    app.invoke(asked(), CONFIG)
    state = app.get_state(CONFIG).values
    assert "Oslo" in state["memory_recall"]["block"] and state["memory_record"]["upto"] == "q1"
    assert json.loads(json.dumps(state["memory_recall"])) == state["memory_recall"]
    assert [entry.text for entry in memory.entries("t1", scope="alice")] == [ASK]


def test_a_channel_is_absent_until_it_is_written(memory: Memory) -> None:
    seen: list[Any] = []
    graph = StateGraph(State)
    graph.add_node("look", lambda state: seen.append(dict(state)) or {})
    app = graph.set_entry_point("look").compile()
    app.invoke(asked(), CONFIG)
    assert set(seen[0]) == {"messages"}


class Plain(TypedDict):
    messages: list[Any]
    memory_recall: NotRequired[Any]
    memory_record: NotRequired[Any]


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "assistant", "content": "Hello."}, {"role": "user", "content": ASK}],
        [("ai", "Hello."), ("user", ASK)],
        [AIMessage("Hello."), ("user", ASK)],
    ],
)
def test_messages_may_be_dicts_and_pairs(memory: Memory, messages: list[Any]) -> None:
    graph = StateGraph(Plain)
    graph.add_node("recall", memory.nodes.recall())
    graph.add_node("record", memory.nodes.record())
    app = graph.add_edge("recall", "record").set_entry_point("recall").compile()
    state = app.invoke({"messages": messages}, CONFIG)
    assert "Oslo" in state["memory_recall"]["block"] and state["memory_record"]["added"] == 2
    again = app.invoke({"messages": messages}, CONFIG)
    assert ASK not in again["memory_recall"]["block"] and again["memory_record"]["skipped"] == 2
    assert [entry.text for entry in memory.entries("t1", scope="alice")] == ["Hello.", ASK]


def test_what_is_no_message_is_refused_and_the_rest_recorded(memory: Memory) -> None:
    graph = StateGraph(Plain)
    graph.add_node("record", memory.nodes.record())
    app = graph.set_entry_point("record").compile()
    state = app.invoke({"messages": [{"role": "user", "content": ASK}, 7, {"colour": "red"}]}, CONFIG)
    assert state["memory_record"]["added"] == 1 and len(state["memory_record"]["refused"]) == 2


@pytest.mark.parametrize("channel", ["", 5, None])
def test_a_channel_has_a_name(memory: Memory, channel: Any) -> None:
    for node in (memory.nodes.recall, memory.nodes.record, memory.nodes.remember):
        with pytest.raises(InvalidInput, match="channel"):
            node(channel=channel)
