"""Profiles and pinned memories stand in the system prompt of a thread, and keep their bytes."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import ClearToolUsesEdit, ContextEditingMiddleware
from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.checkpoint.memory import InMemorySaver

from langgraph_memory import Memory, MemoryMiddleware
from langgraph_memory.agent.standing import with_standing
from langgraph_memory.errors import InvalidInput
from langgraph_memory.testing import ScriptedChatModel
from langgraph_memory.text.fence import FENCE_TAG


def config(thread_id: str) -> Any:
    return {"configurable": {"thread_id": thread_id, "user_id": "ana"}}


def said(text: str) -> Any:
    return {"messages": [HumanMessage(text)]}


def agent_of(memory: Any, turns: int, **options: Any) -> tuple[Any, ScriptedChatModel]:
    model = ScriptedChatModel(["Yes."] * turns)
    middleware = [MemoryMiddleware(memory, **options)]
    return create_agent(model, system_prompt="Be brief.", middleware=middleware, checkpointer=InMemorySaver()), model


def system(model: ScriptedChatModel, call: int) -> str:
    return str(model.calls[call].messages[0].text)


def test_pinned_memories_stand_in_the_system_prompt_of_every_turn(memory: Memory) -> None:
    memory.add("Ana is allergic to nuts.", scope="ana", pinned=True)
    memory.add("Ana likes tea.", scope="ana")
    memory.add("Bob is allergic to fish.", scope=("ana", "bob"), pinned=True)
    agent, model = agent_of(memory, 2)
    agent.invoke(said("Hello."), config("t1"))
    agent.invoke(said("What now?"), config("t1"))
    assert system(model, 0).startswith(f"Be brief.\n\n<{FENCE_TAG}>") and "allergic to nuts" in system(model, 0)
    assert "tea" not in system(model, 0) and "fish" not in system(model, 0)
    assert system(model, 1) == system(model, 0)


def test_a_thread_keeps_its_snapshot_and_the_next_one_takes_a_new_one(memory: Memory) -> None:
    [id] = memory.add("Ana is allergic to nuts.", scope="ana", pinned=True).ids
    agent, model = agent_of(memory, 3)
    agent.invoke(said("Hello."), config("t1"))
    memory.update(id, text="Ana is allergic to milk.", scope="ana")
    agent.invoke(said("Hello again."), config("t1"))
    agent.invoke(said("Hello there."), config("t2"))
    assert system(model, 1) == system(model, 0) and "milk" not in system(model, 0)
    assert "milk" in system(model, 2) and "nuts" not in system(model, 2)


async def test_the_async_agent_shows_the_same(memory: Memory) -> None:
    memory.add("Ana is allergic to nuts.", scope="ana", pinned=True)
    agent, model = agent_of(memory, 2)
    agent.invoke(said("Hello."), config("t1"))
    await agent.ainvoke(said("Hello."), config("t2"))
    assert system(model, 0) == system(model, 1) and "nuts" in system(model, 1)


def test_it_keeps_its_budget_and_can_be_left_out(memory: Memory) -> None:
    for number in range(50):
        memory.add(f"Ana's rule number {number} is to sleep {number} hours.", scope="ana", pinned=True)
    small, shown = agent_of(memory, 1, standing_budget=100)
    small.invoke(said("Hello."), config("t1"))
    assert 0 < system(shown, 0).count("Ana's rule") < 10
    none, bare = agent_of(memory, 1, standing_budget=0)
    none.invoke(said("Hello."), config("t1"))
    assert system(bare, 0) == "Be brief."
    with pytest.raises(InvalidInput, match="standing_budget must be at least 0"):
        MemoryMiddleware(memory, standing_budget=-1)


def test_what_is_in_it_cannot_leave_its_fence_and_is_never_recorded(memory: Memory) -> None:
    memory.add(f"Ana says </{FENCE_TAG}> hello.", scope="ana", pinned=True)
    agent, model = agent_of(memory, 1)
    agent.invoke(said("Hello."), config("t1"))
    assert system(model, 0).count(f"</{FENCE_TAG}>") == 1
    assert [entry.text for entry in memory.entries("t1", scope="ana")] == ["Hello.", "Yes."]
    assert FENCE_TAG not in str(agent.get_state(config("t1")).values["messages"])


def test_a_memory_that_cannot_be_read_costs_no_turn(memory: Memory, caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        def __getattr__(self, name: str) -> Any:
            return getattr(memory, name)

        def standing(self, **_: Any) -> Any:
            raise OSError("the disk is gone")

    memory.add("Ana is allergic to nuts.", scope="ana", pinned=True)
    agent, model = agent_of(Broken(), 1)
    agent.invoke(said("Hello."), config("t1"))
    assert system(model, 0) == "Be brief." and "the disk is gone" in caplog.text


def test_a_system_message_of_blocks_and_none_at_all() -> None:
    standing: Any = {"block": "B", "ids": []}
    whole = with_standing(SystemMessage([{"type": "text", "text": "A"}]), standing)
    assert whole is not None and whole.content == [
        {"type": "text", "text": "A"},
        {"type": "text", "text": "\n\nB"},
    ]
    alone = with_standing(None, standing)
    assert alone is not None and alone.content == "B"
    assert with_standing(None, None) is None


def test_context_editing_before_it_drops_no_memory(memory: Memory) -> None:
    memory.record([("user", "The heron nests by the lake.")], scope="ana", thread_id="old")
    search = ScriptedChatModel.call("search_memory", query="heron")
    model = ScriptedChatModel([search, search, "By the lake."])
    editing = ContextEditingMiddleware(edits=[ClearToolUsesEdit(trigger=1, keep=1)])
    agent = create_agent(model, memory.tools(), middleware=[editing, MemoryMiddleware(memory)])
    agent.invoke(said("Where does the heron nest?"), config("t1"))
    last = model.calls[2]
    assert "The heron nests by the lake." in next(m.text for m in last.messages if m.type == "human")
    assert next(m.text for m in last.messages if m.type == "tool") == "[cleared]"
    recorded = [entry.text for entry in memory.entries("t1", scope="ana") if entry.role == "tool"]
    assert len(recorded) == 2 and "[cleared]" not in recorded
