"""Many processes write into one store at once, and nothing is lost, doubled, mixed up or refused."""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sa
from children import barrier, run_all

from langgraph_memory.memory import Memory
from langgraph_memory.settings import Settings
from langgraph_memory.storage import vectors
from langgraph_memory.storage.schema import entries, sessions
from langgraph_memory.storage.text_index import frequency
from langgraph_memory.testing.embedder import HashEmbedder

WRITERS = 8
LINES = 200


def test_eight_processes_with_two_hundred_lines_each(open_memory: Callable[..., Memory], store_url: str) -> None:
    # Nobody has opened the folder before: all eight create it at once.
    gate = barrier(WRITERS)
    added = run_all(_write, [(store_url, gate, writer) for writer in range(WRITERS)])
    assert added == [LINES] * WRITERS
    memory = open_memory(store_url)
    memory.flush()
    parts = memory._parts
    with parts.database.read() as connection:
        rows = connection.execute(
            sa.select(entries.c.seq, entries.c.text, entries.c.position, sessions.c.thread_id)
            .join(sessions, sessions.c.id == entries.c.session_id)
            .order_by(entries.c.seq)
        ).all()
        scope_id = connection.exec_driver_sql("SELECT id FROM scopes WHERE path = 'crowd/'").scalar_one()
        for writer in range(WRITERS):
            assert frequency(connection, scope_id, f"writer{writer}") == LINES
            assert frequency(connection, scope_id, f"own{writer}x{writer}") == 1
        embedded = vectors.get(connection, parts.model_id, [row.seq for row in rows])
    assert [row.seq for row in rows] == list(range(1, WRITERS * LINES + 1))
    assert len(embedded) == WRITERS * LINES
    for writer in range(WRITERS):
        own = [row for row in rows if row.thread_id == f"t{writer}"]
        assert [row.text for row in own] == [_line(writer, number) for number in range(LINES)]
        assert [row.position for row in own] == list(range(LINES))
    for writer, number in ((0, 0), (3, 99), (7, LINES - 1)):
        for recipe in ("lexical", "dense"):
            hit = memory.recall(_line(writer, number), scope="crowd", recipe=recipe, limit=1).hits[0]
            assert hit.text == _line(writer, number)
    if parts.indexer.has_index:
        index = parts.indexer.index()
        assert index is not None
        assert sorted(int(name) for page in index.ids("entries") for name in page) == [row.seq for row in rows]
        assert all(row.seq in index.search(embedded[row.seq], scope_id, 3) for row in rows[::37])


def test_eight_processes_with_their_workers_on_say_the_same(open_memory: Callable[..., Memory], store_url: str) -> None:
    gate = barrier(WRITERS)
    run_all(_say_the_same, [(store_url, gate) for _ in range(WRITERS)])
    memory = open_memory(store_url)
    memory.flush()
    assert [entry.text for entry in memory.entries("t", scope="crowd")] == [f"common line {n}" for n in range(20)]
    assert [(record.text, record.reinforced) for record in memory.list(scope="crowd")] == [
        ("All say this.", WRITERS - 1)
    ]
    if memory._parts.indexer.has_index:
        index = memory._parts.indexer.index()
        assert index is not None and index.count() == {"entries": 20, "memories": 1}


def _line(writer: int, number: int) -> str:
    return f"writer{writer} own{writer}x{number} says this"


def _write(store_url: str, gate: object, writer: int) -> int:
    gate.wait()
    added = 0
    with Memory(store_url, embeddings=HashEmbedder(), settings=Settings(background=False)) as memory:
        for number in range(LINES):
            said = {"role": "user", "content": _line(writer, number), "id": f"{writer}-{number}"}
            added += len(memory.record(said, scope=("crowd", f"w{writer % 3}"), thread_id=f"t{writer}").added)
    return added


def _say_the_same(store_url: str, gate: object) -> None:
    gate.wait()
    with Memory(store_url, embeddings=HashEmbedder(), settings=Settings(idle_seconds=0.05)) as memory:
        for number in range(20):
            said = {"role": "user", "content": f"common line {number}", "id": f"m{number}"}
            memory.record(said, scope="crowd", thread_id="t")
            if number == 10:
                memory.add("All say this.", scope="crowd")
            memory.recall("common", scope="crowd", limit=1)
