"""The same question is not searched for twice, and never answered with what is no longer so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from langgraph_memory import Memory
from langgraph_memory.flows import finding
from langgraph_memory.models.ports import Embedder, Vector
from langgraph_memory.retrieval.recipe import COMPOSITE

NOW = datetime(2026, 5, 1, tzinfo=UTC)
ANA = "ana"


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is searched for, question by question: the real search runs, and is counted."""
    seen: list[str] = []
    real = finding.search

    def counted(*arguments: object, **options: object) -> object:
        seen.append("search")
        return real(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(finding, "search", counted)
    return seen


def texts(memory: Memory, question: str = "Where is the tea?", **options: object) -> list[str]:
    return [hit.text for hit in memory.recall(question, scope=ANA, **options).hits]  # type: ignore[arg-type]


@pytest.fixture
def memory(open_memory: Callable[..., Memory], store_url: str) -> Memory:
    opened = open_memory(store_url)
    opened.add("The tea is in the blue tin.", scope=ANA, actor=ANA)
    opened.add("Tea is bought in Kyoto.", scope=ANA, actor=ANA)
    return opened


def test_a_question_that_is_asked_again_is_searched_for_once(memory: Memory, searches: list[str]) -> None:
    first = memory.recall("Where is the tea?", scope=ANA)
    again = memory.recall("Where is the tea?", scope=ANA, budget=5_000)
    assert searches == ["search"]
    assert again.hits == first.hits and len(first.hits) == 2


@pytest.mark.parametrize(
    "options",
    [
        {"limit": 1},
        {"recipe": "lexical"},
        {"kinds": ["fact"]},
        {"actor": ANA},
        {"include_history": True},
        {"min_score": 0.1},
        {"known_at": NOW},
    ],
)
def test_another_option_is_another_search(memory: Memory, searches: list[str], options: dict[str, object]) -> None:
    texts(memory)
    texts(memory, **options)
    assert len(searches) == 2


def test_what_is_added_forgotten_and_restored_is_seen_at_once(memory: Memory) -> None:
    before = texts(memory)
    added = memory.add("The tea pot is green.", scope=ANA, actor=ANA).added[0]
    assert set(texts(memory)) == {*before, "The tea pot is green."}
    memory.forget(added.id, scope=ANA)
    assert texts(memory) == before
    memory.restore(added.id, scope=ANA)
    assert "The tea pot is green." in texts(memory)
    memory.erase(scope=ANA)
    assert texts(memory) == []


def test_what_another_process_wrote_is_seen_at_once(
    memory: Memory, open_memory: Callable[..., Memory], store_url: str
) -> None:
    before = texts(memory)
    open_memory(store_url).add("The tea pot is green.", scope=ANA, actor=ANA)
    assert set(texts(memory)) == {*before, "The tea pot is green."}


def test_what_expires_is_gone_in_time_and_what_begins_is_there(
    open_memory: Callable[..., Memory], store_url: str, searches: list[str]
) -> None:
    moment = NOW
    memory = open_memory(store_url, clock=lambda: moment)
    memory.add("The tea is hot.", scope=ANA, expires_at=NOW + timedelta(hours=1))
    memory.add("The tea is iced.", scope=ANA, valid_from=NOW + timedelta(hours=2))
    assert [texts(memory), texts(memory)] == [["The tea is hot."]] * 2 and len(searches) == 1
    moment = NOW + timedelta(hours=1)
    assert texts(memory) == []
    moment = NOW + timedelta(hours=2)
    assert texts(memory) == ["The tea is iced."]
    moment = NOW
    assert texts(memory) == ["The tea is hot."]


def test_what_depends_on_more_than_the_scope_is_searched_for_again(memory: Memory, searches: list[str]) -> None:
    wanted = {"Tea is bought in Kyoto."}
    assert len(texts(memory, skip=lambda text: text not in wanted)) == 1
    for recipe in (replace(COMPOSITE, related=False), "generative_agents"):
        texts(memory, recipe=recipe)
        texts(memory, recipe=recipe)
    assert len(searches) == 5


def test_findings_go_with_what_they_were_found_in(memory: Memory) -> None:
    texts(memory)
    kept = memory._parts.finder._kept
    assert len(kept) == 1
    memory._parts.cache.clear()
    assert len(kept) == 0


def test_only_the_last_questions_are_kept(memory: Memory) -> None:
    for number in range(100):
        texts(memory, f"Where is tea number {number}?")
    assert len(memory._parts.finder._kept) == 64


def test_what_a_caller_writes_into_a_hit_changes_no_later_answer(memory: Memory) -> None:
    first = memory.recall("Where is the tea?", scope=ANA)
    told = [dict(hit.signals) for hit in first.hits]
    for hit in first.hits:
        hit.signals.clear()  # type: ignore[attr-defined]
    assert [dict(hit.signals) for hit in memory.recall("Where is the tea?", scope=ANA).hits] == told


def test_a_question_that_asks_for_very_much_is_not_kept(memory: Memory) -> None:
    texts(memory, limit=1_000)
    assert len(memory._parts.finder._kept) == 0


def test_a_question_that_is_embedded_otherwise_is_another_question(
    open_memory: Callable[..., Memory], store_url: str, searches: list[str]
) -> None:
    memory = open_memory(store_url)
    memory.add("The tea is in the blue tin.", scope=ANA)
    texts(memory)
    memory._parts.finder._embedder = Turned(memory._parts.embedder)
    texts(memory)
    assert len(searches) == 2


class Turned:
    """Embeds questions the other way round."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def __getattr__(self, name: str) -> object:
        return getattr(self._embedder, name)

    def embed_query(self, text: str) -> Vector:
        return -self._embedder.embed_query(text)
