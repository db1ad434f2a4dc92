"""Whatever the clocks said that wrote it, everything committed and not retired is believed."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from stores import CountingEmbedder

from langgraph_memory.memory import Memory
from langgraph_memory.settings import Settings
from langgraph_memory.testing.clock import FrozenClock

BASE = datetime(2026, 6, 1, tzinfo=UTC)
OFFSETS = st.integers(-(10**9), 10**9)
"""Seconds by which a clock is off: thirty years either way."""


@settings(max_examples=15)
@given(
    st.lists(st.tuples(OFFSETS, st.sampled_from(["said", "added", "corrected", "forgotten"])), min_size=1, max_size=6),
    OFFSETS,
    st.booleans(),
)
def test_what_is_written_under_any_clock_is_recalled_and_listed_under_any_other(
    writes: list[tuple[int, str]], reader: int, wide: bool
) -> None:
    clock = FrozenClock(BASE)
    with tempfile.TemporaryDirectory() as folder:
        numbers = Settings(background=False, limit=50)
        memory = Memory(Path(folder), embeddings=CountingEmbedder(), settings=numbers, clock=clock)
        if wide:
            memory._parts.cache._max_bytes = 0
        believed, listed = set(), set()
        for number, (offset, kind) in enumerate(writes):
            clock.set(BASE + timedelta(seconds=offset))
            text = f"gyokuro number {number}"
            if kind == "said":
                memory.record([{"role": "user", "content": text}], scope="a", thread_id="t")
            else:
                [added] = memory.add(text, scope="a").ids
                clock.set(BASE - timedelta(seconds=offset))
                if kind == "forgotten":
                    memory.forget(added)
                    continue
                if kind == "corrected":
                    text += " corrected"
                    memory.update(added, text=text)
                listed.add(text)
            believed.add(text)
        clock.set(BASE + timedelta(seconds=reader))
        assert {hit.text for hit in memory.recall("gyokuro", scope="a").hits} == believed
        records = memory.list(scope="a")
        assert {record.text for record in records} == listed
        assert all(record.is_live(clock()) for record in records)
        shown = memory.store.search(("@memories", "a"), limit=50)
        assert {item.value["text"] for item in shown} == listed
        found = memory.store.search(("@memories", "a"), query="gyokuro", limit=50)
        assert {item.value["text"] for item in found} == listed
        memory.close()
