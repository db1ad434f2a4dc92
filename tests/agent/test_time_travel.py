"""A thread that is replayed or forked from an old checkpoint recalls what was known then, and writes nothing twice."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph

from langgraph_memory import Memory, MemoryMiddleware
from langgraph_memory.testing import FrozenClock, HashEmbedder, ScriptedChatModel

THREAD = {"configurable": {"thread_id": "trip", "user_id": "alice"}}
ASK = "Where does Ana live?"


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Any:
    with Memory(tmp_path / "memory", embeddings=HashEmbedder(), clock=clock) as opened:
        yield opened


@pytest.fixture
def agent(memory: Memory, clock: FrozenClock) -> Any:
    """Two turns on one thread; between them and after them Ana moves, in another conversation."""
    model = ScriptedChatModel(["Noted."] + ["Seen."] * 5)
    agent = create_agent(model, [], middleware=[MemoryMiddleware(memory)], checkpointer=InMemorySaver())

    def learn(text: str) -> None:
        clock.advance(days=1)
        memory.add(text, scope="alice")
        clock.advance(days=1)

    learn("Ana lives in Oslo.")
    agent.invoke({"messages": [HumanMessage("Good morning.", id="q1")]}, THREAD)
    learn("Ana lives in Rome.")
    agent.invoke({"messages": [HumanMessage(ASK, id="q2")]}, THREAD)
    learn("Ana lives in Lima.")
    return agent


def at(state: Any) -> Any:
    """Return the config that goes on from this checkpoint; the caller says who it is, as always."""
    return {"configurable": {**state.config["configurable"], "user_id": "alice"}}


def before(agent: CompiledStateGraph, message_id: str) -> Any:
    """Return the config of the checkpoint whose next step is the turn of this message."""
    return next(
        at(state)
        for state in agent.get_state_history(THREAD)
        if "MemoryMiddleware.before_agent" in state.next and state.values["messages"][-1].id == message_id
    )


def shown(agent: CompiledStateGraph) -> str:
    return str(agent.get_state(THREAD).values["memory_recall"]["block"])


def test_a_normal_turn_knows_everything(agent: Any) -> None:
    agent.invoke({"messages": [HumanMessage(ASK, id="q3")]}, THREAD)
    assert "Oslo" in shown(agent) and "Rome" in shown(agent) and "Lima" in shown(agent)


def test_a_replay_that_is_answered_in_the_same_words_is_recorded_once(agent: Any, memory: Memory) -> None:
    once = [entry.text for entry in memory.entries("trip", scope="alice")]
    agent.invoke(None, before(agent, "q2"))
    assert [entry.text for entry in memory.entries("trip", scope="alice")] == once
    agent.invoke({"messages": [HumanMessage("And now?", id="q3")]}, THREAD)
    assert [entry.text for entry in memory.entries("trip", scope="alice")] == [*once, "And now?", "Seen."]


def test_a_replayed_turn_recalls_what_was_known_then(agent: Any) -> None:
    agent.invoke(None, before(agent, "q2"))
    assert "Oslo" in shown(agent) and "Rome" in shown(agent) and "Lima" not in shown(agent)
    [note] = agent.get_state(THREAD).values["memory_recall"]["notes"]
    assert note.startswith("this conversation was taken back: here is what was known at 20")


def test_a_fork_from_the_first_turn_recalls_what_was_known_then(agent: Any) -> None:
    end_of_first = next(s for s in agent.get_state_history(THREAD) if not s.next and len(s.values["messages"]) == 2)
    agent.invoke({"messages": [HumanMessage(ASK, id="other")]}, at(end_of_first))
    assert "Oslo" in shown(agent) and "Rome" in shown(agent) and "Lima" not in shown(agent)
    agent.invoke({"messages": [HumanMessage(ASK, id="later")]}, THREAD)
    assert "Lima" in shown(agent)


async def test_the_async_agent_travels_alike(agent: Any) -> None:
    await agent.ainvoke(None, before(agent, "q2"))
    assert "Rome" in shown(agent) and "Lima" not in shown(agent)


def test_going_on_from_the_newest_checkpoint_by_name_is_no_journey(agent: Any) -> None:
    agent.invoke({"messages": [HumanMessage(ASK, id="q3")]}, at(agent.get_state(THREAD)))
    assert "Lima" in shown(agent)


def test_a_replayed_first_turn_has_the_profiles_of_then_in_its_system_prompt(
    memory: Memory, clock: FrozenClock
) -> None:
    model = ScriptedChatModel(["Hello."] * 2)
    agent = create_agent(model, [], middleware=[MemoryMiddleware(memory)], checkpointer=InMemorySaver())
    old = memory.add("Ana lives in Porto.", scope="alice", pinned=True).ids[0]
    clock.advance(days=1)
    agent.invoke({"messages": [HumanMessage("Hi.", id="q1")]}, THREAD)
    clock.advance(days=1)
    memory.update(old, text="Ana lives in Bergen.", scope="alice")
    agent.invoke(None, before(agent, "q1"))
    block = agent.get_state(THREAD).values["memory_standing"]["block"]
    assert "Porto" in block and "Bergen" not in block


def test_a_replay_with_another_answer_keeps_both(memory: Memory, clock: FrozenClock) -> None:
    model = ScriptedChatModel(["In Oslo.", "In Rome."])
    agent = create_agent(model, [], middleware=[MemoryMiddleware(memory)], checkpointer=InMemorySaver())
    agent.invoke({"messages": [HumanMessage(ASK, id="q2")]}, THREAD)
    agent.invoke(None, before(agent, "q2"))
    assert [entry.text for entry in memory.entries("trip", scope="alice")] == [ASK, "In Oslo.", "In Rome."]


def test_a_replayed_manage_memory_call_writes_one_memory(memory: Memory) -> None:
    call = ScriptedChatModel.call("manage_memory", call_id="c1", action="create", content="Ana sails on Sundays.")
    model = ScriptedChatModel([call, "Done.", call, "Done."])
    agent = create_agent(model, memory.tools(), checkpointer=InMemorySaver())
    agent.invoke({"messages": [HumanMessage("Ana sails on Sundays.", id="q1")]}, THREAD)
    start = next(s for s in agent.get_state_history(THREAD) if s.next == ("model",) and len(s.values["messages"]) == 1)
    agent.invoke(None, at(start))
    assert [(record.text, record.reinforced) for record in memory.list(scope="alice")] == [("Ana sails on Sundays.", 0)]


def test_left_behind_says_nothing_without_a_later_message(memory: Memory, clock: Callable[[], Any]) -> None:
    messages = [HumanMessage("One.", id="a"), AIMessage("Two.", id="b")]
    memory.record(messages, scope="alice", thread_id="t")
    ask = memory.left_behind
    assert ask("t", scope="alice", message_ids=["a"]) == clock() - timedelta(microseconds=1)
    assert ask("t", scope="alice", message_ids=["a", "b"]) is None
    assert ask("t", scope="alice", message_ids=["unknown"]) is None
    assert ask("t", scope="alice", message_ids=[]) is None
    assert ask("other", scope="alice", message_ids=["a"]) is None
    assert ask("t", scope="bob", message_ids=["a"]) is None
