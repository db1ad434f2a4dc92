"""Laws of undo: backwards through whatever was done, every former view comes back; twice is as good as once."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from facts import every_fact
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import BaseMessage

from langgraph_memory import Memory, Report, Settings
from langgraph_memory.testing import ScriptedChatModel

A = ("acme", "alice")
Open = Callable[..., Memory]
Step = tuple[str, int, int]

STEPS = st.tuples(
    st.sampled_from(["add", "update", "forget", "restore", "remember", "consolidate", "undo", "undo"]),
    st.integers(0, 7),
    st.integers(0, 7),
)
WORDS = ["sings", "rows", "paints", "cooks"]


def view(memory: Memory) -> list[Any]:
    """Return every record as it stands, but those that an undo took back before anybody restored them."""
    found = memory.list(scope=A, include_history=True)
    assert all(record.reinforced >= 0 for record in found)
    return [record for record in found if record.retired_at is None or record.reason != "undone"]


class Planner(ScriptedChatModel):
    """Remembers facts, and plans at random: two numbers say what becomes of the first memories of a group."""

    def __init__(self) -> None:
        super().__init__([self._reply] * 500)

    def _reply(self, messages: list[BaseMessage]) -> str:
        if "New messages:" in str(messages[-1].content):
            return every_fact(messages)
        one, other = self.__dict__["numbers"]
        actions = [
            {"number": one % 3, "action": "update", "text": f"Alice {WORDS[other % 4]}.", "reason": "merged"},
            {"number": (one + 1) % 3, "action": ("delete", "keep")[other % 2], "text": None, "reason": "merged"},
        ]
        return json.dumps({"actions": actions})


def act(memory: Memory, model: Planner, step: Step, reports: list[Report], place: int) -> Report:
    """Do one thing to whatever there is."""
    what, one, other = step
    known = memory.list(scope=A, include_history=True)
    live = memory.list(scope=A)
    text = f"Alice {WORDS[one % 4]}."
    undoable = [report for report in reports if report.batches]
    if what == "update" and live:
        return memory.update(live[one % len(live)].id, text=f"Alice {WORDS[other % 4]}.")
    if what == "forget" and live:
        return memory.forget(live[one % len(live)].id)
    if what == "restore" and known:
        return memory.restore(known[one % len(known)].id)
    if what == "remember":
        said = f"Fact: {text}" + " Really." * (other % 2)
        message = {"role": "user", "content": said, "id": f"m{place}"}
        return memory.remember([message], scope=A, thread_id=f"t{other % 3}")
    if what == "consolidate":
        model.__dict__["numbers"] = (one, other)
        return memory.consolidate(scope=A)
    if what == "undo" and undoable:
        return memory.undo(undoable[-1 - one % min(3, len(undoable))])
    return memory.add(text, scope=A, session_id=f"t{other % 3}")


@settings(max_examples=60)
@given(st.lists(STEPS, min_size=1, max_size=12))
def test_undoing_backwards_restores_every_former_view_and_undoing_again_changes_nothing(
    open_memory: Open, tmp_path_factory: pytest.TempPathFactory, steps: list[Step]
) -> None:
    model = Planner()
    limits = Settings(background=False, similar_from=0)
    memory = open_memory(tmp_path_factory.mktemp("undo"), model=model, settings=limits)
    views, reports = [view(memory)], []
    for place, step in enumerate(steps):
        reports.append(act(memory, model, step, reports, place))
        views.append(view(memory))
    for report in reversed(reports):
        assert view(memory) == views.pop()
        if report.batches:
            assert not memory.undo(report).skipped
            former = view(memory)
            again = memory.undo(report)
            assert again.skipped and not again.batches and view(memory) == former
    assert view(memory) == views.pop()
    memory.close()
