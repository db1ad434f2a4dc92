"""A model that fails halfway: what was written before is told, others go on, and nothing runs away."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from facts import answer, distiller, every_fact
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from langgraph_memory import Memory, Settings
from langgraph_memory.errors import ModelError, StorageError
from langgraph_memory.flows.background import BackgroundDistiller
from langgraph_memory.flows.manage_state import ManageContext
from langgraph_memory.testing import ScriptedChatModel
from langgraph_memory.testing.clock import FrozenClock

A = ("acme", "alice")
Open = Callable[..., Memory]
ONE = Settings(background=False, batch_turns=1)


def texts(memory: Memory, scope: Any = A) -> list[str]:
    return [record.text for record in memory.list(scope=scope)]


@pytest.mark.parametrize("face", ["sync", "async"])
async def test_an_error_tells_what_earlier_batches_wrote(open_memory: Open, store_url: str, face: str) -> None:
    memory = open_memory(store_url, model=ScriptedChatModel([every_fact, ValueError("lost")]), settings=ONE)
    said = [("user", "Fact one."), ("user", "Fact two.")]
    with pytest.raises(ModelError, match="lost") as raised:
        if face == "async":
            await memory.aremember(said, scope=A, thread_id="t")
        else:
            memory.remember(said, scope=A, thread_id="t")
    report = raised.value.report
    assert [outcome.text for outcome in report.added] == ["Fact one."] and report.usage.calls == 2
    memory.undo(report)
    assert texts(memory) == []


def test_a_store_that_fails_tells_it_too(open_memory: Open, folder: Path) -> None:
    def fails(messages: list[BaseMessage]) -> str:
        raise StorageError("the disk is gone")

    memory = open_memory(folder, model=ScriptedChatModel([every_fact, fails]), settings=ONE)
    with pytest.raises(StorageError, match="disk") as raised:
        memory.remember([("user", "Fact one."), ("user", "Fact two.")], scope=A, thread_id="t")
    assert [outcome.text for outcome in raised.value.report.added] == ["Fact one."]


def test_manage_tells_what_a_failed_call_cost(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder, model=ScriptedChatModel([ValueError("lost")]))
    with pytest.raises(ModelError) as raised:
        memory.manage("Hello.", scope=A)
    assert raised.value.report.usage.calls == 1


def breaks_on_broken(messages: list[BaseMessage]) -> str:
    if "broken" in str(messages[-1].content).partition("New messages:")[2]:
        raise ValueError("lost")
    return every_fact(messages)


def test_a_conversation_that_always_fails_keeps_no_other_from_being_drained(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder, model=ScriptedChatModel([breaks_on_broken] * 9))
    memory.record([("user", "Fact broken.")], scope=A, thread_id="t1")
    memory.record([("user", "Fact two.")], scope="bob", thread_id="t2")
    with pytest.raises(ModelError, match="lost") as raised:
        memory.drain()
    assert texts(memory, "bob") == ["Fact two."] and raised.value.report.usage.calls == 2
    assert [outcome.text for outcome in raised.value.report.added] == ["Fact two."]
    assert "'t1' of acme / alice waits" in raised.value.report.notes[0]
    memory.record([("user", "Fact three.")], scope="bob", thread_id="t2")
    assert [outcome.text for outcome in memory.drain(max_calls=1).added] == ["Fact three."], "it comes last"
    with pytest.raises(ModelError):
        memory.drain()  # and stays due


def test_inline_tells_every_fate(open_memory: Open, folder: Path) -> None:
    reply = answer("The password: hunter2hunter2 of Alice", "Alice sings.", "Alice sings.")
    settings = Settings(background=False, distil="inline")
    memory = open_memory(folder, model=ScriptedChatModel([reply]), settings=settings)
    report = memory.record([HumanMessage("I sing.", id="m1")], scope=A, thread_id="t")
    assert [outcome.reason for outcome in report.refused] == ["secret: password"]
    assert [outcome.reason for outcome in report.skipped] == ["same text in this batch"]
    assert [outcome.text for outcome in report.added] == ["I sing.", "Alice sings."]


def test_the_background_logs_the_fates_as_numbers(
    open_memory: Open, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = FrozenClock()
    model = ScriptedChatModel([answer("Alice sings.", "The password: hunter2hunter2 of Alice")])
    memory = open_memory(folder, model=model, settings=Settings(background=False, quiet_seconds=0), clock=clock)
    memory.record([("user", "I sing.")], scope=A, thread_id="t")
    parts = memory._parts
    with caplog.at_level(logging.INFO):
        BackgroundDistiller(parts.database, parts.flows.remember.compiled, memory.settings, clock, None).work()
    assert "1 added, 0 reinforced, 0 skipped, 1 refused, 0 failed" in caplog.text
    assert "sings" not in caplog.text and "hunter2" not in caplog.text


def test_a_model_that_runs_wild_is_bounded(open_memory: Open, folder: Path) -> None:
    many = ScriptedChatModel([answer(*(f"Alice knows the number {n}." for n in range(1_000)))])
    memory = open_memory(folder, model=many, settings=Settings(background=False, most_proposals=20))
    report = memory.remember("Alice knows numbers.", scope=A)
    assert len(texts(memory)) == 20 and len(report.refused) == 980
    assert {outcome.reason for outcome in report.refused} == {"more than 20 proposals in one answer of the model"}


def creates(count: int) -> Any:
    from langchain_core.messages import AIMessage

    calls = [
        {"type": "tool_call", "name": "create", "args": {"content": f"Alice knows town {n}."}, "id": f"c{n}"}
        for n in range(count)
    ]
    return AIMessage("", tool_calls=calls)


def test_an_editor_that_runs_wild_is_bounded(open_memory: Open, folder: Path) -> None:
    settings = Settings(background=False, most_proposals=5)
    memory = open_memory(folder, model=ScriptedChatModel([creates(9)]), settings=settings)
    report = memory.manage("Towns.", scope=A, max_steps=1)
    assert len(texts(memory)) == 5 and [o.reason for o in report.refused] == ["more than 5 edits in one run"] * 4


def test_a_review_is_carried_out_once_however_often_it_is_answered(open_memory: Open, store_url: str) -> None:
    memory = open_memory(store_url, model=ScriptedChatModel([creates(1)]))
    graph = memory.graph("manage").compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "review"}}
    context = ManageContext(review=True, max_steps=1)
    state = graph.invoke({"scope": list(A), "conversation": "Towns."}, config, context=context)
    config = graph.get_state(config).config
    assert state["__interrupt__"]
    reports: list[Any] = []

    def approve() -> None:
        reports.append(graph.invoke(Command(resume="approve"), config, context=context)["report"])

    threads = [threading.Thread(target=approve) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    [record] = memory.list(scope=A)
    assert record.reinforced == 0 and sorted(len(report["added"]) for report in reports) == [0, 0, 0, 1]
    skipped = [outcome["reason"] for report in reports for outcome in report["skipped"]]
    assert skipped == ["this review was carried out already"] * 3


@pytest.mark.parametrize("way", ["named", "called"])
def test_a_call_of_no_tool_that_is_given_up_is_reported(open_memory: Open, folder: Path, way: str) -> None:
    call = ScriptedChatModel.call
    gone = call("done") if way == "called" else call("PatchFunctionName", json_doc_id="call-1", fixed_name="done")
    model = ScriptedChatModel([call("create_person", name="Ann"), gone])
    report = open_memory(folder, model=model).manage("Ann is a friend.", scope=A, max_steps=1)
    assert ["no tool named 'create_person'" in (outcome.reason or "") for outcome in report.failed] == [True]
    model.assert_exhausted()


def test_what_manage_has_read_is_not_distilled_again(open_memory: Open, store_url: str) -> None:
    forget = [ScriptedChatModel.call("delete", id=0), ScriptedChatModel.call("done")]
    memory = open_memory(store_url, model=ScriptedChatModel(forget))
    memory.add("Alice has a dog.", scope=A)
    report = memory.manage([("user", "Forget that I have a dog.")], scope=A, thread_id="t")
    assert len(report.retired) == 1 and memory.drain().notes == ("nothing new to read",)
    assert texts(memory) == []


@pytest.mark.parametrize("kept", ["older unread", "inserts off", "failed"])
def test_what_manage_has_not_wholly_read_is_distilled(open_memory: Open, folder: Path, kept: str) -> None:
    call = ScriptedChatModel.call("nonsense") if kept == "failed" else ScriptedChatModel.call("done")
    repairs = [ScriptedChatModel.call("done")] if kept == "failed" else []
    memory = open_memory(folder, model=ScriptedChatModel([call, *repairs, every_fact]))
    memory.add("Alice has a dog.", scope=A)
    if kept == "older unread":
        memory.record([("user", "Fact zero.")], scope=A, thread_id="t")
    memory.manage([("user", "Fact one.")], scope=A, thread_id="t", inserts=kept != "inserts off", max_steps=1)
    assert "Fact one." in [outcome.text for outcome in memory.drain().added]


def half(reason: str, **more: Any) -> AIMessage:
    call = {"name": "create", "args": {"content": "Alice likes"}, "id": "c1", "type": "tool_call"}
    return AIMessage("", tool_calls=[call], response_metadata={"finish_reason": reason}, **more)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", None),
        ("I would rather not.", None),
        (AIMessage("", additional_kwargs={"refusal": "no"}), None),
        (AIMessage("", response_metadata={"finish_reason": "length"}), None),
        (AIMessage("", response_metadata={"finish_reason": "content_filter"}), None),
        (half("length"), "the answer broke off in it: its length limit was reached"),
        (half("content_filter"), "the answer broke off in it: a content filter stopped it"),
        (ScriptedChatModel.call("create", content="x y " * 400), "too long"),
        (ScriptedChatModel.call("create", content="Alice's PIN is 4711."), "secret: password"),
        (ScriptedChatModel.call("create", content="Alice said so.", kind="message"), "/kind: "),
    ],
)
def test_what_manage_could_not_make_of_a_message_is_left_to_distilling(
    open_memory: Open, folder: Path, reply: Any, reason: str | None
) -> None:
    again = [reply] * 2 if (reason or "").startswith("/") else []  # repairs
    memory = open_memory(folder, model=ScriptedChatModel([reply, *again, every_fact]))
    report = memory.manage([("user", "Fact one.")], scope=A, thread_id="t", max_steps=1)
    unwritten = [(outcome.reason or "") for outcome in (*report.refused, *report.failed)]
    assert texts(memory) == [] and [reason in why for why in unwritten if reason] == [True] * (reason is not None)
    assert [outcome.text for outcome in memory.drain().added] == ["Fact one."]


def test_an_update_that_came_too_late_leaves_the_message_to_distilling(open_memory: Open, store_url: str) -> None:
    def late(_: list[BaseMessage]) -> AIMessage:
        memory.update(old, text="Alice lives in Rome.")
        return ScriptedChatModel.call("update", id=0, content="Alice lives in Bergen.")

    memory = open_memory(store_url, model=ScriptedChatModel([late, every_fact]))
    (old,) = memory.add("Alice lives in Oslo.", scope=A).ids
    report = memory.manage([("user", "Fact one.")], scope=A, thread_id="t", max_steps=1)
    assert [outcome.reason for outcome in report.failed] == ["the memory was changed by somebody else meanwhile"]
    assert [outcome.text for outcome in memory.drain().added] == ["Fact one."]


def test_close_does_not_wait_for_a_slow_model_and_nothing_is_lost(tmp_path: Path, embedder: Any) -> None:
    asked, let_go, ended = threading.Event(), threading.Event(), threading.Event()

    def slow(messages: list[BaseMessage]) -> str:
        asked.set()
        let_go.wait(60)
        ended.set()
        return every_fact(messages)

    settings = Settings(quiet_seconds=0, idle_seconds=0.05, close_seconds=0.1)
    memory = Memory(tmp_path / "m", model=ScriptedChatModel([slow]), embeddings=embedder, settings=settings)
    memory.record([("user", "Fact one.")], scope=A, thread_id="t")
    assert asked.wait(20)
    started = time.monotonic()
    memory.close()
    assert time.monotonic() - started < 10 and not ended.is_set()
    thread = memory._all_parts.distiller._thread  # type: ignore[union-attr]
    let_go.set()
    assert thread is not None
    thread.join(20)
    with Memory(
        tmp_path / "m", model=distiller(), embeddings=embedder, settings=Settings(background=False, quiet_seconds=0)
    ) as again:
        assert texts(again) == [], "what came after the closing was dropped"
        parts = again._parts
        work = BackgroundDistiller(
            parts.database, parts.flows.remember.compiled, again.settings, again._clock, None
        ).work
        assert work(), "the lease was given back"
        assert texts(again) == ["Fact one."]
