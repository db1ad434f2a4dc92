"""Two processes whose clocks disagree believe the same memory."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from langgraph_memory.memory import Memory
from langgraph_memory.storage import leases
from langgraph_memory.storage.database import Database
from langgraph_memory.testing.clock import START, FrozenClock


def test_what_a_faster_clock_recorded_is_recalled_listed_and_corrected_at_once(
    store_url: str, open_memory: Callable[..., Memory]
) -> None:
    ahead = open_memory(store_url, clock=FrozenClock(START + timedelta(seconds=5)))
    behind = open_memory(store_url, clock=FrozenClock(START))
    ahead.record([("user", "gyokuro is my tea")], scope="a", thread_id="t")
    [added] = ahead.add("Ana drinks gyokuro.", scope="a").ids
    answer = behind.recall("gyokuro", scope="a")
    assert {hit.text for hit in answer.hits} == {"gyokuro is my tea", "Ana drinks gyokuro."}
    assert not answer.gaps
    assert [record.text for record in behind.list(scope="a")] == ["Ana drinks gyokuro."]
    behind.update(added, text="Ana drinks gyokuro daily.")
    assert "Ana drinks gyokuro daily." in {hit.text for hit in behind.recall("gyokuro", scope="a").hits}


def test_what_a_faster_clock_retired_is_gone_at_once(store_url: str, open_memory: Callable[..., Memory]) -> None:
    ahead = open_memory(store_url, clock=FrozenClock(START + timedelta(hours=1)))
    behind = open_memory(store_url, clock=FrozenClock(START))
    [added] = behind.add("Ana drinks gyokuro.", scope="a").ids
    ahead.forget(added)
    assert not behind.recall("gyokuro", scope="a").hits
    assert not behind.list(scope="a")


def test_a_stated_beginning_in_the_future_is_still_waited_for(memory: Memory) -> None:
    memory.add("Ana drinks gyokuro.", scope="a", valid_from=memory._clock() + timedelta(days=1))
    assert not memory.list(scope="a")
    assert not memory.recall("gyokuro", scope="a").hits


def test_known_at_still_asks_the_clocks(memory: Memory) -> None:
    memory.add("Ana drinks gyokuro.", scope="a")
    assert not memory.recall("gyokuro", scope="a", known_at=memory._clock() - timedelta(days=1)).hits


def test_a_lease_of_a_clock_that_was_years_ahead_is_void(database: Database) -> None:
    with database.write() as connection:
        assert leases.take(connection, "distil", "ahead", now=10**15, until=10**15 + 60)
        assert leases.take(connection, "distil", "ours", now=1_000, until=1_060)
        assert not leases.take(connection, "distil", "ahead", now=1_010, until=1_070)
