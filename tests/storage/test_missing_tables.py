"""A table that is gone is named; the one that is derived is written anew."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from langgraph_memory.errors import StorageError
from langgraph_memory.memory import Memory


def drop(memory: Memory, table: str) -> None:
    with memory._parts.database.write() as connection:
        connection.exec_driver_sql(f"DROP TABLE {table}")


def say(memory: Memory) -> None:
    memory.record([("user", "gyokuro is my tea")], scope="a", thread_id="t")
    memory.add("Ana drinks gyokuro.", scope="a")
    memory.flush()


def found(memory: Memory) -> int:
    return len(memory.recall("gyokuro", scope="a", recipe="lexical").hits)


def problems(memory: Memory) -> list[str]:
    return [check.finding for check in memory.doctor() if check.status == "problem"]


def test_a_lost_text_index_is_written_anew_at_the_next_open(open_memory: Callable[..., Memory], store_url: str) -> None:
    with open_memory(store_url) as memory:
        say(memory)
        drop(memory, "text_index")
    memory = open_memory(store_url)
    assert found(memory) == 2
    memory.add("Bob drinks gyokuro.", scope="a")
    assert found(memory) == 3
    assert not problems(memory)


@pytest.mark.parametrize("mend", ["reindex", "reconcile"])
def test_a_text_index_lost_while_open_is_named_and_written_anew(memory: Memory, mend: str) -> None:
    say(memory)
    drop(memory, "text_index")
    assert problems(memory) == ["the table text_index is missing"]
    with pytest.raises(StorageError, match=r"is damaged .*text_index.*doctor\(\) names"):
        memory.add("Bob drinks gyokuro.", scope="a")
    getattr(memory, mend)()
    memory.add("Bob drinks gyokuro.", scope="a")
    assert found(memory) == 3
    assert not problems(memory)


def test_a_lost_table_that_nothing_can_bring_back_is_said(open_memory: Callable[..., Memory], store_url: str) -> None:
    with open_memory(store_url) as memory:
        say(memory)
        drop(memory, "evidence")
        assert problems(memory) == ["the table evidence is missing"]
    with pytest.raises(StorageError, match=r"the table evidence is missing.*Restore the database from a backup"):
        open_memory(store_url)
