"""Opens one store and wires its parts together; the only place, with `memory.py`, that names concrete classes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from langgraph_memory.checkpoints.beside import Beside, beside_folder, beside_url
from langgraph_memory.clock import Clock
from langgraph_memory.errors import EmbeddingMismatch, IndexUnavailable, InvalidInput, StorageError
from langgraph_memory.flows.background import BackgroundDistiller
from langgraph_memory.flows.finding import Finder
from langgraph_memory.flows.neighbours import Neighbours
from langgraph_memory.flows.recall import Recaller
from langgraph_memory.maintenance.indexer import Indexer
from langgraph_memory.maintenance.linker import Linker
from langgraph_memory.maintenance.recall_log import RecallLog
from langgraph_memory.maintenance.reconcile import discard_unusable, owe_everything, owe_index, renew_text_index
from langgraph_memory.maintenance.worker import BackgroundWorker
from langgraph_memory.models.bundled import BundledEmbedder
from langgraph_memory.models.checked import checked
from langgraph_memory.models.langchain import LangChainEmbedder
from langgraph_memory.models.ports import Embedder, Reranker
from langgraph_memory.retrieval.compose import CountTokens
from langgraph_memory.sessions.recorder import Recorder
from langgraph_memory.settings import Settings
from langgraph_memory.storage import vectors
from langgraph_memory.storage.chroma_client import is_forked
from langgraph_memory.storage.chroma_folder import Stamp, read_pointer
from langgraph_memory.storage.chroma_index import ChromaIndex
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.migrations import check_tables, migrate
from langgraph_memory.storage.schema import facts
from langgraph_memory.storage.snapshots import SnapshotCache
from langgraph_memory.storage.wide import WideSearch
from langgraph_memory.writing.curator import Curator

if TYPE_CHECKING:
    from langgraph_memory.flows.consolidate import ConsolidateFlow
    from langgraph_memory.flows.deepen import DeepenFlow
    from langgraph_memory.flows.manage import ManageFlow
    from langgraph_memory.flows.remember import RememberFlow
    from langgraph_memory.models.chat import Chat

INDEX_FOLDER = "index"
"""Below the memory folder: everything in it can be deleted and comes back."""


class Flows:
    """The graphs of one store; None where one needs a chat model and there is none.

    Those that need none are made when they are first asked for: LangGraph takes half a second to import.
    """

    def __init__(
        self,
        remember: Callable[[], RememberFlow],
        manage: ManageFlow | None = None,
        consolidate: ConsolidateFlow | None = None,
        *,
        deepen: Callable[[], DeepenFlow],
    ) -> None:
        self._remember = remember
        self._deepen = deepen
        self.manage = manage
        self.consolidate = consolidate

    @cached_property
    def remember(self) -> RememberFlow:
        """Distils conversations, with or without a chat model."""
        return self._remember()

    @cached_property
    def deepen(self) -> DeepenFlow:
        """Recalls in several steps, with or without a chat model."""
        return self._deepen()


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one open store."""

    database: Database
    embedder: Embedder
    model_id: int
    indexer: Indexer
    worker: BackgroundWorker
    cache: SnapshotCache
    recorder: Recorder
    curator: Curator
    finder: Finder
    recaller: Recaller
    chat: Chat | None
    flows: Flows
    distiller: BackgroundWorker | None
    checkpoints: Beside
    recall_log: RecallLog | None

    def close(self) -> None:
        """Stop the workers and let go of files and connections; nothing recorded is lost by it."""
        if self.distiller is not None:
            self.distiller.stop()
        self.worker.stop()
        if self.recall_log is not None:
            self.recall_log.write()
        self.indexer.close()
        self.checkpoints.close()
        self.database.close()


def open_parts(
    location: str | os.PathLike[str],
    *,
    chroma: str | None,
    embedder: Embedder,
    reindex: bool,
    chat: Chat | None,
    query_chat: Chat | None,
    instructions: str | None,
    schemas: Sequence[Any],
    profiles: Sequence[Any],
    settings: Settings,
    clock: Clock,
    count_tokens: CountTokens,
    reranker: Reranker | None,
) -> Parts:
    """Open or create the store at `location`.

    Raises:
        StorageError: the database cannot be opened; the subclass says why.
        EmbeddingMismatch: it was embedded with another model and `reindex` is not set.
    """
    if not isinstance(embedder, BundledEmbedder | LangChainEmbedder):  # these check themselves
        embedder = checked(embedder)
    text = os.fspath(location)
    if not text:
        raise InvalidInput('Say where the memory lives: a folder such as "./memory", or postgresql://...')
    folder = None if "://" in text else Path(text).expanduser()
    place = None if folder is None else folder.absolute()  # the working directory may change while it is open
    database = Database.open_url(text) if folder is None else Database.open_folder(folder, settings.lock_seconds)
    try:
        check_new = None if folder is None else partial(_check_not_lost, database, folder / INDEX_FOLDER)
        migrate(database, check_new=check_new)
        check_tables(database)
        renew_text_index(database)
        model_id = _stamp_model(database, embedder, reindex)
        open_index = _index_opener(database, embedder, model_id, place, chroma)
        indexer = Indexer(database, embedder, model_id, open_index, clock)
        cache = SnapshotCache(database, model_id, embedder.dimension, settings.cache_mb * 2**20)
        wide = WideSearch(database, model_id, embedder.dimension, indexer.index, indexer.doubt)
        log = RecallLog(database, clock) if settings.track_recalls else None
        finder = Finder(database, cache, wide, embedder, indexer, settings, clock, log)
        recaller = Recaller(database, finder, settings, count_tokens, log, reranker)
        neighbours = Neighbours(database, finder, embedder)
        flows = _flows(
            database,
            finder,
            recaller,
            embedder,
            neighbours,
            indexer.linker,
            model_id,
            chat,
            query_chat,
            settings,
            clock,
            schemas,
            profiles,
        )
        distiller = None
        if chat is not None and settings.background and settings.distil == "background":
            background = BackgroundDistiller(database, flows.remember.compiled, settings, clock, instructions)
            distiller = BackgroundWorker(
                background.work,
                idle_seconds=settings.idle_seconds,
                name="langgraph-memory-distiller",
                patience=settings.close_seconds,
                abandon=background.abandon,
            )
        return Parts(
            database=database,
            embedder=embedder,
            model_id=model_id,
            indexer=indexer,
            worker=BackgroundWorker(
                partial(_upkeep, indexer, log), idle_seconds=settings.idle_seconds, name="langgraph-memory-indexer"
            ),
            recall_log=log,
            cache=cache,
            recorder=Recorder(database, clock),
            curator=Curator(database, clock),
            finder=finder,
            recaller=recaller,
            chat=chat,
            flows=flows,
            distiller=distiller,
            checkpoints=beside_url(database.engine.url)
            if place is None
            else beside_folder(place, settings.lock_seconds),
        )
    except BaseException:
        database.close()
        raise


def _upkeep(indexer: Indexer, log: RecallLog | None) -> bool:
    """Do one batch of what is owed; say whether there was any."""
    if log is not None:
        log.write()
    return indexer.work()


def _check_not_lost(database: Database, index: Path) -> None:
    """Refuse an empty database beside the index of a full one, rather than begin anew as if nothing had been lost."""
    if read_pointer(index) is not None:
        raise StorageError(
            f"{database.label} is missing or empty, but {index} was built from a store that was there before: the "
            f"database was lost. Put it back from a backup; or, to begin anew, delete {index}."
        )


def _flows(
    database: Database,
    finder: Finder,
    recaller: Recaller,
    embedder: Embedder,
    neighbours: Neighbours,
    linker: Linker,
    model_id: int,
    chat: Chat | None,
    query_chat: Chat | None,
    settings: Settings,
    clock: Clock,
    schemas: Sequence[Any],
    profiles: Sequence[Any],
) -> Flows:
    def remember() -> RememberFlow:
        from langgraph_memory.flows.remember import RememberFlow

        return RememberFlow(database, neighbours, linker, model_id, chat, settings, clock, schemas, query_chat)

    def deepen() -> DeepenFlow:
        from langgraph_memory.flows.deepen import DeepenFlow

        return DeepenFlow(database, finder, recaller, chat, embedder.thresholds, settings)

    if chat is None:
        if schemas or profiles:  # a bad one is told at once, as it is with a model
            from langgraph_memory.editing.schemas import schemas_of

            schemas_of([*schemas, *(one[0] if isinstance(one, tuple) else one for one in profiles)])
        return Flows(remember, deepen=deepen)
    from langgraph_memory.flows.consolidate import ConsolidateFlow
    from langgraph_memory.flows.manage import ManageFlow

    manage = ManageFlow(  # checks the schemas now
        database, neighbours, chat, settings, clock, schemas, profiles, query_chat
    )
    return Flows(remember, manage, ConsolidateFlow(database, neighbours, chat, settings, clock), deepen=deepen)


def _stamp_model(database: Database, embedder: Embedder, reindex: bool) -> int:
    with database.read() as connection:
        _check_model(vectors.current_model(connection), database, embedder, reindex)
        known = vectors.dimension_of(connection, embedder.name)
    if known is not None and isinstance(embedder, LangChainEmbedder):
        embedder.expect(known)  # a store opens also while its model is out of reach
    dimension = embedder.dimension  # of a model never used here, asks it; so not while others wait to write
    with database.write() as connection:
        present = vectors.current_model(connection)  # another process may be opening it for the first time too
        _check_model(present, database, embedder, reindex)
        try:
            model_id = vectors.register_model(connection, embedder.name, dimension)
        except ValueError as error:
            raise EmbeddingMismatch(
                f"{database.label}: the embedding model {error}. Give the other one a name of its own."
            ) from error
        if present is None:
            vectors.set_current_model(connection, embedder.name)
    if present not in (None, embedder.name) or (reindex and discard_unusable(database, model_id)):
        owe_everything(database, embedder.name)
    return model_id


def _check_model(present: str | None, database: Database, embedder: Embedder, reindex: bool) -> None:
    if present not in (None, embedder.name) and not reindex:
        raise EmbeddingMismatch(
            f"{database.label} is embedded with {present!r}, and you opened it with {embedder.name!r}, whose vectors "
            "cannot be compared. Open it with the same embeddings as before, or pass reindex=True once to embed "
            "everything anew with this one (nothing recorded is touched; the old vectors are kept)."
        )


def _index_opener(
    database: Database, embedder: Embedder, model_id: int, folder: Path | None, chroma: str | None
) -> Callable[[], ChromaIndex | None] | None:
    """Return what opens the vector index when it is first needed; None where there is none.

    On PostgreSQL without a Chroma server recall searches exactly, from the vectors in SQL.
    """
    if folder is None and chroma is None:
        return None
    with database.read() as connection:
        store_id = connection.execute(sa.select(facts.c.value).where(facts.c.name == "store_id")).scalar_one()
    stamp = Stamp(store_id, embedder.name, embedder.dimension)
    refill = partial(owe_index, database, model_id)
    if chroma is not None:
        return partial(ChromaIndex.open_server, chroma, stamp, refill)
    assert folder is not None
    return partial(_open_folder_index, folder / INDEX_FOLDER, stamp, refill)


def _open_folder_index(root: Path, stamp: Stamp, refill: Callable[[], None]) -> ChromaIndex | None:
    if is_forked():  # its first upsert would wait for threads that are gone; another process pays what is owed
        return None
    try:
        return ChromaIndex.open_folder(root, stamp, refill)
    except OSError as error:
        raise IndexUnavailable(f"The index folder {root} cannot be used: {error.strerror or error}.") from error
