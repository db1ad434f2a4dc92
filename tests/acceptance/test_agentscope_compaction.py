"""The rows of agentscope's acceptance list that concern compaction and eviction."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from langgraph_memory import Memory, MemoryMiddleware
from langgraph_memory.compaction import CompactionMiddleware
from langgraph_memory.errors import NotFound, StorageError
from langgraph_memory.testing import ScriptedChatModel

CONFIG: Any = {"configurable": {"thread_id": "t1", "user_id": "alice"}}
TALK = [part for n in range(4) for part in (HumanMessage(f"q{n}"), AIMessage(f"a{n}"))]


def agent_of(memory: Any, replies: list[Any], tools: Any = (), **options: Any) -> tuple[Any, ScriptedChatModel]:
    model = ScriptedChatModel(replies)
    options = {"trigger": ("messages", 6), "keep": ("messages", 2), **options}
    agent = create_agent(model, list(tools), middleware=[CompactionMiddleware(memory, **options)])
    return agent, model


@pytest.mark.parametrize("answer", [RuntimeError("the summariser is down"), "", "  \n"])
def test_agentscope_A20_a_summariser_that_fails_leaves_the_history_and_the_turn_goes_on(
    memory: Memory, answer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    agent, model = agent_of(memory, ["Here I am."], model=ScriptedChatModel([answer]))
    given = [*TALK, HumanMessage("so?")]
    parts = list(agent.stream({"messages": given}, CONFIG, stream_mode=["values", "custom"]))
    final = parts[-1][1]["messages"]
    assert [message.content for message in final] == [*(message.content for message in given), "Here I am."]
    assert [message.content for message in model.calls[0].messages] == [message.content for message in given]
    (event,) = [part for mode, part in parts if mode == "custom"]
    assert event["left"] == 0 and "ModelError" in event["error"]
    assert "the history stays" in caplog.text


def test_agentscope_A21_without_recording_neither_compaction_nor_overflow_writes_anything(memory: Memory) -> None:
    agent, model = agent_of(memory, ["yes"], record=False)
    agent.invoke({"messages": [*TALK, HumanMessage("so?")]}, {"configurable": {}})
    assert "kept in memory" not in model.calls[0].messages[0].text
    agent, model = agent_of(memory, [ContextOverflowError("too long"), "yes"], record=False, trigger=("messages", 99))
    agent.invoke({"messages": [*TALK, HumanMessage("so?")]}, {"configurable": {}})
    assert memory.sessions(scope="alice") == []


@pytest.mark.parametrize("how", ["invoke", "stream", "ainvoke", "astream"])
async def test_agentscope_A22_an_overflow_is_compacted_once_and_tried_once_more(memory: Memory, how: str) -> None:
    writer = ScriptedChatModel(["All of it, briefly."])
    agent, model = agent_of(memory, [ContextOverflowError("too long"), "yes"], model=writer, trigger=("messages", 99))
    given: Any = {"messages": [*TALK, HumanMessage("so?")]}
    if how == "invoke":
        state = agent.invoke(given, CONFIG)
    elif how == "ainvoke":
        state = await agent.ainvoke(given, CONFIG)
    elif how == "stream":
        state = [
            part for mode, part in agent.stream(given, CONFIG, stream_mode=["messages", "values"]) if mode == "values"
        ][-1]
    else:
        parts = agent.astream(given, CONFIG, stream_mode=["messages", "values"])
        state = [part async for mode, part in parts if mode == "values"][-1]
    assert [message.content for message in state["messages"][1:]] == ["a3", "so?", "yes"]
    assert state["messages"][0].content.endswith("All of it, briefly.")
    assert len(model.calls) == 2 and len(model.calls[1].messages) == 3
    assert len(memory.entries("t1", scope="alice")) == 7


@pytest.mark.parametrize("how", ["invoke", "stream"])
def test_agentscope_A22_a_second_overflow_is_raised(memory: Memory, how: str) -> None:
    overflows: list[Any] = [ContextOverflowError("too long"), ContextOverflowError("still too long")]
    agent, model = agent_of(memory, overflows, trigger=("messages", 99))
    with pytest.raises(ContextOverflowError, match="still"):
        given = {"messages": [*TALK, HumanMessage("so?")]}
        agent.invoke(given, CONFIG) if how == "invoke" else list(agent.stream(given, CONFIG))
    assert len(model.calls) == 2
    agent, model = agent_of(memory, [ContextOverflowError("too long")])
    with pytest.raises(ContextOverflowError):  # nothing can leave, so nothing is tried again
        agent.invoke({"messages": [HumanMessage("so?")]}, CONFIG)


def dumping(memory: Any, size: int, *more: Any, **options: Any) -> tuple[Any, ScriptedChatModel, str]:
    text = ("needle " + "x" * 50 + " ") * (size // 58 + 1)

    def dump() -> str:
        """Dump all."""
        return text[:size]

    agent, model = agent_of(memory, [ScriptedChatModel.call("dump"), *more, "ok"], [dump], **options)
    return agent, model, text[:size]


def test_agentscope_A23_at_the_limit_inline_and_above_it_head_tail_and_pointer(memory: Memory) -> None:
    agent, model, text = dumping(memory, 80_000)
    agent.invoke({"messages": [HumanMessage("dump")]}, CONFIG)
    assert model.calls[1].messages[-1].content == text
    with pytest.raises(NotFound):
        memory.entries("t1", scope="alice")
    agent, model, text = dumping(memory, 80_001)
    agent.invoke({"messages": [HumanMessage("dump")]}, CONFIG)
    result = model.calls[1].messages[-1]
    assert len(str(result.content)) < 4_500 and text[:2_000] in result.content and text[-2_000:] in result.content
    assert f'message id "{result.id}"' in result.content
    (entry,) = [one for one in memory.entries("t1", scope="alice") if one.role == "tool"]
    assert entry.text == text and entry.message_id == result.id
    assert [one.id for one in memory.recall("needle", scope="alice", roles=["tool"]).hits] == [result.id]


def test_agentscope_A23_a_failed_write_leaves_it_inline(memory: Memory, caplog: pytest.LogCaptureFixture) -> None:
    class ReadOnly:
        def __getattr__(self, name: str) -> Any:
            return getattr(memory, name)

        def record(self, *args: Any, **options: Any) -> Any:
            raise StorageError("the disk is full")

    agent, model, text = dumping(ReadOnly(), 80_001)
    with caplog.at_level(logging.ERROR):
        agent.invoke({"messages": [HumanMessage("dump")]}, CONFIG)
    assert model.calls[1].messages[-1].content == text and "the disk is full" in caplog.text


def test_agentscope_A23_nothing_is_evicted_twice_and_the_whole_text_stays_the_current_one(memory: Memory) -> None:
    model = ScriptedChatModel([ScriptedChatModel.call("dump"), *["ok"] * 6])

    def dump() -> str:
        """Dump all."""
        return "needle " * 13_000

    middleware: list[Any] = [
        CompactionMiddleware(memory, trigger=("messages", 6), keep=("messages", 2)),
        MemoryMiddleware(memory),
    ]
    agent = create_agent(model, [dump], middleware=middleware, checkpointer=memory.checkpointer())
    for text in ("dump", "1", "2", "3"):
        state = agent.invoke({"messages": [HumanMessage(text)]}, CONFIG)
    assert not any(isinstance(message, ToolMessage) for message in state["messages"])
    (entry,) = [one for one in memory.entries("t1", scope="alice", include_history=True) if one.role == "tool"]
    assert entry.text == "needle " * 13_000
    assert [one.role for one in memory.entries("t1", scope="alice")][:4] == ["user", "assistant", "tool", "assistant"]
