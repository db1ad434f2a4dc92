from __future__ import annotations

import pytest

from langgraph_memory.errors import ScopeError
from langgraph_memory.memory import Memory
from langgraph_memory.scope import Scope
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.scopes import ids_inside, intern, lineage, state

STRANGE = [
    "alice@example.com",
    "小明",
    "👩‍👩‍👧",
    "a.b.c",
    "a/b",
    "100%",
    "%2F",
    'say "hi"',
    "it's",
    "back\\slash",
    "langgraph",
    "naïve é",
    "ลูกค้า",
    "_%_",
    "x" * 300,
    "漢" * 300,
    "a b\tc\nd",
    "0",
    "\u202eright",
]


@pytest.mark.parametrize("segment", STRANGE)
def test_a_scope_of_any_text_is_stored_and_found_again(database: Database, segment: str) -> None:
    scope = Scope(("root", segment))
    with database.write() as connection:
        ids = intern(connection, scope)
    with database.read() as connection:
        assert lineage(connection, scope) == ids
        assert list(connection.scalars(ids_inside(scope))) == ids[1:]
        assert list(connection.scalars(ids_inside(Scope(("root",))).order_by("id"))) == ids
        assert state(connection, scope) is not None
        assert state(connection, Scope(("root", segment + "x"))) is None


def test_a_scope_holds_what_begins_with_its_segments_not_with_its_letters(database: Database) -> None:
    scopes = [
        ("a",), ("a", "b"), ("a", "b", "c"), ("ab",), ("a b",), ("a%",), ("a/b",), ("a0",), ("A",), ("b", "a"),
        ("a", "bb"), ("a", "é"), ("a!",), ("a\U0010ffff",),
    ]  # fmt: skip
    with database.write() as connection:
        ids = {segments: intern(connection, Scope(segments))[-1] for segments in scopes}
    for outer in scopes:
        with database.read() as connection:
            found = set(connection.scalars(ids_inside(Scope(outer))))
        expected = {ids[inner] for inner in scopes if inner[: len(outer)] == outer}
        assert found == expected, outer


def test_interning_twice_gives_the_same_numbers_widest_first(database: Database) -> None:
    with database.write() as connection:
        first = intern(connection, Scope(("a", "b", "c")))
        again = intern(connection, Scope(("a", "b", "c")))
        wider = intern(connection, Scope(("a", "b")))
    assert first == again
    assert wider == first[:2]
    assert len(set(first)) == 3


def test_a_scope_too_long_for_an_index_is_refused_and_nothing_is_written(memory: Memory) -> None:
    long = tuple("漢" * 300 for _ in range(3))
    with pytest.raises(ScopeError, match=r"takes 2,703 bytes, more than 2,000"):
        memory.record(["hello"], scope=long, thread_id="t")
    assert memory.sessions(scope=long[:1]) == []
    assert memory.recall("hello", scope=long).hits == ()


def test_records_of_scopes_with_confusable_names_do_not_mix(memory: Memory) -> None:
    names = [("a",), ("ab",), ("a", "b"), ("a/b",), ("a%2Fb",), ("A",)]
    for names_ in names:
        memory.record([{"role": "user", "content": f"the key of {names_!r} is blue"}], scope=names_, thread_id="t")
    for names_ in names:
        hits = memory.recall("Which key is blue?", scope=names_).hits
        assert {hit.scope.segments for hit in hits} == {other for other in names if other[: len(names_)] == names_}
