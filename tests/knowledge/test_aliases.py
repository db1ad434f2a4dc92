"""Merging is a log: whatever the order of merges and undos, nobody stands for itself in the end through others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from stores import open_database

from langgraph_memory.errors import InvalidInput
from langgraph_memory.knowledge.aliases import merge_entities, unmerge_entity
from langgraph_memory.knowledge.resolve import entity_key
from langgraph_memory.knowledge.spans import KINDS
from langgraph_memory.scope import Scope
from langgraph_memory.storage import entities
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.entities import Entity, list_entities
from langgraph_memory.storage.migrations import migrate
from langgraph_memory.storage.schema import entities as entities_table
from langgraph_memory.storage.schema import merges
from langgraph_memory.storage.scopes import intern
from langgraph_memory.testing.clock import FrozenClock

ANA = Scope(("ana",))
CLOCK = FrozenClock()
NAMES = ["Alice", "Bob", "Carol", "Dan", "Eve"]


def know(database: Database, *names: str, scope: Scope = ANA) -> list[int]:
    with database.write() as connection:
        named = {entity_key(name): (name, "PROPER") for name in names}
        found, _ = entities.obtain(database, connection, intern(connection, scope)[-1], named, KINDS)
    return [found[entity_key(name)] for name in names]


def merge(database: Database, name: str, into: str, scope: Scope = ANA) -> str | None:
    return merge_entities(database, CLOCK, scope, name, into, actor="ana").reason


def listed(database: Database, scope: Scope = ANA) -> dict[str, tuple[str, ...]]:
    with database.read() as connection:
        found = list_entities(connection, scope, now=0, include_history=True)
    return {entity.name: entity.aliases for entity in found}


def test_an_alias_stands_with_its_root_and_comes_back(database: Database) -> None:
    know(database, "Robert", "Bob", "Bobby")
    assert merge(database, "the bob's", "ROBERT") is None
    assert merge(database, "Bobby", "Bob") is None
    assert listed(database) == {"Robert": ("Bob", "Bobby")}
    assert "one entity already" in str(merge(database, "Robert", "Bobby"))
    assert unmerge_entity(database, CLOCK, ANA, "Bob").reason is None
    assert listed(database) == {"Robert": (), "Bob": ("Bobby",)}  # what was called Bob goes with Bob
    assert "no alias" in str(unmerge_entity(database, CLOCK, ANA, "Bob").reason)


def test_merging_an_alias_moves_its_whole_chain(database: Database) -> None:
    know(database, *NAMES)
    merge(database, "Alice", "Bob")
    merge(database, "Alice", "Carol")
    assert listed(database) == {"Carol": ("Alice", "Bob"), "Dan": (), "Eve": ()}


def test_what_is_not_there_is_refused_as_a_value(database: Database) -> None:
    know(database, "Alice")
    know(database, "Bob", scope=Scope(("bob",)))
    assert "nothing in ana is known as 'Bob'" in str(merge(database, "Bob", "Alice"))
    assert "nothing in ana is known as 'Bob'" in str(merge(database, "Alice", "Bob"))
    assert "nothing in ana is known as 'Bob'" in str(unmerge_entity(database, CLOCK, ANA, "Bob").reason)


def test_entities_of_two_scopes_are_never_one(database: Database) -> None:
    (alice,) = know(database, "Alice")
    (other,) = know(database, "Alice", scope=Scope(("ana", "work")))
    with database.write() as connection, pytest.raises(InvalidInput, match="of one scope"):
        entities.merge(database, connection, alice, other, at=0, actor="ana", reason="")
    with database.write() as connection, pytest.raises(InvalidInput, match="no merge 99"):
        entities.unmerge(database, connection, 99, at=0)
    assert len(listed(database)) == 1
    with database.read() as connection:
        inside = list_entities(connection, ANA, now=0, include_history=True)
    assert [entity.scope.segments for entity in inside] == [("ana",), ("ana", "work")]


def test_the_log_says_who_merged_what_and_that_it_was_undone(database: Database) -> None:
    alice, bob = know(database, "Alice", "Bob")
    done = merge_entities(database, CLOCK, ANA, "Alice", "Bob", actor="carol", reason="same person")
    unmerge_entity(database, CLOCK, ANA, "Alice")
    with database.read() as connection:
        (row,) = connection.execute(sa.select(merges)).mappings()
        assert entities.set_apart(connection, intern_id(connection)) == {frozenset((alice, bob))}
    assert (str(row["seq"]), row["merged"], row["into"]) == (done.id, alice, bob)
    assert (row["actor"], row["reason"], row["undone_at"] is None) == ("carol", "same person", False)
    assert merge(database, "Alice", "Bob") is None  # a person may change their mind


def intern_id(connection: sa.Connection) -> int:
    return int(connection.execute(sa.text("SELECT id FROM scopes WHERE path = 'ana/'")).scalar_one())


def test_kinds_only_become_more_telling(database: Database) -> None:
    with database.write() as connection:
        scope_id = intern(connection, ANA)[-1]
        seen = []
        for kind in ("TOPIC", "QUOTED", "PROPER", "IDENTIFIER", "TOPIC"):
            found, new = entities.obtain(database, connection, scope_id, {"alice": ("alice " + kind, kind)}, KINDS)
            seen.append((len(new), *kinds(connection)))
        assert seen == [(1, "TOPIC"), (0, "QUOTED"), (0, "PROPER"), (0, "PROPER"), (0, "PROPER")]
        seq = found["alice"]
        assert entities.by_seq(connection, [seq]) == {seq: Entity(seq, ANA, "alice", "alice TOPIC", "PROPER")}


def kinds(connection: sa.Connection) -> set[str]:
    return set(connection.scalars(sa.select(entities_table.c.kind)))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    opened = open_database(str(tmp_path_factory.mktemp("entities") / "memory"))
    migrate(opened)
    yield opened
    opened.close()


PLACES = st.integers(0, len(NAMES) - 1)
STEPS = st.lists(st.tuples(st.booleans(), PLACES, PLACES), max_size=25)
counter = iter(range(10**6))


@given(STEPS, st.randoms(use_true_random=False))
def test_any_order_of_merges_and_undos_is_a_forest_and_undoing_all_restores(
    shared: Database, steps: list[tuple[bool, int, int]], chance: object
) -> None:
    scope = Scope((f"user {next(counter)}",))
    seqs = know(shared, *NAMES, scope=scope)
    done: list[int] = []
    for is_merge, one, other in steps:
        with shared.write() as connection:
            if is_merge:
                seq = entities.merge(shared, connection, seqs[one], seqs[other], at=1, actor="ana", reason="")
                if seq is not None:
                    done.append(seq)
            elif done:
                entities.unmerge(shared, connection, done[(one * 7 + other) % len(done)], at=2)
        assert_forest(shared, scope, seqs)
    chance.shuffle(done)  # type: ignore[attr-defined]
    for seq in done:
        with shared.write() as connection:
            entities.unmerge(shared, connection, seq, at=3)
        assert_forest(shared, scope, seqs)
    assert listed(shared, scope) == dict.fromkeys(NAMES, ())


def assert_forest(database: Database, scope: Scope, seqs: list[int]) -> None:
    with database.read() as connection:
        aliases = entities.aliases_inside(connection, scope)
        named = [name for entity in list_entities(connection, scope, now=0, include_history=True)
                 for name in (entity.name, *entity.aliases)]  # fmt: skip
        active = {
            row.merged: row[1]
            for row in connection.execute(
                sa.select(merges.c.merged, merges.c["into"]).where(
                    merges.c.undone_at.is_(None), merges.c.merged.in_(seqs)
                )
            )
        }
    for seq in seqs:
        climbed = set()
        while seq in aliases:
            assert seq not in climbed
            climbed.add(seq)
            seq = aliases[seq]
    assert sorted(named) == NAMES  # nobody is lost, nobody is listed twice
    assert active == aliases  # the log tells exactly who is whose alias


def test_names_survive_a_reopening(tmp_path: Path) -> None:
    for turn in range(2):
        database = open_database(str(tmp_path))
        migrate(database)
        if not turn:
            know(database, "Alice", "Bob")
            merge(database, "Alice", "Bob")
        assert listed(database) == {"Bob": ("Alice",)}
        database.close()
