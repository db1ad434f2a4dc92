from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langgraph_memory import Memory, Report
from langgraph_memory.errors import InvalidInput, NotFound

Open = Callable[..., Memory]
A = ("acme", "alice")


def view(memory: Memory) -> list[Any]:
    """Return everything that recall, list and history's end state can see."""
    return [
        (r.id, r.text, r.retired_at, r.retired_by, r.reason, r.reinforced, r.evidence, r.valid_to)
        for r in memory.list(scope=A, include_history=True)
        if r.retired_at is None or r.reason != "undone"
    ]


@pytest.fixture
def memory(open_memory: Open, store_url: str) -> Memory:
    opened = open_memory(store_url)
    opened.record([("user", "I love tea."), ("user", "I have a cat.")], scope=A, thread_id="t")
    return opened


def act(memory: Memory, number: int) -> Report:
    """Do one of the things that write, on whatever there is."""
    live = memory.list(scope=A)
    said = memory.entries("t", scope=A)[0].message_id
    if number % 4 == 0 or not live:
        return memory.add(f"Alice fact {number % 3}.", scope=A, session_id="t", evidence=[said] if number % 2 else [])
    chosen = live[number % len(live)]
    if number % 4 == 1:
        return memory.update(chosen.id, text=f"Alice fact {number % 5}.")
    if number % 4 == 2:
        return memory.forget(chosen.id, reason="wrong")
    return memory.add(chosen.text, scope=A)


@settings(max_examples=15)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=8), st.integers(1, 8))
def test_undo_restores_the_exact_former_view(
    open_memory: Open, tmp_path_factory: pytest.TempPathFactory, acts: list[int], back: int
) -> None:
    memory = open_memory(tmp_path_factory.mktemp("undo"))
    memory.record([("user", "I love tea.")], scope=A, thread_id="t")
    views, reports = [view(memory)], []
    for number in acts:
        reports.append(act(memory, number))
        views.append(view(memory))
    for report in reports[::-1][:back]:
        if report.batches:
            undone = memory.undo(report)
            assert not undone.skipped
        views.pop()
        assert view(memory) == views[-1]
    memory.close()


def test_an_undo_can_be_undone(memory: Memory) -> None:
    added = memory.add("Alice lives in Oslo.", scope=A)
    changed = memory.update(added.ids[0], text="Alice lives in Bergen.")
    undone = memory.undo(changed)
    assert [record.text for record in memory.list(scope=A)] == ["Alice lives in Oslo."]
    again = memory.undo(undone)
    assert [record.text for record in memory.list(scope=A)] == ["Alice lives in Bergen."]
    assert (len(again.restored), len(again.retired)) == (1, 1)


def test_what_changed_since_is_left_and_told(memory: Memory) -> None:
    added = memory.add("Alice lives in Oslo.", scope=A)
    memory.update(added.ids[0], text="Alice lives in Bergen.")
    report = memory.undo(added)
    assert [outcome.reason for outcome in report.skipped] == ["changed since"] and not report.batches
    assert [record.text for record in memory.list(scope=A)] == ["Alice lives in Bergen."]


def test_a_later_reinforcement_survives_the_undo_of_an_earlier_one(memory: Memory) -> None:
    memory.add("Alice lives in Oslo.", scope=A)
    first = memory.add("Alice lives in Oslo.", scope=A)
    memory.add("Alice lives in Oslo.", scope=A)
    memory.undo(first)
    assert memory.list(scope=A)[0].reinforced == 1


def test_a_hidden_message_comes_back(memory: Memory) -> None:
    said = memory.entries("t", scope=A)[0].message_id
    hidden = memory.forget(said, scope=A)
    assert len(memory.entries("t", scope=A)) == 1
    memory.undo(hidden)
    assert len(memory.entries("t", scope=A)) == 2


def test_erased_records_stay_erased(memory: Memory) -> None:
    added = memory.add("Alice lives in Oslo.", scope=A)
    memory.erase(scope=A)
    with pytest.raises(NotFound):
        memory.undo(added)


def test_whatever_cannot_be_undone_says_so(memory: Memory) -> None:
    with pytest.raises(NotFound, match="Nothing was written under 'nope'"):
        memory.undo("nope")
    added = memory.add("Alice lives in Oslo.", scope=A)
    with pytest.raises(NotFound):
        memory.undo(added, scope="bob")
    with pytest.raises(InvalidInput, match="wrote nothing"):
        memory.undo(memory.add(" ", scope=A))
