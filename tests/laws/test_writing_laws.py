"""Laws of remembering: however a conversation comes in, and whatever crashes, the memories are the same."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from facts import distiller, every_fact
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import BaseMessage, HumanMessage

from langgraph_memory import Memory, Settings
from langgraph_memory.errors import ModelError
from langgraph_memory.testing import ScriptedChatModel

A = ("acme", "alice")
NUMBERS = ["one", "two", "three", "four", "five", "six", "seven"]
Open = Callable[..., Memory]


def conversation(choices: list[int]) -> list[BaseMessage]:
    """Return messages, some with facts, some of them said twice, some with nothing."""
    return [
        HumanMessage(f"Fact {NUMBERS[choice]} holds." if choice < len(NUMBERS) else "Well, well.", id=f"m{place}")
        for place, choice in enumerate(choices)
    ]


def outcome(memory: Memory) -> list[Any]:
    """Return what is remembered, without ids and times that differ from run to run."""
    return sorted((r.text, r.evidence, r.reinforced, r.actor, r.kind) for r in memory.list(scope=A))


class Unreliable(ScriptedChatModel):
    """Fails at the calls whose number is in the set."""

    def __init__(self, failing: set[int]) -> None:
        replies: list[Any] = [ValueError("lost") if number in failing else every_fact for number in range(500)]
        super().__init__(replies)


@settings(max_examples=15)
@given(
    choices=st.lists(st.integers(0, 9), min_size=1, max_size=24),
    cuts=st.lists(st.tuples(st.integers(1, 8), st.booleans(), st.booleans()), min_size=1, max_size=12),
    failing=st.sets(st.integers(0, 8), max_size=5),
    batch=st.integers(1, 6),
)
def test_batches_retries_and_repetitions_change_nothing(
    open_memory: Open,
    tmp_path_factory: pytest.TempPathFactory,
    choices: list[int],
    cuts: list[tuple[int, bool, bool]],
    failing: set[int],
    batch: int,
) -> None:
    messages = conversation(choices)
    clean = open_memory(tmp_path_factory.mktemp("clean"), model=distiller())
    clean.remember(messages, scope=A, thread_id="t")

    folder = tmp_path_factory.mktemp("broken")
    model = Unreliable(failing)
    limits = Settings(batch_turns=batch, background=False)
    memory = open_memory(folder, model=model, settings=limits)
    place = 0
    for size, again, reopened in cuts:
        start = max(0, place - size) if again else place  # some messages are said to it twice
        place = min(len(messages), place + size)
        with contextlib.suppress(ModelError):
            memory.remember(messages[start:place], scope=A, thread_id="t")
        if reopened:
            memory.close()
            memory = open_memory(folder, model=model, settings=limits)
    memory.record(messages[place:], scope=A, thread_id="t")
    for _ in range(20):
        try:
            memory.remember(scope=A, thread_id="t")
            break
        except ModelError:
            continue
    assert outcome(memory) == outcome(clean)
    read = sum(len(call.messages) > 0 for call in model.calls)
    memory.remember(messages, scope=A, thread_id="t")
    assert len(model.calls) == read, "what was read costs no further call"
    memory.close()
    clean.close()
