"""The rows of Letta's acceptance list that concern compaction."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.graph import MessagesState, StateGraph

from langgraph_memory import Memory
from langgraph_memory.compaction import CompactionState, compact_node
from langgraph_memory.testing import ScriptedChatModel
from langgraph_memory.text.tokens import estimate_tokens

CONFIG: Any = {"configurable": {"thread_id": "t1", "user_id": "alice"}}


class State(MessagesState, CompactionState):
    pass


def call(name: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"type": "tool_call", "name": "look", "args": {}, "id": name}])


def talk(turns: int) -> list[AnyMessage]:
    return [part for n in range(turns) for part in (HumanMessage(f"q{n}"), AIMessage(f"a{n}"))]


def forty() -> list[AnyMessage]:
    """Return 40 messages: talk, a pending approval, a call with its result where 12 are left, and talk again."""
    return [
        *talk(5),
        call("pending"),
        *talk(8),
        call("c1"),
        ToolMessage("found", tool_call_id="c1"),
        *talk(5),
        call("c2"),
    ]


def compacted(memory: Memory, *replies: Any, **options: Any) -> tuple[list[AnyMessage], dict[str, Any]]:
    node = compact_node(
        memory, model=ScriptedChatModel(replies), trigger=("messages", 40), keep=("messages", 12), **options
    )
    app = (
        StateGraph(State)
        .add_node("compact", node)
        .set_entry_point("compact")
        .compile(checkpointer=memory.checkpointer())
    )
    app.invoke({"messages": forty()}, CONFIG)
    values = app.get_state(CONFIG).values
    return values["messages"], values["memory_compaction"]


def test_letta_L26_pairs_whole_a_third_kept_pending_kept_and_the_summary_within_its_size(memory: Memory) -> None:
    messages, report = compacted(memory, "word " * 5_000, summary_tokens=100)
    assert len(forty()) == 40
    summary, pending, pair, result = messages[0], messages[1], messages[2], messages[3]
    assert isinstance(pending, AIMessage) and pending.tool_calls[0]["id"] == "pending"
    assert isinstance(pair, AIMessage) and isinstance(result, ToolMessage) and result.tool_call_id == "c1"
    assert len(messages) - 1 >= 12 and report["left"] == 40 - (len(messages) - 1)
    assert estimate_tokens(summary.additional_kwargs["memory_summary"]["text"]) <= 100


@pytest.mark.parametrize("answer", [RuntimeError("down"), ""])
def test_letta_L27_a_failed_summary_leaves_the_history_identical(memory: Memory, answer: Any) -> None:
    messages, report = compacted(memory, answer)
    assert [message.model_dump(exclude={"id"}) for message in messages] == [
        one.model_dump(exclude={"id"}) for one in forty()
    ]
    assert report["left"] == 0 and "ModelError" in report["error"]


def test_letta_L27_or_falls_through_to_the_digest_that_was_chosen_for_it(memory: Memory) -> None:
    messages, report = compacted(memory, RuntimeError("down"), on_failure="digest")
    assert "written by rule" in messages[0].text and report["by"] == "rules" and "down" in report["error"]
