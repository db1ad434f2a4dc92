"""No verb ever shows anything from outside the scope it is asked for."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stores import CountingEmbedder

from langgraph_memory.errors import NotFound
from langgraph_memory.memory import Memory
from langgraph_memory.scope import Scope
from langgraph_memory.settings import Settings

names = st.sampled_from(["a", "b", "ab", "a/b", "a.b", "%2F", "A", "é", "漢", "0", "langgraph"])
scopes = st.lists(names, min_size=1, max_size=3).map(tuple)
WORDS = ["tea", "cat", "Oslo", "blue"]


items = st.tuples(scopes, st.sampled_from(WORDS), st.booleans())


@given(st.lists(items, min_size=1, max_size=8), scopes, st.booleans())
def test_nothing_is_seen_from_outside(
    given_: list[tuple[tuple[str, ...], str, bool]], asked: tuple[str, ...], wide: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        memory = Memory(Path(folder), embeddings=CountingEmbedder(), settings=Settings(background=False))
        with memory:
            if wide:
                memory._parts.cache._max_bytes = 0
            fill(memory, given_)
            check(memory, given_, asked)


def test_nothing_is_seen_from_outside_on_either_database(memory: Memory) -> None:
    given_ = [
        (scope, word, said)
        for scope in [("a",), ("ab",), ("a", "b"), ("a/b",), ("a", "bb"), ("a", "b", "c"), ("%2F",), ("A",)]
        for word, said in (("tea", True), ("Oslo", False))
    ]
    fill(memory, given_)
    for asked in [("a",), ("a", "b"), ("ab",), ("a/b",), ("nobody",)]:
        check(memory, given_, asked)


def fill(memory: Memory, given_: list[tuple[tuple[str, ...], str, bool]]) -> None:
    for scope, word, said in given_:
        if said:
            memory.record(f"{word} of {scope}", scope=scope, thread_id="t")
        else:
            memory.add(f"{word} of {scope}", scope=scope)


def check(memory: Memory, known: list[tuple[tuple[str, ...], str, bool]], asked: tuple[str, ...]) -> None:
    where = Scope(asked)
    inside = {(scope, word, said) for scope, word, said in known if where.contains(Scope(scope))}
    for query in WORDS:
        hits = memory.recall(query, scope=asked, limit=50, include_history=True).hits
        assert all(where.contains(hit.scope) for hit in hits)
        found = {(hit.scope.segments, hit.kind == "message") for hit in hits if hit.text.startswith(query)}
        assert found == {(scope, said) for scope, word, said in inside if word == query}
    assert {session.scope.segments for session in memory.sessions(scope=asked)} == {
        scope for scope, _, said in inside if said
    }
    records = memory.list(scope=asked)
    assert {(record.scope.segments, record.text) for record in records} == {
        (scope, f"{word} of {scope}") for scope, word, said in inside if not said
    }
    said_here = [word for scope, word, said in known if said and scope == asked]
    if said_here:
        assert len(memory.entries("t", scope=asked)) >= 1
        assert all(entry.scope == where for entry in memory.entries("t", scope=asked))
    else:
        with pytest.raises(NotFound):
            memory.entries("t", scope=asked)
    for record in memory.list(scope="a", include_history=True):
        if not where.contains(record.scope):
            with pytest.raises(NotFound):
                memory.get(record.id, scope=asked)
            with pytest.raises(NotFound):
                memory.forget(record.id, scope=asked)
