"""The row of CrewAI's acceptance list that concerns slices: several scopes seen as one memory."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from facts import distiller

from langgraph_memory import LangGraphMemoryError, Memory
from langgraph_memory.errors import InvalidInput, ReadOnly, ScopeError
from langgraph_memory.retrieval.explain import explain
from langgraph_memory.text.fence import FENCE_TAG
from langgraph_memory.verbs.slicing import MemorySlice

Open = Callable[..., Memory]
ALICE, TEAM = ("acme", "alice"), ("acme", "team")


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.add("Alice sails at noon.", scope=ALICE)
    memory.add("The team sails on Fridays.", scope=(*TEAM, "plans"))
    memory.add("Bob sails at night.", scope=("acme", "bob"))
    for scope in (ALICE, TEAM):
        memory.add("Everybody sails in May.", scope=scope)
    return memory


async def test_crewai_C21_a_recall_of_a_slice_finds_what_its_scopes_hold_and_nothing_else(filled: Memory) -> None:
    both = filled.slice([ALICE, TEAM])
    answer = both.recall("Who sails when?")
    assert sorted(hit.text for hit in answer.hits) == [
        "Alice sails at noon.",
        "Everybody sails in May.",  # each scope has it, and it is one line
        "The team sails on Fridays.",
    ]
    assert [hit.score for hit in answer.hits] == sorted((hit.score for hit in answer.hits), reverse=True)
    assert answer.block.count(f"<{FENCE_TAG}>") == 1 and answer.block.count("sails") == 3
    assert answer == await both.arecall("Who sails when?")


@pytest.mark.parametrize("recipe", ["hybrid", "lexical", "dense", "mem0", "rrf", "composite"])
def test_crewai_C21_the_best_of_a_scope_where_nothing_fits_comes_last(filled: Memory, recipe: str) -> None:
    for text in ("The boat of Alice lies in the old harbour.", "Alice paints her boat in the old harbour."):
        filled.add(text, scope=ALICE)
    filled.add("An old printer hums.", scope=("acme", "office"))
    found = filled.slice([("acme", "office"), ALICE]).recall(
        "Where is the old harbour with the boat of Alice?", recipe=recipe
    )
    assert "harbour" in found.hits[0].text and "harbour" in found.hits[1].text
    for hit in found.hits:
        assert explain(hit).score == pytest.approx(hit.score, abs=1e-4)


def test_crewai_C21_limit_budget_and_options_are_for_the_slice_as_a_whole(filled: Memory) -> None:
    both = filled.slice([ALICE, TEAM])
    assert len(both.recall("Who sails when?", limit=2).hits) == 2
    whole = both.recall("Who sails when?").tokens
    small = both.recall("Who sails when?", budget=whole - 1)
    assert small.tokens < whole and small.block.count("sails") == 2
    assert both.recall("Who sails when?", kinds=["event"]).hits == ()
    scores = [hit.score for hit in both.recall("Who sails when?").hits]
    least = (scores[-1] + scores[0]) / 2
    assert [hit.score for hit in both.recall("Who sails when?", min_score=least).hits] == [
        s for s in scores if s >= least
    ]
    with pytest.raises(InvalidInput, match="limit"):
        both.recall("Who?", limit=0)


def test_crewai_C21_what_one_scope_answers_is_no_gap_of_the_other(filled: Memory) -> None:
    filled.add("The kettle is broken.", scope=TEAM)
    answer = filled.slice([ALICE, TEAM]).recall("Does the kettle of Alice have a zebra?")
    assert [gap.asked for gap in answer.gaps] == ["zebra"]


def test_crewai_C21_what_is_private_stays_its_actors_own(filled: Memory) -> None:
    filled.add("Alice sails without a licence.", scope=ALICE, actor="alice", private=True)
    both = filled.slice([ALICE, TEAM])
    assert "licence" not in both.recall("Who sails when?").block
    assert "licence" in both.recall("Who sails when?", actor="alice").block


@pytest.mark.parametrize("scope", [None, ALICE])
async def test_crewai_C21_a_slice_for_reading_refuses_every_write_loudly(filled: Memory, scope: Any) -> None:
    both, before = filled.slice([ALICE, TEAM]), filled.list(scope="acme")
    for write in (
        lambda: both.add("Alice rows.", scope=scope),
        lambda: both.record("Alice rows.", thread_id="t", scope=scope),
        lambda: both.remember("Alice rows.", scope=scope),
        lambda: both.aadd("Alice rows.", scope=scope),
        lambda: both.arecord("Alice rows.", thread_id="t", scope=scope),
        lambda: both.aremember("Alice rows.", scope=scope),
    ):
        with pytest.raises(PermissionError, match="read_only=False") as raised:
            found = write()
            await found  # type: ignore[misc]
        assert isinstance(raised.value, ReadOnly) and isinstance(raised.value, LangGraphMemoryError)
    assert filled.list(scope="acme") == before and filled.sessions(scope="acme") == []


def test_crewai_C21_a_write_to_a_slice_names_a_scope_inside_it(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder, model=distiller(1))
    both = memory.slice([ALICE, TEAM], read_only=False)
    with pytest.raises(ScopeError, match="Which scope of the slice"):
        both.add("Alice rows.")
    with pytest.raises(ScopeError, match="lies in no scope of this slice"):
        both.add("Bob rows.", scope=("acme", "bob"))
    assert memory.list(scope="acme") == []
    both.add("Alice rows.", scope=ALICE)
    both.record("I row.", thread_id="t", scope=TEAM)
    both.remember("Rowing is fun.", thread_id="u", scope=(*TEAM, "plans"))
    assert {str(session.scope) for session in memory.sessions(scope="acme")} == {"acme / team", "acme / team / plans"}
    assert [str(record.scope) for record in memory.list(scope="acme")] == ["acme / alice"]


def test_crewai_C21_scopes_that_overlap_are_searched_once(filled: Memory) -> None:
    assert filled.slice([ALICE, "acme", ALICE]).scopes == filled.slice(["acme"]).scopes
    for none in ([], "acme", ALICE, (7,)):  # a bare path would show all of acme
        with pytest.raises(InvalidInput):
            filled.slice(none)


def test_every_verb_of_a_slice_has_its_twin() -> None:
    verbs = {name: value for name, value in inspect.getmembers(MemorySlice, inspect.isfunction) if name[0] != "_"}
    awaited = {name for name, value in verbs.items() if inspect.iscoroutinefunction(value)}
    assert awaited == {f"a{name}" for name in set(verbs) - awaited}
    for name in awaited:
        one, twin = (inspect.signature(verbs[key]) for key in (name[1:], name))
        assert list(one.parameters.values()) == list(twin.parameters.values())
