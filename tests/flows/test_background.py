"""Distilling in the background: debounced, leased, durable."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from facts import distiller, every_fact

from langgraph_memory import Memory, Settings
from langgraph_memory.flows.background import FIRST_PAUSE_MICROS, LEASE_MICROS, BackgroundDistiller
from langgraph_memory.testing import ScriptedChatModel
from langgraph_memory.testing.clock import FrozenClock

A = ("acme", "alice")
Open = Callable[..., Memory]
QUIET = Settings(background=False, quiet_seconds=30, batch_turns=2)


def distiller_of(memory: Memory, clock: FrozenClock) -> BackgroundDistiller:
    parts = memory._parts
    return BackgroundDistiller(parts.database, parts.flows.remember.compiled, memory.settings, clock, None)


def texts(memory: Memory) -> list[str]:
    return [record.text for record in memory.list(scope=A)]


def test_a_conversation_is_distilled_once_it_is_quiet(open_memory: Open, store_url: str) -> None:
    clock, model = FrozenClock(), distiller()
    memory = open_memory(store_url, model=model, settings=QUIET, clock=clock)
    work = distiller_of(memory, clock).work
    memory.record([("user", "Fact one.")], scope=A, thread_id="t")
    assert not work() and model.calls == []
    clock.advance(seconds=20)
    memory.record([("user", "Fact two.")], scope=A, thread_id="t")  # a new line puts it off
    clock.advance(seconds=20)
    assert not work() and model.calls == []
    clock.advance(seconds=10)
    assert work() and not work()
    assert texts(memory) == ["Fact one.", "Fact two."] and len(model.calls) == 1


def test_one_that_never_falls_silent_is_distilled_all_the_same(open_memory: Open, folder: Path) -> None:
    clock, model = FrozenClock(), distiller()
    memory = open_memory(folder, model=model, settings=QUIET, clock=clock)
    work = distiller_of(memory, clock).work
    memory.record([("user", f"Fact {n}.") for n in "abcdefg"], scope=A, thread_id="t")
    assert work()
    assert len(model.calls) == 1 and len(texts(memory)) == 2


def test_a_failure_pauses_that_conversation_only_and_longer_each_time(
    open_memory: Open, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = FrozenClock()
    model = ScriptedChatModel([ValueError("lost"), every_fact, ValueError("lost"), every_fact])
    memory = open_memory(folder, model=model, settings=QUIET, clock=clock)
    work = distiller_of(memory, clock).work
    memory.record([("user", "Fact one.")], scope=A, thread_id="broken")
    memory.record([("user", "Fact two.")], scope=A, thread_id="whole")
    clock.advance(seconds=30)
    with caplog.at_level(logging.WARNING):
        assert work() and work() and not work()
    assert texts(memory) == ["Fact two."] and "could not be distilled" in caplog.text
    clock.advance(seconds=FIRST_PAUSE_MICROS / 1e6)
    assert work() and not work()
    clock.advance(seconds=FIRST_PAUSE_MICROS / 1e6)
    assert not work(), "the second pause is longer"
    clock.advance(seconds=FIRST_PAUSE_MICROS / 1e6)
    assert work()
    assert texts(memory) == ["Fact two.", "Fact one."]
    model.assert_exhausted()


def test_a_scope_is_distilled_by_one_process_at_a_time(open_memory: Open, store_url: str) -> None:
    clock = FrozenClock()
    inner: list[bool] = []

    def while_busy(messages: list[Any]) -> str:
        inner.append(other.work())
        return every_fact(messages)

    model = ScriptedChatModel([while_busy])
    memory = open_memory(store_url, model=model, settings=QUIET, clock=clock)
    one, other = distiller_of(memory, clock), distiller_of(memory, clock)
    memory.record([("user", "Fact one.")], scope=A, thread_id="t")
    clock.advance(seconds=30)
    assert one.work() and inner == [False]
    assert texts(memory) == ["Fact one."]


def test_a_holder_that_died_is_replaced_and_one_that_was_slow_writes_nothing_twice(
    open_memory: Open, store_url: str
) -> None:
    clock = FrozenClock()

    def slow(messages: list[Any]) -> str:
        clock.advance(seconds=LEASE_MICROS / 1e6 + 1)
        assert other.work()
        return every_fact(messages)

    memory = open_memory(store_url, model=ScriptedChatModel([slow, every_fact]), settings=QUIET, clock=clock)
    one, other = distiller_of(memory, clock), distiller_of(memory, clock)
    memory.record([("user", "Fact one.")], scope=A, thread_id="t")
    clock.advance(seconds=30)
    assert one.work()
    assert [(record.text, record.reinforced) for record in memory.list(scope=A)] == [("Fact one.", 0)]


def test_what_was_left_is_taken_up_by_the_next_process(open_memory: Open, store_url: str) -> None:
    clock = FrozenClock()
    memory = open_memory(store_url, model=distiller(), settings=QUIET, clock=clock)
    memory.record([("user", "Fact one.")], scope=A, thread_id="t")
    memory.close()
    clock.advance(hours=1)
    memory = open_memory(store_url, model=distiller(), settings=QUIET, clock=clock)
    assert distiller_of(memory, clock).work()
    assert texts(memory) == ["Fact one."]


def test_drain_waits_for_nobody_and_close_loses_nothing(open_memory: Open, store_url: str) -> None:
    memory = open_memory(store_url, model=distiller(), settings=QUIET)
    memory.record([("user", "Fact one.")], scope=A, thread_id="t")
    memory.record([("user", "Fact two.")], scope="bob", thread_id="t")
    report = memory.drain()
    assert sorted(outcome.text for outcome in report.added) == ["Fact one.", "Fact two."]
    assert memory.drain().notes == ("nothing new to read",)


def test_the_thread_does_it_by_itself(tmp_path: Path, embedder: Any) -> None:
    settings = Settings(quiet_seconds=0, idle_seconds=0.05)
    with Memory(tmp_path / "m", model=distiller(), embeddings=embedder, settings=settings) as memory:
        memory.record([("user", "Fact one.")], scope=A, thread_id="t")
        deadline = time.monotonic() + 20
        while not texts(memory) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert texts(memory) == ["Fact one."]
    with Memory(tmp_path / "n", model=ScriptedChatModel([]), embeddings=embedder,
                settings=settings.model_copy(update={"distil": "manual"})) as manual:  # fmt: skip
        manual.record([("user", "Fact one.")], scope=A, thread_id="t")
        time.sleep(0.3)
        assert texts(manual) == []
