from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from langgraph_memory import Memory
from langgraph_memory.errors import ModelNeeded
from langgraph_memory.testing import ScriptedChatModel
from langgraph_memory.testing.embedder import HashEmbedder

A = ("acme", "alice")
Open = Callable[..., Memory]


class Themes(HashEmbedder):
    """Makes texts that share their first word nearly alike, and all others unlike."""

    def embed_documents(self, texts: Sequence[str]) -> Any:
        rows = super().embed_documents(texts)
        for place, text in enumerate(texts):
            theme = super().embed_documents([text.partition("): ")[2].split()[0] if "): " in text else text.split()[0]])
            rows[place] = 0.92 * theme[0] + 0.08 * rows[place]
            rows[place] /= np.linalg.norm(rows[place])
        return rows


def plan(*actions: Any) -> str:
    names = ("number", "action", "text", "reason")
    return json.dumps({"actions": [dict(zip(names, one, strict=False)) if one != 7 else one for one in actions]})


def live(memory: Memory) -> list[str]:
    return [record.text for record in memory.list(scope=A)]


def opened(open_memory: Open, place: Any, *replies: Any) -> tuple[Memory, list[str]]:
    """Open a memory that knows two similar things and one other."""
    memory = open_memory(place, model=ScriptedChatModel(replies), embeddings=Themes())
    texts = ["Oslo is where Alice works.", "Oslo is where Alice has worked since May.", "Tea is what Alice drinks."]
    return memory, [memory.add(text, scope=A).ids[0] for text in texts]


def test_two_are_merged_into_one_that_rests_on_both(open_memory: Open, store_url: str) -> None:
    merged = "Oslo is where Alice works, since May."
    memory, ids = opened(open_memory, store_url, plan((0, "delete", None, "same"), (1, "update", merged, "same")))
    memory.add("Oslo is where Alice works.", scope=A)
    report = memory.consolidate(scope=A)
    assert live(memory) == ["Tea is what Alice drinks.", merged]
    assert ([o.text for o in report.added], sorted(o.id or "" for o in report.retired)) == ([merged], sorted(ids[:2]))
    assert report.usage.calls == 1
    record = memory.get(report.added[0].id or "")
    assert set(record.evidence) == set(ids[:2]) and record.supersedes == ids[1] and record.reinforced == 2
    assert record.actor == "job:consolidate"
    memory.undo(report)
    assert sorted(live(memory)) == sorted(["Oslo is where Alice works.", *(memory.get(i).text for i in ids[1:])])


def test_only_what_was_shown_in_this_scope_can_be_touched(open_memory: Open, folder: Path) -> None:
    memory, ids = opened(open_memory, folder, plan((2, "delete", None, "x"), ("nine", "delete"), (0, "explode"), 7))
    foreign = memory.add("Oslo is where Bob works.", scope=("acme", "bob")).ids[0]
    inner = memory.add("Oslo is where Alice sings.", scope=(*A, "work")).ids[0]
    report = memory.consolidate(scope=A)
    assert [outcome.reason for outcome in report.refused] == [
        "no memory with this number", "no memory with this number", "no action 'explode'", "no memory with this number",
    ]  # fmt: skip
    assert len(live(memory)) == 4 and not report.batches
    assert all(memory.get(id).retired_at is None for id in (*ids, foreign, inner))
    prompt = memory._parts.chat.model.calls[0].text  # type: ignore[union-attr]
    assert "Bob" not in prompt and "sings" not in prompt


def test_a_plan_that_would_leave_nothing_is_refused(open_memory: Open, folder: Path) -> None:
    memory, _ = opened(open_memory, folder, plan((0, "delete"), (1, "delete")))
    report = memory.consolidate(scope=A)
    assert {outcome.reason for outcome in report.refused} == {"the plan would leave nothing of these memories"}
    assert len(live(memory)) == 3


def test_a_text_that_shares_no_word_with_what_it_rewrites_is_refused(open_memory: Open, folder: Path) -> None:
    actions = [(0, "delete", None, "same"), (1, "update", "Bob is the president of France.", "better")]
    memory, _ = opened(open_memory, folder, plan(*actions))
    before = live(memory)
    report = memory.consolidate(scope=A)
    assert live(memory) == before and not report.batches
    assert ["shares no telling word" in (outcome.reason or "") for outcome in report.refused] == [True, True]


ONE = {"number": 0, "action": "delete", "text": None, "reason": "same"}


@pytest.mark.parametrize("said", [{"actions": ONE}, {"actions": {"1": ONE}}, {"plan": [ONE]}, [ONE], ONE])
def test_a_plan_in_another_shape_is_still_read(open_memory: Open, folder: Path, said: Any) -> None:
    memory, ids = opened(open_memory, folder, json.dumps(said))
    report = memory.consolidate(scope=A)
    assert [outcome.id for outcome in report.retired] == [ids[0]] and not report.notes


@pytest.mark.parametrize(
    "said", [{}, {"actions": None}, {"actions": "delete 0"}, {"0": "delete"}, 7, {"a": [], "b": []}]
)
def test_an_answer_that_is_no_plan_changes_nothing_and_is_told(open_memory: Open, folder: Path, said: Any) -> None:
    memory, ids = opened(open_memory, folder, json.dumps(said))
    report = memory.consolidate(scope=A)
    assert len(live(memory)) == len(ids) and len(report.notes) == 1
    assert report.notes[0].startswith("the model's answer was odd: ")


def test_actions_under_keys_without_numbers_of_their_own_are_refused(open_memory: Open, folder: Path) -> None:
    memory, _ = opened(open_memory, folder, json.dumps({"actions": {"0": {"action": "delete"}, "1": "keep"}}))
    report = memory.consolidate(scope=A)
    assert [outcome.reason for outcome in report.refused] == ["no memory with this number"] * 2


def test_the_first_of_two_actions_on_one_memory_counts(open_memory: Open, folder: Path) -> None:
    memory, _ = opened(open_memory, folder, plan((0, "keep"), (0, "delete"), (1, "update", "  ", "x"), (1, "delete")))
    report = memory.consolidate(scope=A)
    assert [outcome.reason for outcome in report.skipped] == [
        "kept as it is", "an earlier action of the plan is about the same memory",
        "an earlier action of the plan is about the same memory",
    ]  # fmt: skip
    assert [outcome.reason for outcome in report.refused] == ["blank"]
    assert len(live(memory)) == 3


def test_pinned_memories_are_never_deleted(open_memory: Open, folder: Path) -> None:
    memory, _ = opened(open_memory, folder, plan((2, "delete", None, "x")))
    memory.add("Oslo is where Alice votes.", scope=A, pinned=True)
    report = memory.consolidate(scope=A)
    assert [outcome.reason for outcome in report.refused] == ["the memory is pinned"]


def test_only_a_batch_and_what_resembles_it(open_memory: Open, folder: Path) -> None:
    memory, ids = opened(open_memory, folder, plan((0, "keep"), (1, "keep")))
    assert memory.consolidate([ids[2]], scope=A).usage.calls == 0, "nothing resembles it, so nobody is asked"
    report = memory.consolidate([ids[0], "no-such-id"], scope=A)
    assert report.usage.calls == 1 and report.notes == ("no-such-id is no live memory of this scope",)


@pytest.mark.parametrize("reply", [ValueError("lost"), "I would rather not.", "{}", '{"actions": 3}'])
def test_a_model_that_fails_leaves_everything_as_it_is(open_memory: Open, folder: Path, reply: Any) -> None:
    memory, _ = opened(open_memory, folder, reply)
    report = memory.consolidate(scope=A)
    assert len(live(memory)) == 3 and not report.batches
    assert report.notes or reply in ("{}", '{"actions": 3}')


async def test_the_async_face_does_the_same(open_memory: Open, folder: Path) -> None:
    memory, ids = opened(open_memory, folder, plan((0, "delete", None, "same"), (1, "keep")))
    report = await memory.aconsolidate(scope=A)
    assert [outcome.id for outcome in report.retired] == [ids[0]]


def test_without_a_model_it_says_what_is_missing(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder)
    with pytest.raises(ModelNeeded, match=r"consolidate.*model="):
        memory.consolidate(scope=A)


@pytest.mark.parametrize(
    ("text", "why"),
    [("x" * 2_000, "too long"), ("The password: hunter2hunter2", "secret"), (None, "no text")],
)
def test_where_the_merge_is_refused_nothing_is_deleted(open_memory: Open, folder: Path, text: Any, why: str) -> None:
    memory, ids = opened(open_memory, folder, plan((0, "update", text, "merged"), (1, "delete", None, "merged into 0")))
    report = memory.consolidate(scope=A)
    assert len(live(memory)) == 3 and not report.batches
    assert [outcome.id for outcome in report.refused] == ids[:2]
    assert all(why in (outcome.reason or "") for outcome in report.refused)


@pytest.mark.parametrize(
    "lost", [(7, "update", "Oslo is where Alice works, since May.", "x"), (1, "update", "Oslo.", "x")]
)
def test_an_update_of_the_wrong_memory_or_of_one_twice_saves_the_others(
    open_memory: Open, folder: Path, lost: Any
) -> None:
    memory, _ = opened(open_memory, folder, plan((1, "keep"), lost, (0, "delete", None, "merged")))
    report = memory.consolidate(scope=A)
    assert len(live(memory)) == 3 and not report.retired
    assert "an update of the same plan is not carried out" in (report.refused[-1].reason or "")


def test_where_the_merged_one_changed_meanwhile_nothing_is_deleted(open_memory: Open, folder: Path) -> None:
    def meanwhile(messages: list[Any]) -> str:
        memory.update(ids[1], text="Oslo is where Alice worked until June.")
        return plan((0, "delete", None, "same"), (1, "update", "Oslo is where Alice works, since May.", "same"))

    memory, ids = opened(open_memory, folder, meanwhile)
    report = memory.consolidate(scope=A)
    assert not report.retired and memory.get(ids[0]).retired_at is None
    assert [outcome.reason for outcome in report.skipped] == ["changed since"]


def test_an_update_to_the_text_of_another_is_undone_exactly(open_memory: Open, store_url: str) -> None:
    votes = "Oslo is where Alice votes."
    steps = plan((0, "update", votes, "same"), (1, "delete", None, "same"), (2, "keep"))
    memory, _ = opened(open_memory, store_url, steps)
    memory.add(votes, scope=A)
    before = memory.list(scope=A, include_history=True)
    report = memory.consolidate(scope=A)
    assert len(report.batches) == 1 and len(report.retired) == 2 and len(report.reinforced) == 1
    memory.undo(report)
    assert memory.list(scope=A, include_history=True) == before
    memory.undo(report)
    assert memory.list(scope=A, include_history=True) == before
