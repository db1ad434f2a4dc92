from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver

from langgraph_memory import Memory
from langgraph_memory.agent import search_memory_tool
from langgraph_memory.errors import ScopeError
from langgraph_memory.testing import ScriptedChatModel
from langgraph_memory.text.fence import FENCE_TAG


def ask(memory: Any, user_id: Any = "alice", tool: Any = None, **args: Any) -> str:
    model = ScriptedChatModel([ScriptedChatModel.call("search_memory", **args), "Done."])
    agent = create_agent(model, [tool or search_memory_tool(memory)], checkpointer=InMemorySaver())
    configurable = {"thread_id": "t1", **({} if user_id is None else {"user_id": user_id})}
    state = agent.invoke({"messages": [HumanMessage("Look it up.", id="h1")]}, {"configurable": configurable})
    return str(state["messages"][2].content)


@pytest.fixture(autouse=True)
def lines(request: pytest.FixtureRequest) -> None:
    memory = request.getfixturevalue("memory")
    memory.record([("user", f"Heron number {n} nests by the lake.") for n in range(8)], scope="alice", thread_id="old")
    memory.record([("user", "Bob's heron is a secret.")], scope="bob", thread_id="old")


def test_schema_is_plain_and_shows_what_a_model_decides_only(memory: Memory) -> None:
    function = convert_to_openai_tool(memory.tools()[0])["function"]
    assert function["name"] == "search_memory"
    options = function["parameters"]["properties"]
    assert {name: option["type"] for name, option in options.items()} == {
        "query": "string",
        "limit": "integer",
        "queries": "array",
    }
    assert function["parameters"]["required"] == ["query"]
    assert all(option["description"] for option in options.values())


def test_answer_is_the_block_and_the_gaps(memory: Memory) -> None:
    answer = ask(memory, query="Does the heron nest by the lake in winter?", limit=2)
    assert answer.startswith(f"<{FENCE_TAG}>") and "Heron number" in answer
    assert "Not found: 'winter': no recalled line mentions it." in answer
    assert "secret" not in answer


async def test_async(memory: Memory) -> None:
    model = ScriptedChatModel([ScriptedChatModel.call("search_memory", query="heron"), "Done."])
    agent = create_agent(model, memory.tools())
    state = await agent.ainvoke(
        {"messages": [HumanMessage("Look it up.")]}, {"configurable": {"thread_id": "t1", "user_id": "alice"}}
    )
    assert "Heron number" in state["messages"][2].text


async def test_several_questions_async(memory: Memory) -> None:
    model = ScriptedChatModel([ScriptedChatModel.call("search_memory", query="heron 1", queries=["heron 7"]), "Done."])
    agent = create_agent(model, memory.tools())
    state = await agent.ainvoke(
        {"messages": [HumanMessage("Look it up.")]}, {"configurable": {"thread_id": "t1", "user_id": "alice"}}
    )
    assert "number 1 nests" in state["messages"][2].text and "number 7 nests" in state["messages"][2].text


def test_nothing_found_is_said(memory: Memory) -> None:
    answer = ask(memory, user_id="carol", query="heron")
    assert answer.startswith("Nothing in memory answers this.") and "Not found: 'heron'" in answer


def lines_in(answer: str) -> list[str]:
    return [line for line in answer.splitlines() if line.startswith("user: ")]


@pytest.mark.parametrize(
    "asked",
    [
        {"query": "otter", "queries": ["badger", " ", "otter"]},
        {"query": ["otter", "badger"]},
        {"query": "", "queries": ["otter", "badger"]},
    ],
)
def test_several_questions_are_answered_in_one_block(memory: Memory, asked: dict[str, Any]) -> None:
    memory.record([("user", "The otter and the badger met."), ("user", "An otter swam.")], scope="alice", thread_id="x")
    memory.record([("user", "A badger dug at night under the oak.")], scope="alice", thread_id="y")
    answer = ask(memory, **asked, limit=2)
    assert answer.count(f"<{FENCE_TAG}>") == 1 and "Not found" not in answer
    assert sorted(lines_in(answer)) == [
        "user: A badger dug at night under the oak.",
        "user: An otter swam.",
        "user: The otter and the badger met.",  # it answers both and stands here once
    ]


def test_a_question_whose_lines_all_score_low_gets_its_share_of_the_budget(memory: Memory) -> None:
    memory.record([("user", f"otter otter {n}") for n in range(30)], scope="alice", thread_id="x")
    memory.record([("user", "badger seen 7")], scope="alice", thread_id="y")
    tool = search_memory_tool(memory, budget=150)
    answer = ask(
        memory,
        tool=tool,
        query="otter otter",
        queries=["Which badger lives in the sett by the frozen river?"],
        limit=20,
    )
    assert "badger seen 7" in answer and 0 < len(lines_in(answer)) < 21


def test_a_gap_that_another_question_closes_is_none(memory: Memory) -> None:
    memory.record([("user", "An otter swam.")], scope="alice", thread_id="x")
    answer = ask(memory, query="heron", queries=["otter", "zebra"])
    assert answer.count("Not found: 'zebra'") == 1 and "'otter'" not in answer


def test_more_questions_than_one_call_may_ask_are_refused_in_words(memory: Memory) -> None:
    answer = ask(memory, query="heron", queries=[f"heron {n}" for n in range(5)])
    assert answer == "Nothing was searched: ask 5 questions at most in one call."


@pytest.mark.parametrize("limit", [-3, 0, 1, 10_000])
def test_any_limit_works(memory: Memory, limit: int) -> None:
    assert "Heron number" in ask(memory, query="heron", limit=limit)


def test_blank_query_is_explained_to_the_model(memory: Memory) -> None:
    assert "The query is empty" in ask(memory, query=" ")


def test_failure_is_explained_to_the_model(memory: Memory, caplog: pytest.LogCaptureFixture) -> None:
    memory.close()
    answer = ask(memory, query="heron")
    assert "cannot be searched right now (MemoryClosed" in answer and "Answer without it" in answer
    assert "search_memory: memory could not be searched" in caplog.text


def test_nobody_is_searched_for_nobody(memory: Memory) -> None:
    with pytest.raises(ScopeError, match="No user_id"):
        ask(memory, user_id=None, query="heron")


def test_fixed_scope_and_budget(memory: Memory) -> None:
    tool = search_memory_tool(memory, scope=("bob",), budget=0)
    assert ask(memory, tool=tool, query="heron").startswith("Nothing in memory")
    assert "secret" in ask(memory, tool=search_memory_tool(memory, scope=("bob",)), query="heron")


def test_lines_of_the_running_conversation_are_left_out(memory: Memory) -> None:
    memory.record([{"role": "user", "content": "Look it up.", "id": "h1"}], scope="alice", thread_id="t1")
    assert "user: Look it up." not in ask(memory, query="Look it up, heron")
