"""The rows of CrewAI's acceptance list that concern recall."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chroma_server import PROGRAM, ChromaServer
from postgres import Server

from langgraph_memory import Memory, Settings
from langgraph_memory.errors import InvalidInput
from langgraph_memory.retrieval import composite
from langgraph_memory.retrieval.recipe import COMPOSITE, RECIPES
from langgraph_memory.scope import Scope
from langgraph_memory.testing import ScriptedChatModel
from langgraph_memory.testing.clock import FrozenClock
from langgraph_memory.testing.embedder import HashEmbedder

Open = Callable[..., Memory]
DAY = composite.DAY
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


class GivenCosines(HashEmbedder):
    """Puts each text at the cosine given to every question, and every text at right angles to the others."""

    def __init__(self, cosines: dict[str, float]) -> None:
        super().__init__(64)
        self._cosines = cosines

    def embed_documents(self, texts: Sequence[str]) -> Any:
        rows = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            place, cosine = next(
                ((at, cosine) for at, (known, cosine) in enumerate(self._cosines.items(), 1) if text.endswith(known)),
                (0, 1.0),
            )
            row[place] = math.sqrt(1 - cosine * cosine)
            row[0] = cosine
        return rows


@pytest.mark.parametrize("importance", [0.0, 1.0])
@pytest.mark.parametrize(("days", "recency"), [(0, 1.0), (30, 0.5), (60, 0.25)])
def test_crewai_C07_the_composite_score_is_exact(
    open_memory: Open, folder: Path, days: int, recency: float, importance: float
) -> None:
    exact = 0.3 * recency + 0.5 + 0.2 * importance
    parts = composite.explain(
        np.ones(1, dtype=np.float32),
        np.array([(1_000 - days) * DAY]),
        np.array([importance], dtype=np.float32),
        now=1_000 * DAY,
    )
    assert float(sum(parts.values())[0]) == pytest.approx(exact, abs=1e-6)

    memory = open_memory(folder, embeddings=GivenCosines({"Ana sails.": 1.0}), clock=FrozenClock(NOW))
    memory.add("Ana sails.", scope="a", importance=importance, observed_at=NOW - timedelta(days=days))
    (hit,) = memory.recall("boats", scope="a", recipe="composite").hits
    assert hit.score == pytest.approx(exact, abs=1e-6)
    shares = {name: value for name, value in hit.signals.items() if not name.startswith("raw_")}
    assert sum(shares.values()) == pytest.approx(hit.score, abs=1e-6)
    assert composite.reasons(hit.signals) == (
        "semantic", *(["recency"] if recency > 0.5 else []), *(["importance"] if importance > 0.5 else []),
    )  # fmt: skip


def test_crewai_C08_a_recall_renews_recency_and_outlasts_the_process(open_memory: Open, store_url: str) -> None:
    clock = FrozenClock(NOW)
    options: dict[str, Any] = {"embeddings": GivenCosines({"Ana sails.": 1.0}), "clock": clock}
    memory = open_memory(store_url, **options)
    memory.add("Ana sails.", scope="a", observed_at=NOW - timedelta(days=60))

    def score(**change: Any) -> float:
        (hit,) = memory.recall("boats", scope="a", recipe=replace(COMPOSITE, **change)).hits
        return round(hit.score, 4)

    assert score() == round(0.6 + 0.3 * 0.25, 4)
    clock.advance(timedelta(days=30))
    assert score(renewed=False) == round(0.6 + 0.3 * 0.125, 4)  # as nothing had been recalled
    memory.close()
    memory = open_memory(store_url, **options)
    assert score() == 0.9  # the recall just now was the last


def test_crewai_C08_renewal_can_be_turned_off_for_the_whole_memory(open_memory: Open, folder: Path) -> None:
    clock = FrozenClock(NOW)
    quiet = Settings(background=False, track_recalls=False)
    memory = open_memory(folder, embeddings=GivenCosines({"Ana sails.": 1.0}), clock=clock, settings=quiet)
    memory.add("Ana sails.", scope="a", observed_at=NOW - timedelta(days=30))
    scores = [memory.recall("boats", scope="a", recipe="composite").hits[0].score for _ in range(2)]
    assert scores == [pytest.approx(0.6 + 0.15, abs=1e-6)] * 2


@pytest.mark.parametrize("zone", [None, UTC, timezone(timedelta(hours=5))])
def test_crewai_C15_a_time_filter_works_with_and_without_a_zone(memory: Memory, zone: timezone | None) -> None:
    for day in (1, 2, 3):
        at = datetime(2026, 5, day, 12, tzinfo=UTC)
        memory.record([("user", f"tea on day {day}")], scope="a", thread_id="t", observed_at=at)
        memory.add(f"tea was had on day {day}", scope="a", observed_at=at)

    def at(day: int, hour: int) -> datetime:
        moment = datetime(2026, 5, day, hour, tzinfo=UTC)
        return moment.replace(tzinfo=None) if zone is None else moment.astimezone(zone)

    def days(**when: Any) -> set[str]:
        return {hit.text[-1] for hit in memory.recall("tea", scope="a", **when).hits}

    assert days() == {"1", "2", "3"}
    assert days(said_after=at(2, 12)) == {"2", "3"} and days(said_after=at(2, 13)) == {"3"}
    assert days(said_before=at(2, 12)) == {"1"}
    assert days(said_after=at(1, 13), said_before=at(3, 12)) == {"2"}
    answer = memory.recall("tea", scope="a", said_after=at(2, 12), said_before=at(3, 12))
    assert "day 1" not in answer.block and "day 3" not in answer.block  # nor as a line around a hit


@pytest.mark.parametrize("name", ["said_after", "said_before"])
@pytest.mark.parametrize("moment", ["2026-05-02", "last spring", "", 7, float("nan"), object()])
def test_crewai_C15_an_invalid_time_of_the_caller_is_refused(memory: Memory, name: str, moment: Any) -> None:
    """The row has it ignored with a warning; but whoever writes a filter must not get answers without it."""
    for ask in (memory.recall, lambda query, **options: memory.recall_many([query], **options)):
        with pytest.raises(
            InvalidInput, match=rf"{name} must be a datetime, not .*\. Write for example {name}=datetime"
        ):
            ask("tea", scope="a", **{name: moment})
    with pytest.raises(InvalidInput, match=f"{name} lies outside the years 1 to 9999"):
        memory.recall("tea", scope="a", **{name: datetime.max.replace(tzinfo=timezone(timedelta(hours=-1)))})


@pytest.mark.parametrize("moment", ["last spring", "2026-13-01", 7, [], {"year": 2026}])
def test_crewai_C15_an_invalid_time_of_a_model_is_ignored_with_a_note(
    store_url: str, open_memory: Open, moment: Any
) -> None:
    plan = ScriptedChatModel.call("queries", queries=["violins"], said_after=moment, said_before="2026-01-01")
    memory = open_memory(store_url, model=ScriptedChatModel([plan]))
    for year in (2024, 2025, 2026):
        memory.add(f"Konrad mended violins in {year}.", scope="a", observed_at=datetime(year, 5, 1, tzinfo=UTC))
    answer = memory.recall("x " * 120, scope="a", depth="deep", max_calls=1, recipe="lexical")
    assert {hit.text[-5:-1] for hit in answer.hits} == {"2024", "2025"}  # its other time holds
    assert [note for note in answer.notes if "is no time: it was not applied" in note] == [
        f"{str(moment)[:40]!r} of the model is no time: it was not applied"
    ]


def test_crewai_C16_what_is_private_is_found_by_its_own_actor_only(memory: Memory) -> None:
    memory.add("The door code is about harbours.", scope="x", actor="a", private=True)
    memory.add("Everybody likes harbours.", scope="x", actor="b")

    def found(**who: Any) -> int:
        answer = memory.recall("harbours", scope="x", **who)
        assert ("door code" in answer.block) == (len(answer.hits) == 2)
        return len(answer.hits)

    assert found(actor="a") == 2
    assert found(actor="b") == 1
    assert found() == 1
    assert found(include_private=True) == 2
    for recipe in ("lexical", "dense", "mem0", "rrf", "composite", "generative_agents"):
        assert found(recipe=recipe) == 1


def test_crewai_C16_a_private_memory_stays_private_through_changes_and_takes_no_word_from_others(
    open_memory: Open, folder: Path
) -> None:
    memory = open_memory(folder)
    (own,) = memory.add("Ana sails at noon.", scope="x", actor="a", private=True, pinned=True).ids
    assert memory.standing(scope="x") == []
    (public,) = memory.add("Ana sails at noon.", scope="x", actor="b").ids  # said openly too: another memory
    assert own != public
    assert [hit.id for hit in memory.recall("Ana sails", scope="x").hits] == [public]
    (successor,) = memory.update(own, text="Ana sails at one.", actor="admin").ids
    record = memory.get(successor)
    assert (record.private, record.actor) == (True, "a")
    assert [hit.id for hit in memory.recall("Ana sails", scope="x", kinds=["fact"]).hits] == [public]
    memory.export(scope="x", path=folder.parent / "x.jsonl")
    copy = open_memory(folder.parent / "copy")
    copy.ingest(folder.parent / "x.jsonl", scope="x")
    assert [hit.text for hit in copy.recall("Ana sails", scope="x").hits] == ["Ana sails at noon."]
    assert {hit.text for hit in copy.recall("Ana sails", scope="x", actor="a").hits} == {
        "Ana sails at noon.", "Ana sails at one.",
    }  # fmt: skip


def test_crewai_C16_no_model_that_writes_is_shown_what_is_private(open_memory: Open, folder: Path) -> None:
    model = ScriptedChatModel(["{}"] * 6)
    memory = open_memory(folder, model=model)
    private, public = "Ana secretly sails a red boat.", "Ana openly sails a red boat."
    memory.add(private, scope="x", actor="a", private=True)
    memory.add(public, scope="x", actor="b")
    memory.remember([("user", "I sail a red boat, says Ana.")], scope="x", thread_id="t")
    memory.manage("I sail a red boat, says Ana.", scope="x", thread_id="u")
    memory.add("Ana openly sails a red boat, she says.", scope="x", actor="b")
    memory.consolidate(scope="x")
    assert any(public in call.text for call in model.calls)
    assert not any("secretly" in call.text for call in model.calls)


def test_crewai_C30_what_scores_below_the_least_score_is_not_returned(open_memory: Open, folder: Path) -> None:
    cosines = {"near.": 0.9, "far.": 0.5, "unrelated.": 0.1}
    memory = open_memory(folder, embeddings=GivenCosines(cosines), clock=FrozenClock(NOW))
    for text in cosines:
        memory.add(f"It is {text}", scope="a", importance=0.5)

    def found(**options: Any) -> list[str]:
        return [hit.text[6:] for hit in memory.recall("boats", scope="a", **options).hits]

    assert found(recipe="composite") == ["near.", "far."]  # below the model's floor nothing is related
    assert found(recipe=replace(COMPOSITE, related=False)) == ["near.", "far.", "unrelated."]
    assert found(recipe="composite", min_score=0.7) == ["near."]
    assert found(recipe="dense", min_score=0.99) == ["near."]
    assert found(min_score=1.1) == []
    with pytest.raises(InvalidInput, match="min_score is a number"):
        found(min_score="0.5")


@pytest.fixture(scope="module")
def backends(
    postgres_server: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[tuple[str, str], Memory]]:
    """The same lines on each database, searched exactly in memory and, where that is too small, by the indexes."""
    if PROGRAM is None:
        pytest.skip("the program `chroma` is not installed")
    folder = tmp_path_factory.mktemp("backends")
    urls = [postgres_server.create() for _ in range(2)]
    server = ChromaServer(folder / "chroma")
    small = Settings(background=False, track_recalls=False, cache_mb=1)  # 90 lines of 4,000 numbers are 1.4 MiB
    ample = Settings(background=False, track_recalls=False)
    options: dict[str, Any] = {"embeddings": HashEmbedder(4_000), "clock": FrozenClock(NOW)}
    opened = {
        ("sqlite", "exact"): Memory(folder / "exact", settings=ample, **options),
        ("sqlite", "wide"): Memory(folder / "wide", settings=small, **options),
        ("postgresql", "exact"): Memory(urls[0], settings=ample, **options),
        ("postgresql", "wide"): Memory(urls[1], settings=small, chroma=server.url, **options),
    }
    said = [
        "Ana keeps bees in Bergen.",
        "The bees swarmed in May.",
        "今天蜜蜂很忙。",
        "Bob sails to Oslo.",
        "Oslo was wet.",
    ]
    said += [f"Line {number} of the log of boat {number % 7}." for number in range(80)]
    for memory in opened.values():
        messages = [{"role": "user", "content": text, "id": f"m{place}"} for place, text in enumerate(said)]
        memory.record(messages, scope="a", thread_id="t", observed_at=NOW - timedelta(days=3))
        for days, (text, importance) in enumerate([("Ana sold her bees.", 0.9), ("Bob has a boat.", 0.2)]):
            memory.add(text, scope="a", importance=importance, observed_at=NOW - timedelta(days=days))
        memory.flush()
    yield opened
    for memory in opened.values():
        memory.close()
    server.stop()
    for url in urls:
        postgres_server.drop(url)


@pytest.mark.postgres
@pytest.mark.parametrize("recipe", RECIPES)
def test_crewai_C27_every_backend_gives_the_same_results(backends: dict[tuple[str, str], Memory], recipe: str) -> None:
    found: dict[tuple[str, str], list[Any]] = {}
    for backend, memory in backends.items():
        with memory._parts.cache.open(Scope.of("a")) as held:
            assert (held is None) == (backend[1] == "wide")
        for asked in ("Where does Ana keep bees?", "蜜蜂", "Who was in Oslo?", "boat 3"):
            answer = memory.recall(asked, scope="a", recipe=recipe)
            assert answer.hits and not answer.notes  # every index is sound and was asked
            found.setdefault(backend, []).append([(hit.text, round(hit.score, 4)) for hit in answer.hits])
    for way in ("exact", "wide"):
        assert found["sqlite", way] == found["postgresql", way]
    if recipe != "lexical":
        assert found["sqlite", "wide"] == found["sqlite", "exact"]
    for wide, exact in zip(found["sqlite", "wide"], found["sqlite", "exact"], strict=True):
        # Without vectors, a wide search has fewer candidates to know the mean length of lines from, which moves BM25.
        assert wide[:2] == [(text, pytest.approx(score, abs=0.03)) for text, score in exact[:2]]
