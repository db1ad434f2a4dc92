"""One message that memory cannot record costs nobody the others, and is told."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, ChatMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import MessagesState, StateGraph

from langgraph_memory import Memory, MemoryMiddleware
from langgraph_memory.agent.state import MemoryState
from langgraph_memory.compaction import CompactionState, compact_node
from langgraph_memory.errors import MessageError
from langgraph_memory.testing import ScriptedChatModel

THREAD = {"configurable": {"thread_id": "t1", "user_id": "alice"}}

UNREADABLE = [
    pytest.param(ChatMessage(role="narrator", content="Meanwhile...", id="x"), "narrator", id="role"),
    pytest.param(HumanMessage("long", id="x" * 2_001), "2,000 bytes", id="id"),
    pytest.param(HumanMessage("calls", id="x", additional_kwargs={"tool_calls": 5}), "Message 1", id="calls"),
]


def said(memory: Memory) -> list[str]:
    return [entry.text for entry in memory.entries("t1", scope="alice")]


@pytest.mark.parametrize(("odd", "why"), UNREADABLE)
def test_record_refuses_it_where_asked_and_raises_otherwise(memory: Memory, odd: BaseMessage, why: str) -> None:
    messages = [HumanMessage("one", id="1"), odd, HumanMessage("two", id="2")]
    with pytest.raises(MessageError):
        memory.record(messages, scope="alice", thread_id="t1")
    report = memory.record(messages, scope="alice", thread_id="t1", refuse_unreadable=True)
    assert [outcome.id for outcome in report.added] == ["1", "2"]
    [refused] = report.refused
    assert why in (refused.reason or "")
    assert said(memory) == ["one", "two"]


@pytest.mark.parametrize(("odd", "why"), UNREADABLE)
def test_an_agent_records_the_rest_and_every_later_turn(
    memory: Memory, odd: BaseMessage, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    agent = create_agent(
        ScriptedChatModel(["A1", "A2"]), [], middleware=[MemoryMiddleware(memory)], checkpointer=InMemorySaver()
    )
    with caplog.at_level(logging.WARNING):
        agent.invoke({"messages": [HumanMessage("one", id="1"), odd, HumanMessage("two", id="2")]}, THREAD)
    record = agent.get_state(THREAD).values["memory_record"]
    assert record["added"] == 3 and why in record["refused"][0]
    assert "cannot be recorded and are left out" in caplog.text
    agent.invoke({"messages": [HumanMessage("three", id="3")]}, THREAD)
    assert said(memory) == ["one", "two", "A1", "three", "A2"]


def test_compaction_goes_on_and_says_what_could_not_be_recorded(memory: Memory) -> None:
    class State(MessagesState, MemoryState, CompactionState):
        pass

    messages: list[Any] = [HumanMessage("one", id="1"), ChatMessage(role="narrator", content="Then.", id="x")]
    for number in range(6):
        messages += [AIMessage(f"a{number}", id=f"a{number}"), HumanMessage(f"q{number}", id=f"q{number}")]
    builder = StateGraph(State).add_node("compact", compact_node(memory, trigger=("messages", 4), keep=("messages", 2)))
    graph = builder.set_entry_point("compact").compile(checkpointer=InMemorySaver())
    graph.invoke({"messages": messages}, THREAD)
    values = graph.get_state(THREAD).values
    assert len(values["messages"]) < len(messages)
    assert "cannot be recorded: Message 1" in values["memory_compaction"]["error"]
    assert "one" in said(memory) and "q0" in said(memory)
