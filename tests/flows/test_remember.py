from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from blockbuster import blockbuster_ctx
from facts import answer, distiller, every_fact
from langchain_core.messages import HumanMessage, SystemMessage

from langgraph_memory import Memory, Settings
from langgraph_memory.errors import InvalidInput, ModelError
from langgraph_memory.testing import ScriptedChatModel

A = ("acme", "alice")
Open = Callable[..., Memory]
PHASES = [
    "gather", "recall", "extract", "gate", "embed", "dedupe_exact", "dedupe_similar", "persist", "link", "record",
]  # fmt: skip


def run(memory: Memory, **context: Any) -> tuple[dict[str, Any], list[Any]]:
    """Run the graph itself and return its last state and its events."""
    state: dict[str, Any] = {}
    events = []
    graph = memory.graph("remember").compile()
    given = {"scope": list(A), "thread_id": "t"}
    for mode, chunk in graph.stream(given, stream_mode=["values", "custom"]):
        if mode == "values":
            state = chunk
        else:
            events.append(chunk)
    return state, events


def test_each_phase_is_a_node_and_each_fate_is_in_the_state(open_memory: Open, folder: Path) -> None:
    said = answer("Fact one.", "Fact one.", "  ", "Fact known.", {"text": "Fact three.", "importance": 0.9})
    memory = open_memory(folder, model=ScriptedChatModel([said]))
    known = memory.add("Fact known.", scope=A).ids[0]
    memory.record([HumanMessage("Each known fact, please", id="m1")], scope=A, thread_id="t")
    assert list(memory.graph("remember").compile().get_graph().nodes)[1:-1] == PHASES
    state, events = run(memory)
    fates = [(item["text"], item["status"], item["reason"]) for item in state["candidates"]]
    assert fates == [
        ("Fact one.", "added", None),
        ("Fact one.", "skipped", "same text in this batch"),
        ("", "refused", "blank"),
        ("Fact known.", "reinforced", "says the same"),
        ("Fact three.", "added", None),
    ]
    assert state["candidates"][3]["of"] == known
    assert json.loads(json.dumps(state)) == state, "the state is plain JSON"
    assert [event["type"] for event in events] == [
        "memory.added", "memory.added", "memory.reinforced", "memory.skipped", "memory.refused",
    ]  # fmt: skip
    assert all("text" not in event for event in events), "what was said does not leave by the events"


def test_the_budget_is_kept_and_what_is_left_waits(open_memory: Open, store_url: str) -> None:
    memory = open_memory(store_url, model=distiller(9), settings=Settings(background=False, batch_turns=2))
    said = [("user", f"Fact {word}.") for word in ("one", "two", "three", "four", "five")]
    first = memory.remember(said, scope=A, thread_id="t", max_calls=2)
    assert (len(first.added), first.usage.calls) == (4, 2)
    assert first.notes == ("1 messages wait for the next run: the model calls allowed are used up",)
    assert memory.remember(scope=A, max_calls=0).usage.calls == 0
    second = memory.remember(scope=A)
    assert ([outcome.text for outcome in second.added], second.usage.calls) == (["Fact five."], 1)
    assert memory.remember(scope=A).notes == ("nothing new to read",)
    with pytest.raises(InvalidInput, match="max_calls"):
        memory.remember(scope=A, max_calls=-1)


def test_batches_are_bounded_by_tokens_too(open_memory: Open, folder: Path) -> None:
    model = distiller(9)
    memory = open_memory(folder, model=model, settings=Settings(background=False, batch_tokens=100))
    long = "word " * 300
    report = memory.remember([("user", long), ("user", "Fact one."), ("user", "Fact two.")], scope=A, thread_id="t")
    assert [outcome.text for outcome in report.added] == ["Fact one.", "Fact two."]
    assert [note for note in report.notes if "too long to be read whole" in note]
    assert len(model.calls) == 2
    assert memory.entries("t", scope=A)[0].text == long.strip() or memory.entries("t", scope=A)[0].text == long


@pytest.mark.parametrize("said", ["I cannot do that.", "{", '{"memories": [{"text": "Alice li'])
def test_an_answer_that_cannot_be_read_leaves_the_choice_to_the_rules(
    open_memory: Open, folder: Path, said: str
) -> None:
    memory = open_memory(folder, model=ScriptedChatModel([said]))
    report = memory.remember([("user", "My name is Alice and I live in Oslo.")], scope=A, thread_id="t")
    assert any("chosen by rule" in note for note in report.notes)
    assert [record.metadata["extracted_by"] for record in memory.list(scope=A)] == ["rules"]


def test_without_a_model_sentences_are_chosen_by_rule_and_marked(open_memory: Open, store_url: str) -> None:
    memory = open_memory(store_url)
    messages = [
        ("user", "I live in Oslo. What time is it?"),
        ("assistant", "It is noon."),
        ("user", "我对花生过敏。"),
    ]
    report = memory.remember(messages, scope=A, thread_id="t")
    assert [outcome.text for outcome in report.added] == ["I live in Oslo.", "我对花生过敏。"]
    assert report.usage.calls == 0
    assert all(record.metadata == {"extracted_by": "rules"} for record in memory.list(scope=A))
    assert memory.remember(messages, scope=A, thread_id="t").notes == ("nothing new to read",)


def test_said_in_another_conversation_it_counts_as_persistent(open_memory: Open, store_url: str) -> None:
    memory = open_memory(store_url, model=distiller())
    for thread in ("t1", "t1", "t2", "t3"):
        memory.remember([HumanMessage("Fact one.", id=f"{thread}-{id(object())}")], scope=A, thread_id=thread)
    record = memory.list(scope=A)[0]
    assert record.reinforced == 2, "persistence is counted in conversations"
    assert len(record.evidence) >= 3


def test_novelty_is_measured(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder, model=distiller())
    for text in ("Fact alpha beta gamma delta.", "Fact alpha beta gamma epsilon.", "Fact of something else entirely."):
        memory.remember([("user", text)], scope=A, thread_id="t")
    first, near, far = (record.novelty for record in memory.list(scope=A))
    assert first == 1.0 and near is not None and far is not None and 0 < near < far <= 1


def test_memories_of_scopes_inside_are_not_taken_for_this_ones(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder, model=distiller())
    memory.add("Fact one.", scope=(*A, "work"))
    report = memory.remember([("user", "Fact one.")], scope=A, thread_id="t")
    assert len(report.added) == 1 and memory.list(scope=(*A, "work"))[0].reinforced == 0


def test_a_report_of_several_batches_is_undone_at_once(open_memory: Open, store_url: str) -> None:
    memory = open_memory(store_url, model=distiller(), settings=Settings(background=False, batch_turns=1))
    old = memory.add("Fact two.", scope=A).ids[0]
    report = memory.remember([("user", f"Fact {n}.") for n in ("one", "two", "three")], scope=A, thread_id="t")
    assert (len(report.added), len(report.reinforced), len(report.batches)) == (2, 1, 3)
    memory.undo(report)
    assert [(r.id, r.reinforced, r.evidence) for r in memory.list(scope=A)] == [(old, 0, ())]
    assert memory.remember(scope=A, thread_id="t").notes == ("nothing new to read",)


def test_an_embedder_that_fails_costs_no_memory(open_memory: Open, store_url: str, embedder: Any) -> None:
    memory = open_memory(store_url, model=distiller())
    embedder.failure = ConnectionError("no vectors today")
    report = memory.remember([("user", "Fact one.")], scope=A, thread_id="t")
    assert [outcome.text for outcome in report.added] == ["Fact one."]
    assert any("no vectors today" in note for note in report.notes)


async def test_the_async_face_gives_the_same_and_never_blocks(open_memory: Open, folder: Path) -> None:
    messages = [HumanMessage("Fact one.", id="m1"), HumanMessage("Fact two.", id="m2")]
    memory = open_memory(folder, model=ScriptedChatModel([every_fact, ValueError("lost"), every_fact]))
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    ticker = asyncio.create_task(tick())
    with blockbuster_ctx():
        report = await memory.aremember(messages, scope=A, thread_id="t")
        with pytest.raises(ModelError, match="lost"):
            await memory.aremember([HumanMessage("Fact three.", id="m3")], scope=A, thread_id="t")
        drained = await memory.adrain()
    ticker.cancel()
    assert [outcome.text for outcome in report.added] == ["Fact one.", "Fact two."]
    assert [outcome.text for outcome in drained.added] == ["Fact three."]
    assert ticks > 20


def test_inside_another_graph_nothing_of_it_leaks(open_memory: Open, folder: Path) -> None:
    """Run as a step of an agent, its model calls stream nowhere and its states go into no foreign checkpoint."""
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import MessagesState, StateGraph

    memory = open_memory(folder, model=distiller())

    def distil(state: MessagesState) -> dict[str, Any]:
        memory.remember(state["messages"], scope=A, thread_id="t")
        return {}

    saver = InMemorySaver()
    graph = StateGraph(MessagesState).add_node(distil).set_entry_point("distil").compile(checkpointer=saver)
    config = {"configurable": {"thread_id": "t"}}
    given = {"messages": [HumanMessage("Fact one.", id="m1")]}
    streamed = list(graph.stream(given, config, stream_mode="messages", subgraphs=True))
    assert streamed == []
    assert {config["configurable"].get("checkpoint_ns") for config, *_ in saver.list(None)} == {""}
    assert len(memory.list(scope=A)) == 1


def test_what_the_developer_told_the_model_is_no_memory(open_memory: Open, folder: Path) -> None:
    rule = "Answer every question about opening hours politely and in English."
    memory = open_memory(folder, model=ScriptedChatModel([answer(rule, "Alice lives in Oslo.")]))
    told = [SystemMessage(f"You work for the harbour. {rule}", id="s"), HumanMessage("I live in Oslo.", id="m1")]
    report = memory.remember(told, scope=A, thread_id="t")
    assert [(outcome.text, outcome.reason) for outcome in report.refused] == [(rule, "system prompt")]
    assert [record.text for record in memory.list(scope=A)] == ["Alice lives in Oslo."]


async def test_inline_distils_as_it_records_and_a_failing_model_loses_nothing(open_memory: Open, folder: Path) -> None:
    model = ScriptedChatModel([every_fact, ValueError("lost"), every_fact])
    memory = open_memory(folder, model=model, settings=Settings(background=False, distil="inline"))
    report = await memory.arecord([HumanMessage("Fact one.", id="m1")], scope=A, thread_id="t")
    [known] = memory.list(scope=A)
    assert [outcome.id for outcome in report.added] == ["m1", known.id] and known.text == "Fact one."
    assert report.usage.calls == 1
    assert memory.record([HumanMessage("Fact one.", id="m1")], scope=A, thread_id="t").usage.calls == 0
    failed = memory.record([HumanMessage("Fact two.", id="m2")], scope=A, thread_id="t")
    assert (
        len(failed.added) == 1
        and failed.usage.calls == 1
        and failed.notes[0].startswith("not distilled yet: The chat model failed")
    )
    memory.record([HumanMessage("Fact three.", id="m3")], scope=A, thread_id="t")
    assert sorted([record.text for record in memory.list(scope=A)]) == ["Fact one.", "Fact three.", "Fact two."]
    memory.undo(report)
    assert "Fact one." not in [record.text for record in memory.list(scope=A)]
