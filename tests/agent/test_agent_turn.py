"""The pure decisions of a turn: what to ask, where to show it, what to record."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage

from langgraph_memory.agent.inject import with_memory
from langgraph_memory.agent.state import nothing_recalled
from langgraph_memory.agent.turn import RECALLED, RECHECKED, newest_question, summarised_question, unrecorded
from langgraph_memory.text.fence import fence

SUMMARY = HumanMessage("Summary.", id="s", additional_kwargs={"lc_source": "summarization"})
BLOCK = fence("line")


def found(message_id: str | None) -> Any:
    return {**nothing_recalled("q", message_id), "block": BLOCK}


def human(name: str) -> HumanMessage:
    return HumanMessage(name, id=name)


def ai(name: str) -> AIMessage:
    return AIMessage(name, id=name)


class TestQuestion:
    def test_newest_human_message_that_is_no_summary(self) -> None:
        question = newest_question([human("h1"), ai("a1"), human("h2"), ai("a2"), SUMMARY])
        assert question is not None and question.id == "h2"
        assert newest_question([ai("a1"), SUMMARY]) is None
        assert newest_question([]) is None


class TestInjection:
    @pytest.mark.parametrize(
        ("messages", "asked", "place"),
        [
            ([human("h1"), ai("a1"), human("h2")], "h2", 2),
            ([human("h1"), ai("a1"), human("h2"), ai("a2"), human("late")], "h2", 2),  # the loop went on
            ([human("h1"), ai("a1"), human("h2")], None, 2),
            ([human("h1"), ai("a1"), human("h2")], "gone", 2),
            ([SUMMARY, ai("a1"), human("h2"), ai("a2")], "gone", 2),
            ([SUMMARY, ai("a1")], "gone", 0),
            ([SystemMessage("x", id="x"), ai("a1")], "gone", None),
            ([], "gone", None),
        ],
    )
    def test_place(self, messages: list[Any], asked: str | None, place: int | None) -> None:
        before = [message.model_copy(deep=True) for message in messages]
        shown = with_memory(messages, found(asked))
        assert messages == before
        assert [index for index, message in enumerate(shown) if message != before[index]] == (
            [] if place is None else [place]
        )
        if place is not None:
            assert shown[place].content == f"{BLOCK}\n\n{before[place].content}"
            assert shown[place].id == before[place].id

    @pytest.mark.parametrize("recall", [None, nothing_recalled("q", "h1")])
    def test_nothing_to_show(self, recall: Any) -> None:
        messages = [human("h1")]
        shown = with_memory(messages, recall)
        assert shown == messages and shown is not messages


class TestUnrecorded:
    def test_all_where_nothing_is_known(self) -> None:
        messages = [human(str(n)) for n in range(RECHECKED + 50)]
        assert unrecorded(messages, None) == messages
        assert unrecorded(messages, "gone") == messages

    def test_newest_where_the_rest_is_recorded(self) -> None:
        messages = [human(str(n)) for n in range(RECHECKED + 50)]
        assert unrecorded(messages, messages[-1].id) == messages[50:]
        assert unrecorded(messages[:10], "9") == messages[:10]

    def test_a_turn_longer_than_that_is_offered_whole(self) -> None:
        messages = [human(str(n)) for n in range(RECHECKED + 50)]
        assert unrecorded(messages, "9") == messages[10:]

    def test_what_nobody_said_is_left_out(self) -> None:
        assert unrecorded([SUMMARY, human("h1"), RemoveMessage("h0")], None) == [human("h1")]

    @pytest.mark.parametrize(
        ("messages", "lost"),
        [
            ([SUMMARY, ai("a1")], True),
            ([SUMMARY, human("q"), ai("a1")], False),
            ([ai("a1")], False),  # somebody removed it on purpose
            ([], False),
        ],
    )
    def test_a_question_that_was_summarised_away(self, messages: list[Any], lost: bool) -> None:
        found_again = summarised_question(messages, nothing_recalled("Where?", "q"))
        assert found_again == ([HumanMessage("Where?", id="q")] if lost else [])
        assert summarised_question(messages, None) == summarised_question(messages, nothing_recalled()) == []

    def test_copies_of_memory_are_cut_from_tool_results(self) -> None:
        whole, part = ToolMessage(BLOCK, tool_call_id="1"), ToolMessage(f"{BLOCK}\n\nNot found: x.", tool_call_id="2")
        other = ToolMessage("42", tool_call_id="3")
        kept = unrecorded([whole, part, other], None)
        assert [message.content for message in kept] == [RECALLED, "Not found: x.", "42"]
        assert whole.content == BLOCK
