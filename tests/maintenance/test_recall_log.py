from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Thread

import pytest

from langgraph_memory.clock import to_micros
from langgraph_memory.errors import StorageError
from langgraph_memory.maintenance import recall_log
from langgraph_memory.maintenance.recall_log import DAY, RecallLog
from langgraph_memory.memory import Memory
from langgraph_memory.settings import Settings
from langgraph_memory.storage import recalls
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.recalls import Recalled
from langgraph_memory.testing.clock import FrozenClock

Open = Callable[..., Memory]


@pytest.fixture
def memory(open_memory: Open, store_url: str) -> Memory:
    return open_memory(store_url)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def seqs(memory: Memory) -> list[int]:
    ids = [memory.add(f"Fact {number}.", scope="a").ids[0] for number in range(3)]
    return [memory.get(id).seq for id in ids]


def rows(database: Database, seq: int) -> list[Recalled]:
    with database.read() as connection:
        return recalls.of(connection, seq)


def test_equal_questions_of_a_day_are_one_row_and_others_their_own(
    memory: Memory, seqs: list[int], clock: FrozenClock
) -> None:
    database = memory._parts.database
    log = RecallLog(database, clock)
    log.note("Where is Oslo?", [(seqs[0], 0.5), (seqs[1], 0.25)])
    log.write()
    log.note("  where is OSLO?", [(seqs[0], 0.75)])
    log.note("What else?", [(seqs[0], 0.125)])
    clock.advance(days=1)
    last = log.note("Where is Oslo?", [(seqs[0], 0.5)])
    log.write()
    found = rows(database, seqs[0])
    assert [(row.times, row.total, row.best) for row in found] == [(2, 1.25, 0.75), (1, 0.125, 0.125), (1, 0.5, 0.5)]
    assert found[0].query_hash == found[2].query_hash != found[1].query_hash
    assert found[2].day == found[0].day + 1 == last // DAY and found[2].last_at == last == to_micros(clock())
    assert [row.times for row in rows(database, seqs[1])] == [1]
    with database.read() as connection:
        assert recalls.last_recalled(connection, seqs) == {seqs[0]: last, seqs[1]: last - DAY}


def test_what_was_erased_meanwhile_is_not_counted(memory: Memory, seqs: list[int], clock: FrozenClock) -> None:
    log = RecallLog(memory._parts.database, clock)
    log.note("one", [(seqs[0], 0.5)])
    log.write()
    log.note("two", [(seqs[0], 0.5)])
    memory.erase(scope="a")
    log.write()
    assert rows(memory._parts.database, seqs[0]) == []


def test_what_cannot_be_written_is_kept_and_told_once(
    memory: Memory,
    seqs: list[int],
    clock: FrozenClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = RecallLog(memory._parts.database, clock)

    def full(*_: object) -> None:
        raise StorageError("The disk is full.")

    with monkeypatch.context() as patched, caplog.at_level(logging.WARNING):
        patched.setattr(recalls, "add", full)
        log.note("one", [(seqs[0], 0.5)])
        log.write()
        log.note("one", [(seqs[0], 0.75)])
        log.write()
    assert [record.message for record in caplog.records] == [
        "What recalls found could not be counted yet and will be tried again. The disk is full."
    ]
    log.write()
    assert [(row.times, row.best) for row in rows(memory._parts.database, seqs[0])] == [(2, 0.75)]


def test_what_waits_is_bounded_and_the_oldest_goes(
    memory: Memory, seqs: list[int], clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recall_log, "MOST_WAITING", 2)
    log = RecallLog(memory._parts.database, clock)
    for seq in seqs:
        log.note("one", [(seq, 0.5)])
    log.write()
    assert [len(rows(memory._parts.database, seq)) for seq in seqs] == [0, 1, 1]


def test_counts_of_many_threads_add_up(memory: Memory, seqs: list[int], clock: FrozenClock) -> None:
    log = RecallLog(memory._parts.database, clock)

    def ask() -> None:
        for _ in range(50):
            log.note("one", [(seqs[0], 0.5)])
        log.write()

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(row.times, row.total) for row in rows(memory._parts.database, seqs[0])] == [(200, 100.0)]


@pytest.mark.parametrize("end", ["flush", "close"])
def test_a_recall_is_counted_by_the_next_flush_or_close(open_memory: Open, store_url: str, end: str) -> None:
    memory = open_memory(store_url)
    fact = memory.get(memory.add("Ana keeps bees.", scope="a").ids[0])
    assert memory.recall("Who keeps bees?", scope="a").hits and memory.recall("Who keeps bees?", scope="a").hits
    assert rows(memory._parts.database, fact.seq) == []
    getattr(memory, end)()
    [row] = rows(open_memory(store_url)._parts.database, fact.seq)
    assert row.times == 2 and 0 < row.best <= 1 and row.total == pytest.approx(2 * row.best)


def test_it_can_be_switched_off(open_memory: Open, store_url: str) -> None:
    memory = open_memory(store_url, settings=Settings(background=False, track_recalls=False))
    fact = memory.get(memory.add("Ana keeps bees.", scope="a").ids[0])
    assert memory.recall("Who keeps bees?", scope="a").hits
    memory.flush()
    assert rows(memory._parts.database, fact.seq) == []
