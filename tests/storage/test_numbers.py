from __future__ import annotations

import threading
from itertools import pairwise

import sqlalchemy as sa
from children import Child, barrier, run_all
from stores import open_database

from langgraph_memory.clock import system_clock
from langgraph_memory.records import Message
from langgraph_memory.scope import Scope
from langgraph_memory.sessions.recorder import Recorder
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.schema import entries, scopes


def test_numbers_are_given_out_once_and_in_order(database: Database) -> None:
    with database.write() as connection:
        first = database.take_seqs(connection, 3)
        second = database.take_seqs(connection, 1)
    assert (first, second) == (1, 4)


def test_numbers_of_a_write_that_failed_are_given_out_again(database: Database) -> None:
    try:
        with database.write() as connection:
            database.take_seqs(connection, 10)
            raise KeyError
    except KeyError:
        pass
    with database.write() as connection:
        assert database.take_seqs(connection, 1) == 1


def test_what_threads_write_is_numbered_without_gap_or_double(database: Database) -> None:
    threads = [threading.Thread(target=_record, args=(database, f"t{number}", 25)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert _seqs(database) == list(range(1, 101))


def test_what_processes_write_is_numbered_without_gap_and_seen_in_that_order(
    database: Database, store_url: str
) -> None:
    gate = barrier(5)
    watcher = Child(_watch, store_url, gate, 100)
    run_all(_record_in_child, [(store_url, gate, f"t{number}", 25) for number in range(4)])
    seen = watcher.result()
    assert _seqs(database) == list(range(1, 101))
    # Whoever has seen n has seen everything up to n: no look ever shows a gap.
    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in seen)
    assert all(len(before) <= len(after) for before, after in pairwise(seen))
    with database.read() as connection:
        for thread in ("t0", "t1", "t2", "t3"):
            said = connection.execute(
                sa.select(entries.c.text).where(entries.c.text.startswith(f"{thread} ")).order_by(entries.c.seq)
            ).scalars()
            assert list(said) == [f"{thread} {number}" for number in range(25)]


def test_processes_may_make_the_same_new_scope_and_session_at_once(database: Database, store_url: str) -> None:
    for round_ in range(3):
        gate = barrier(4)
        run_all(_record_in_child, [(store_url, gate, f"same {round_}", 5) for _ in range(4)])
    with database.read() as connection:
        paths = list(connection.execute(sa.select(scopes.c.path).order_by(scopes.c.path)).scalars())
    assert paths == sorted(["a/", *(f"a/same {round_}/" for round_ in range(3))])
    # Four processes say the same five lines under the same ids: each is stored once.
    assert len(_seqs(database)) == 15


def test_a_reader_sees_one_state_while_others_write(database: Database) -> None:
    _record(database, "t", 2)
    with database.read() as connection:
        before = connection.execute(sa.select(sa.func.count()).select_from(entries)).scalar_one()
        writer = threading.Thread(target=_record, args=(database, "u", 3))
        writer.start()
        writer.join()
        after = connection.execute(sa.select(sa.func.count()).select_from(entries)).scalar_one()
    assert (before, after) == (2, 2)
    assert len(_seqs(database)) == 5


def _record(database: Database, thread: str, count: int) -> None:
    recorder = Recorder(database, system_clock)
    for number in range(count):
        text = f"{thread} {number}"
        recorder.record([Message("user", text, text, id=f"{number}")], Scope(("a", thread)), thread)


def _record_in_child(store_url: str, gate: object, thread: str, count: int) -> None:
    database = open_database(store_url)
    gate.wait()
    _record(database, thread, count)
    database.close()


def _watch(store_url: str, gate: object, until: int) -> list[list[int]]:
    database = open_database(store_url)
    seen: list[list[int]] = [[]]
    gate.wait()
    while len(seen[-1]) < until:
        seen.append(_seqs(database))
    database.close()
    return seen


def _seqs(database: Database) -> list[int]:
    with database.read() as connection:
        return list(connection.execute(sa.select(entries.c.seq).order_by(entries.c.seq)).scalars())
