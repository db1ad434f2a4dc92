from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa
from children import Child, run_script, say, wait_for_parent
from stores import CountingEmbedder

from langgraph_memory.errors import IndexUnavailable
from langgraph_memory.maintenance.reconcile import Differences
from langgraph_memory.memory import Memory
from langgraph_memory.settings import Settings
from langgraph_memory.storage import vectors
from langgraph_memory.storage.chroma_index import ChromaIndex
from langgraph_memory.storage.schema import entries as entries_table
from langgraph_memory.storage.schema import memories, outbox
from langgraph_memory.storage.schema import vectors as vectors_table
from langgraph_memory.storage.scopes import lineage
from langgraph_memory.testing.embedder import HashEmbedder

LINES = 60


def fill(memory: Memory) -> None:
    said = [{"role": "user", "content": f"line {n} about topic{n}", "id": f"m{n}"} for n in range(LINES)]
    memory.record(said, scope=("acme", "ana"), thread_id="t")
    memory.add("Ana likes tea.", scope=("acme", "ana"))
    memory.record(["of bob"], scope=("acme", "bob"), thread_id="t")


def index_of(memory: Memory) -> ChromaIndex:
    index = memory._parts.indexer.index()
    assert index is not None
    return index


def assert_whole(memory: Memory) -> None:
    """Every row stands in Chroma once, and each is found there by its own vector."""
    index = index_of(memory)
    parts = memory._parts
    with parts.database.read() as connection:
        said = set(connection.scalars(sa.select(entries_table.c.seq)))
        known = set(connection.scalars(sa.select(memories.c.seq)))
        embedded = vectors.get(connection, parts.model_id, sorted(said | known))
        scope_id = lineage(connection, memory.sessions(scope="acme")[0].scope)[0]
        assert connection.execute(sa.select(sa.func.count()).select_from(outbox)).scalar_one() == 0
    for owner, seqs in (("entries", said), ("memories", known)):
        ids = [name for page in index.ids(owner) for name in page]
        assert sorted(map(int, ids)) == sorted(seqs)
    for seq, vector in embedded.items():
        assert seq in index.search(vector, scope_id, 3), seq


def test_recording_and_exact_recall_never_load_chroma(tmp_path: Path) -> None:
    said = run_script(
        """
import sys
from langgraph_memory.memory import Memory
from langgraph_memory.settings import Settings
from langgraph_memory.testing.embedder import HashEmbedder
with Memory(sys.argv[1], embeddings=HashEmbedder(), settings=Settings(background=False)) as memory:
    memory.record(["the key is under the mat"], scope="a", thread_id="t")
    memory.add("Ana likes tea.", scope="a")
    hits = memory.recall("Where is the key?", scope="a").hits
    memory.forget(memory.list(scope="a")[0].id)
    print(hits[0].text, "chromadb" in sys.modules)
""",
        tmp_path / "memory",
    )
    assert said == "the key is under the mat False\n"
    assert not (tmp_path / "memory" / "index").exists()


def test_flush_brings_every_row_into_chroma_once(open_memory: Callable[..., Memory], folder: Path) -> None:
    memory = open_memory(folder)
    fill(memory)
    assert memory.flush().indexed >= LINES + 2
    assert_whole(memory)


def test_a_row_in_chroma_can_be_read_by_a_person(open_memory: Callable[..., Memory], folder: Path) -> None:
    memory = open_memory(folder)
    fill(memory)
    memory.flush()
    row = index_of(memory)._collections["entries"].get(ids=["4"], include=["documents", "metadatas"])
    assert row["documents"] == ["line 3 about topic3"]
    assert row["metadatas"][0] | {"said_at": ""} == {
        "scope": "acme/ana/", "session": "t", "speaker": "user", "kind": "message", "said_at": "",
        "scopes": row["metadatas"][0]["scopes"],
    }  # fmt: skip
    assert len(row["metadatas"][0]["scopes"]) == 2


def test_search_stays_inside_the_scope(open_memory: Callable[..., Memory], folder: Path) -> None:
    memory = open_memory(folder)
    fill(memory)
    memory.flush()
    with memory._parts.database.read() as connection:
        bob = connection.exec_driver_sql("SELECT id FROM scopes WHERE path = 'acme/bob/'").scalar_one()
        bobs = list(connection.exec_driver_sql("SELECT seq FROM entries WHERE text = 'of bob'").scalars())
    assert index_of(memory).search(np.ones(64, dtype=np.float32), bob, 100) == bobs


def test_a_closed_folder_is_opened_as_it_was_left(
    open_memory: Callable[..., Memory], folder: Path, embedder: CountingEmbedder
) -> None:
    memory = open_memory(folder)
    fill(memory)
    memory.flush()
    before = index_of(memory).folder
    memory.close()
    memory = open_memory(folder)
    assert index_of(memory).folder == before
    assert memory.flush().indexed == 0
    assert_whole(memory)


def damage_nothing_but_garbage_in_sqlite(index: Path, chroma: Path) -> None:
    (chroma / "chroma.sqlite3").write_bytes(b"garbage" * 1000)


def damage_sqlite_deleted(index: Path, chroma: Path) -> None:
    (chroma / "chroma.sqlite3").unlink()


def damage_hnsw_deleted(index: Path, chroma: Path) -> None:
    folders = [path for path in chroma.iterdir() if path.is_dir()]
    for path in folders:
        shutil.rmtree(path)


def damage_folder_deleted(index: Path, chroma: Path) -> None:
    shutil.rmtree(chroma)


def damage_everything_deleted(index: Path, chroma: Path) -> None:
    shutil.rmtree(index)


def damage_pointer_garbage(index: Path, chroma: Path) -> None:
    (index / "current.json").write_bytes(b"\xff{not json")


def damage_pointer_of_an_older_format(index: Path, chroma: Path) -> None:
    pointer = json.loads((index / "current.json").read_text())
    (index / "current.json").write_text(json.dumps(pointer | {"format": "chroma-0.4"}))


def damage_pointer_of_another_store(index: Path, chroma: Path) -> None:
    pointer = json.loads((index / "current.json").read_text())
    (index / "current.json").write_text(json.dumps(pointer | {"store_id": "somebody else's"}))


def damage_pointer_of_another_shape(index: Path, chroma: Path) -> None:
    (index / "current.json").write_text("[1, 2]")


def damage_collection_of_another_store(index: Path, chroma: Path) -> None:
    Child(_restamp, str(chroma)).result()


def damage_collection_deleted(index: Path, chroma: Path) -> None:
    Child(_drop_collection, str(chroma)).result()


def damage_half_deleted_rows(index: Path, chroma: Path) -> None:
    import sqlite3

    connection = sqlite3.connect(chroma / "chroma.sqlite3")
    connection.execute("DROP TABLE collections")
    connection.commit()
    connection.close()


DAMAGES = [function for name, function in sorted(globals().items()) if name.startswith("damage_")]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda function: function.__name__.removeprefix("damage_"))
def test_a_damaged_index_is_set_aside_and_rebuilt_without_embedding_again(
    open_memory: Callable[..., Memory], folder: Path, embedder: CountingEmbedder, damage: Callable[[Path, Path], None]
) -> None:
    memory = open_memory(folder)
    fill(memory)
    memory.flush()
    chroma = index_of(memory).folder
    assert chroma is not None
    memory.close()
    damage(folder / "index", chroma)
    embedder.texts.clear()
    memory = open_memory(folder)
    assert memory.recall("topic3", scope="acme").hits[0].text == "line 3 about topic3"
    memory.reconcile()
    memory.flush()
    assert_whole(memory)
    assert embedder.texts == []
    kept = [path.name for path in (folder / "index").glob("chroma-*")]
    assert len(kept) <= 2 and set(kept) <= {index_of(memory).folder.name, "chroma-set-aside"}
    # And it still takes new rows.
    memory.record(["one more"], scope=("acme", "ana"), thread_id="t")
    memory.flush()
    assert_whole(memory)


def test_an_index_that_breaks_while_it_is_open_is_rebuilt(
    open_memory: Callable[..., Memory], folder: Path, embedder: CountingEmbedder
) -> None:
    memory = open_memory(folder)
    fill(memory)
    memory.flush()
    index = index_of(memory)
    for owner in ("entries", "memories"):
        index._client.delete_collection(owner)
    embedder.texts.clear()
    memory.record(["one more"], scope=("acme", "ana"), thread_id="t")
    memory.flush()
    assert len(embedder.texts) == 1
    assert index_of(memory).folder != index.folder
    assert_whole(memory)


def test_another_model_gets_another_index(open_memory: Callable[..., Memory], folder: Path) -> None:
    memory = open_memory(folder)
    fill(memory)
    memory.flush()
    before = index_of(memory).folder
    memory.close()
    other = CountingEmbedder(32)
    memory = open_memory(folder, embeddings=other, reindex=True)
    memory.flush()
    assert index_of(memory).folder != before
    assert len(other.texts) == LINES + 3  # a name that a memory mentions, too
    assert_whole(memory)


def test_reindex_rebuilds_everything_and_embeds_nothing(
    open_memory: Callable[..., Memory], folder: Path, embedder: CountingEmbedder
) -> None:
    memory = open_memory(folder)
    fill(memory)
    memory.flush()
    embedder.texts.clear()
    progress = memory.reindex()
    assert embedder.texts == []
    assert (progress.left, progress.reason) == ({}, None)
    assert progress.indexed == LINES + 2  # each row once
    assert_whole(memory)


def test_reconcile_mends_exactly_what_differs(
    open_memory: Callable[..., Memory], folder: Path, embedder: CountingEmbedder
) -> None:
    memory = open_memory(folder)
    fill(memory)
    memory.flush()
    assert memory.reconcile() == Differences()
    index = index_of(memory)
    index.delete([1, 2, 3])
    one = np.ones((3, 64), dtype=np.float32)
    index._collections["entries"].upsert(ids=["9001", "9002", "stranger"], embeddings=one, documents=["a", "b", "c"])
    with memory._parts.database.write() as connection:
        connection.execute(sa.delete(vectors_table).where(vectors_table.c.owner_seq.in_([10, 11])))
        connection.exec_driver_sql("DELETE FROM text_index WHERE rowid IN (20, 21, 22, 23)")
    embedder.texts.clear()
    assert memory.recall("topic20", scope="acme", recipe="lexical").hits == ()
    assert memory.reconcile() == Differences(unembedded=2, unindexed=3, foreign=3, unwritten=4)
    assert len(embedder.texts) == 2
    assert memory.reconcile() == Differences()
    assert_whole(memory)
    assert memory.recall("topic20", scope="acme", recipe="lexical").hits[0].text == "line 20 about topic20"


def test_reconcile_counts_no_row_whose_removal_is_owed_already(
    open_memory: Callable[..., Memory], folder: Path
) -> None:
    memory = open_memory(folder)
    fill(memory)
    memory.flush()
    from langgraph_memory.clock import system_clock
    from langgraph_memory.maintenance.erasure import erase

    erase(memory._parts.database, system_clock, memory.sessions(scope=("acme", "bob"))[0].scope, None)
    assert memory.reconcile() == Differences()
    assert_whole(memory)


def test_a_second_process_leaves_the_index_alone_and_takes_over_later(
    open_memory: Callable[..., Memory], folder: Path
) -> None:
    holder = Child(_hold, folder)
    assert holder.receive() == "holding"
    memory = open_memory(folder)
    memory.record(["the key is under the mat"], scope=("acme", "ana"), thread_id="t")
    progress = memory.flush()
    assert progress.left == {"index": 1}
    assert progress.reason == "another process is the indexer of this folder and will index them"
    assert memory._parts.indexer.index() is None
    assert memory.recall("key", scope="acme").hits[0].text == "the key is under the mat"
    with pytest.raises(IndexUnavailable, match="Another process is the indexer"):
        memory.reindex()
    holder.send("close")
    holder.result()
    assert memory.flush().left == {}
    assert_whole(memory)


def test_the_index_of_a_killed_process_is_taken_over(open_memory: Callable[..., Memory], folder: Path) -> None:
    holder = Child(_hold, folder)
    assert holder.receive() == "holding"
    memory = open_memory(folder)
    assert memory._parts.indexer.index() is None
    holder.kill()
    memory.flush()
    assert_whole(memory)


def test_threads_that_need_the_index_at_once_open_it_once(open_memory: Callable[..., Memory], folder: Path) -> None:
    memory = open_memory(folder)
    found: list[ChromaIndex | None] = []
    threads = [threading.Thread(target=lambda: found.append(memory._parts.indexer.index())) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(index) for index in found}) == 1 and found[0] is not None


@pytest.mark.parametrize("held", ["own index", "no index", "broken index"])
def test_a_scope_that_does_not_fit_is_searched_as_well_as_one_that_does(
    open_memory: Callable[..., Memory], folder: Path, monkeypatch: pytest.MonkeyPatch, held: str
) -> None:
    exact = open_memory(folder)
    words = ["red", "blue", "green", "tall", "short", "old", "new", "round", "flat", "warm", "cold", "loud"]
    said = [
        {"role": "user", "content": f"{words[n % 12]} {words[n // 12 % 12]} {words[n % 7]} item{n % 40}", "id": f"m{n}"}
        for n in range(1_600)
    ]
    exact.record(said, scope=("acme", "ana"), thread_id="t")
    exact.record([{"role": "user", "content": "red blue item7", "id": "b"}], scope="bob", thread_id="t")
    exact.flush()
    questions = ["red blue item7", "cold item39", "Which old flat thing was item12?", "loud"]
    expected = {question: exact.recall(question, scope="acme").hits for question in questions}
    if held != "no index":
        exact.close()
    wide = open_memory(folder, settings=Settings(cache_mb=1, background=False, candidates=400))
    if held == "broken index":

        def fail(*_: object) -> object:
            raise IndexUnavailable("it is broken")

        monkeypatch.setattr(ChromaIndex, "search", fail)
    with wide._parts.cache.open(expected[questions[0]][0].scope) as snapshot:
        assert snapshot is None
    for question in questions:
        answer = wide.recall(question, scope="acme")
        assert bool(answer.notes) == (held == "broken index")
        assert [hit.text for hit in answer.hits[:3]] == [hit.text for hit in expected[question][:3]]
        assert all(hit.scope.segments == ("acme", "ana") for hit in answer.hits)
        assert len(answer.hits) == 10


def test_a_scope_that_does_not_fit_gives_as_many_as_are_asked_for_and_says_where_it_cannot(
    open_memory: Callable[..., Memory], folder: Path
) -> None:
    wide = open_memory(folder, settings=Settings(cache_mb=1, background=False))
    for thread in range(6):
        wide.record([f"tea {thread} {n}" for n in range(400)], scope="ana", thread_id=str(thread))
    wide.flush()
    for limit, noted in ((10, False), (700, False), (100_000, True)):
        answer = wide.recall("tea", scope="ana", limit=limit)
        assert len(answer.hits) == min(limit, 2_400)
        assert bool(answer.notes) == noted
    assert "not ranked whole" in answer.notes[0]


@pytest.mark.parametrize("store", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def test_what_may_not_be_shown_takes_no_place_in_a_scope_that_does_not_fit(
    request: pytest.FixtureRequest, open_memory: Callable[..., Memory], folder: Path, store: str
) -> None:
    where = folder if store == "sqlite" else request.getfixturevalue("postgres_url")
    wide = open_memory(where, settings=Settings(cache_mb=1, background=False, candidates=20))
    lines = [{"role": "user", "content": f"violin {n % 9} of Bob", "id": f"m{n}"} for n in range(1_500)]
    wide.record(lines, scope="ana", thread_id="t")
    wide.record([{"role": "assistant", "content": "Repair the violin of Bob"}], scope="ana", thread_id="u")
    forgotten = [wide.add(f"The violin of Bob has string {n}.", scope="ana").ids[0] for n in range(60)]
    wide.add("The violin of Bob is from Cremona, says the dealer.", scope="ana")
    wide.add("The violin bow is a gift.", scope="ana", actor="ana", private=True)
    for id in forgotten:
        wide.forget(id)
    wide.flush()
    ask = "violin of Bob"
    assert [hit.text for hit in wide.recall(ask, scope="ana", kinds=["fact"]).hits] == [
        "The violin of Bob is from Cremona, says the dealer."
    ]
    assert [hit.text for hit in wide.recall(ask, scope="ana", roles=["assistant"], kinds=["message"]).hits] == [
        "Repair the violin of Bob"
    ]
    assert len(wide.recall(ask, scope="ana", kinds=["fact"], actor="ana").hits) == 2
    unlike = wide.recall(ask, scope="ana", skip=lambda text: text.startswith("violin"))
    assert {hit.text for hit in unlike.hits} >= {"Repair the violin of Bob"} and not unlike.notes


@pytest.mark.parametrize("noticed_by", ["reconcile", "recall"])
def test_vectors_that_chroma_lost_are_noticed_and_brought_back(
    open_memory: Callable[..., Memory], folder: Path, embedder: CountingEmbedder, noticed_by: str
) -> None:
    # Chroma writes its vector files at the 1,000th row; without them it still counts all rows and opens well.
    memory = open_memory(folder)
    said = [{"role": "user", "content": f"line {n} about topic{n}", "id": f"m{n}"} for n in range(1_100)]
    memory.record(said, scope=("acme", "ana"), thread_id="t")
    memory.flush()
    chroma = index_of(memory).folder
    assert chroma is not None
    memory.close()
    damage_hnsw_deleted(folder, chroma)
    embedder.texts.clear()
    memory = open_memory(folder, settings=Settings(cache_mb=1, background=False))
    if noticed_by == "reconcile":
        memory.reconcile()
    else:
        answer = memory.recall("topic3", scope="acme")
        assert answer.hits[0].text == "line 3 about topic3"
        assert any("vector index is unavailable" in note for note in answer.notes)
        memory.flush()
    assert index_of(memory).folder != chroma
    assert index_of(memory).count()["entries"] == 1_100
    answer = memory.recall("topic3", scope="acme")
    assert (answer.hits[0].text, answer.notes) == ("line 3 about topic3", ())
    assert embedder.texts == []


def _hold(folder: Path) -> None:
    with Memory(folder, embeddings=HashEmbedder(), settings=Settings(background=False)) as memory:
        fill(memory)
        memory.flush()
        say("holding")
        wait_for_parent()


def _restamp(chroma: str) -> None:
    import chromadb
    from chromadb.config import Settings as ChromaSettings

    client = chromadb.PersistentClient(path=chroma, settings=ChromaSettings(anonymized_telemetry=False))
    collection = client.get_collection("entries", embedding_function=None)
    collection.modify(metadata=dict(collection.metadata) | {"store": "somebody else's"})


def _drop_collection(chroma: str) -> None:
    import chromadb
    from chromadb.config import Settings as ChromaSettings

    client = chromadb.PersistentClient(path=chroma, settings=ChromaSettings(anonymized_telemetry=False))
    client.delete_collection("entries")


def test_a_wide_search_sees_by_meaning_what_the_index_does_not_hold_yet(tmp_path: Path) -> None:
    class Near(HashEmbedder):
        def embed_documents(self, texts):  # type: ignore[no-untyped-def]
            return super().embed_documents(["harbour" if "quay" in text else text for text in texts])

        def embed_query(self, text):  # type: ignore[no-untyped-def]
            return super().embed_documents([text])[0]

    with Memory(
        tmp_path, embeddings=Near(4_000), settings=Settings(background=False, cache_mb=1, candidates=40)
    ) as memory:
        memory.record([("user", f"Fact {n}: whale {n}") for n in range(80)], scope="a", thread_id="t")
        memory.flush()
        memory.record([("user", "We met at the quay.")], scope="a", thread_id="u")
        answer = memory.recall("harbour", scope="a", recipe="dense")
        assert [hit.text for hit in answer.hits][:1] == ["We met at the quay."] and not answer.notes
