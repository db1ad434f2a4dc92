from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import sqlalchemy as sa
from stores import CountingEmbedder

from langgraph_memory.knowledge.aliases import merge_entities, unmerge_entity
from langgraph_memory.knowledge.names import Name
from langgraph_memory.maintenance.linker import ACTOR, LINK_BATCH, Linker
from langgraph_memory.memory import Memory
from langgraph_memory.models.ports import Vectors
from langgraph_memory.scope import Scope
from langgraph_memory.storage import outbox
from langgraph_memory.storage.entities import list_entities
from langgraph_memory.storage.schema import entities, memories, mentions, merges, metadata, vectors
from langgraph_memory.testing.clock import FrozenClock

KEPT = {"counters", "facts", "models"}


def links(memory: Memory, scope: str | tuple[str, ...] = "a", **options: Any) -> dict[str, int]:
    with memory._parts.database.read() as connection:
        found = list_entities(connection, Scope.of(scope), now=memory._now(), **options)
    return {entity.name: entity.links for entity in found}


def owed(memory: Memory) -> dict[str, int]:
    with memory._parts.database.read() as connection:
        return dict(outbox.owed(connection))


def rows(memory: Memory, table: sa.Table) -> int:
    with memory._parts.database.read() as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


def seqs(memory: Memory) -> list[int]:
    with memory._parts.database.read() as connection:
        return list(connection.scalars(sa.select(memories.c.seq).order_by(memories.c.seq)))


def replaced_linker(memory: Memory, *args: Any, **options: Any) -> Linker:
    parts = memory._parts
    linker = Linker(parts.database, args[0] if args else parts.embedder, parts.model_id, memory._clock, **options)
    parts.indexer.linker = linker
    return linker


def test_a_new_memory_owes_its_links_and_flush_pays(memory: Memory) -> None:
    memory.add("Alice moved to Oslo.", scope="a")
    memory.add("Bob visited Alice.", scope="a")
    assert owed(memory) == {"embed": 2, "link": 2} and links(memory) == {}
    progress = memory.flush()
    assert (progress.left, progress.reason, progress.linked) == ({}, None, 2 + 3)
    assert links(memory) == {"Alice": 2, "Oslo": 1, "Bob": 1}
    assert owed(memory) == {}


def test_names_are_embedded_once_in_one_call_a_batch(memory: Memory, embedder: CountingEmbedder) -> None:
    memory.add("Alice moved to Oslo.", scope="a")
    memory.flush()
    assert sorted(embedder.texts[1:]) == ["Alice", "Oslo"]
    embedder.texts.clear()
    memory.add("Alice likes Oslo.", scope="a")
    memory.flush()
    assert len(embedder.texts) == 1  # only the sentence
    assert rows(memory, vectors) == 2 + 2


def test_linking_again_changes_nothing(memory: Memory) -> None:
    memory.add("Alice moved to Oslo.", scope="a")
    memory.flush()
    before = view(memory)
    linker = memory._parts.indexer.linker
    assert linker.link(seqs(memory)).mentions == 0
    memory.reindex()
    memory.reconcile()
    assert view(memory) == before


def view(memory: Memory) -> Any:
    with memory._parts.database.read() as connection:
        tables = [connection.execute(sa.select(table)).all() for table in (entities, mentions, merges)]
        return [sorted(map(tuple, found)) for found in tables]


def test_everything_is_rebuilt_from_the_texts(memory: Memory) -> None:
    for text in ("Alice moved to Oslo.", "Bob visited Alice in Bergen.", "it rained", "张伟喜欢喝茶。"):
        memory.add(text, scope="a")
    memory.flush()
    before = links(memory)
    for mend in (memory.reindex, memory.reconcile):
        with memory._parts.database.write() as connection:
            for table in (mentions, merges, entities, vectors):
                connection.execute(sa.delete(table))
        mend()
        memory.flush()
        assert links(memory) == before == {"Alice": 2, "Oslo": 1, "Bob": 1, "Bergen": 1, "张伟": 1}


def test_reconcile_finds_exactly_what_is_not_linked(memory: Memory) -> None:
    memory.add("Alice moved to Oslo.", scope="a")
    memory.add("Bob knows nobody.", scope="a")
    memory.add("it rained", scope="a")
    memory.flush()
    assert memory.reconcile().unlinked == 0
    with memory._parts.database.write() as connection:
        oslo = connection.execute(sa.select(entities.c.seq).where(entities.c.key == "oslo")).scalar_one()
        connection.execute(sa.delete(mentions).where(mentions.c.entity_seq == oslo))
        bob = connection.execute(sa.select(entities.c.seq).where(entities.c.key == "bob")).scalar_one()
        connection.execute(sa.delete(vectors).where(vectors.c.owner_seq == bob))
    assert memory.reconcile().unlinked == 2
    assert links(memory) == {"Alice": 1, "Oslo": 1, "Bob": 1}
    assert memory.reconcile().unlinked == 0 and owed(memory) == {}


def test_a_proposed_name_is_kept_and_told_apart_from_no_name(memory: Memory) -> None:
    (first,) = memory.add("She moved to Oslo and loves it.", scope="a").ids
    linker = memory._parts.indexer.linker
    linked = linker.link_ids([first], {first: ["Alice", " love of cities ", "she", "2024-05-01", "Oslo"]})
    assert linked.mentions == 3
    assert [(item.text, item.reason is not None) for item in linked.refused] == [("she", True), ("2024-05-01", True)]
    memory.flush()
    memory.reindex()
    assert links(memory) == {"Alice": 1, "love of cities": 1, "Oslo": 1}
    assert {kind_of(memory, key) for key in ("alice", "love of cities")} == {"TOPIC"}
    assert kind_of(memory, "oslo") == "PROPER"
    assert linker.link_ids([], {"no-such-id": ["Alice"]}).mentions == 0


def kind_of(memory: Memory, key: str) -> str:
    with memory._parts.database.read() as connection:
        return str(connection.execute(sa.select(entities.c.kind).where(entities.c.key == key)).scalar_one())


def test_only_live_memories_are_links(memory: Memory) -> None:
    first, second = (memory.add(text, scope="a").ids[0] for text in ("Alice skis.", "Alice has a dog."))
    memory.flush()
    assert links(memory) == {"Alice": 2}
    memory.forget(first)
    assert links(memory) == {"Alice": 1} and rows(memory, mentions) == 2
    memory.forget(second)
    assert links(memory) == {} and links(memory, include_history=True) == {"Alice": 0}
    memory.restore(first)
    assert links(memory) == {"Alice": 1}
    memory.update(first, text="Alice swims.")
    memory.flush()
    assert links(memory) == {"Alice": 1}  # the successor


def test_names_belong_to_exactly_one_scope(memory: Memory) -> None:
    memory.add("Alice skis.", scope=("a", "x"))
    memory.add("Alice swims.", scope=("a", "y"))
    memory.add("Alice sings.", scope="a")
    memory.flush()
    assert rows(memory, entities) == 3
    with memory._parts.database.read() as connection:
        found = list_entities(connection, Scope.of("a"), now=memory._now())
        assert [(entity.scope.segments, entity.links) for entity in found] == [
            (("a", "x"), 1), (("a", "y"), 1), (("a",), 1),
        ]  # fmt: skip
        assert len(list_entities(connection, Scope.of("a"), now=memory._now(), limit=1, offset=1)) == 1


class Synonyms(CountingEmbedder):
    """Takes some names for the same, as a real model does."""

    same = ({"Bank of Oslo", "Oslo Bank"}, {"GPT-4", "GPT-5"}, {"Anna", "Anne"}, {"OpenAI", "OpenAI Inc"})

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return super().embed_documents([min(next((s for s in self.same if t in s), {t})) for t in texts])


def test_names_that_mean_the_same_are_merged_and_those_that_only_lie_near_are_not(
    open_memory: Callable[..., Memory], store_url: str
) -> None:
    memory = open_memory(store_url, embeddings=Synonyms())
    for text in ("The Bank of Oslo called.", "We use GPT-4 with Anna.", "I joined OpenAI today."):
        memory.add(text, scope="a")
    memory.flush()
    for text in ("I left Oslo Bank.", "We use GPT-5 with Anne.", "Their boss runs OpenAI Inc now."):
        memory.add(text, scope="a")
    memory.flush()
    assert links(memory) == {"Bank of Oslo": 2, "OpenAI": 2, "GPT-4": 1, "GPT-5": 1, "Anna": 1, "Anne": 1}
    with memory._parts.database.read() as connection:
        assert {row.actor for row in connection.execute(sa.select(merges))} == {ACTOR}
        by_name = {entity.name: entity for entity in list_entities(connection, Scope.of("a"), now=memory._now())}
    assert by_name["Bank of Oslo"].aliases == ("Oslo Bank",)
    before = view(memory)
    memory.reindex()
    assert view(memory) == before


def test_of_one_batch_the_younger_name_becomes_the_alias(open_memory: Callable[..., Memory], store_url: str) -> None:
    memory = open_memory(store_url, embeddings=Synonyms())
    memory.add("We left Oslo Bank for the Bank of Oslo.", scope="a")
    memory.flush()
    with memory._parts.database.read() as connection:
        (entity,) = list_entities(connection, Scope.of("a"), now=memory._now())
    assert (entity.name, entity.aliases, entity.links) == ("Oslo Bank", ("Bank of Oslo",), 1)


def test_what_a_person_set_apart_no_rule_merges_again(open_memory: Callable[..., Memory], store_url: str) -> None:
    memory = open_memory(store_url, embeddings=Synonyms())
    memory.add("We left Oslo Bank for the Bank of Oslo.", scope="a")
    memory.flush()
    parts = memory._parts
    unmerge_entity(parts.database, memory._clock, Scope.of("a"), "Bank of Oslo")
    for _ in range(2):
        with parts.database.write() as connection:
            connection.execute(sa.delete(vectors))
        memory.reindex()
        assert links(memory) == {"Oslo Bank": 1, "Bank of Oslo": 1}
    merge_entities(parts.database, memory._clock, Scope.of("a"), "Oslo Bank", "Bank of Oslo", actor="ana")
    assert links(memory) == {"Bank of Oslo": 1}


def test_a_model_that_is_away_holds_up_no_link(memory: Memory, embedder: CountingEmbedder) -> None:
    memory.add("Alice moved to Oslo.", scope="a")
    memory._parts.indexer.embed_some()
    embedder.failure = ConnectionError("no route")
    progress = memory.flush()
    assert progress.left is not None and progress.left["link"] == 2
    assert "names cannot be embedded: ConnectionError: no route" in str(progress.reason)
    assert links(memory) == {"Alice": 1, "Oslo": 1}
    assert memory.recall("alice", scope="a", recipe="lexical").hits
    embedder.failure = None
    assert memory._parts.indexer.linker.link_some() == 0  # the worker lets a minute pass
    assert memory.flush().left == {}


def test_a_model_that_is_away_for_sentences_too_still_lets_names_be_found(
    memory: Memory, embedder: CountingEmbedder
) -> None:
    memory.add("Alice moved to Oslo.", scope="a")
    embedder.failure = ConnectionError("no route")
    with pytest.raises(ConnectionError):
        memory.flush()
    with pytest.raises(ConnectionError):
        memory._parts.indexer.work()
    assert links(memory) == {"Alice": 1, "Oslo": 1}


def test_a_name_that_the_model_refuses_holds_up_no_other(memory: Memory) -> None:
    class Picky(CountingEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> Vectors:
            if "Bob" in texts:
                raise ValueError("too rude")
            return super().embed_documents(texts)

    replaced_linker(memory, Picky())
    memory.add("We met Alice and Bob in Oslo.", scope="a")
    progress = memory.flush()
    assert progress.left == {"link": 1} and "refuses the name 'Bob': too rude" in str(progress.reason)
    assert rows(memory, vectors) == 1 + 2 and links(memory)["Bob"] == 1


def test_a_text_in_which_names_cannot_be_found_holds_up_no_other(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    def stumbling(text: str) -> Sequence[Name]:
        if "bad" in text:
            raise RuntimeError("cannot read this")
        return [Name("Alice", "PROPER")]

    replaced_linker(memory, find_names=stumbling)
    memory.add("Alice is good.", scope="a")
    memory.add("Alice is bad.", scope="a")
    with caplog.at_level(logging.WARNING):
        progress = memory.flush()
    assert progress.left == {"link": 1} and "RuntimeError: cannot read this" in str(progress.reason)
    assert "cannot read this" in caplog.text
    assert links(memory) == {"Alice": 1}


def test_a_process_with_the_old_model_takes_no_names_from_the_new_one(
    open_memory: Callable[..., Memory], store_url: str
) -> None:
    class Renamed(CountingEmbedder):
        @property
        def name(self) -> str:
            return "another model"

    old = open_memory(store_url)
    old.add("Alice moved to Oslo.", scope="a")
    old.flush()
    new = open_memory(store_url, embeddings=Renamed(), reindex=True)
    progress = old.flush()
    assert progress.linked == 0 and "another model" in str(progress.reason)
    old.close()
    assert new.flush().left == {}
    assert rows(new, vectors) == 2 * (1 + 2) and links(new) == {"Alice": 1, "Oslo": 1}


def test_many_memories_are_linked_batch_by_batch(memory: Memory) -> None:
    for number in range(LINK_BATCH + 5):
        memory.add(f"On day {number} we saw Alice again.", scope="a")
    memory.flush()
    assert links(memory) == {"Alice": LINK_BATCH + 5} and owed(memory) == {}


def test_a_memory_erased_while_it_is_linked_is_passed_over(memory: Memory) -> None:
    def erasing(text: str) -> Sequence[Name]:
        memory.erase(scope="a")
        return [Name("Alice", "PROPER")]

    replaced_linker(memory, find_names=erasing)
    memory.add("Alice is gone.", scope="a")
    assert memory.flush().left == {}
    assert rows(memory, entities) == rows(memory, mentions) == 0


def test_a_name_erased_while_it_is_embedded_gets_no_vector(memory: Memory) -> None:
    class Erasing(CountingEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> Vectors:
            memory.erase(scope="a")
            return super().embed_documents(texts)

    replaced_linker(memory, Erasing())
    memory.add("We met Alice.", scope="a")
    memory.flush()
    assert rows(memory, vectors) == rows(memory, entities) == 0 and owed(memory) == {}


def test_erasing_a_scope_takes_its_names_and_no_others(memory: Memory) -> None:
    for scope in (("a", "x"), ("a", "x", "deep"), ("a", "y")):
        memory.add("Alice met Bobby.", scope=scope)
        memory.add("Bob called Alice.", scope=scope)
    memory.flush()
    parts = memory._parts
    for scope in (("a", "x"), ("a", "y")):
        merge_entities(parts.database, memory._clock, Scope(scope), "Bobby", "Bob", actor="ana")
    unmerge_entity(parts.database, memory._clock, Scope(("a", "x")), "Bobby")
    merge_entities(parts.database, memory._clock, Scope(("a", "x")), "Bob", "Bobby", actor="ana")
    before = links(memory, ("a", "y"))
    receipt = memory.erase(scope=("a", "x"))
    assert (receipt.counts["entities"], receipt.counts["vectors"]) == (6, 4 + 6)
    assert links(memory, ("a", "y")) == before == {"Alice": 2, "Bob": 2}
    assert rows(memory, merges) == 1
    memory.erase(scope="a")
    with parts.database.read() as connection:
        for table in metadata.tables.values():
            if table.name not in KEPT:
                assert connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one() == 0, table.name


def test_links_count_at_the_present(open_memory: Callable[..., Memory], store_url: str) -> None:
    clock = FrozenClock()
    memory = open_memory(store_url, clock=clock)
    memory.add("We hired Alice.", scope="a", expires_at=clock().replace(hour=23))
    memory.flush()
    assert links(memory) == {"Alice": 1}
    clock.advance(days=1)
    assert links(memory) == {}
