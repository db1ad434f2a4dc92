"""Undo and restore where something newer stands in the place of what they would bring back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from facts import answer
from langchain_core.messages import AIMessage
from pydantic import BaseModel

from langgraph_memory import Memory, Settings
from langgraph_memory.errors import InvalidInput
from langgraph_memory.testing import ScriptedChatModel
from langgraph_memory.testing.clock import FrozenClock

Open = Callable[..., Memory]
A = ("acme", "alice")


class Card(BaseModel):
    """What is known of the person."""

    name: str


def calls(*wanted: tuple[str, dict[str, Any]]) -> AIMessage:
    """Return an answer that calls these tools."""
    found = [{"name": name, "args": args, "id": f"c{n}", "type": "tool_call"} for n, (name, args) in enumerate(wanted)]
    return AIMessage("", tool_calls=found)


def texts(memory: Memory) -> list[str]:
    return [record.text for record in memory.list(scope=A)]


def reasons(outcomes: Any) -> list[Any]:
    return [outcome.reason for outcome in outcomes]


def test_undo_in_the_middle_of_a_chain_revives_nothing(memory: Memory) -> None:
    (porto,) = memory.add("Alice lives in Porto.", scope=A).ids
    moved = memory.update(porto, text="Alice lives in Oslo.")
    (bergen,) = memory.update(moved.ids[0], text="Alice lives in Bergen.").ids
    undone = memory.undo(moved)
    assert texts(memory) == ["Alice lives in Bergen."] and not undone.batches
    assert reasons(undone.skipped) == ["changed since"] * 2 and undone.skipped[1].of == bergen


def test_a_chain_that_ran_into_a_known_text_revives_nothing_either(memory: Memory) -> None:
    (porto,) = memory.add("Alice lives in Porto.", scope=A).ids
    (oslo,) = memory.add("Alice lives in Oslo.", scope=A).ids
    moved = memory.update(porto, text="Alice lives in Oslo.")
    memory.update(oslo, text="Alice lives in Bergen.")
    memory.undo(moved)
    assert texts(memory) == ["Alice lives in Bergen."]


@pytest.mark.parametrize("steps", [1, 2])
def test_a_superseded_memory_is_not_restored_beside_its_live_successor(memory: Memory, steps: int) -> None:
    (old,) = (newest,) = memory.add("Alice lives in Porto.", scope=A).ids
    for step in range(steps):
        (newest,) = memory.update(newest, text=f"Alice lives in town {step}.").ids
    report = memory.restore(old)
    assert [outcome.of for outcome in report.refused] == [newest] and not report.batches
    assert newest in (report.refused[0].reason or "") and len(texts(memory)) == 1
    memory.forget(newest)
    assert memory.restore(old).restored and texts(memory) == ["Alice lives in Porto."]


def test_an_imported_successor_counts_too(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory(tmp_path / "one")
    (old,) = memory.add("Alice lives in Porto.", scope=A).ids
    memory.update(old, text="Alice lives in Oslo.")
    memory.export(scope=A, path=tmp_path / "a.jsonl")
    other = open_memory(tmp_path / "two")
    other.ingest(tmp_path / "a.jsonl", scope=A)
    if old in [record.id for record in other.list(scope=A, include_history=True)]:
        assert other.restore(old).refused
    assert texts(other) == ["Alice lives in Oslo."]


@pytest.mark.parametrize("what", ["delete both", "delete and update", "consolidate"])
def test_what_rested_on_a_memory_before_is_not_its_successor(open_memory: Open, store_url: str, what: str) -> None:
    other = ("update", {"id": 1, "content": "Alice adores hot drinks."})
    plan = [
        {"number": 0, "action": "delete", "text": None, "reason": "dup"},
        {"number": 1, "action": "update", "text": "Alice likes drinks hot.", "reason": "shorter"},
    ]
    reply = {
        "delete both": calls(("delete", {"id": 0}), ("delete", {"id": 1}), ("done", {})),
        "delete and update": calls(("delete", {"id": 0}), other, ("done", {})),
        "consolidate": json.dumps({"actions": plan}),
    }[what]
    settings = Settings(distil="manual", background=False, similar_from=0.0)
    memory = open_memory(store_url, model=ScriptedChatModel([reply]), settings=settings)
    (tea,) = memory.add("Alice drinks tea daily.", scope=A).ids
    memory.add("Alice likes hot drinks.", scope=A, kind="insight", evidence=[tea])
    before = memory.list(scope=A)
    report = memory.consolidate(scope=A) if what == "consolidate" else memory.manage("Change it all please", scope=A)
    assert len(report.retired) == 2
    undone = memory.undo(report)
    assert memory.list(scope=A) == before and not undone.skipped


def test_a_correction_is_not_restored_beside_what_it_corrected(memory: Memory) -> None:
    (porto,) = memory.add("Alice lives in Porto.", scope=A).ids
    moved = memory.update(porto, text="Alice lives in Oslo.")
    gone = memory.forget(moved.ids[0])
    undone = memory.undo(moved)
    assert texts(memory) == ["Alice lives in Porto."]
    for report in (memory.restore(moved.ids[0]), memory.undo(gone)):
        assert reasons(report.skipped) == ["what it was written to replace is live again"]
        assert report.skipped[0].of == porto and not report.batches
    assert not memory.undo(undone).skipped and texts(memory) == []
    memory.restore(moved.ids[0])
    assert texts(memory) == ["Alice lives in Oslo."]


def profiles(open_memory: Open, where: Any, *names: str) -> tuple[Memory, list[Any]]:
    """Open a memory whose profile was given these names one after the other; a blank one deletes it."""
    calls = [
        ScriptedChatModel.call("delete", id=0) if not name else ScriptedChatModel.call("create_Card", name=name)
        for name in names
    ]
    memory = open_memory(where, model=ScriptedChatModel(calls), profiles=[Card])
    return memory, [memory.manage(f"Call me {name}.", scope=A, max_steps=1) for name in names]


def test_a_profile_in_the_middle_of_a_chain_is_not_revived(open_memory: Open, store_url: str) -> None:
    memory, reports = profiles(open_memory, store_url, "Ann", "Anna", "Hannah")
    assert reasons(memory.undo(reports[1]).skipped) == ["changed since"] * 2
    assert memory.restore(reports[0].ids[0]).refused
    assert texts(memory) == ["Card: name: Hannah"]


def test_a_deleted_profile_does_not_come_back_beside_a_new_one(open_memory: Open, store_url: str) -> None:
    memory, reports = profiles(open_memory, store_url, "Ann", "", "Hannah")
    undone, restored = memory.undo(reports[1]), memory.restore(reports[0].ids[0])
    for report in (undone, restored):
        assert reasons(report.skipped) == ["another profile of this kind is live"]
        assert report.skipped[0].of == reports[2].ids[0]
    assert texts(memory) == ["Card: name: Hannah"]


def test_an_imported_profile_does_not_come_beside_a_live_one(open_memory: Open, tmp_path: Path) -> None:
    one, _ = profiles(open_memory, tmp_path / "one", "Ann")
    one.export(scope=A, path=tmp_path / "a.jsonl")
    two, _ = profiles(open_memory, tmp_path / "two", "Hannah")
    two.ingest(tmp_path / "a.jsonl", scope=A)
    assert texts(two) == ["Card: name: Hannah"]


def test_what_was_said_again_since_stays(open_memory: Open, store_url: str) -> None:
    memory = open_memory(store_url, model=ScriptedChatModel([answer("Alice has a cat.")] * 2))
    first = memory.remember([("user", "I have a cat.")], scope=A, thread_id="t1")
    again = memory.remember([("user", "My cat, as I said.")], scope=A, thread_id="t2")
    assert reasons(memory.undo(first).skipped) == ["said again since"] and texts(memory) == ["Alice has a cat."]
    memory.undo(again)
    memory.undo(first)
    assert texts(memory) == []


def test_a_second_undo_changes_nothing(memory: Memory) -> None:
    memory.add("Alice sings.", scope=A)
    again = memory.add("Alice sings.", scope=A)
    memory.undo(again)
    for _ in range(2):
        assert reasons(memory.undo(again).skipped) == ["undone already"]
    assert memory.list(scope=A)[0].reinforced == 0


def test_a_batch_that_a_report_names_twice_is_undone_once(memory: Memory) -> None:
    memory.add("Alice sings.", scope=A)
    again = memory.add("Alice sings.", scope=A)
    assert (again + again).batches == again.batches
    memory.undo(replace(again, batches=again.batches * 2))
    assert memory.list(scope=A)[0].reinforced == 0


def test_forgetting_anew_is_not_undone_by_the_undo_of_an_earlier_forgetting(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder, clock=FrozenClock())  # all in one microsecond
    (song,) = memory.add("Alice sings.", scope=A).ids
    first = memory.forget(song)
    memory.restore(song)
    memory.forget(song)
    assert reasons(memory.undo(first).skipped) == ["changed since"] and texts(memory) == []


def test_of_two_messages_with_one_id_the_hidden_one_comes_back_and_once(memory: Memory) -> None:
    for thread in ("one", "two"):
        memory.record([{"role": "user", "content": f"In {thread}.", "id": "m1"}], scope=A, thread_id=thread)
    hidden = memory.forget("m1", scope=A, thread_id="two")
    memory.undo(hidden)
    assert len(memory.entries("two", scope=A)) == 1
    memory.forget("m1", scope=A, thread_id="two")
    assert reasons(memory.undo(hidden).skipped) == ["undone already"] and memory.entries("two", scope=A) == []


def test_what_has_no_batch_says_what_to_call(memory: Memory) -> None:
    memory.add("Bob met Robert Miller.", scope=A)
    memory.flush()
    merged = memory.merge_entities("Bob", "Robert Miller", scope=A)
    assert merged.added
    with pytest.raises(InvalidInput, match="unmerge_entity"):
        memory.undo(merged)
