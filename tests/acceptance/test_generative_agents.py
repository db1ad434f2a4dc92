"""The rows of the Generative Agents acceptance list that concern the retrieval score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from langgraph_memory import Memory, Settings
from langgraph_memory.errors import InvalidInput
from langgraph_memory.records import Answer
from langgraph_memory.retrieval import generative_agents
from langgraph_memory.retrieval.explain import explain
from langgraph_memory.retrieval.fuse import Fused
from langgraph_memory.retrieval.picking import best
from langgraph_memory.retrieval.recipe import GENERATIVE_AGENTS, Recipe
from langgraph_memory.testing.clock import FrozenClock
from langgraph_memory.testing.embedder import HashEmbedder

Open = Callable[..., Memory]
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
OURS, UPSTREAM = GENERATIVE_AGENTS, replace(GENERATIVE_AGENTS, oldest_first=True)
UNTOUCHED = Settings(background=False, track_recalls=False)


class GivenCosines(HashEmbedder):
    """Puts each text, by its last letter, at the cosines given to two points of view."""

    def __init__(self, cosines: dict[str, tuple[float, float]]) -> None:
        super().__init__(64)
        self._cosines = {**cosines, "one": (1.0, 0.0), "two": (0.0, 1.0)}

    def embed_documents(self, texts: Sequence[str]) -> Any:
        rows = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            at, (first, second) = next(
                ((at, given) for at, (known, given) in enumerate(self._cosines.items(), 2) if text.endswith(known)),
                (2, (0.0, 0.0)),
            )
            row[:2] = first, second
            row[at] = np.sqrt(max(0.0, 1 - first * first - second * second))
        return rows


GIVEN = {"A": (0.2, 0.9), "B": (0.9, 0.2), "C": (0.5, 0.5)}
ABC = {name: (first * 5 / 8, second * 5 / 8) for name, (first, second) in GIVEN.items()}
"""The same when stretched; and vectors are kept in half precision, which holds .125, .3125 and .5625, not .2 and .9."""
POIGNANT = {"A": 0.8, "B": 0.2, "C": 0.5}


def village(open_memory: Open, location: Path | str, **options: Any) -> Memory:
    """Return a memory of A, the oldest, B, and C, the newest."""
    options.setdefault("clock", FrozenClock(NOW))
    options.setdefault("embeddings", GivenCosines(ABC))
    memory = open_memory(location, **options)
    for hours, (name, poignancy) in enumerate(POIGNANT.items()):
        at = NOW - timedelta(hours=24 - hours)
        memory.add(f"This is {name}", scope="v", importance=poignancy, observed_at=at)
    return memory


def scores(answer: Answer) -> dict[str, float]:
    return {hit.text[-1]: round(hit.score, 4) for hit in answer.hits}


def near(**exact: float) -> Any:
    return pytest.approx(exact, abs=1e-4)


def test_generative_agents_P01_three_parts_are_stretched_weighted_and_added(open_memory: Open, folder: Path) -> None:
    memory = village(open_memory, folder)
    answer = memory.recall("one", scope="v", recipe="generative_agents")
    assert list(scores(answer)) == ["B", "C", "A"]
    assert scores(answer) == near(B=3.2487, C=2.7857, A=2.0)
    for hit in answer.hits:
        assert sum(hit.signals[part] for part in ("recency", "relevance", "importance")) == pytest.approx(
            hit.score, abs=1e-6
        )


def test_generative_agents_P02_the_published_order_of_time_can_be_had_too(open_memory: Open, folder: Path) -> None:
    memory = village(open_memory, folder)
    assert scores(memory.recall("one", scope="v", recipe=UPSTREAM)) == near(B=3.2487, A=2.5, C=2.2857)


@pytest.mark.parametrize("recipe", [OURS, UPSTREAM], ids=["P01", "P02"])
def test_generative_agents_only_half_precision_parts_a_recall_from_the_formula(
    open_memory: Open, folder: Path, recipe: Recipe
) -> None:
    """With cosines of .2, .9 and .5, recall gives C .0003 more than the row: of .2, half precision keeps .19995."""
    memory = village(open_memory, folder, embeddings=GivenCosines(GIVEN))
    recalled = scores(memory.recall("one", scope="v", recipe=recipe))

    def formula(precision: type[np.floating[Any]]) -> dict[str, float]:
        parts = generative_agents.explain(
            np.array([first for first, _ in GIVEN.values()], dtype=precision).astype(np.float32),
            np.arange(3),
            np.array(list(POIGNANT.values()), dtype=np.float32),
            candidates=np.ones(3, dtype=np.bool_),
            upstream=recipe.oldest_first,
        )
        return dict(zip(GIVEN, map(float, sum(parts.values())), strict=True))

    assert formula(np.float32) == (
        near(B=3.2487, C=2.7857, A=2.0) if recipe is OURS else near(B=3.2487, A=2.5, C=2.2857)
    )
    assert recalled == near(**formula(np.float16)) and recalled["C"] == pytest.approx(
        formula(np.float32)["C"], abs=5e-4
    )


def test_generative_agents_P03_of_two_equal_memories_the_newer_comes_first(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder, embeddings=GivenCosines({"X": (0.5, 0), "Y": (0.5, 0)}), clock=FrozenClock(NOW))
    for days, name in ((1, "X"), (2, "Y")):  # the older one was recorded later
        memory.add(f"This is {name}", scope="v", observed_at=NOW - timedelta(days=days))
    assert scores(memory.recall("one", scope="v", recipe=OURS)) == {"X": 3.0, "Y": 2.5}
    memory.erase(scope="v")
    for days, name in ((1, "X"), (2, "Y")):
        memory.add(f"This is {name}", scope="v", observed_at=NOW - timedelta(days=days))
    assert scores(memory.recall("one", scope="v", recipe=UPSTREAM)) == {"Y": 3.0, "X": 2.5}


@pytest.mark.parametrize("count", [1, 4])
def test_generative_agents_P05_what_is_all_equal_counts_half(open_memory: Open, folder: Path, count: int) -> None:
    memory = open_memory(folder, embeddings=GivenCosines({"same": (0.7, 0)}), clock=FrozenClock(NOW))
    for number in range(count):
        memory.add(f"{number} is the same", scope="v", importance=0.7)
    for hit in memory.recall("one", scope="v", recipe=OURS).hits:
        assert (hit.signals["relevance"], hit.signals["importance"]) == (1.5, 1.0)
        assert hit.score == pytest.approx(sum(hit.signals[name] for name in ("recency", "relevance", "importance")))
    if count == 1:
        assert memory.recall("one", scope="v", recipe=OURS).hits[0].signals["recency"] == 0.25


def test_generative_agents_P06_no_candidates_are_no_error(memory: Memory) -> None:
    answer = memory.recall("anything", scope="v", recipe="generative_agents")
    assert (list(answer.hits), answer.block) == ([], "")
    memory.add("Something.", scope="v", kind="event")
    assert memory.recall("anything", scope="v", recipe="generative_agents", kinds=["fact"]).hits == ()


def test_generative_agents_P07_weights_decide_and_the_parts_are_listed(open_memory: Open, folder: Path) -> None:
    memory = village(open_memory, folder, settings=UNTOUCHED)

    def order(recency: float, relevance: float, importance: float) -> str:
        recipe = replace(OURS, recency=0.5 * recency, dense=3 * relevance, importance=2 * importance)
        answer = memory.recall("one", scope="v", recipe=recipe)
        for hit in answer.hits:
            told = explain(hit)
            assert {part.name for part in told.parts} == {"recency", "relevance", "importance"}
            assert sum(part.value for part in told.parts) == pytest.approx(told.score, abs=1e-6)
            assert all(f"({part.raw:.3f})" in str(told) for part in told.parts if part.raw is not None)
        return "".join(scores(answer))

    assert order(1, 1, 1) == "BCA"
    assert order(0, 0, 1) == "ACB"
    assert order(1, 0, 0) == "CBA"
    assert order(0, 0, 0) == "ABC"  # in order of belief


def test_generative_agents_P08_what_was_recalled_is_newer_also_after_reopening(
    open_memory: Open, store_url: str
) -> None:
    clock = FrozenClock(NOW)
    memory = village(open_memory, store_url, clock=clock)

    def recency() -> dict[str, float]:
        answer = memory.recall("one", scope="v", recipe=OURS, limit=3)
        return {hit.text[-1]: round(hit.signals["raw_recency"], 4) for hit in answer.hits}

    memory.recall("A", scope="v", recipe="lexical", limit=1)
    memory.close()
    clock.advance(timedelta(hours=1))
    memory = open_memory(store_url, embeddings=GivenCosines(ABC), clock=clock)
    assert recency() == {"A": 0.99, "C": round(0.99**2, 4), "B": round(0.99**3, 4)}


def test_generative_agents_P10_several_focal_points_share_one_moment(open_memory: Open, tmp_path: Path) -> None:
    class Ticking(FrozenClock):
        def __call__(self) -> datetime:
            self.advance(timedelta(seconds=1))
            return super().__call__()

    def asked(name: str, *points: str) -> tuple[dict[str, dict[str, float]], Memory]:
        memory = village(open_memory, tmp_path / name, clock=Ticking(NOW))
        answers = memory.recall_many(points, scope="v", recipe=OURS, limit=2)
        assert [answer.query for answer in answers] == list(points)
        return {answer.query: scores(answer) for answer in answers}, memory

    forth, memory = asked("forth", "one", "two")
    back, _ = asked("back", "two", "one")
    assert forth == back
    assert set(forth["one"]) & set(forth["two"]) == {"C"}  # shared
    after = memory.recall("one", scope="v", recipe=replace(OURS, dense=0, importance=0), limit=3)
    assert "".join(scores(after)) == "CBA"  # touched at the same moment, so the later memory is the newer
    alone = village(open_memory, tmp_path / "alone", clock=Ticking(NOW)).recall("two", scope="v", recipe=OURS, limit=2)
    assert scores(alone) == forth["two"]


async def test_generative_agents_P10_several_focal_points_can_be_awaited(open_memory: Open, folder: Path) -> None:
    memory = village(open_memory, folder, settings=UNTOUCHED)
    blocking = memory.recall_many(["one", "two"], scope="v", recipe=OURS)
    assert await memory.arecall_many(["one", "two"], scope="v", recipe=OURS) == blocking
    assert await memory.arecall_many([], scope="v") == []
    with pytest.raises(InvalidInput, match="no option colour"):
        memory.recall_many(["one"], scope="v", colour="red")  # type: ignore[call-arg]
    with pytest.raises(InvalidInput, match="queries is a list"):
        memory.recall_many("one", scope="v")


def test_generative_agents_P11_what_a_rule_skips_is_no_candidate(open_memory: Open, folder: Path) -> None:
    texts = {"the bed is idle": (0.9, 0), "an idle thought about X": (0.5, 0), "idle": (1, 0), "awake": (0.1, 0)}
    memory = open_memory(folder, embeddings=GivenCosines(texts), clock=FrozenClock(NOW), settings=UNTOUCHED)
    for text in texts:
        memory.add(text, scope="v")

    def found(skip: Callable[[str], bool] | None) -> list[str]:
        return [hit.text for hit in memory.recall("one", scope="v", recipe=OURS, skip=skip).hits]

    assert len(found(None)) == 4
    assert found(lambda text: "idle" in text) == ["awake"]
    assert found(lambda text: text == "idle" or text.endswith(" is idle")) == ["an idle thought about X", "awake"]
    answer = memory.recall("one", scope="v", recipe=OURS, skip=lambda text: text != "awake")
    assert answer.hits[0].signals["relevance"] == 1.5  # what is skipped does not stretch the scales
    with pytest.raises(InvalidInput, match="skip is a function"):
        memory.recall("one", scope="v", skip="idle")  # type: ignore[arg-type]


def test_generative_agents_P12_as_many_are_returned_as_are_asked_for(open_memory: Open, folder: Path) -> None:
    """Recall refuses to be asked for none, as it would read as "nothing is known"; the ranking below it gives none."""
    memory = open_memory(folder, settings=UNTOUCHED)
    for number in range(40):
        memory.add(f"Event number {number}.", scope="v")

    def found(limit: int) -> list[str]:
        return [hit.text for hit in memory.recall("event", scope="v", recipe=OURS, limit=limit).hits]

    assert len(set(found(100))) == 40 and found(30) == found(100)[:30]
    assert [len(answer.hits) for answer in memory.recall_many(["event"] * 2, scope="v", recipe=OURS, limit=30)] == [
        30
    ] * 2
    with pytest.raises(InvalidInput, match="limit must be at least 1"):
        found(0)
    ranking = Fused(np.zeros(40, dtype=np.float32), {}, {}, candidates=np.ones(40, dtype=np.bool_))
    assert [len(best(ranking, np.arange(40, dtype=np.int32), limit)) for limit in (30, 0, 100)] == [30, 0, 40]


def test_generative_agents_importance_that_nobody_rated_is_taken_for_mundane(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder, embeddings=GivenCosines({"A": (0.5, 0), "B": (0.5, 0)}), clock=FrozenClock(NOW))
    memory.add("This is A", scope="v")
    memory.add("This is B", scope="v", importance=generative_agents.MUNDANE)
    for hit in memory.recall("one", scope="v", recipe=OURS).hits:
        assert hit.signals["raw_importance"] == pytest.approx(generative_agents.MUNDANE)
        assert hit.signals["importance"] == 1.0  # all equal
