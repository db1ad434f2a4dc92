"""A compaction never splits a call from its result and never drops what must stay, whatever the conversation is."""

from __future__ import annotations

from typing import Any

from histories import faults, histories
from hypothesis import given, settings
from hypothesis import strategies as st

from langgraph_memory.agent.turn import is_summary
from langgraph_memory.compaction.cut import Keep, cut
from langgraph_memory.compaction.exchanges import owners
from langgraph_memory.compaction.measure import message_tokens
from langgraph_memory.text.tokens import estimate_tokens

keeps = st.builds(Keep, st.sampled_from(["messages", "tokens"]), st.integers(1, 60))


def sizes(messages: list[Any]) -> list[int]:
    return [message_tokens(message, estimate_tokens) for message in messages]


@settings(max_examples=400)
@given(histories, keeps)
def test_a_cut_commits_no_fault(messages: list[Any], keep: Keep) -> None:
    found = cut(messages, keep, sizes(messages))
    assert faults(messages, [messages[place] for place in found.staying]) == []


@given(histories, keeps)
def test_every_message_leaves_or_stays_and_only_summaries_are_replaced(messages: list[Any], keep: Keep) -> None:
    found = cut(messages, keep, sizes(messages))
    assert sorted([*found.leaving, *found.staying, *found.summaries]) == list(range(len(messages)))
    assert [is_summary(message) for message in messages] == [n in found.summaries for n in range(len(messages))]
    assert found == cut(list(messages), keep, sizes(messages))


@given(histories, st.integers(1, 30))
def test_at_least_the_end_that_was_asked_for_stays(messages: list[Any], amount: int) -> None:
    found = cut(messages, Keep("messages", amount), [])
    talk = [n for n, message in enumerate(messages) if not is_summary(message) and message.type != "system"]
    assert set(talk[-amount:]) <= set(found.staying)


@given(histories, keeps)
def test_cutting_again_takes_nothing_more(messages: list[Any], keep: Keep) -> None:
    once = cut(messages, keep, sizes(messages))
    window = [messages[place] for place in once.staying]
    again = cut(window, keep, sizes(window))
    assert len(again.leaving) == 0


@given(histories)
def test_an_exchange_is_found_the_same_whatever_stands_behind_it(messages: list[Any]) -> None:
    whole = owners(messages)
    assert all(owners(messages[:end]) == whole[:end] for end in range(len(messages)))
