"""A run taken back to an old checkpoint recalls what was known then, also where nothing of the thread was recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from langgraph_memory import Memory, MemoryMiddleware
from langgraph_memory.testing import HashEmbedder, ScriptedChatModel

THREAD: Any = {"configurable": {"thread_id": "trip", "user_id": "alice"}}
ASK = "Where does Ana live?"
Middlewares = Callable[[Memory], Sequence[MemoryMiddleware]]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """Opened with the clock of the machine, which is also that of the checkpoints."""
    with Memory(tmp_path / "memory", embeddings=HashEmbedder()) as opened:
        yield opened


def lone(memory: Memory) -> Sequence[MemoryMiddleware]:
    return [MemoryMiddleware(memory, scope="team", record=False)]


def beside_a_personal_one(memory: Memory) -> Sequence[MemoryMiddleware]:
    return [MemoryMiddleware(memory, scope="team", record=False), MemoryMiddleware(memory, name="own")]


def two_turns(memory: Memory, middleware: Sequence[MemoryMiddleware], saver: Any = None, answers: int = 8) -> Any:
    """Return an agent after two turns; before, between and after them the team learns where Ana lives."""
    model = ScriptedChatModel(["Seen."] * answers)
    agent = create_agent(model, [], middleware=middleware, checkpointer=saver or InMemorySaver())
    memory.add("Ana lives in Oslo.", scope="team")
    agent.invoke({"messages": [HumanMessage("Good morning.", id="q1")]}, THREAD)
    memory.add("Ana lives in Rome.", scope="team")
    agent.invoke({"messages": [HumanMessage(ASK, id="q2")]}, THREAD)
    memory.add("Ana lives in Lima.", scope="team")
    return agent


def at(state: Any) -> Any:
    config = getattr(state, "config", state)
    return {"configurable": {**config["configurable"], "user_id": "alice"}}


def before(agent: Any, message_id: str) -> Any:
    """Return the config of the checkpoint whose next step is the turn of this message."""
    return next(
        at(state)
        for state in agent.get_state_history(THREAD)
        if "MemoryMiddleware.before_agent" in state.next and state.values["messages"][-1].id == message_id
    )


def end_of_first(agent: Any) -> Any:
    return next(at(s) for s in agent.get_state_history(THREAD) if not s.next and len(s.values["messages"]) == 2)


def empty_start(agent: Any) -> Any:
    *_, first = agent.get_state_history(THREAD)
    return at(first)


def known(agent: Any) -> str:
    block = agent.get_state(THREAD).values["memory_recall"]["block"]
    return " ".join(place for place in ("Oslo", "Rome", "Lima") if place in block)


@pytest.mark.parametrize("middlewares", [lone, beside_a_personal_one])
def test_a_memory_that_is_only_read_travels_with_the_thread(memory: Memory, middlewares: Middlewares) -> None:
    agent = two_turns(memory, middlewares(memory))
    agent.invoke(None, before(agent, "q2"))
    assert known(agent) == "Oslo Rome"
    [note] = agent.get_state(THREAD).values["memory_recall"]["notes"]
    assert note.startswith("this conversation was taken back")
    agent.invoke({"messages": [HumanMessage(ASK, id="other")]}, end_of_first(agent))
    assert known(agent) == "Oslo Rome"
    agent.invoke({"messages": [HumanMessage(ASK, id="later")]}, THREAD)  # goes on from the fork in the present
    assert known(agent) == "Oslo Rome Lima"


def test_a_fork_at_the_empty_start_knows_nothing_of_what_came_later(memory: Memory) -> None:
    agent = two_turns(memory, [MemoryMiddleware(memory, scope="team")])
    agent.invoke({"messages": [HumanMessage(ASK, id="edited")]}, empty_start(agent))
    assert known(agent) == "Oslo"
    assert "Good morning" not in agent.get_state(THREAD).values["memory_recall"]["block"]


def test_an_edited_state_stands_where_it_was_edited(memory: Memory) -> None:
    agent = two_turns(memory, lone(memory))
    edited = agent.update_state(before(agent, "q2"), {"messages": [HumanMessage("Where is Ana's home?", id="q2")]})
    agent.invoke(None, at(edited))
    assert known(agent) == "Oslo Rome"


def test_a_replay_of_a_replay_is_as_old_as_the_first(memory: Memory) -> None:
    agent = two_turns(memory, lone(memory))
    for _ in range(3):
        agent.invoke(None, before(agent, "q2"))  # the newest one: of the last replay
        assert known(agent) == "Oslo Rome"


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_going_on_from_the_newest_checkpoint_by_name_is_no_journey(memory: Memory, durability: Any) -> None:
    agent = two_turns(memory, lone(memory), answers=12)
    for number in range(4):
        newest = at(agent.get_state(THREAD))
        agent.invoke({"messages": [HumanMessage(ASK, id=f"q{number + 3}")]}, newest, durability=durability)
        assert known(agent) == "Oslo Rome Lima" and not agent.get_state(THREAD).values["memory_recall"]["notes"]
    agent.invoke({"messages": [HumanMessage(ASK, id="other")]}, end_of_first(agent), durability=durability)
    assert known(agent) == "Oslo Rome"


def test_an_edit_at_the_end_of_the_thread_is_no_journey(memory: Memory) -> None:
    agent = two_turns(memory, lone(memory))
    edited = agent.update_state(THREAD, {"messages": [HumanMessage(ASK, id="q3")]}, as_node="__start__")
    agent.invoke(None, at(edited))
    assert known(agent) == "Oslo Rome Lima"


async def test_the_async_agent_travels_alike(memory: Memory) -> None:
    agent = two_turns(memory, lone(memory), memory.checkpointer())
    await agent.ainvoke(None, before(agent, "q2"))
    assert known(agent) == "Oslo Rome"
    newest = at(agent.get_state(THREAD))
    await agent.ainvoke({"messages": [HumanMessage(ASK, id="q3")]}, newest)
    assert known(agent) == "Oslo Rome Lima"


def test_a_long_thread_is_read_only_as_far_back_as_it_must(memory: Memory) -> None:
    agent = two_turns(memory, lone(memory), memory.checkpointer(), answers=20)
    for number in range(12):
        agent.invoke({"messages": [HumanMessage("And?", id=f"more{number}")]}, THREAD)
    agent.invoke(None, before(agent, "q2"))
    assert known(agent) == "Oslo Rome"


def test_profiles_of_a_memory_that_is_only_read_are_those_of_then(memory: Memory) -> None:
    model = ScriptedChatModel(["Hello."] * 2)
    agent = create_agent(model, [], middleware=lone(memory), checkpointer=InMemorySaver())
    old = memory.add("Ana lives in Porto.", scope="team", pinned=True).ids[0]
    agent.invoke({"messages": [HumanMessage("Hi.", id="q1")]}, THREAD)
    memory.update(old, text="Ana lives in Bergen.", scope="team")
    agent.invoke(None, before(agent, "q1"))
    block = agent.get_state(THREAD).values["memory_standing"]["block"]
    assert "Porto" in block and "Bergen" not in block


def searching(memory: Memory, turns: int) -> Any:
    call = ScriptedChatModel.call("search_memory", query=ASK)
    model = ScriptedChatModel([call, "Seen."] * turns)
    return create_agent(model, memory.tools(), checkpointer=InMemorySaver())


def found(agent: Any) -> str:
    text = agent.get_state(THREAD).values["messages"][-2].text
    return " ".join(place for place in ("Oslo", "Rome", "Lima") if place in text)


def test_a_search_by_tool_travels_without_any_middleware(memory: Memory) -> None:
    agent = searching(memory, 5)
    memory.add("Ana lives in Oslo.", scope="alice")
    agent.invoke({"messages": [HumanMessage(ASK, id="q1")]}, THREAD)
    memory.add("Ana lives in Rome.", scope="alice")
    start = next(s for s in agent.get_state_history(THREAD) if s.next == ("model",) and len(s.values["messages"]) == 1)
    agent.invoke(None, at(start))
    assert found(agent) == "Oslo"
    agent.invoke({"messages": [HumanMessage(ASK, id="edited")]}, empty_start(agent))
    assert found(agent) == "Oslo"
    agent.invoke({"messages": [HumanMessage(ASK, id="q2")]}, at(agent.get_state(THREAD)))
    assert found(agent) == "Oslo Rome"


def test_what_a_tool_wrote_in_the_same_run_is_found_by_the_next_call(memory: Memory) -> None:
    write = ScriptedChatModel.call("manage_memory", action="create", content="Ana lives in Lima.")
    model = ScriptedChatModel(["Hello.", write, ScriptedChatModel.call("search_memory", query=ASK), "In Lima."])
    agent = create_agent(model, memory.tools(), checkpointer=InMemorySaver())
    agent.invoke({"messages": [HumanMessage("Hi.", id="q1")]}, THREAD)
    agent.invoke({"messages": [HumanMessage("Ana lives in Lima.", id="q2")]}, at(agent.get_state(THREAD)))
    assert found(agent) == "Lima"


class BlindSaver(InMemorySaver):
    """Keeps checkpoints, and cannot list them."""

    def list(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


def test_a_checkpointer_that_cannot_be_read_costs_no_turn(memory: Memory, caplog: Any) -> None:
    agent = two_turns(memory, lone(memory), BlindSaver())
    agent.invoke({"messages": [HumanMessage(ASK, id="q3")]}, at(agent.get_state(THREAD)))
    assert known(agent) == "Oslo Rome Lima" and "sees the present" in caplog.text
