"""Rows of the mem0 acceptance list about entities and the published scoring."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from stores import CountingEmbedder

from langgraph_memory import Memory
from langgraph_memory.knowledge.names import Name
from langgraph_memory.maintenance.linker import Linker
from langgraph_memory.records import Hit
from langgraph_memory.retrieval import mem0
from langgraph_memory.scope import Scope
from langgraph_memory.storage.entities import list_entities
from langgraph_memory.storage.schema import evidence, items, mentions, metadata, outbox
from langgraph_memory.writing.lookup import find_sources
from langgraph_memory.writing.proposal import Proposal

SIX = {"semantic", "bm25", "entity", "raw", "divisor", "final"}


MANY = 2_500
LINKED = (evidence, mentions, outbox, items)


def known(memory: Memory, scope: Any = "a") -> dict[str, int]:
    with memory._parts.database.read() as connection:
        return {found.name: found.links for found in list_entities(connection, Scope.of(scope), now=memory._now())}


def ask(memory: Memory, query: str, **options: Any) -> dict[str, Hit]:
    return {hit.text: hit for hit in memory.recall(query, scope="a", limit=200, **options).hits}


def test_mem0_M05_near_wordings_share_their_entities(memory: Memory) -> None:
    memory.add("Alice moved to Oslo in spring.", scope="a")
    memory.add("In spring Alice moved to Oslo.", scope="a")
    memory.flush()
    assert len(memory.list(scope="a")) == 2
    assert known(memory) == {"Alice": 2, "Oslo": 2}


def test_mem0_M11_memories_stay_when_entities_fail(memory: Memory, caplog: pytest.LogCaptureFixture) -> None:
    def failing(text: str) -> Sequence[Name]:
        raise RuntimeError("no names today")

    parts = memory._parts
    parts.indexer.linker = Linker(parts.database, parts.embedder, parts.model_id, memory._clock, failing)
    report = memory.add("Alice keeps bees.", scope="a")
    assert report.added and not report.failed
    progress = memory.flush()
    assert progress.left == {"link": 1} and "no names today" in str(progress.reason)
    assert "no names today" in caplog.text
    assert [hit.text for hit in memory.recall("bees", scope="a").hits] == ["Alice keeps bees."]
    parts.indexer.linker = Linker(parts.database, parts.embedder, parts.model_id, memory._clock)
    memory.reindex()  # at once; by itself it is tried again after ten minutes
    assert known(memory) == {"Alice": 1}


class Deaf(CountingEmbedder):
    """Sees no likeness between a question and anything."""

    def embed_query(self, text: str) -> Any:
        return super().embed_query("something else entirely, in other words")


def test_mem0_M20_a_line_found_by_its_words_alone_passes_the_threshold(
    open_memory: Callable[..., Memory], store_url: str
) -> None:
    memory = open_memory(store_url, embeddings=Deaf(512))
    text = "The router is a Zyxel VMG8825 with a long serial number."
    memory.add(text, scope="a")
    for number in range(60):
        memory.add(f"Plain sentence number {number} about other things.", scope="a")
    memory.flush()
    hit = ask(memory, "Zyxel VMG8825 router serial", recipe="mem0")[text]
    assert hit.signals["semantic"] < mem0.THRESHOLD < hit.signals["bm25"]
    assert set(hit.signals) == SIX


def test_mem0_M20_a_line_that_is_weak_in_both_channels_is_not_returned() -> None:
    parts = mem0.explain(
        np.array([0.09, 0.11, 0.0, np.nan], dtype=np.float32),
        np.array([0.0, 0.0, 9.0, 0.5], dtype=np.float32),
        np.array([0.5, 0.0, 0.0, 0.5], dtype=np.float32),
        terms=3,
        lines=4,
    )
    assert (parts["final"] > 0).tolist() == [False, True, True, False]


@pytest.mark.parametrize(
    ("similarity", "links", "boost"),
    [(1.0, 1, 0.5), (1.0, 2, 0.4995), (1.0, 10, 0.4625), (1.0, 100, 0.0463), (0.8, 100, 0.0370), (0.5, 1, 0.25)],
)
def test_mem0_M21_the_boost_follows_the_formula(similarity: float, links: int, boost: float) -> None:
    assert round(mem0.entity_boost(similarity, links), 4) == boost
    assert mem0.entity_boost(similarity, links) == pytest.approx(0.5 * similarity / (1 + 0.001 * (links - 1) ** 2))


def test_mem0_M21_an_entity_with_one_link_lifts_more_than_one_with_a_hundred(memory: Memory) -> None:
    memory.add("The contract names Zoe as its keeper.", scope="a")
    for number in range(100):
        memory.add(f"On day {number} we had lunch with Max.", scope="a")
    memory.flush()
    assert known(memory) == {"Max": 100, "Zoe": 1}
    for recipe in ("hybrid", "mem0"):
        name = "raw_entity" if recipe == "hybrid" else "entity"
        found = ask(memory, "What about zoe and max?", recipe=recipe)
        assert round(found["The contract names Zoe as its keeper."].signals[name], 4) == 0.5
        days = [hit.signals[name] for text, hit in found.items() if text.startswith("On day")]
        assert days and {round(boost, 4) for boost in days} == {0.0463}
    memory.forget(next(record.id for record in memory.list(scope="a") if "day 7 " in record.text))
    found = ask(memory, "What about max?", recipe="mem0")
    assert {round(hit.signals["entity"], 4) for text, hit in found.items() if text.startswith("On day")} == {0.0472}


@pytest.mark.parametrize(
    ("has_keyword", "has_entity", "divisor"),
    [(False, False, 1.0), (False, True, 1.5), (True, False, 2.0), (True, True, 2.5)],
)
def test_mem0_M21_the_divisor_adapts_and_no_score_passes_one(
    has_keyword: bool, has_entity: bool, divisor: float
) -> None:
    assert mem0.divisor(has_keyword, has_entity) == divisor
    parts = mem0.explain(
        np.array([1.0, 0.3], dtype=np.float32),
        np.array([99.0 * has_keyword, 0.0], dtype=np.float32),
        np.array([0.5 * has_entity, 0.0], dtype=np.float32),
        terms=2,
        lines=2,
    )
    assert set(parts["divisor"].tolist()) == {divisor}
    assert parts["final"].tolist() == pytest.approx([1.0, 0.3 / divisor])
    assert (parts["final"] <= 1).all()


@pytest.mark.parametrize(
    ("terms", "midpoint", "steepness"),
    [(1, 5, 0.7), (3, 5, 0.7), (4, 7, 0.6), (6, 7, 0.6), (9, 9, 0.5), (15, 10, 0.5), (16, 12, 0.5)],
)
def test_mem0_M21_bm25_is_squeezed_by_the_length_of_the_query(terms: int, midpoint: float, steepness: float) -> None:
    assert mem0.sigmoid_of(terms) == (midpoint, steepness)
    found = mem0.keyword_scores(np.array([0.0, 3.0, midpoint, 20.0], dtype=np.float32), terms)
    expected = [0.0, *(1 / (1 + math.exp(-steepness * (x - midpoint))) for x in (3.0, midpoint, 20.0))]
    assert found.tolist() == pytest.approx(expected, abs=1e-4)


def test_mem0_M22_every_hit_says_what_its_score_is_made_of(memory: Memory) -> None:
    memory.record([("user", "We talked about Alice and her bees.")], scope="a", thread_id="t")
    memory.add("Alice keeps bees in Bergen.", scope="a")
    memory.add("It rained in Bergen.", scope="a")
    memory.flush()
    found = ask(memory, "Which bees does Alice keep?", recipe="mem0")
    assert len(found) >= 2
    for hit in found.values():
        own = hit.signals
        assert set(own) == SIX
        assert own["raw"] == pytest.approx(own["semantic"] + own["bm25"] + own["entity"], abs=1e-5)
        assert own["final"] == pytest.approx(min(1.0, own["raw"] / own["divisor"]), abs=1e-5)
        assert hit.score == pytest.approx(own["final"], abs=1e-5)
        assert own["divisor"] == 2.5
    assert found["Alice keeps bees in Bergen."].signals["entity"] == 0.5


def rows_about(memory: Memory, word: str) -> dict[str, int]:
    """Return how many rows of each table hold a word."""
    with memory._parts.database.read() as connection:
        rows = {table.name: connection.execute(sa.select(table)).all() for table in metadata.sorted_tables}
    counts = {name: sum(word in str(row) for row in found) for name, found in rows.items()}
    return {name: count for name, count in counts.items() if count}


def test_mem0_M26_a_deleted_memory_is_out_of_sight_with_its_links_also_after_reopening(
    open_memory: Callable[..., Memory], store_url: str
) -> None:
    memory = open_memory(store_url)
    ids = {scope: memory.add("Alice moved to Oslo.", scope=scope).ids[0] for scope in ("a", "b")}
    memory.add("Alice keeps bees.", scope="a")
    memory.flush()
    memory.close()
    memory = open_memory(store_url)
    assert known(memory) == {"Alice": 2, "Oslo": 1}
    memory.forget(ids["a"])
    for _ in range(2):
        assert [record.text for record in memory.list(scope="a")] == ["Alice keeps bees."]
        assert list(ask(memory, "Who moved to Oslo and keeps bees?")) == ["Alice keeps bees."]
        assert known(memory) == {"Alice": 1} and known(memory, "b") == {"Alice": 1, "Oslo": 1}
        assert [record.id for record in memory.list(scope="b")] == [ids["b"]]
        memory.close()
        memory = open_memory(store_url)
    for missing in ("no-such-id", "", ids["b"]):
        with pytest.raises(LookupError):  # as a KeyError is
            memory.forget(missing, scope="a")


def test_mem0_M26_all_of_a_scope_is_deleted_from_every_table_and_nothing_else(
    open_memory: Callable[..., Memory], store_url: str
) -> None:
    memory = open_memory(store_url)
    for scope in (("acme", "a"), ("acme", "b")):
        said = [{"role": "user", "content": f"Whale {n} was seen.", "id": f"m{n}"} for n in range(MANY)]
        memory.record(said if scope[1] == "a" else said[:1], scope=scope, thread_id="t")
    with memory._parts.curator.ledger() as ledger:  # in one transaction: 2,500 of them take their time
        for n in range(MANY):
            sources, _ = find_sources(ledger.connection, Scope.of(("acme", "a")), [f"m{n}"], "t")
            ledger.add(Proposal(f"Whale {n} sang to Alice."), Scope.of(("acme", "a")), sources=sources)
    memory.add("Whale 7 sang to Alice.", scope=("acme", "b"), evidence=["m0"])
    memory.store.put(("acme", "a"), "k", {"text": "Whale song"})
    memory.flush()
    assert known(memory, ("acme", "a"))["Alice"] == MANY
    before = rows_about(memory, "hale")
    assert before["memories"] == before["entries"] == MANY + 1
    memory.close()

    memory = open_memory(store_url)
    counts = memory.erase(scope=("acme", "a")).counts
    assert (counts["memories"], counts["messages"], counts["sessions"], counts["items"]) == (MANY, MANY, 1, 1)
    memory.flush()
    memory.close()

    memory = open_memory(store_url)
    assert rows_about(memory, "hale") == {"entries": 1, "memories": 1, "journal": 1}
    with memory._parts.database.read() as connection:
        rest = {table.name: connection.scalar(sa.select(sa.func.count()).select_from(table)) for table in LINKED}
    assert rest == {"evidence": 1, "mentions": len(known(memory, ("acme", "b"))), "outbox": 0, "items": 0}
    assert not memory.recall("whale", scope=("acme", "a"), include_history=True).hits
    assert not memory.list(scope=("acme", "a"), include_history=True) and not memory.sessions(scope=("acme", "a"))
    assert known(memory, ("acme", "b"))["Alice"] == 1
    assert {hit.text for hit in memory.recall("whale", scope=("acme", "b")).hits} == {
        "Whale 7 sang to Alice.",
        "Whale 0 was seen.",
    }
    memory.erase(scope="acme")  # a reset: every scope lies inside
    memory.flush()
    assert rows_about(memory, "hale") == rows_about(memory, "acme") == rows_about(memory, "Alice") == {}


def test_a_name_in_any_spelling_lifts_the_memories_about_it(memory: Memory) -> None:
    memory.add("She plays the cello every evening with friends.", scope="a")
    (first,) = (record.id for record in memory.list(scope="a"))
    memory._parts.indexer.linker.link_ids([first], {first: ["Alice"]})
    memory.record([("user", "alice is a nice name")], scope="a", thread_id="t")
    memory.flush()
    found = ask(memory, "what does alice do")
    assert found["She plays the cello every evening with friends."].signals["raw_entity"] == 0.5
    for hit in found.values():  # the parts add up to the score, boosted or not
        parts = [value for name, value in hit.signals.items() if not name.startswith("raw_")]
        assert sum(parts) == pytest.approx(hit.score, abs=1e-4)
    others = ask(memory, "what about the cello").values()
    assert others and not any("raw_entity" in hit.signals for hit in others)


def test_links_made_later_and_aliases_reach_a_memory_that_is_open(memory: Memory) -> None:
    from langgraph_memory.knowledge.aliases import merge_entities, unmerge_entity

    text = "Robert repairs old clocks."
    memory.add(text, scope="a")
    memory.add("We saw Bobby.", scope="a")
    assert "raw_entity" not in ask(memory, "robert and clocks")[text].signals
    memory.flush()
    assert ask(memory, "robert and clocks")[text].signals["raw_entity"] == 0.5
    assert ask(memory, "bobby and clocks")[text].signals.get("raw_entity") == 0.0
    database, scope = memory._parts.database, Scope.of("a")
    merge_entities(database, memory._clock, scope, "Bobby", "Robert", actor="ana")
    assert ask(memory, "bobby and clocks")[text].signals["raw_entity"] == pytest.approx(0.4995, abs=1e-4)
    unmerge_entity(database, memory._clock, scope, "Bobby")
    assert ask(memory, "bobby and clocks")[text].signals["raw_entity"] == 0.0
    memory.add("Robert naps.", scope="a")
    memory.flush()
    assert ask(memory, "robert and clocks")[text].signals["raw_entity"] == pytest.approx(0.4995, abs=1e-4)


def test_a_scope_too_large_to_hold_knows_its_names_too(
    open_memory: Callable[..., Memory], store_url: str, embedder: CountingEmbedder
) -> None:
    memory = open_memory(store_url)
    text = "Alice keeps bees."
    memory.add(text, scope="a")
    for number in range(20):
        memory.add(f"Plain sentence {number} with Bob.", scope="a")
    memory.flush()
    held = ask(memory, "what does alice keep")[text]
    memory._parts.cache._max_bytes = 1
    memory._parts.cache.clear()
    wide = ask(memory, "what does alice keep")[text]
    assert wide.signals["raw_entity"] == held.signals["raw_entity"] == 0.5
    forgotten = next(record.id for record in memory.list(scope="a") if "sentence 3 " in record.text)
    memory.forget(forgotten)
    bobs = ask(memory, "sentence with bob")
    assert {round(hit.signals["raw_entity"], 4) for name, hit in bobs.items() if "Bob" in name} == {
        round(mem0.entity_boost(1, 19), 4)
    }


def test_a_scope_without_names_costs_no_call(memory: Memory, embedder: CountingEmbedder, tmp_path: Path) -> None:
    memory.record([("user", "the weather is fine")], scope="a", thread_id="t")
    memory.flush()
    embedder.texts.clear()
    memory.recall("Did Alice Jones call from Oslo?", scope="a")
    assert embedder.texts == []
