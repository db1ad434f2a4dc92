"""Chroma as the vector index: batched, held by one process at a time, and rebuilt from SQL whenever in doubt.

Two processes on one embedded Chroma folder lose vectors for good, so an exclusive lock makes one of them
the indexer; the others search the vectors in SQL. Each rebuild goes to a new folder, because Chroma keeps
a process-wide client per path and never shrinks a folder.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from langgraph_memory.errors import IndexUnavailable
from langgraph_memory.storage import crash_points
from langgraph_memory.storage.chroma_client import ServerAway, chroma_errors, close_client, folder_client, server_client
from langgraph_memory.storage.chroma_folder import Stamp, destroy_all, read_pointer, set_aside_all, write_pointer

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

Owner = Literal["entries", "memories"]
OWNERS: tuple[Owner, ...] = ("entries", "memories")

LOCK, POINTER = "indexer.lock", "current.json"

BATCH = 1_000
"""Rows per upsert: single upserts cost 5 to 40 ms each, batches of 1,000 about 0.4 ms a row (Chroma 1.5.9)."""


@dataclass(frozen=True, slots=True)
class IndexRow:
    """One row for the index: the vector, and a readable copy for people who look into Chroma."""

    owner: Owner
    seq: int
    vector: NDArray[np.float32]
    text: str
    scope_ids: Sequence[int]
    metadata: dict[str, str | int]


Refill = Callable[[], None]
"""Owes every vector in SQL to the index. It runs before a new index counts as one, so that a crash in
between leaves either the old index or a new one whose rows are all owed."""


class ChromaIndex:
    """The two collections of one store, in a folder that this process has locked or on a Chroma server."""

    def __init__(
        self, client: ClientAPI, stamp: Stamp, refill: Refill, *, lock: FileLock | None, folder: Path | None
    ) -> None:
        self._client = client
        self._stamp = stamp
        self._refill = refill
        self._lock = lock
        self.folder = folder
        self._collections: dict[Owner, Collection] = {}

    @classmethod
    def open_folder(cls, root: Path, stamp: Stamp, refill: Refill) -> ChromaIndex | None:
        """Open or create the index below `root`; one that is damaged or foreign is set aside and replaced.

        Returns:
            The index, or None where another process holds it.
        """
        _make_room(root)
        lock = FileLock(root / LOCK, timeout=0)
        try:
            lock.acquire()
        except Timeout:
            return None
        try:
            current = read_pointer(root)
            if current is not None and current[1] == stamp and (root / current[0]).is_dir():
                folder = root / current[0]
                with suppress(IndexUnavailable):
                    index = cls(folder_client(folder), stamp, refill, lock=lock, folder=folder)
                    try:
                        index.check()
                    except IndexUnavailable:
                        close_client(index._client)
                        raise
                    return index
            return cls._new_folder(root, stamp, refill, lock)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def open_server(cls, url: str, stamp: Stamp, refill: Refill) -> ChromaIndex:
        """Open or create the index on the Chroma server at `url`; an unusable one is replaced.

        Raises:
            IndexUnavailable: the server does not answer.
        """
        index = cls(server_client(url), stamp, refill, lock=None, folder=None)
        try:
            try:
                index.check()
            except ServerAway:
                raise
            except IndexUnavailable:
                index.clear()
        except BaseException:
            index.close()
            raise
        return index

    def check(self) -> None:
        """Open the collections and read from each.

        Raises:
            IndexUnavailable: one is missing, foreign, of another model, or unreadable.
        """
        for owner in OWNERS:
            with chroma_errors(owner):
                collection = self._client.get_collection(self._name(owner), embedding_function=None)
                if collection.metadata != self._mark(ready=True):
                    raise IndexUnavailable(f"The Chroma collection {collection.name} is foreign or was never filled.")
                anything = np.zeros((1, self._stamp.dimension), dtype=np.float32)
                nearest = collection.query(query_embeddings=anything, n_results=1)["ids"][0]
                if not nearest and collection.count():  # rows without their vectors: Chroma itself does not notice
                    raise IndexUnavailable(f"The Chroma collection {collection.name} has lost its vectors.")
                self._collections[owner] = collection

    def clear(self) -> None:
        """Make both collections anew, empty, with everything owed to them."""
        for owner in OWNERS:
            with suppress(Exception):
                self._client.delete_collection(self._name(owner))
            with chroma_errors(owner):
                self._collections[owner] = self._client.create_collection(
                    self._name(owner),
                    embedding_function=None,
                    metadata=self._mark(ready=False),
                    configuration={"hnsw": {"space": "cosine"}},
                )
        crash_points.reach("folder cleared")
        self._refill()
        crash_points.reach("index owed")
        for owner in OWNERS:
            with chroma_errors(owner):
                self._collections[owner].modify(metadata=self._mark(ready=True))

    def upsert(self, rows: Iterable[IndexRow]) -> None:
        """Write rows; the same row twice is one row.

        Raises:
            IndexUnavailable: Chroma refused them; the rows are still owed.
        """
        by_owner: dict[Owner, list[IndexRow]] = {owner: [] for owner in OWNERS}
        for row in rows:
            by_owner[row.owner].append(row)
        for owner, owned in by_owner.items():
            for start in range(0, len(owned), BATCH):
                batch = owned[start : start + BATCH]
                with chroma_errors(owner):
                    self._collections[owner].upsert(
                        ids=[str(row.seq) for row in batch],
                        embeddings=np.array([row.vector for row in batch], dtype=np.float32),
                        documents=[row.text for row in batch],
                        metadatas=[{**row.metadata, "scopes": list(row.scope_ids)} for row in batch],
                    )

    def holds_any(self, seqs: Sequence[int]) -> bool:
        """Say whether any of these rows is in the index."""
        for owner in OWNERS:
            for start in range(0, len(seqs), BATCH):
                with chroma_errors(owner):
                    some = [str(seq) for seq in seqs[start : start + BATCH]]
                    if self._collections[owner].get(ids=some, include=[], limit=1)["ids"]:
                        return True
        return False

    def delete(self, seqs: Sequence[int | str]) -> None:
        """Remove rows wherever they are; a missing one is no error."""
        for owner in OWNERS:
            for start in range(0, len(seqs), BATCH):
                with chroma_errors(owner):
                    self._collections[owner].delete(ids=[str(seq) for seq in seqs[start : start + BATCH]])

    def search(
        self, query: NDArray[np.float32], scope_id: int, limit: int, owners: Sequence[Owner] = OWNERS
    ) -> list[int]:
        """Return the `seq` of the rows nearest to the query inside the scope, nearest first.

        Raises:
            IndexUnavailable: Chroma cannot answer.
        """
        inside: Any = {"scopes": {"$contains": scope_id}}
        found: list[tuple[float, int]] = []
        for owner in owners:
            with chroma_errors(owner):
                answer = self._collections[owner].query(
                    query_embeddings=query[np.newaxis, :],
                    n_results=limit,
                    where=inside,
                    include=["distances"],
                )
            distances = (answer["distances"] or [[]])[0]
            nearest = zip(answer["ids"][0], distances, strict=True)
            found += [(float(distance), int(seq)) for seq, distance in nearest if seq.isdecimal()]
        return [seq for _, seq in sorted(found)[:limit]]

    def count(self) -> dict[Owner, int]:
        """Return the number of rows in each collection."""
        counts: dict[Owner, int] = {}
        for owner in OWNERS:
            with chroma_errors(owner):
                counts[owner] = self._collections[owner].count()
        return counts

    def ids(self, owner: Owner) -> Iterator[list[str]]:
        """Yield every row's id in pages: a `seq` in digits, unless somebody else wrote it.

        Raises:
            IndexUnavailable: Chroma cannot answer, or has lost a row's vector.
        """
        offset = 0
        while True:
            with chroma_errors(owner):
                page = self._collections[owner].get(include=["embeddings"], limit=BATCH, offset=offset)["ids"]
            if not page:
                return
            yield list(page)
            offset += len(page)

    def rebuilt(self, *, destroy: bool = False) -> ChromaIndex:
        """Return an empty index in the place of this one, with everything owed to it.

        Args:
            destroy: delete this one's files, where it has any, instead of setting them aside.
        """
        if self.folder is None or self._lock is None:
            self.clear()
            return self
        close_client(self._client)
        return self._new_folder(self.folder.parent, self._stamp, self._refill, self._lock, destroy=destroy)

    def close(self) -> None:
        """Let go of the folder, or of the connections to the server."""
        close_client(self._client)
        if self._lock is not None:
            self._lock.release()

    @classmethod
    def _new_folder(
        cls, root: Path, stamp: Stamp, refill: Refill, lock: FileLock, *, destroy: bool = False
    ) -> ChromaIndex:
        try:
            root.mkdir(exist_ok=True)  # Chroma would also make the memory's folder anew
            if destroy:
                destroy_all(root)
            set_aside_all(root)
            folder = root / f"chroma-{uuid.uuid4().hex[:8]}"
            index = cls(folder_client(folder), stamp, refill, lock=lock, folder=folder)
            index.clear()
            crash_points.reach("index ready")
            write_pointer(root, folder.name, stamp)
            crash_points.reach("pointer written")
        except OSError as error:
            raise IndexUnavailable(f"The index folder {root} cannot be used: {error.strerror or error}.") from error
        return index

    def _mark(self, *, ready: bool) -> dict[str, str | int | bool]:
        stamp = self._stamp
        return {"store": stamp.store_id, "model": stamp.model, "dimension": stamp.dimension, "ready": ready}

    def _name(self, owner: Owner) -> str:
        # On a server several stores may live side by side; in a folder of our own the plain word will do.
        return owner if self.folder is not None else f"{owner}-{self._stamp.store_id[:12]}"


def _make_room(root: Path) -> None:
    """Create the folder; what stands in its place, or in the place of a file of ours in it, is set aside."""
    if os.path.lexists(root) and not root.is_dir():
        _move_aside(root)
    root.mkdir(exist_ok=True)  # without a memory folder there is nothing to index
    for name in (LOCK, POINTER, f"{POINTER}.new"):
        if (root / name).is_dir():
            _move_aside(root / name)


def _move_aside(path: Path) -> None:
    """Keep the last thing that stood in the way, and only the last."""
    aside = path.with_name(f"{path.name}-set-aside")
    if aside.is_dir() and not aside.is_symlink():
        shutil.rmtree(aside)
    else:
        aside.unlink(missing_ok=True)
    path.rename(aside)
