from __future__ import annotations

from langgraph_memory.storage import outbox
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.outbox import Task


def test_tasks_are_claimed_oldest_first_and_once(database: Database) -> None:
    post(database, [5, 3, 9])
    assert [task.owner_seq for task in claim(database, limit=2)] == [5, 3]
    assert [task.owner_seq for task in claim(database, limit=2)] == [9]
    assert claim(database) == []


def test_a_claim_ends_by_itself(database: Database) -> None:
    post(database, [1])
    assert len(claim(database, now=1_000, until=2_000)) == 1
    assert claim(database, now=1_999, until=3_000) == []
    assert len(claim(database, now=2_000, until=3_000)) == 1


def test_only_the_stages_asked_for_are_claimed(database: Database) -> None:
    post(database, [1, 2])
    with database.write() as connection:
        outbox.post(connection, [3], "index")
        outbox.post(connection, [4], "drop")
        assert [task.owner_seq for task in outbox.claim(connection, ["index", "drop"], 10, 0, 1)] == [3, 4]
        assert outbox.owed(connection) == {"embed": 2, "index": 1, "drop": 1}


def test_settled_tasks_are_gone_and_postponed_ones_wait(database: Database) -> None:
    post(database, [1, 2, 3])
    first, second, third = claim(database, until=100)
    with database.write() as connection:
        outbox.settle(connection, [first])
        outbox.postpone(connection, [second], 500)
        outbox.release(connection, [third])
    assert [task.owner_seq for task in claim(database, now=1)] == [3]
    assert [task.owner_seq for task in claim(database, now=500)] == [2, 3]


def test_an_advanced_task_is_free_in_its_next_stage(database: Database) -> None:
    post(database, [1])
    tasks = claim(database, until=10**18)
    with database.write() as connection:
        outbox.advance(connection, tasks, "index")
        assert outbox.claim(connection, ["embed"], 10, 10**18, 10**18) == []
        assert outbox.claim(connection, ["index"], 10, 0, 1) == [Task(tasks[0].id, 1, "index")]


def test_settling_an_old_claim_leaves_later_tasks_alone(database: Database) -> None:
    post(database, [1])
    slow = claim(database, until=10)
    overtaking = claim(database, now=10, until=20)  # the slow holder seems dead
    with database.write() as connection:
        outbox.settle(connection, overtaking)
    post(database, [2])  # on SQLite it would get the same number as the settled one, were numbers used again
    with database.write() as connection:
        outbox.advance(connection, slow, "index")
        outbox.settle(connection, slow)
        assert outbox.owed(connection) == {"embed": 1}


def test_empty_lists_do_nothing(database: Database) -> None:
    with database.write() as connection:
        outbox.post(connection, [], "embed")
        outbox.settle(connection, [])
        outbox.advance(connection, [], "index")
        outbox.release(connection, [])
        assert outbox.owed(connection) == {}


def post(database: Database, seqs: list[int]) -> None:
    with database.write() as connection:
        outbox.post(connection, seqs, "embed")


def claim(database: Database, *, limit: int = 10, now: int = 0, until: int = 1) -> list[Task]:
    with database.write() as connection:
        return outbox.claim(connection, ["embed"], limit, now, until)
