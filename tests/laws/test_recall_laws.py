"""A memory that has been open all along answers like one that has just been opened, whatever happened in between."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stores import CountingEmbedder

from langgraph_memory.errors import NotFound
from langgraph_memory.memory import Memory
from langgraph_memory.records import Answer
from langgraph_memory.settings import Settings
from langgraph_memory.testing.clock import FrozenClock

INNER, OTHER, OUTER = ("a", "x"), ("a", "y"), ("a",)
SCOPES = st.sampled_from([INNER, OTHER, OUTER])
THREADS = st.sampled_from(["t", "u"])
IDS = st.sampled_from(["1", "2", "3", "4"])
SENTENCES = ["red tea", "green tea", "a red cat", "the cat sleeps in Oslo", "Oslo is green", "", " ", "猫がいる"]
TEXTS = st.sampled_from(SENTENCES)

ACTS = st.one_of(
    st.tuples(st.just("record"), SCOPES, THREADS, IDS, TEXTS),
    st.tuples(st.just("record"), SCOPES, THREADS, IDS, TEXTS),
    st.tuples(st.just("add"), SCOPES, TEXTS, st.sampled_from([None, 2, 50])),
    st.tuples(st.just("update"), st.integers(0, 5), TEXTS),
    st.tuples(st.just("forget"), st.integers(0, 5)),
    st.tuples(st.just("restore"), st.integers(0, 5)),
    st.tuples(st.just("forget_message"), SCOPES, THREADS, IDS),
    st.tuples(st.just("restore_message"), SCOPES, THREADS, IDS),
    st.tuples(st.just("erase"), SCOPES),
    st.tuples(st.just("erase_session"), SCOPES, THREADS),
    st.tuples(st.just("recall"), SCOPES),
    st.tuples(st.just("flush")),
    st.tuples(st.just("wait"), st.integers(1, 30)),
)


BEGINNING: list[tuple[Any, ...]] = [
    ("record", INNER, "t", "1", "red tea"),
    ("record", INNER, "t", "2", "a red cat"),
    ("record", OTHER, "u", "1", "green tea"),
    ("add", INNER, "Oslo is green", None),
    ("add", OTHER, "the cat sleeps in Oslo", 2),
]
"""Something to change, so that most changes drawn find what they are about."""


@settings(max_examples=20)
@given(st.lists(st.tuples(ACTS, SCOPES), min_size=3, max_size=20), st.booleans())
def test_a_long_lived_memory_answers_like_a_fresh_one(
    acts: list[tuple[tuple[Any, ...], tuple[str, ...]]], flushed: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        clock = FrozenClock()
        with opened(folder, clock) as memory:
            times = [clock()]
            for act, looked_at in [(act, OUTER) for act in BEGINNING] + acts:
                perform(memory, clock, act)
                memory.recall("red tea in Oslo", scope=looked_at)  # its snapshot is of this moment
                if act[0] == "wait":
                    times.append(clock())
            if flushed:
                memory.flush()
            seen = view(memory, times)
            with opened(folder, clock) as fresh:
                assert view(fresh, times) == seen


@settings(max_examples=15)
@given(st.lists(ACTS, min_size=3, max_size=20))
def test_rebuilding_every_index_changes_no_answer(acts: list[tuple[Any, ...]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        clock = FrozenClock()
        with opened(folder, clock) as memory:
            for act in acts:
                perform(memory, clock, act)
            memory.flush()
            before = view(memory, [clock()])
            memory.reconcile()
            assert view(memory, [clock()]) == before
            memory.reindex()
            assert view(memory, [clock()]) == before


@settings(max_examples=15)
@given(st.lists(ACTS, min_size=1, max_size=15), st.integers(0, 5), SCOPES, THREADS, IDS)
def test_forgetting_and_restoring_leaves_the_same_view(
    acts: list[tuple[Any, ...]], place: int, scope: tuple[str, ...], thread: str, name: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        clock = FrozenClock()
        with opened(folder, clock) as memory:
            for act in [("add", INNER, "a red cat", None), ("record", scope, thread, name, "red tea"), *acts]:
                perform(memory, clock, act)
            before = view(memory, [clock()])
            records = memory.list(scope="a")
            if records:
                chosen = records[place % len(records)].id
                memory.forget(chosen)
                assert chosen not in {hit.id for hit in memory.recall("red cat Oslo", scope="a", limit=50).hits}
                memory.restore(chosen)
            try:
                if memory.forget(name, scope=scope, thread_id=thread).retired:
                    memory.restore(name, scope=scope, thread_id=thread)
            except NotFound:
                pass
            assert view(memory, [clock()]) == before


def test_two_memories_on_one_store_follow_each_other(open_memory: Callable[..., Memory], store_url: str) -> None:
    clock = FrozenClock()
    one, other = (open_memory(store_url, clock=clock) for _ in range(2))
    script: list[tuple[Any, ...]] = [
        ("record", INNER, "t", "1", "red tea"),
        ("record", INNER, "t", "2", "a red cat"),
        ("add", OTHER, "Oslo is green", None),
        ("record", INNER, "t", "1", "green tea"),
        ("forget", 0),
        ("forget_message", INNER, "t", "2"),
        ("wait", 3),
        ("restore", 0),
        ("restore_message", INNER, "t", "2"),
        ("record", OTHER, "u", "1", "the cat sleeps in Oslo"),
        ("erase_session", INNER, "t"),
        ("record", INNER, "t", "1", "red tea"),
        ("erase", OTHER),
        ("record", OTHER, "u", "1", "green tea"),
        ("add", OTHER, "Oslo is green", 2),
        ("wait", 5),
        ("add", OTHER, "Oslo is green", None),
    ]
    for number, act in enumerate(script):
        perform((one, other)[number % 2], clock, act)
        assert view(one, [clock()]) == view(other, [clock()])
    fresh = open_memory(store_url, clock=clock)
    assert view(fresh, [clock()]) == view(one, [clock()])
    texts = {hit.text for hit in one.recall("tea cat Oslo green red", scope="a", limit=50).hits}
    assert texts == {"red tea", "green tea", "Oslo is green"}


def opened(folder: str, clock: FrozenClock) -> Memory:
    return Memory(Path(folder), embeddings=CountingEmbedder(), settings=Settings(background=False), clock=clock)


def perform(memory: Memory, clock: FrozenClock, act: tuple[Any, ...]) -> None:
    name, *args = act
    records = memory.list(scope="a", include_history=True) if name in {"update", "forget", "restore"} else []
    try:
        if name == "record":
            scope, thread, message_id, text = args
            memory.record({"role": "user", "content": text, "id": message_id}, scope=scope, thread_id=thread)
        elif name == "add":
            scope, text, days = args
            expiry = None if days is None else clock().replace(hour=0) + days * (datetime(1, 1, 2) - datetime(1, 1, 1))
            memory.add(text, scope=scope, expires_at=expiry)
        elif name in {"update", "forget", "restore"}:
            if records:
                chosen = records[args[0] % len(records)].id
                getattr(memory, name)(chosen, **({"text": args[1]} if name == "update" else {}))
        elif name in {"forget_message", "restore_message"}:
            scope, thread, message_id = args
            getattr(memory, name.partition("_")[0])(message_id, scope=scope, thread_id=thread)
        elif name == "erase":
            memory.erase(scope=args[0])
        elif name == "erase_session":
            memory.erase(scope=args[0], thread_id=args[1])
        elif name == "recall":
            memory.recall("red tea in Oslo", scope=args[0])
        elif name == "flush":
            memory.flush()
        else:
            clock.advance(days=args[0])
    except NotFound:
        pass


def view(memory: Memory, times: list[datetime]) -> list[Any]:
    """Return all that recall shows, of every scope and time, in a form that can be compared."""
    answers = []
    for scope in (OUTER, INNER, OTHER):
        for query in ("red tea cat green Oslo", "猫"):
            answers.append(memory.recall(query, scope=scope, limit=50))
            answers.append(memory.recall(query, scope=scope, limit=50, include_history=True))
        answers += [memory.recall("tea cat Oslo", scope=scope, limit=50, known_at=time) for time in times]
    return [shape(answer) for answer in answers]


def shape(answer: Answer) -> Any:
    hits = [
        (
            round(hit.score, 4), hit.scope.segments, hit.session_id or "", hit.position or 0, hit.id, hit.text,
            hit.kind, [line.text for line in hit.before], [line.text for line in hit.after],
        )
        for hit in answer.hits
    ]  # fmt: skip
    return hits, answer.notes, [gap.asked for gap in answer.gaps]


def test_the_view_is_worth_comparing(open_memory: Callable[..., Memory], store_url: str) -> None:
    memory = open_memory(store_url)
    perform(memory, FrozenClock(), ("record", INNER, "t", "1", "red tea"))
    assert view(memory, [])[0][0][0][5] == "red tea"
    with pytest.raises(NotFound):
        memory.forget("1", scope=OTHER)
