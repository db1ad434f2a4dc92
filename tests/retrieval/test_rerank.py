"""A reranker orders the best lines: it is shown few, it may fail, and it is asked by nobody but recall."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from blockbuster import blockbuster_ctx

from langgraph_memory import Memory, Settings
from langgraph_memory.errors import InvalidInput
from langgraph_memory.models import Reranker
from langgraph_memory.records import Answer
from langgraph_memory.retrieval.recipe import HYBRID
from langgraph_memory.retrieval.rerank import FEWEST, lines_within, reranked
from langgraph_memory.testing import FrozenClock

Open = Callable[..., Memory]
QUESTION = "Which tea does Ana drink?"


class Later:
    """Likes what comes later in the search's own order; keeps what it was shown."""

    name = "later"

    def __init__(self, answer: Callable[[Sequence[str]], Any] = lambda texts: range(len(texts))) -> None:
        self.shown: list[tuple[str, list[str]]] = []
        self.answer = answer

    def scores(self, question: str, texts: Sequence[str]) -> Any:
        self.shown.append((question, list(texts)))
        return self.answer(texts)


class Awaited(Later):
    """The same, and fails where it is not awaited."""

    async def ascores(self, question: str, texts: Sequence[str]) -> Any:
        return super().scores(question, texts)

    def scores(self, question: str, texts: Sequence[str]) -> Any:
        raise AssertionError("it has an async face")


def fails(texts: Sequence[str]) -> Any:
    raise ConnectionError("no such host")


def fill(memory: Memory, count: int = 6) -> None:
    for number in range(count):
        memory.add(f"Ana likes tea number {number}{' and Ana drinks it' * (number % 3)}.", scope="a", actor="Ana")
    memory.record([("user", "I drink green tea.")], scope="a", thread_id="t")


def texts(answer: Answer) -> list[str]:
    return [hit.text for hit in answer.hits]


def opened(open_memory: Open, place: Any, reranker: Any, count: int = 6, **numbers: Any) -> Memory:
    memory = open_memory(place, reranker=reranker, settings=Settings(background=False, **numbers), clock=FrozenClock())
    fill(memory, count)
    return memory


def test_a_reranker_orders_the_lines_as_they_were_spoken(open_memory: Open, store_url: str) -> None:
    reranker = Later()
    memory = opened(open_memory, store_url, reranker)
    before = texts(memory.recall(QUESTION, scope="a", rerank=False))
    assert not reranker.shown
    answer = memory.recall(QUESTION, scope="a", recipe=replace(HYBRID, rerank=1.0))
    assert texts(answer) == before[::-1] and not answer.notes
    [(question, lines)] = reranker.shown
    assert question == QUESTION
    assert [line.rpartition("): ")[2] for line in lines] == before
    assert all(line.startswith(("Ana (", "user (")) for line in lines)
    assert [hit.signals["raw_rerank"] for hit in answer.hits] == [6, 5, 4, 3, 2, 1, 0]


def test_a_line_from_below_the_limit_can_win(open_memory: Open, folder: Path) -> None:
    memory = opened(open_memory, folder, Later(lambda lines: ["green" in line for line in lines]))
    assert "green" not in texts(memory.recall(QUESTION, scope="a", limit=1, rerank=False))[0]
    answer = memory.recall(QUESTION, scope="a", limit=1)
    assert texts(answer) == ["I drink green tea."] and "green" in answer.block
    assert [gap.asked for gap in answer.gaps] == ["Ana"], "what was shown to it and not chosen was not found"


def test_lines_not_shown_come_after_those_shown(open_memory: Open, folder: Path) -> None:
    reranker = Later()
    memory = opened(open_memory, folder, reranker, count=12, rerank_lines=4)
    before = texts(memory.recall(QUESTION, scope="a", limit=9, rerank=False))
    answer = memory.recall(QUESTION, scope="a", limit=9, recipe=replace(HYBRID, rerank=1.0))
    assert texts(answer) == before[3::-1] + before[4:]
    assert ["rerank" in hit.signals for hit in answer.hits] == [True] * 4 + [False] * 5


@pytest.mark.parametrize(
    "answer",
    [fails, lambda lines: [0.5], lambda lines: [math.nan] * len(lines), lambda lines: None, lambda lines: "7654321"],
    ids=["exception", "wrong count", "NaN", "nothing", "text"],
)
@pytest.mark.parametrize("kind", [Later, Awaited])
async def test_one_that_fails_is_a_note_and_the_order_stays(
    open_memory: Open, folder: Path, answer: Any, kind: type[Later]
) -> None:
    memory = opened(open_memory, folder, kind(answer))
    for recipe in (HYBRID, replace(HYBRID, diversity=0.3)):
        plain = await memory.arecall(QUESTION, scope="a", limit=3, recipe=recipe, rerank=False)
        found = await memory.arecall(QUESTION, scope="a", limit=3, recipe=recipe)
        assert (found.hits, found.block, found.gaps) == (plain.hits, plain.block, plain.gaps)
        assert ["the reranker failed" in note for note in found.notes] == [True]


def test_only_the_question_that_it_failed_for_has_the_note(open_memory: Open, folder: Path) -> None:
    reranker = Later(lambda lines: fails(lines) if len(reranker.shown) == 2 else range(len(lines)))
    answers = opened(open_memory, folder, reranker).recall_many(["Ana?", "tea?", "Who drinks?"], scope="a")
    assert [len(answer.notes) for answer in answers] == [0, 1, 0]


async def test_both_faces_give_one_order_and_never_block_the_loop(open_memory: Open, folder: Path) -> None:
    one, other = opened(open_memory, folder / "1", Awaited()), opened(open_memory, folder / "2", Later())
    with blockbuster_ctx("langgraph_memory"):
        awaited = await one.arecall(QUESTION, scope="a")
        threaded = await other.arecall(QUESTION, scope="a")
        many = await one.arecall_many([QUESTION], scope="a")
    blocking = other.recall(QUESTION, scope="a")
    assert texts(awaited) == texts(threaded) == texts(many[0]) == texts(blocking)
    assert [hit.score for hit in awaited.hits] == [hit.score for hit in blocking.hits]
    assert texts(blocking) != texts(other.recall(QUESTION, scope="a", rerank=False))


def test_calls_over_the_budget_make_the_next_ones_smaller(open_memory: Open, folder: Path) -> None:
    slow, quick = Later(), Later()
    for reranker, seconds in ((slow, 1e-9), (quick, 3_600.0)):
        memory = opened(open_memory, folder / str(seconds), reranker, count=20, rerank_lines=12, rerank_seconds=seconds)
        for _ in range(3):
            assert len(memory.recall(QUESTION, scope="a").hits) == 10
    assert [len(lines) for _, lines in slow.shown] == [12, FEWEST, FEWEST]
    assert [len(lines) for _, lines in quick.shown] == [12, 12, 12]


@pytest.mark.parametrize(
    ("paces", "most", "lines"),
    [([], 30, 30), ([0.02], 30, 25), ([9.0, 0.02, 0.02], 30, 25), ([9.0], 30, FEWEST), ([9.0], 3, 3), ([0.0], 30, 30)],
)
def test_the_median_pace_of_earlier_calls_says_how_many_lines_are_shown(
    paces: list[float], most: int, lines: int
) -> None:
    assert lines_within(0.5, paces, most) == lines


def test_nobody_asks_it_but_a_shallow_recall(open_memory: Open, folder: Path) -> None:
    reranker = Later(fails)
    memory = opened(open_memory, folder, reranker)
    memory.remember("I moved to Oslo. I drink tea in Oslo.", scope="a")
    memory.store.put(("a",), "k", {"text": "tea"})
    assert memory.store.search(("a",), query="tea")
    assert not memory.recall(QUESTION, scope="a", depth="deep").notes
    assert not memory.recall(QUESTION, scope="a", recipe=replace(HYBRID, rerank=0.0)).notes
    memory.add("Ben drinks tea.", scope="b")
    assert len(memory.recall(QUESTION, scope="b").hits) == 1, "one line has no order"
    assert not memory.recall(QUESTION, scope="nobody").notes
    assert not reranker.shown


def test_equal_scores_and_the_largest_numbers_keep_the_order() -> None:
    old, parts = [0.8, 0.4, 0.2], [{"dense": 0.8}, {"dense": 0.4}, {"dense": 0.2}]
    for given in ([7.0, 7.0], [1.7e308, -1.7e308], [0.0, 0.0]):
        assert [place for place, _, _ in reranked(old, parts, given, weight=0.5)] == [0, 1, 2]
    [first, *_] = reranked(old, parts, [1.0, 3.0], weight=0.5)
    assert first == (1, 0.75, {"dense": 0.25, "rerank": 0.5, "raw_rerank": 3.0})


@pytest.mark.parametrize("reranker", ["cross-encoder", 5, Later, lambda question, lines: lines])
def test_what_is_no_reranker_is_refused(folder: Path, reranker: Any) -> None:
    with pytest.raises(InvalidInput, match="reranker is an object"):
        Memory(folder, reranker=reranker)
    assert isinstance(Later(), Reranker)


def test_what_cannot_be_is_refused(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder)
    with pytest.raises(InvalidInput, match="rerank is True or False"):
        memory.recall("x", scope="a", rerank=1)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"Recipe\.rerank"):
        replace(HYBRID, rerank=1.5)
