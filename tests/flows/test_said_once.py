"""What was said again in the same words, as in a replay, takes one place among the hits and one line of the block."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from langgraph_memory import Memory, MemoryMiddleware
from langgraph_memory.testing import FrozenClock, HashEmbedder, ScriptedChatModel

THREAD: Any = {"configurable": {"thread_id": "trip", "user_id": "alice"}}
SAID = "The gate of the harbour opens at nine."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "memory", embeddings=HashEmbedder(), clock=FrozenClock()) as opened:
        yield opened


def repeat(memory: Memory, times: int, thread_id: str = "trip") -> None:
    memory.record([AIMessage(SAID, id=f"a{n}") for n in range(times)], scope="alice", thread_id=thread_id)


def test_repeated_words_take_one_place_and_the_limit_is_filled(memory: Memory) -> None:
    repeat(memory, 60)
    memory.record(
        [HumanMessage(f"The gate of garden {n}.", id=f"g{n}") for n in range(8)], scope="alice", thread_id="b"
    )
    answer = memory.recall("When does the gate of the harbour open?", scope="alice", limit=5)
    assert [hit.text for hit in answer.hits].count(SAID) == 1 and answer.hits[0].text == SAID
    assert len(answer.hits) == 5 and answer.block.count(SAID) == 1
    assert len(memory.entries("trip", scope="alice")) == 60


def test_what_one_speaker_says_in_several_threads_takes_one_place(memory: Memory) -> None:
    for thread in ("trip", "other", "third"):
        repeat(memory, 2, thread)
    memory.record([HumanMessage(SAID, id="u")], scope="alice", thread_id="trip")
    for options in ({}, {"recipe": "mem0"}, {"recipe": "rrf"}, {"depth": "deep"}):
        answer = memory.recall("When does the gate of the harbour open?", scope="alice", **options)
        assert sorted(hit.speaker for hit in answer.hits if hit.text == SAID) == ["assistant", "user"]
    assert all(len(memory.entries(thread, scope="alice")) >= 2 for thread in ("trip", "other", "third"))


def test_the_one_that_is_shown_is_never_one_that_may_not_be(memory: Memory) -> None:
    for number, thread in enumerate(("trip", "other")):
        memory.record([AIMessage(SAID, id=f"a{number}")], scope="alice", thread_id=thread)
    memory.forget("a0", scope="alice")
    (hit,) = memory.recall("When does the gate of the harbour open?", scope="alice").hits
    assert (hit.id, hit.session_id) == ("a1", "other")


def test_another_scope_is_another_line_and_so_are_few_words_in_another_thread(memory: Memory) -> None:
    for scope in (("acme", "alice"), ("acme", "bob")):
        memory.record([HumanMessage(SAID)], scope=scope, thread_id="t")
    assert len(memory.recall("When does the gate of the harbour open?", scope="acme").hits) == 2
    for thread in ("one", "two"):
        memory.record([HumanMessage("Yes, harbour."), AIMessage(f"{thread}!")], scope="eve", thread_id=thread)
    hits = memory.recall("harbour", scope="eve", recipe="lexical").hits
    assert [hit.text for hit in hits].count("Yes, harbour.") == 2  # what follows makes them two answers


def test_a_turn_replayed_many_times_does_not_crowd_the_next_threads_block(memory: Memory) -> None:
    model = ScriptedChatModel(["Noted.", SAID, SAID, SAID, SAID, "In the morning.", "At nine."])
    agent = create_agent(model, [], middleware=[MemoryMiddleware(memory)], checkpointer=InMemorySaver())
    ask = "When does the gate of the harbour open?"
    agent.invoke({"messages": [HumanMessage("I sail on Sunday.", id="q1")]}, THREAD)
    agent.invoke({"messages": [HumanMessage(ask, id="q2")]}, THREAD)
    turn = next(s for s in agent.get_state_history(THREAD) if s.values["messages"][-1].id == "q2")
    for number in range(3):
        agent.invoke({"messages": [HumanMessage(f"Look again, {number}.", id=f"r{number}")]}, at(turn))
    agent.invoke({"messages": [HumanMessage(ask, id="q3")]}, THREAD)
    assert SAID not in agent.get_state(THREAD).values["memory_recall"]["block"]  # this branch shows it anyway
    other: Any = {"configurable": {"thread_id": "new", "user_id": "alice"}}
    agent.invoke({"messages": [HumanMessage(ask, id="q4")]}, other)
    assert agent.get_state(other).values["memory_recall"]["block"].count(SAID) == 1


def at(state: Any) -> Any:
    return {"configurable": {**state.config["configurable"], "user_id": "alice"}}
