"""The rows of LangMem's acceptance list that concern summarising."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage
from langgraph.graph import StateGraph, add_messages
from typing_extensions import TypedDict

from langgraph_memory import Memory
from langgraph_memory.compaction import MemoryCompaction, compact_node
from langgraph_memory.testing import ScriptedChatModel

CONFIG: Any = {"configurable": {"thread_id": "t1", "user_id": "alice"}}


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    window: list[AnyMessage]
    memory_compaction: MemoryCompaction


def graph_of(memory: Memory, *replies: Any, **options: Any) -> Any:
    options = {"trigger": ("messages", 5), "keep": ("messages", 2), **options}
    node = compact_node(memory, model=ScriptedChatModel(replies), **options)
    return (
        StateGraph(State)
        .add_node("compact", node)
        .set_entry_point("compact")
        .compile(checkpointer=memory.checkpointer())
    )


def talked(turns: int) -> list[AnyMessage]:
    return [part for n in range(turns) for part in (HumanMessage(f"q{n}"), AIMessage(f"a{n}"))]


def shown(messages: list[Any]) -> list[str]:
    return [message.text.rpartition("\n\n")[2] for message in messages]


def test_langmem_L20_below_the_budget_nothing_changes(memory: Memory) -> None:
    app = graph_of(memory)
    assert shown(app.invoke({"messages": talked(2)}, CONFIG)["messages"]) == ["q0", "a0", "q1", "a1"]
    assert "memory_compaction" not in app.get_state(CONFIG).values


def test_langmem_L20_above_it_a_summary_and_the_tail_and_the_second_round_extends_it(memory: Memory) -> None:
    app = graph_of(memory, "First.", "Second.")
    assert shown(app.invoke({"messages": talked(3)}, CONFIG)["messages"]) == ["First.", "q2", "a2"]
    assert shown(app.invoke({"messages": talked(2)}, CONFIG)["messages"]) == ["Second.", "q1", "a1"]
    assert app.get_state(CONFIG).values["messages"][0].additional_kwargs["memory_summary"]["messages"] == 8


def test_langmem_L20_the_system_message_is_kept(memory: Memory) -> None:
    app = graph_of(memory, "Short.")
    state = app.invoke({"messages": [SystemMessage("Be kind."), *talked(3)]}, CONFIG)
    assert shown(state["messages"]) == ["Be kind.", "Short.", "q2", "a2"]


@pytest.mark.parametrize("results", [1, 2, 3])
def test_langmem_L20_calls_and_results_are_never_split_also_parallel_ones(memory: Memory, results: int) -> None:
    calls = [{"type": "tool_call", "name": "look", "args": {}, "id": f"c{n}"} for n in range(results)]
    came = [ToolMessage(f"r{n}", tool_call_id=f"c{n}") for n in range(results)]
    app = graph_of(memory, "Short.", keep=("messages", 1))
    state = app.invoke({"messages": [*talked(3), AIMessage("", tool_calls=calls), *came]}, CONFIG)
    kinds = [message.type for message in state["messages"]]
    assert kinds == ["human", "human", "ai", *["tool"] * results]


def test_langmem_L20_a_huge_last_message_of_the_user_is_kept(memory: Memory) -> None:
    app = graph_of(memory, "Short.", trigger=("tokens", 30), keep=("tokens", 10))
    huge = "please " * 20
    state = app.invoke({"messages": [*talked(8), HumanMessage(huge), AIMessage("on it")]}, CONFIG)
    assert shown(state["messages"]) == ["Short.", huge, "on it"]


def test_langmem_L20_a_deleted_message_does_not_matter(memory: Memory) -> None:
    app = graph_of(memory, "First.", "Second.")
    app.invoke({"messages": talked(3)}, CONFIG)
    last = app.get_state(CONFIG).values["messages"][0].id
    app.update_state(CONFIG, {"messages": [RemoveMessage(id=last)]}, as_node="compact")
    assert shown(app.invoke({"messages": talked(2)}, CONFIG)["messages"]) == ["Second.", "q1", "a1"]


def test_langmem_L20_only_the_text_of_an_answer_in_blocks(memory: Memory) -> None:
    blocks: list[Any] = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "Only this."}]
    app = graph_of(memory, AIMessage(blocks))
    assert shown(app.invoke({"messages": talked(3)}, CONFIG)["messages"])[0] == "Only this."


def test_langmem_L20_messages_without_ids_get_some(memory: Memory) -> None:
    class Plain(TypedDict, total=False):
        messages: list[AnyMessage]
        memory_compaction: MemoryCompaction

    node = compact_node(memory, trigger=("messages", 5), keep=("messages", 2))
    app = StateGraph(Plain).add_node("compact", node).set_entry_point("compact").compile()
    window = app.invoke({"messages": talked(3)}, CONFIG)["messages"][1:]
    assert all(message.id for message in window)
    assert [entry.text for entry in memory.entries("t1", scope="alice")] == ["q0", "a0", "q1", "a1"]


@pytest.mark.parametrize("output", [None, "window"])
def test_langmem_L21_the_state_is_bounded_whatever_the_output_key_is(memory: Memory, output: str | None) -> None:
    app = graph_of(memory, *["Short."] * 20, output=output)
    for _ in range(10):
        state = app.invoke({"messages": talked(2)}, CONFIG)
        assert len(state["messages"]) <= 5
        if output:
            assert state["window"] == state["messages"]
    assert len(memory.entries("t1", scope="alice")) >= 34
