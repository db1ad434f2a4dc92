"""An agent with CompactionMiddleware, from the outside: what its model reads, what is stored, what is streamed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from blockbuster import blockbuster_ctx
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware, SummarizationMiddleware
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.types import Command

from langgraph_memory import Memory, MemoryMiddleware
from langgraph_memory.compaction import CompactionMiddleware, read_message_tool
from langgraph_memory.errors import InvalidInput, ScopeError
from langgraph_memory.testing import ScriptedChatModel

Open = Callable[..., Memory]
CONFIG: Any = {"configurable": {"thread_id": "t1", "user_id": "alice"}}
SMALL: Any = {"trigger": ("messages", 6), "keep": ("messages", 2)}


def said(text: str) -> dict[str, Any]:
    return {"messages": [HumanMessage(text)]}


def agent_of(
    memory: Memory, replies: list[Any], *more: Any, tools: Any = (), **options: Any
) -> tuple[Any, ScriptedChatModel]:
    model = ScriptedChatModel(replies)
    middleware = [CompactionMiddleware(memory, **{**SMALL, **options}), *more]
    return create_agent(model, list(tools), middleware=middleware, checkpointer=memory.checkpointer()), model


def talk(agent: Any, *texts: str) -> Any:
    for text in texts:
        state = agent.invoke(said(text), CONFIG)
    return state


def test_what_leaves_is_summarised_and_still_found_in_memory(memory: Memory) -> None:
    writer = ScriptedChatModel(["Ana moved to Oslo and wants a flat."])
    agent, model = agent_of(memory, ["One.", "Two.", "Three.", "Four."], model=writer)
    talk(agent, "I moved to Oslo.", "I want a flat.", "Near the sea.", "What do I want?")
    prompt = model.calls[3].messages
    assert [message.type for message in prompt] == ["human", "ai", "human"]
    assert prompt[0].text.endswith("\n\nAna moved to Oslo and wants a flat.")
    assert prompt[0].text.startswith("Summary of the 5 messages before this point, written by a model.")
    assert "user: I moved to Oslo." in writer.calls[0].text
    recorded = [entry.text for entry in memory.entries("t1", scope="alice")]
    assert recorded == ["I moved to Oslo.", "One.", "I want a flat.", "Two.", "Near the sea."]
    assert memory.recall("Oslo", scope="alice").hits
    writer.assert_exhausted()


def test_the_summary_is_folded_and_never_summarised_as_conversation(memory: Memory) -> None:
    writer = ScriptedChatModel(["FIRST summary.", "SECOND summary."])
    agent, model = agent_of(memory, list("abcdefg"), model=writer, trigger=("messages", 5))
    talk(agent, *(f"question {n}" for n in range(5)))
    prompt = writer.calls[1].messages[1].text
    before, _, new = prompt.partition("The messages that follow it:")
    assert "FIRST summary." in before and "FIRST summary." not in new and "question 0" not in prompt
    shown = model.calls[-1].text
    assert "SECOND summary." in shown and "FIRST" not in shown
    state = agent.get_state(CONFIG).values
    summaries = [one for one in state["messages"] if one.additional_kwargs.get("lc_source") == "summarization"]
    assert len(summaries) == 1 and summaries[0].additional_kwargs["memory_summary"]["messages"] == 7


async def test_the_async_face_does_the_same_without_blocking(memory: Memory) -> None:
    writer = ScriptedChatModel(["Short."])
    agent, model = agent_of(memory, list("abcd"), model=writer)
    with blockbuster_ctx():
        for n in range(4):
            await agent.ainvoke(said(f"question {n}"), CONFIG)
    assert "Short." in model.calls[3].text and len(memory.entries("t1", scope="alice")) == 5


@pytest.mark.parametrize("first", [True, False])
def test_beside_memory_middleware_nothing_is_recorded_twice_and_no_recall_gets_into_a_summary(
    memory: Memory, first: bool
) -> None:
    memory.record(["My cello teacher is called Nadia."], scope="alice", thread_id="before")
    writer = ScriptedChatModel(["Summary A."])
    both: list[Any] = [CompactionMiddleware(memory, model=writer, **SMALL), MemoryMiddleware(memory)]
    model = ScriptedChatModel(["One.", "Two.", "Three.", "Nadia."])
    agent = create_agent(model, middleware=both if first else both[::-1], checkpointer=memory.checkpointer())
    talk(agent, "Hello there.", "I play the cello.", "It is old.", "Who is my cello teacher?")
    assert "Nadia" in model.calls[3].text  # recalled, beside a question that the compaction kept
    assert "Nadia" not in writer.calls[0].text
    recorded = [entry.text for entry in memory.entries("t1", scope="alice", include_history=True)]
    assert recorded[:5] == ["Hello there.", "One.", "I play the cello.", "Two.", "It is old."]
    assert recorded[5:] == ["Three.", "Who is my cello teacher?", "Nadia."]


def test_what_left_the_window_is_recalled_when_it_is_asked_for(memory: Memory) -> None:
    agent, model = agent_of(
        memory, list("abcde"), MemoryMiddleware(memory), model=ScriptedChatModel(["They talked."] * 2)
    )
    talk(agent, "My locker code is otter-7.", "It rains.", "It snows.", "It hails.", "What is my locker code?")
    assert "otter-7" in model.calls[4].text


def test_internal_calls_are_invisible_in_the_stream(memory: Memory) -> None:
    agent, _ = agent_of(memory, list("abcd"), model=ScriptedChatModel(["SECRET summary."]))
    talk(agent, "1", "2", "3")
    parts = list(agent.stream(said("4"), CONFIG, stream_mode=["messages", "custom"]))
    streamed = [part[0].text for mode, part in parts if mode == "messages" and part[0].type.startswith("AI")]
    assert "".join(streamed) == "d"
    events = [part for mode, part in parts if mode == "custom" and part["type"] == "memory.compacted"]
    assert events == [
        {"type": "memory.compacted", "source": "CompactionMiddleware", "left": 5, "evicted": 0, "by": "model"}
    ]


def test_without_a_model_rules_choose_the_sentences_and_say_so(memory: Memory) -> None:
    agent, model = agent_of(memory, list("abcdef"), trigger=("messages", 4))
    talk(agent, "I am allergic to nuts. What now?", "I live in Oslo.", "Hm.", "Thanks!", "Hm!", "And?")
    first = model.calls[-1].messages[0].text
    assert "written by rule, without a model" in first
    assert "- I am allergic to nuts." in first and "- I live in Oslo." in first and "What now" not in first
    assert first.count("From them, as far") == 1
    assert agent.get_state(CONFIG).values["memory_compaction"]["by"] == "rules"


def test_extraction_before_anything_leaves(open_memory: Open, store_url: str) -> None:
    memory = open_memory(store_url)
    agent, _ = agent_of(memory, list("abcd"), extract=True)
    talk(agent, "I am allergic to nuts.", "I live in Oslo.", "Hm.", "So?")
    assert {record.text for record in memory.list(scope="alice")} == {"I am allergic to nuts.", "I live in Oslo."}


def test_a_pending_approval_is_never_dropped_and_can_be_given_after_a_restart(
    open_memory: Open, store_url: str
) -> None:
    def book(city: str) -> str:
        """Book a flight."""
        return f"booked {city}"

    def build(memory: Memory, replies: list[Any]) -> Any:
        approve = HumanInTheLoopMiddleware(interrupt_on={"book": True})
        return agent_of(memory, replies, approve, tools=[book], trigger=("messages", 3), keep=("messages", 1))[0]

    with open_memory(store_url) as memory:
        agent = build(memory, ["a", "b", ScriptedChatModel.call("book", city="Oslo")])
        talk(agent, "1", "2", "Book a flight to Oslo.")
    with open_memory(store_url) as memory:
        memory.prune_checkpoints()
        agent = build(memory, ["Done."])
        state = agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), CONFIG)
        assert [message.type for message in state["messages"]] == ["human", "human", "ai", "tool", "ai"]
        assert state["messages"][3].content == "booked Oslo"


def test_a_failure_is_not_tried_again_at_every_step(memory: Memory) -> None:
    writer = ScriptedChatModel([RuntimeError("no"), "At last."])
    agent, model = agent_of(memory, list("abcdefg"), model=writer)
    talk(agent, "1", "2", "3", "4")
    assert agent.get_state(CONFIG).values["memory_compaction"]["failed_at"] == 7
    talk(agent, "5")
    assert len(writer.calls) == 1
    talk(agent, "6")
    assert len(writer.calls) == 2 and "At last." in model.calls[-1].text
    assert "failed_at" not in agent.get_state(CONFIG).values["memory_compaction"]


def test_beside_langchains_own_summaries_they_are_folded_in(memory: Memory) -> None:
    writer = ScriptedChatModel(["New."])
    agent, _ = agent_of(memory, ["x"], model=writer, trigger=("messages", 3))
    stock = SummarizationMiddleware._build_new_messages("STOCK summary")
    history = [*stock, HumanMessage("1"), AIMessage("2"), HumanMessage("3"), AIMessage("4"), HumanMessage("5")]
    agent.invoke({"messages": history}, CONFIG)
    assert "STOCK summary" in writer.calls[0].text.partition("The messages that follow")[0]
    assert all("STOCK" not in entry.text for entry in memory.entries("t1", scope="alice"))


def test_two_of_them_need_two_names_and_keep_two_channels(memory: Memory) -> None:
    second = CompactionMiddleware(memory, name="late", trigger=("messages", 99))
    agent, _ = agent_of(memory, list("abcd"), second)
    talk(agent, "1", "2", "3", "4")
    assert "late.before_model" in agent.get_graph().nodes
    assert "memory_compaction_late" not in agent.get_state(CONFIG).values


@pytest.mark.parametrize(
    "options",
    [
        {"trigger": ("fraction", 0.8)},
        {"trigger": ("words", 3)},
        {"trigger": []},
        {"trigger": {}},
        {"trigger": "often"},
        {"trigger": ("messages", 0)},
        {"trigger": ("tokens", True)},
        {"trigger": ("fraction", 1.5), "window": 100},
        {"keep": ("messages", 2.5)},
        {"evict_over": 100},
        {"on_failure": "pray"},
        {"summary_tokens": 3},
        {"extract": True, "record": False},
        {"name": " "},
        {"model": 7},
    ],
)
def test_options_that_make_no_sense_are_refused_at_once(memory: Memory, options: Any) -> None:
    with pytest.raises(InvalidInput):
        CompactionMiddleware(memory, **options)


def test_nobodys_memory_is_never_written(memory: Memory) -> None:
    agent, _ = agent_of(memory, list("abcd"), trigger=("messages", 2))
    nobody: Any = {"configurable": {"thread_id": "t1"}}
    agent.invoke(said("1"), nobody)
    with pytest.raises(ScopeError):
        agent.invoke(said("2"), nobody)


@pytest.mark.parametrize(
    ("trigger", "fires"),
    [
        (("tokens", 40), True),
        (("tokens", 4_000), False),
        (("fraction", 0.5), True),
        ({"messages": 3, "tokens": 4_000}, False),
        ({"messages": 3, "tokens": 40}, True),
        ([("messages", 99), ("tokens", 40)], True),
    ],
)
def test_triggers_count_what_is_there_and_need_no_usage_metadata(memory: Memory, trigger: Any, fires: bool) -> None:
    agent, model = agent_of(memory, ["yes"], trigger=trigger, window=80)
    long = "A sentence with a good number of words in it. " * 3
    agent.invoke(
        {"messages": [HumanMessage(long), AIMessage(long), HumanMessage(long), AIMessage("ok"), HumanMessage("so?")]},
        CONFIG,
    )
    assert (len(model.calls[0].messages) < 5) is fires


def test_system_messages_in_the_state_stay_in_front(memory: Memory) -> None:
    agent, model = agent_of(memory, ["yes"])
    talked = [part for n in range(4) for part in (HumanMessage(f"q{n}"), AIMessage(f"a{n}"))]
    agent.invoke({"messages": [SystemMessage("Be kind."), *talked, HumanMessage("so?")]}, CONFIG)
    assert [message.type for message in model.calls[0].messages] == ["system", "human", "ai", "human"]
    assert model.calls[0].messages[0].text == "Be kind."


def test_a_huge_result_is_read_back_page_by_page(memory: Memory) -> None:
    text = "".join(f"line {n:05}\n" for n in range(1_000))

    def dump() -> str:
        """Dump all."""
        return text

    def reading(**how: Any) -> Callable[[list[Any]], AIMessage]:
        def call(messages: list[Any]) -> AIMessage:
            result = next(message for message in messages if isinstance(message, ToolMessage))
            return ScriptedChatModel.call("read_message", message_id=result.id, **how)

        return call

    readings = [reading(offset=4_000), reading(find="LINE 00777"), reading(find="no")]
    replies = [ScriptedChatModel.call("dump"), *readings, "ok"]
    agent, model = agent_of(memory, replies, tools=[dump], evict_over=6_000, trigger=("messages", 99))
    talk(agent, "dump it")
    assert "read_message" in model.calls[0].tool_names
    shown = model.calls[1].messages[-1].text
    assert shown.startswith("line 00000") and shown.endswith("line 00999\n") and len(shown) < 4_500
    page = model.calls[2].messages[-1].text
    assert page.startswith("[characters 4000 to 8000 of 11000. Read on with offset=8000.]\n")
    assert text[4_000:8_000] in page
    assert "line 00777\n" in model.calls[3].messages[-1].text
    assert "'no' does not stand in message" in model.calls[4].messages[-1].text


def test_what_is_not_in_memory_cannot_be_read_back(memory: Memory) -> None:
    calls = [ScriptedChatModel.call("read_message", message_id="nope"), "ok"]
    model = ScriptedChatModel(calls)
    create_agent(model, [read_message_tool(memory)]).invoke(said("?"), CONFIG)
    assert "No message 'nope'" in model.calls[1].messages[-1].text


def test_the_way_to_an_evicted_result_survives_its_leaving(memory: Memory) -> None:
    def dump() -> str:
        """Dump all."""
        return "x" * 7_000

    replies = [ScriptedChatModel.call("dump"), "b", "c", "d"]
    agent, model = agent_of(memory, replies, tools=[dump], evict_over=6_000)
    talk(agent, "dump it", "2", "3")
    (entry,) = [one for one in memory.entries("t1", scope="alice") if one.role == "tool"]
    assert f"A tool result of 7,000 characters is kept under the message id {entry.message_id}." in model.calls[-1].text
