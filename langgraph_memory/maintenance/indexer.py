"""The indexer pays what the outbox owes: it embeds what was recorded and carries it into the vector index."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.clock import Clock, to_micros
from langgraph_memory.errors import IndexUnavailable
from langgraph_memory.maintenance.embedding import embed
from langgraph_memory.maintenance.kept_index import KeptIndex, OpenIndex
from langgraph_memory.maintenance.linker import Linker
from langgraph_memory.models.ports import Embedder
from langgraph_memory.scope import Scope
from langgraph_memory.storage import crash_points, outbox, vectors
from langgraph_memory.storage.chroma_index import ChromaIndex
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.outbox import Task
from langgraph_memory.storage.owners import existing, index_row, owned_texts

EMBED_BATCH = 64
"""Texts per embedding call: throughput is flat beyond, and a kill loses no more work than this."""

INDEX_BATCH = 1_000
"""Rows per step into Chroma, about 0.4 s."""

CLAIM_MICROS = 120_000_000
"""A claim older than two minutes belongs to a process that died; a batch takes seconds."""

RETRY_MICROS = outbox.LONGEST_CLAIM
"""A text that the embedding model refuses is tried again after ten minutes, also by `flush`."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What one flush did, and what is left and why.

    Attributes:
        embedded: texts that got a vector.
        indexed: rows written to or removed from the vector index.
        linked: memories whose names were linked, and names that were compared.
        left: tasks still owed, by stage.
        reason: why something is left, in words; None where nothing is.
    """

    embedded: int = 0
    indexed: int = 0
    left: Mapping[outbox.Stage, int] | None = None
    reason: str | None = None
    linked: int = 0


class Indexer:
    """Embeds and indexes; safe to run in several processes at once, since every step is idempotent."""

    def __init__(
        self,
        database: Database,
        embedder: Embedder,
        model_id: int,
        open_index: OpenIndex | None,
        clock: Clock,
        linker: Linker | None = None,
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._model_id = model_id
        self._kept = KeptIndex(open_index)
        self._clock = clock
        self.linker = linker or Linker(database, embedder, model_id, clock)
        self._lock = threading.RLock()
        self._troubles: dict[str, str] = {}  # what went wrong last, by what it holds up

    def work(self) -> bool:
        """Do one batch; say whether there was anything to do.

        Embedding goes first, because large batches are what makes the vector index fast.
        """
        with self._lock:
            try:
                embedded = self.embed_some()
            except Exception:
                self.index_some()  # a failing model must not hold up removals
                self.linker.link_some()  # nor names, which are found without it
                raise
            if embedded or self.index_some():
                return True
        return bool(self.linker.link_some())

    def flush(self, on_progress: Callable[[int, int], None] | None = None) -> Progress:
        """Work until nothing is owed that this process can pay.

        Args:
            on_progress: called after each batch with the totals embedded and indexed so far.
        """
        embedded = indexed = linked = 0

        def tell() -> None:
            if on_progress is not None:
                on_progress(embedded, indexed)

        for overtake in (False, True):  # first what is free, then what another process claimed and may have left
            try:
                for done in self._batches(self.embed_some, overtake=overtake):
                    embedded += done
                    tell()
            finally:  # a failing model must not hold up removals, nor names, which are found without it
                for done in self._batches(self.index_some, overtake=overtake):
                    indexed += done
                    tell()
                for done in self._batches(self.linker.link_some, overtake=overtake):
                    linked += done
                    tell()
        with self._database.read() as connection:
            left = outbox.owed(connection)
        return Progress(embedded, indexed, dict(left), self._why_left(left) if left else None, linked)

    def drop(self) -> None:
        """Remove from the vector index what was erased, where this process holds it; the rest can wait."""
        for overtake in (False, True):
            for _ in self._batches(self.index_some, overtake=overtake, stages=("drop",)):
                pass

    def embed_some(self, *, overtake: bool = False) -> int:
        """Give vectors to the oldest texts that lack one; return how many tasks were settled or moved on.

        Args:
            overtake: also what another process has claimed; at worst a text is embedded twice.
        """
        now = to_micros(self._clock())
        with self._database.read() as connection:
            if not outbox.any_owed(connection, ["embed"]):
                return 0
        tasks = self._claim(["embed"], EMBED_BATCH, now, overtake)
        if not tasks:
            return 0
        crash_points.reach("claimed")
        seqs = [task.owner_seq for task in tasks]
        try:
            with self._database.read() as connection:
                texts = owned_texts(connection, seqs)
                done = set(vectors.get(connection, self._model_id, seqs))
            fresh, refused = embed(self._embedder, [text for seq, text in texts.items() if seq not in done])
        except BaseException:
            with self._database.write() as connection:
                outbox.release(connection, tasks)
            raise
        crash_points.reach("embedded")
        self._store(fresh)
        crash_points.reach("vectors stored")
        failed = [task for task in tasks if task.owner_seq in refused]
        if failed:
            self._troubles["embed"] = f"the embedding model refuses the text of row {failed[-1].owner_seq}"
        with self._database.write() as connection:
            outbox.postpone(connection, failed, now + RETRY_MICROS)
            paid = [task for task in tasks if task.owner_seq not in refused]
            if self._kept.exists:
                outbox.advance(connection, paid, "index")
            else:
                outbox.settle(connection, paid)
        crash_points.reach("advanced")
        return len(tasks) - len(failed)

    def embed_now(self, seqs: Sequence[int]) -> dict[int, NDArray[np.float32]]:
        """Embed these rows at once, ahead of the queue; the queue will find it done.

        Returns:
            the vectors as they are stored, so that a recall ranks alike whether it embeds or reads them.
        """
        with self._database.read() as connection:
            texts = owned_texts(connection, seqs)
        fresh, _ = embed(self._embedder, list(texts.values()))
        self._store(fresh)
        return {seq: vectors.decode(vectors.encode(row)) for seq, row in fresh.items()}

    def embed_memories(self, scope: Scope) -> None:
        """Embed at once what exactly this scope remembers and nobody has embedded yet.

        Raises:
            Exception: the model's own error.
        """
        with self._database.read() as connection:
            late = outbox.memories_to_embed(connection, scope, self._model_id)
        for start in range(0, len(late), EMBED_BATCH):
            self.embed_now(late[start : start + EMBED_BATCH])

    def index_some(self, *, overtake: bool = False, stages: Sequence[outbox.Stage] = ("index", "drop")) -> int:
        """Carry the oldest owed rows into the vector index, and erased ones out, where this process holds it."""
        doubt = self._kept.take_doubt()
        if doubt is not None:
            return int(self._kept.heal(doubt))
        with self._database.read() as connection:
            if not outbox.any_owed(connection, stages):
                return 0
        if not self._kept.exists:  # an index that is added later begins with everything anyway
            tasks = self._claim(stages, INDEX_BATCH, to_micros(self._clock()), overtake)
            with self._database.write() as connection:
                outbox.settle(connection, tasks)
            return len(tasks)
        try:
            index = self.index()
            if index is None:
                return 0
            return self._carry(index, overtake, stages)
        except IndexUnavailable as error:
            return int(self._kept.heal(error))

    @property
    def trouble(self) -> str | None:
        """What went wrong last and holds something up, in words."""
        return "; ".join(self._told().values()) or None

    @property
    def has_index(self) -> bool:
        """Whether this store has a vector index at all."""
        return self._kept.exists

    def index(self) -> ChromaIndex | None:
        """Return the vector index, or None where there is none or another process holds it."""
        return self._kept.get()

    def doubt(self, index: ChromaIndex, error: IndexUnavailable) -> None:
        """Note that a search of the index failed; the next batch mends it."""
        self._kept.doubt(index, error)

    def rebuild(self) -> None:
        """Replace the vector index by an empty one that is owed everything; nothing is embedded again.

        Raises:
            IndexUnavailable: another process holds the index, or it cannot be created.
        """
        if not self._kept.exists:
            return
        with self._lock:
            index = self.index()
            if index is None:
                raise IndexUnavailable("Another process is the indexer of this folder. Close it, or reindex there.")
            self._kept.replace(index)

    def close(self) -> None:
        """Let go of the vector index."""
        with self._lock:
            self._kept.close()

    def _batches(self, step: Callable[..., int], **how: Any) -> Iterator[int]:
        """Repeat a step until it finds nothing to do, yielding what each batch did; others may work between two."""
        done = 1
        while done:
            with self._lock:
                done = step(**how)
            yield done

    def _store(self, fresh: Mapping[int, NDArray[np.float32]]) -> None:
        if not fresh:
            return
        with self._database.write() as connection:
            still = existing(connection, list(fresh))  # an erased text must not come back as a vector
            vectors.put(connection, self._model_id, {seq: row for seq, row in fresh.items() if seq in still})

    def _carry(self, index: ChromaIndex, overtake: bool, stages: Sequence[outbox.Stage]) -> int:
        tasks = self._claim(stages, INDEX_BATCH, to_micros(self._clock()), overtake)
        if not tasks:
            return 0
        try:
            unready = self._carry_tasks(index, tasks)
        except BaseException:
            with self._database.write() as connection:
                outbox.release(connection, tasks)
            raise
        self._kept.praise()
        with self._database.write() as connection:
            outbox.settle(connection, [task for task in tasks if task not in unready])
            outbox.advance(connection, unready, "embed")
        crash_points.reach("settled")
        return len(tasks)

    def _claim(self, stages: Sequence[outbox.Stage], limit: int, now: int, overtake: bool) -> list[Task]:
        """Claim tasks, unless the store has gone over to another model: then they are that model's."""
        with self._database.write() as connection:
            current = vectors.current_model(connection)
            if current != self._embedder.name:
                self._troubles["model"] = f"the store was embedded anew with {current!r}; open it with that model"
                return []
            self._troubles.pop("model", None)
            return outbox.claim(connection, stages, limit, now + CLAIM_MICROS * overtake, now + CLAIM_MICROS)

    def _carry_tasks(self, index: ChromaIndex, tasks: Sequence[Task]) -> list[Task]:
        """Bring the index up to date with these tasks; return those whose vector is missing."""
        gone = [task.owner_seq for task in tasks if task.stage == "drop"]
        wanted = [task.owner_seq for task in tasks if task.stage == "index" and task.owner_seq not in gone]
        with self._database.read() as connection:
            texts = owned_texts(connection, wanted)
            embedded = vectors.get(connection, self._model_id, wanted)
        rows = [index_row(texts[seq], embedded[seq]) for seq in wanted if seq in texts and seq in embedded]
        if gone:
            index = self._without(index, gone)
        crash_points.reach("before upsert")
        index.upsert(rows)
        crash_points.reach("after upsert")
        with self._database.read() as connection:
            still = existing(connection, [row.seq for row in rows])
        erased = [row.seq for row in rows if row.seq not in still]
        if erased:  # erased while we were writing its copy
            index.delete(erased)
        return [task for task in tasks if task.owner_seq in texts and task.owner_seq not in embedded]

    def _without(self, index: ChromaIndex, gone: Sequence[int]) -> ChromaIndex:
        """Return an index that holds nothing of erased rows.

        Chroma 1.5.9 keeps what is deleted in its log and in its vector files, so a folder of our own is deleted as a
        whole and filled anew from SQL. A server's files are out of our reach: there the rows are deleted.
        """
        if index.folder is None:
            index.delete(gone)
        elif index.holds_any(gone):
            self._kept.replace(index, destroy=True)
            fresh = self.index()
            assert fresh is not None  # the lock on the folder is kept throughout
            return fresh
        return index

    def _told(self) -> dict[str, str]:
        elsewhere = {"index": self._kept.trouble, "link": self.linker.trouble}
        return {**self._troubles, **{name: trouble for name, trouble in elsewhere.items() if trouble}}

    def _why_left(self, left: Mapping[outbox.Stage, int]) -> str:
        carried = left.get("index") or left.get("drop")
        matter = {"model": True, "embed": left.get("embed"), "index": carried, "link": left.get("link")}
        told = [trouble for stage, trouble in self._told().items() if matter[stage]]
        if told:
            return "; ".join(told)
        if left.get("embed"):
            return "other processes are embedding them, or the model refused them and they will be tried again"
        if carried and self._kept.is_elsewhere:
            return "another process is the indexer of this folder and will index them"
        return f"a batch that took {'them' if carried else 'their names'} has not ended; they will be tried again"
