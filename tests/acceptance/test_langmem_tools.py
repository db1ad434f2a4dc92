"""The rows of LangMem's acceptance list that concern the tools with which a model writes by itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from langgraph_memory import Memory
from langgraph_memory.agent import manage_memory_tool, search_memory_tool
from langgraph_memory.errors import InvalidInput
from langgraph_memory.testing import ScriptedChatModel

Open = Callable[..., Memory]
ALICE = {"configurable": {"thread_id": "t", "user_id": "alice"}}


def call(name: str, **arguments: Any) -> AIMessage:
    """Return an answer that calls one tool, whatever its arguments are called."""
    return AIMessage("", tool_calls=[{"type": "tool_call", "name": name, "args": arguments, "id": "c1"}])


def manage(memory: Memory, tool: Any = None, **arguments: Any) -> str:
    """Let an agent call the tool once, and return what the model reads."""
    model = ScriptedChatModel([call("manage_memory", **arguments), "Done."])
    agent = create_agent(model, [tool or manage_memory_tool(memory)])
    return str(agent.invoke({"messages": [HumanMessage("hello")]}, ALICE)["messages"][2].content)


def texts(memory: Memory) -> list[str]:
    return [record.text for record in memory.list(scope="alice")]


def test_langmem_L16_create_update_and_delete_each_say_what_they_did(memory: Memory) -> None:
    said = manage(memory, action="create", content="Alice plays the cello.")
    record = memory.list(scope="alice")[0]
    assert said == f"Created memory {record.id[-8:]}." and record.actor == "assistant" and record.session_id == "t"
    assert manage(memory, action="create", content="alice plays the cello") == (
        f"This is known already, as memory {record.id[-8:]}."
    )
    said = manage(memory, action="update", id=record.id[-8:], content="Alice plays the viola.")
    newer = memory.list(scope="alice")[0]
    assert said == f"Updated memory {newer.id[-8:]}." and newer.supersedes == record.id
    assert manage(memory, action="delete", id=newer.id) == f"Deleted memory {newer.id[-8:]}."
    assert texts(memory) == [] and len(memory.list(scope="alice", include_history=True)) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"action": "update", "id": "12345678", "content": "x y z"}, "there is no memory '12345678'. Search first"),
        ({"action": "delete", "id": "nope"}, "there is no memory 'nope'"),
        ({"action": "update", "content": "Alice sings."}, "update needs the id"),
        ({"action": "delete"}, "delete needs the id"),
        ({"action": "create"}, "no content"),
        ({"action": "create", "content": "   "}, "blank"),
        ({"action": "create", "content": "Alice sings.", "id": "12345678"}, "gets its id by itself"),
        (
            {"action": "explode", "content": "Alice sings."},
            "'explode' is not permitted. Use create or update or delete",
        ),
    ],
)
def test_langmem_L16_what_is_asked_wrongly_comes_back_as_advice(
    memory: Memory, arguments: dict[str, Any], said: str
) -> None:
    memory.add("Alice plays the cello.", scope="alice")
    answer = manage(memory, **arguments)
    assert answer.startswith("Nothing was done: ") and said in answer
    assert texts(memory) == ["Alice plays the cello."]


def test_langmem_L16_an_update_without_content_never_blanks(memory: Memory) -> None:
    id = memory.add("Alice plays the cello.", scope="alice").ids[0]
    assert "no content" in manage(memory, action="update", id=id)
    assert texts(memory) == ["Alice plays the cello."]


def test_langmem_L16_only_the_actions_permitted(memory: Memory) -> None:
    tool = manage_memory_tool(memory, actions=["create"])
    function = convert_to_openai_tool(tool)["function"]
    assert function["parameters"]["properties"]["action"]["enum"] == ["create"]
    assert "`delete`" not in function["description"]
    id = memory.add("Alice plays the cello.", scope="alice").ids[0]
    assert "'delete' is not permitted. Use create." in manage(memory, tool, action="delete", id=id)
    with pytest.raises(InvalidInput, match="explode"):
        manage_memory_tool(memory, actions=["explode"])  # type: ignore[list-item]


def test_langmem_L16_no_one_elses_memory_can_be_touched(memory: Memory) -> None:
    bobs = memory.add("Bob plays chess.", scope="bob").ids[0]
    inner = memory.add("Alice at work.", scope=("alice", "work")).ids[0]
    for id in (bobs, inner):
        assert "there is no memory" in manage(memory, action="delete", id=id)
        assert memory.get(id).retired_at is None


def test_langmem_L17_the_tool_and_the_manager_read_each_others_memories(open_memory: Open, folder: Path) -> None:
    update = call("update", id=0, content="Alice plays the viola.")
    done = call("done")
    memory = open_memory(folder, model=ScriptedChatModel([update, done]))
    manage(memory, action="create", content="Alice plays the cello.")
    memory.manage("I changed to the viola.", scope="alice")
    assert texts(memory) == ["Alice plays the viola."]
    id = memory.list(scope="alice")[0].id
    assert manage(memory, action="delete", id=id[-8:]).startswith("Deleted")


def test_a_search_shows_the_ids_that_the_tool_takes(memory: Memory) -> None:
    id = memory.add("Alice plays the cello.", scope="alice").ids[0]
    calls = [
        call("search_memory", query="cello"),
        call("manage_memory", action="delete", id=id[-8:]),
        "Done.",
    ]
    agent = create_agent(ScriptedChatModel(calls), memory.tools())
    messages = agent.invoke({"messages": [HumanMessage("Forget the cello.")]}, ALICE)["messages"]
    assert f"{id[-8:]}: Alice plays the cello." in str(messages[2].content)
    assert texts(memory) == []
    plain = create_agent(ScriptedChatModel([*calls[:1], "ok"]), [search_memory_tool(memory)])
    memory.restore(id)
    assert id[-8:] not in str(plain.invoke({"messages": [HumanMessage("x")]}, ALICE)["messages"][2].content)


def test_a_person_can_approve_before_anything_is_written(memory: Memory) -> None:
    model = ScriptedChatModel([call("manage_memory", action="create", content="Alice sings."), "Ok."])
    review = HumanInTheLoopMiddleware(interrupt_on={"manage_memory": True})
    agent = create_agent(model, memory.tools(), middleware=[review], checkpointer=InMemorySaver())
    agent.invoke({"messages": [HumanMessage("Remember that I sing.")]}, ALICE)
    assert texts(memory) == []
    agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), ALICE)
    assert texts(memory) == ["Alice sings."]


async def test_the_async_face_does_the_same(memory: Memory) -> None:
    model = ScriptedChatModel([call("manage_memory", action="create", content="Alice sings."), "Ok."])
    agent = create_agent(model, memory.tools())
    state = await agent.ainvoke({"messages": [HumanMessage("Remember that I sing.")]}, ALICE)
    assert "Created memory" in str(state["messages"][2].content) and texts(memory) == ["Alice sings."]
