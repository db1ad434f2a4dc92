"""The doctor examines the installation and the store and says what to do about what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import packages_distributions, version
from typing import Literal

import sqlalchemy as sa

from langgraph_memory.checkpoints.records import CheckpointSizes
from langgraph_memory.errors import LangGraphMemoryError
from langgraph_memory.maintenance.complaints import reason
from langgraph_memory.maintenance.indexer import Indexer
from langgraph_memory.models.ports import Embedder
from langgraph_memory.storage import outbox
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.migrations import TEXT_INDEX, missing_tables
from langgraph_memory.storage.schema import entries, items, memories, scopes, sessions
from langgraph_memory.storage.schema import vectors as vectors_table

DISTRIBUTION = "langgraph-memory-plugin"

Status = Literal["ok", "warning", "problem"]

MANY_BYTES = 2**30
"""Of checkpoints, from which pruning is advised: a thread's state is written anew at every step of every run."""


@dataclass(frozen=True, slots=True)
class Check:
    """One finding: what was looked at, how it is, and what to do where it is not well."""

    name: str
    status: Status
    finding: str
    advice: str | None = None


def examine(
    database: Database, embedder: Embedder, indexer: Indexer, checkpoints: Callable[[], CheckpointSizes | None]
) -> Sequence[Check]:
    """Run every check; a check that fails is a finding, not an error."""
    return [
        installation(packages_distributions().get("langgraph_memory", [])),
        *_store(database),
        _embedding(embedder),
        *_indexes(database, indexer),
        _checkpoints(checkpoints),
    ]


def installation(owners: Sequence[str]) -> Check:
    """Check that no other distribution has installed a package of the same import name.

    Args:
        owners: the distributions that own the import name `langgraph_memory`.
    """
    others = sorted({owner for owner in owners if owner.replace("_", "-").lower() != DISTRIBUTION})
    if others:
        return Check(
            "installation",
            "problem",
            f"{', '.join(others)} also installs a package langgraph_memory; the two overwrite each other's files",
            f"pip uninstall -y {' '.join(others)} {DISTRIBUTION} && pip install {DISTRIBUTION}",
        )
    names = ", ".join(f"{name} {version(name)}" for name in ("langgraph", "langchain-core", "chromadb"))
    return Check("installation", "ok", f"{DISTRIBUTION} {version(DISTRIBUTION)} with {names}")


def _store(database: Database) -> Iterator[Check]:
    try:
        with database.read() as connection:
            missing = missing_tables(connection)
            if missing:
                yield from map(_missing, missing)
                return
            counts = {
                table.name: connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
                for table in (entries, memories, sessions, scopes, vectors_table, items)
            }
            broken = database.integrity(connection)
    except LangGraphMemoryError as error:
        yield Check(
            "database", "problem", reason(error), "Make it reachable, or restore it from a backup or an export."
        )
        return
    if broken:
        yield Check("database", "problem", f"{database.label}: {broken}", "Restore it from a backup or an export.")
    else:
        size = ", ".join(f"{count:,} {name}" for name, count in counts.items())
        yield Check("database", "ok", f"{database.label}: {size}, {database.size() / 2**20:.1f} MiB")


def _missing(table: str) -> Check:
    finding = f"the table {table} is missing"
    if table == TEXT_INDEX:
        return Check("text index", "problem", finding, "langgraph-memory reindex writes it anew.")
    return Check("database", "problem", finding, "Restore the database from a backup or an export.")


def _embedding(embedder: Embedder) -> Check:
    try:
        vector = embedder.embed_query("Is anybody there?")
    except Exception as error:
        finding = f"{embedder.name}: {reason(error)}"
        return Check("embedding", "problem", finding, "Recall works by words until it is mended.")
    return Check("embedding", "ok", f"{embedder.name}, {len(vector)} dimensions")


def _indexes(database: Database, indexer: Indexer) -> Iterator[Check]:
    try:
        with database.read() as connection:
            owed = outbox.owed(connection)
    except LangGraphMemoryError as error:
        yield Check("outbox", "problem", reason(error), "It can be looked at once the database answers.")
        return
    if owed:
        waiting = ", ".join(f"{count:,} to {stage}" for stage, count in sorted(owed.items()))
        trouble = f" ({indexer.trouble})" if indexer.trouble else ""
        yield Check("outbox", "warning", f"{waiting}{trouble}", "langgraph-memory reindex, or wait for the indexer.")
    else:
        yield Check("outbox", "ok", "nothing is owed to the indexes")
    if not indexer.has_index:
        yield Check("vector index", "ok", "none is used: every search is exact, from SQL")
        return
    try:
        index = indexer.index()
        if index is None:
            yield Check("vector index", "ok", "held by another process; this one searches exactly, from SQL")
            return
        counts = index.count()
    except LangGraphMemoryError as error:
        yield Check("vector index", "problem", reason(error), "langgraph-memory reindex rebuilds it from SQL.")
        return
    yield Check("vector index", "ok", ", ".join(f"{count:,} {owner}" for owner, count in counts.items()))


def _checkpoints(measure: Callable[[], CheckpointSizes | None]) -> Check:
    try:
        sizes = measure()
    except LangGraphMemoryError as error:
        return Check("checkpoints", "problem", reason(error), "Threads cannot go on; memory itself is unharmed.")
    if sizes is None:
        return Check("checkpoints", "ok", "none are kept here")
    finding = f"{sizes.checkpoints:,} checkpoints, {sizes.threads:,} threads, {sizes.bytes / 2**20:.1f} MiB"
    if sizes.bytes < MANY_BYTES:
        return Check("checkpoints", "ok", finding)
    return Check("checkpoints", "warning", finding, "memory.prune_checkpoints(keep_last=10) keeps what threads need.")
