"""What the tools answer: an error is one by its status, and recalled text stays within its fence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage, ToolMessage

from langgraph_memory import Memory, MemoryMiddleware
from langgraph_memory.testing import FrozenClock, HashEmbedder, ScriptedChatModel

CONFIG: Any = {"configurable": {"thread_id": "t1", "user_id": "alice"}}
SAILS = "Ana sails on Sundays."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "memory", embeddings=HashEmbedder(), clock=FrozenClock()) as opened:
        yield opened


def agent(memory: Memory, name: str, **args: Any) -> Any:
    model = ScriptedChatModel([ScriptedChatModel.call(name, **args), "Done."])
    return create_agent(model, memory.tools(), middleware=[MemoryMiddleware(memory)])


def tool_answer(state: Any) -> ToolMessage:
    [answer] = [message for message in state["messages"] if isinstance(message, ToolMessage)]
    return answer


def call(memory: Memory, name: str, **args: Any) -> ToolMessage:
    return tool_answer(agent(memory, name, **args).invoke({"messages": [HumanMessage("Hello.")]}, CONFIG))


def test_what_changed_something_is_a_success(memory: Memory) -> None:
    answer = call(memory, "manage_memory", action="create", content=SAILS)
    assert answer.status == "success" and answer.text.startswith("Created memory")
    again = call(memory, "manage_memory", action="create", content=SAILS)
    assert again.status == "success" and again.text.startswith("This is known already")


@pytest.mark.parametrize(
    "asked",
    [
        {"action": "create"},
        {"action": "create", "content": "  "},
        {"action": "create", "content": SAILS, "id": "12345678"},
        {"action": "update", "content": SAILS},
        {"action": "delete", "id": "nowhere1"},
        {"action": "burn", "content": SAILS},
        {"action": "create", "content": "x" * 200_000},
    ],
)
def test_what_changed_nothing_is_an_error(memory: Memory, asked: dict[str, Any]) -> None:
    answer = call(memory, "manage_memory", **asked)
    assert answer.status == "error" and answer.text.startswith("Nothing was done: ")
    assert memory.list(scope="alice") == []


async def test_the_async_tool_answers_alike(memory: Memory) -> None:
    asked = agent(memory, "manage_memory", action="delete", id="nowhere1")
    answer = tool_answer(await asked.ainvoke({"messages": [HumanMessage("Hello.")]}, CONFIG))
    assert answer.status == "error" and "there is no memory 'nowhere1'" in answer.text


def test_a_search_that_cannot_be_understood_is_an_error(memory: Memory) -> None:
    answer = call(memory, "search_memory", query=" ")
    assert answer.status == "error" and answer.text.startswith("The search was not understood: ")


def test_recalled_text_is_not_recorded_as_a_line_of_the_tool(memory: Memory) -> None:
    memory.add(SAILS, scope="alice")
    answer = call(memory, "search_memory", query="When does Ana sail?")
    assert memory.list(scope="alice")[0].id[-8:] in answer.text and SAILS in answer.text
    recorded = [entry for entry in memory.entries("t1", scope="alice") if entry.role == "tool"]
    assert [SAILS in entry.text or "Ids for" in entry.text for entry in recorded] == [False]
