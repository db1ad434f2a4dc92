"""The checkpointer beside the memory: LangGraph's own conformance tests, both faces, restarts, and an end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from blockbuster import blockbuster_ctx
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.graph import MessagesState, StateGraph

from langgraph_memory import Memory
from langgraph_memory.errors import MemoryClosed, StorageError
from langgraph_memory.testing import ScriptedChatModel

Open = Callable[..., Memory]
T1: Any = {"configurable": {"thread_id": "t1"}}


async def test_it_passes_langgraphs_conformance_suite(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    @checkpointer_test(name=type(memory.checkpointer()).__name__)
    async def ours() -> AsyncIterator[BaseCheckpointSaver[str]]:
        yield memory.checkpointer()

    report = await validate(ours)
    report.print_report()
    print(capsys.readouterr().out)
    assert report.passed_all(), {name: result.failures for name, result in report.results.items()}
    assert all(result.detected for result in report.results.values())


def test_an_agent_goes_on_after_a_restart(open_memory: Open, store_url: str) -> None:
    with open_memory(store_url) as memory:
        agent = create_agent(ScriptedChatModel(["Hello Ana."]), checkpointer=memory.checkpointer())
        agent.invoke({"messages": [HumanMessage("I am Ana.")]}, T1)
    with open_memory(store_url) as memory:
        model = ScriptedChatModel(["You are Ana."])
        agent = create_agent(model, checkpointer=memory.checkpointer())
        agent.invoke({"messages": [HumanMessage("Who am I?")]}, T1)
        assert "I am Ana." in model.calls[0].text


async def test_it_works_under_ainvoke_without_blocking_the_loop(memory: Memory) -> None:
    model = ScriptedChatModel(["One.", "Two."])
    agent = create_agent(model, checkpointer=memory.checkpointer())
    with blockbuster_ctx():
        await agent.ainvoke({"messages": [HumanMessage("First.")]}, T1)
        await agent.ainvoke({"messages": [HumanMessage("Second.")]}, T1)
    said = [message.content for message in model.calls[1].messages]
    assert said == ["First.", "One.", "Second."]
    assert len(list(agent.get_state_history(T1))) == len([one async for one in agent.aget_state_history(T1)]) > 4


async def test_both_faces_may_be_used_at_once_from_many_threads(memory: Memory) -> None:
    graph = StateGraph(MessagesState).add_node("say", lambda state: {"messages": ["yes"]}).set_entry_point("say")
    app = graph.compile(checkpointer=memory.checkpointer())

    def config(number: int) -> Any:
        return {"configurable": {"thread_id": f"t{number % 6}"}}

    turns = [
        app.ainvoke({"messages": ["?"]}, config(n))
        if n < 6
        else asyncio.to_thread(app.invoke, {"messages": ["?"]}, config(n))
        for n in range(6)
    ]
    await asyncio.gather(*turns)
    await asyncio.gather(*(asyncio.to_thread(app.invoke, {"messages": ["?"]}, config(n)) for n in range(6)))
    assert all(len(app.get_state(config(n)).values["messages"]) == 4 for n in range(6))


def test_a_listing_that_is_not_read_to_its_end_locks_nothing(memory: Memory) -> None:
    agent = create_agent(ScriptedChatModel(["One.", "Two."]), checkpointer=memory.checkpointer())
    agent.invoke({"messages": [HumanMessage("First.")]}, T1)
    open_listing = memory.checkpointer().list(T1)
    next(open_listing)
    agent.invoke({"messages": [HumanMessage("Second.")]}, T1)


def test_it_is_one_object_and_ends_with_the_memory(memory: Memory) -> None:
    saver = memory.checkpointer()
    assert memory.checkpointer() is saver
    agent = create_agent(ScriptedChatModel(["One."]), checkpointer=saver)
    agent.invoke({"messages": [HumanMessage("First.")]}, T1)
    memory.close()
    with pytest.raises(MemoryClosed):
        saver.get(T1)
    with pytest.raises(MemoryClosed):
        memory.checkpointer()


def test_a_memory_whose_checkpointer_nobody_uses_has_no_file_for_it(open_memory: Open, folder: Path) -> None:
    with open_memory(folder) as memory:
        memory.checkpointer()
        assert memory.doctor()[-1].finding == "none are kept here"
    assert not list(folder.glob("checkpoints*"))


def test_a_file_that_is_no_database_is_refused_in_words(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder)
    (folder / "checkpoints.sqlite3").write_text("no database, but long enough to be read as one" * 100)
    with pytest.raises(StorageError, match="checkpoints"):
        memory.checkpointer().get(T1)
    assert memory.doctor()[-1].status == "problem"


def test_the_doctor_says_how_much_is_kept(memory: Memory) -> None:
    agent = create_agent(ScriptedChatModel(["One."]), checkpointer=memory.checkpointer())
    agent.invoke({"messages": [HumanMessage("First.")]}, T1)
    check = memory.doctor()[-1]
    assert (check.name, check.status) == ("checkpoints", "ok")
    assert check.finding.startswith("3 checkpoints, 1 threads, ")


def test_many_first_uses_at_once_make_the_tables_once(open_memory: Open, store_url: str) -> None:
    memories = [open_memory(store_url) for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: memories[n % 4].checkpointer().get(T1), range(16)))
    assert found == [None] * 16


def test_a_folder_that_cannot_be_written_is_told_in_words(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder)
    agent = create_agent(ScriptedChatModel(["One."] * 3), checkpointer=memory.checkpointer())
    agent.invoke({"messages": [HumanMessage("First.")]}, T1)
    memory.checkpointer().conn.execute("PRAGMA query_only=ON")
    with pytest.raises(StorageError, match="cannot be read or written"):
        agent.invoke({"messages": [HumanMessage("Second.")]}, T1)
    memory.checkpointer().conn.execute("PRAGMA query_only=OFF")
    assert len(agent.get_state(T1).values["messages"]) == 2
    assert agent.invoke({"messages": [HumanMessage("Third.")]}, T1)["messages"][-1].content == "One."
