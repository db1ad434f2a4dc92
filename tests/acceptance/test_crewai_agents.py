"""The rows of CrewAI's acceptance list that concern agents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from facts import distiller
from langchain.agents import create_agent
from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

from langgraph_memory import Memory, MemoryMiddleware, Settings
from langgraph_memory.testing import ScriptedChatModel
from langgraph_memory.text.fence import FENCE_TAG

Open = Callable[..., Memory]
TURN: Any = {"configurable": {"thread_id": "t1", "user_id": "alice"}}
CALL = ScriptedChatModel.call


def run(memory: Memory, *replies: Any, question: str = "Fact, Alice sails.", **options: Any) -> tuple[Any, Any]:
    model = ScriptedChatModel(list(replies))
    agent = create_agent(
        model, memory.tools(), middleware=[MemoryMiddleware(memory, **options)], checkpointer=InMemorySaver()
    )
    return model, agent.invoke({"messages": [HumanMessage(question)]}, TURN)


def tool_answers(messages: list[BaseMessage]) -> list[ToolMessage]:
    return [message for message in messages if isinstance(message, ToolMessage)]


def test_crewai_C32_memory_is_recalled_before_the_call_and_distilled_once_after_the_turn(
    open_memory: Open, store_url: str
) -> None:
    writer = distiller(1)  # a second call would fail the test
    memory = open_memory(store_url, model=writer, settings=Settings(background=False, distil="inline"))
    memory.add("The dentist sits in Harbour Street.", scope="alice")
    model, state = run(
        memory, CALL("search_memory", query="boats"), "Noted.", question="Fact, the dentist moved to Tuesday."
    )
    for number in (0, 1):  # before each call of the turn, in the prompt alone
        asked = next(m for m in model.calls[number].messages if isinstance(m, HumanMessage))
        assert str(asked.content).count(f"<{FENCE_TAG}>") == 1 and "The dentist sits in Harbour Street." in str(
            asked.content
        )
    assert state["messages"][0].content == "Fact, the dentist moved to Tuesday."
    assert len(writer.calls) == 1
    assert [record.text for record in memory.list(scope="alice")][1:] == ["Fact, the dentist moved to Tuesday."]


def test_crewai_C32_an_agent_may_opt_out_of_either(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder, model=distiller(0), settings=Settings(background=False, distil="inline"))
    memory.add("Alice sails at noon.", scope="alice")
    model, _ = run(memory, "Noted.", record=False, budget=0)
    assert FENCE_TAG not in model.calls[0].text
    assert memory.sessions(scope="alice") == [] and len(memory.list(scope="alice")) == 1


def test_crewai_C32_one_search_asks_a_list_of_questions_and_answers_in_one_block(memory: Memory) -> None:
    for text in ("Ana sails at noon.", "Ben paints boats.", "Ana and Ben live in Oslo."):
        memory.add(text, scope="alice")
    _, state = run(memory, CALL("search_memory", query="What does Ana do?", queries=["What does Ben do?"]), "Done.")
    [answer] = tool_answers(state["messages"])
    block, _, ids = str(answer.content).partition(f"</{FENCE_TAG}>")
    assert block.startswith(f"<{FENCE_TAG}>") and "Ids for manage_memory" in ids
    for text in ("Ana sails at noon.", "Ben paints boats.", "Ana and Ben live in Oslo."):
        assert block.count(text) == 1


def test_crewai_C32_the_save_tool_saves_and_what_goes_wrong_is_told_as_text(memory: Memory) -> None:
    _, state = run(
        memory,
        CALL("manage_memory", action="create", content="Alice owns a dinghy."),
        CALL("manage_memory", action="create", content=" "),
        CALL("search_memory", query=" ", queries=[""]),
        "Done.",
    )
    answers = tool_answers(state["messages"])
    assert [answer.status for answer in answers] == ["success", "error", "error"]
    assert [record.text for record in memory.list(scope="alice")] == ["Alice owns a dinghy."]
    assert "Nothing was done" in answers[1].text and "The query is empty" in answers[2].text


@pytest.mark.parametrize("limit", [1, 3])
def test_crewai_C32_every_question_has_its_own_lines_within_the_limit(memory: Memory, limit: int) -> None:
    for n in range(5):
        memory.add(f"Otter number {n} swims.", scope="alice")
        memory.add(f"Badger number {n} digs.", scope="alice")
    _, state = run(memory, CALL("search_memory", query="otter", queries=["badger"], limit=limit), "Done.")
    block = str(tool_answers(state["messages"])[0].content).partition(f"</{FENCE_TAG}>")[0]
    assert block.count("Otter") == block.count("Badger") == limit
