"""Processes are killed (SIGKILL) at the moments that would hurt most; whoever opens the store next finds all of it."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from children import Child, say
from facts import distiller

from langgraph_memory.memory import Memory
from langgraph_memory.settings import Settings
from langgraph_memory.storage import crash_points, vectors
from langgraph_memory.storage.owners import owned_texts
from langgraph_memory.storage.schema import entities, entries, memories, outbox
from langgraph_memory.storage.scopes import lineage
from langgraph_memory.testing.embedder import HashEmbedder

SCOPE = ("acme", "ana")

RECORDING = ["before commit", "after commit"]
INDEXING = [
    "claimed", "embedded", "vectors stored", "advanced", "before upsert", "after upsert", "settled", "names found",
    "names embedded",
]  # fmt: skip
REBUILDING = ["folder cleared", "index owed", "index ready", "pointer written"]
ERASING = ["before commit", "after commit", "before log is emptied"]


def open_quiet(store_url: str) -> Memory:
    return Memory(store_url, embeddings=HashEmbedder(), settings=Settings(background=False))


def test_the_moments_are_named_as_in_the_code() -> None:
    import re

    import langgraph_memory

    source = "".join(path.read_text() for path in Path(langgraph_memory.__file__).parent.rglob("*.py"))
    named = set(re.findall(r'reach\("([^"]+)"\)', source))
    assert named == {*RECORDING, *INDEXING, *REBUILDING, *ERASING}


@pytest.mark.parametrize("moment", RECORDING)
@pytest.mark.parametrize("verb", ["record", "add", "update"])
def test_a_process_killed_while_it_writes(store_url: str, moment: str, verb: str) -> None:
    child = Child(_write, store_url, moment, verb)
    acknowledged = []
    while True:
        try:
            acknowledged.append(child.receive())
        except EOFError:
            break
    assert child.exitcode() == -signal.SIGKILL
    assert acknowledged == [0, 1, 2]
    with open_quiet(store_url) as memory:
        said = [entry.text for entry in memory.entries("t", scope=SCOPE)]
        known = [record.text for record in memory.list(scope=SCOPE)]
        committed = moment == "after commit"
        if verb == "record":
            # Not acknowledged, so it is either whole or absent: here we know which.
            assert said == [_line(n, part) for n in range(3 + committed) for part in "ab"]
        elif verb == "add":
            assert known == [f"Fact {n}." for n in range(3 + committed)]
        else:
            assert known == [f"Version {2 + committed}."]
            assert len(memory.list(scope=SCOPE, include_history=True)) == 3 + committed
        assert_sound(memory, Path(store_url))


@pytest.mark.parametrize("moment", INDEXING)
def test_a_process_killed_while_it_indexes(store_url: str, moment: str) -> None:
    if "://" in store_url and moment in {"before upsert", "after upsert", "settled"}:
        pytest.skip("there is no vector index beside PostgreSQL by default")
    child = Child(_index, store_url, moment)
    assert child.exitcode() == -signal.SIGKILL
    with open_quiet(store_url) as memory:
        assert len(memory.entries("t", scope=SCOPE)) == 30
        assert memory.flush().left == {}
        assert_sound(memory, Path(store_url))
        assert memory.reconcile().unindexed == 0


@pytest.mark.parametrize("moment", REBUILDING)
def test_a_process_killed_while_it_rebuilds_the_index(folder: Path, moment: str) -> None:
    with open_quiet(str(folder)) as memory:
        _fill(memory)
        memory.flush()
    child = Child(_rebuild, str(folder), moment)
    assert child.exitcode() == -signal.SIGKILL
    with open_quiet(str(folder)) as memory:
        memory.flush()
        assert_sound(memory, folder)


@pytest.mark.parametrize("moment", ERASING)
def test_a_process_killed_while_it_erases(store_url: str, moment: str) -> None:
    if "://" in store_url and moment == "before log is emptied":
        pytest.skip("PostgreSQL keeps its own log")
    with open_quiet(store_url) as memory:
        _fill(memory)
        memory.record(["of bob"], scope=("acme", "bob"), thread_id="t")
        memory.flush()
    child = Child(_erase, store_url, moment)
    assert child.exitcode() == -signal.SIGKILL
    with open_quiet(store_url) as memory:
        erased = moment != "before commit"
        assert len(memory.recall("line", scope=SCOPE, limit=50).hits) == (0 if erased else 31)
        memory.flush()
        assert [hit.text for hit in memory.recall("bob", scope=("acme", "bob")).hits] == ["of bob"]
        assert_sound(memory, Path(store_url))
        memory.erase(scope=SCOPE)
        assert_sound(memory, Path(store_url))
    if "://" not in store_url:
        for path in Path(store_url).glob("memory.sqlite3*"):
            assert b"line 7" not in path.read_bytes()


def test_a_process_killed_at_any_write_of_its_life(folder: Path) -> None:
    """Kill at the n-th commit, wherever it falls, until a life ends by itself; nothing acknowledged is ever lost."""
    said: list[str] = []
    for countdown in range(1, 90, 3):
        child = Child(_live, str(folder), countdown)
        try:
            while True:
                said.append(child.receive())
        except (EOFError, AssertionError):
            pass
        if child.exitcode() != -signal.SIGKILL:
            break
    else:
        raise AssertionError("no life ended by itself")
    with open_quiet(str(folder)) as memory:
        counted = Counter(entry.text for entry in memory.entries("t", scope=SCOPE))
        assert set(said) <= set(counted)
        assert set(counted.values()) == {1}
        memory.flush()
        assert_sound(memory, folder)


def test_a_process_killed_while_it_distils_draws_every_memory_once(folder: Path) -> None:
    """Kill at the n-th commit of each run, until a run ends by itself: nothing is skipped, nothing is drawn twice."""
    said = [{"role": "user", "content": f"Fact {_line(n, 'z')}.", "id": f"f{n}"} for n in range(8)]
    with open_quiet(str(folder)) as memory:
        memory.record(said, scope=SCOPE, thread_id="t")
    for countdown in range(1, 60):
        child = Child(_distil, str(folder), countdown)
        if child.exitcode() != -signal.SIGKILL:
            break
    else:
        raise AssertionError("no run ended by itself")
    with open_quiet(str(folder)) as memory:
        found = memory.list(scope=SCOPE)
        assert sorted(record.text for record in found) == sorted(message["content"] for message in said)
        assert sorted(name for record in found for name in record.evidence) == sorted(m["id"] for m in said)
        assert all(record.reinforced == 0 for record in found)
        assert_sound(memory, folder)


def assert_sound(memory: Memory, folder: Path) -> None:
    """Everything recorded is found by text and by vector, and stands in Chroma exactly once."""
    assert memory.flush().left == {}
    parts = memory._parts
    with parts.database.read() as connection:
        assert parts.database.integrity(connection) is None
        texts = {row.seq: row.text for row in connection.execute(sa.select(entries.c.seq, entries.c.text))}
        facts = {row.seq: row.text for row in connection.execute(sa.select(memories.c.seq, memories.c.text))}
        names = set(connection.scalars(sa.select(entities.c.seq)))
        embedded = vectors.get(connection, parts.model_id, sorted({**texts, **facts}))
        numbers = list(connection.scalars(sa.text("SELECT owner_seq FROM vectors")))
        indexed = list(connection.scalars(sa.text("SELECT rowid FROM text_index")))
        assert connection.execute(sa.select(sa.func.count()).select_from(outbox)).scalar_one() == 0
    assert set(embedded) == set(indexed) == {*texts, *facts}
    assert sorted(numbers) == sorted({*texts, *facts, *names})
    live = [record.seq for record in memory.list(scope="acme")]
    with parts.database.read() as connection:
        lines = owned_texts(connection, [*texts, *live])
    for recipe in ("lexical", "dense"):
        for line in lines.values():  # asked as it was embedded: whatever today's date is, its cosine is 1
            found = memory.recall(line.line, scope="acme", recipe=recipe, limit=5).hits
            assert line.text in [hit.text for hit in found]
    index = parts.indexer.index()
    if index is None:
        assert not parts.indexer.has_index
        return
    for owner, rows in (("entries", texts), ("memories", facts)):
        assert sorted(int(name) for page in index.ids(owner) for name in page) == sorted(rows)
    with parts.database.read() as connection:
        scope_id = lineage(connection, memory.sessions(scope="acme")[0].scope)[0] if texts else 0
    for seq in texts:
        assert seq in index.search(embedded[seq], scope_id, 5)


def _line(number: int, part: str) -> str:
    return f"line {number}{part} with ships, sails and some sea besides"


def _die_at(moment: str, times: int = 1) -> Callable[[str], None]:
    left = [times]

    def hook(reached: str) -> None:
        if reached == moment or moment == "any":
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    return hook


def _fill(memory: Memory) -> None:
    said = [{"role": "user", "content": f"line {n}", "id": f"m{n}"} for n in range(30)]
    memory.record(said, scope=SCOPE, thread_id="t")
    memory.add("Ana says line.", scope=SCOPE)


def _write(store_url: str, moment: str, verb: str) -> None:
    memory = open_quiet(store_url)
    memory.record([_line(0, "a"), _line(0, "b")], scope=SCOPE, thread_id="t")
    name = memory.add("Version 0.", scope=SCOPE).ids[0] if verb == "update" else ""
    for number in range(3):
        if verb == "record":
            memory.record([_line(number, "a"), _line(number, "b")], scope=SCOPE, thread_id="t")
        elif verb == "add":
            memory.add(f"Fact {number}.", scope=SCOPE)
        elif number:
            name = memory.update(name, text=f"Version {number}.").ids[0]
        say(number)
    crash_points.hook = _die_at(moment)
    if verb == "record":
        memory.record([_line(3, "a"), _line(3, "b")], scope=SCOPE, thread_id="t")
    elif verb == "add":
        memory.add("Fact 3.", scope=SCOPE)
    else:
        memory.update(name, text="Version 3.")


def _index(store_url: str, moment: str) -> None:
    memory = open_quiet(store_url)
    _fill(memory)
    crash_points.hook = _die_at(moment)
    memory.flush()


def _rebuild(folder: str, moment: str) -> None:
    memory = open_quiet(folder)
    crash_points.hook = _die_at(moment)
    memory.reindex()


def _erase(store_url: str, moment: str) -> None:
    memory = open_quiet(store_url)
    crash_points.hook = _die_at(moment)
    memory.erase(scope=SCOPE)


def _distil(folder: str, countdown: int) -> None:
    settings = Settings(background=False, batch_turns=2)
    memory = Memory(folder, model=distiller(), embeddings=HashEmbedder(), settings=settings)
    crash_points.hook = _die_at("any", countdown)
    memory.remember(scope=SCOPE, thread_id="t")
    crash_points.hook = None
    memory.close()


def _live(folder: str, countdown: int) -> None:
    memory = open_quiet(folder)
    crash_points.hook = _die_at("any", countdown)
    for number in range(3):
        text = f"life{countdown} {_line(number, 'x')}"
        memory.record([{"role": "user", "content": text, "id": text}], scope=SCOPE, thread_id="t")
        say(text)
        if number == 1:
            memory.flush()
    crash_points.hook = None
    memory.close()
