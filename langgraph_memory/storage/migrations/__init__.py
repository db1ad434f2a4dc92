"""Numbered migrations bring any older database up to date, each once, all in one transaction."""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from langgraph_memory.errors import SchemaTooNew, StorageError
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.migrations.m001_initial import m001_initial
from langgraph_memory.storage.migrations.m002_writing import m002_writing
from langgraph_memory.storage.migrations.m003_items import m003_items
from langgraph_memory.storage.migrations.m004_transcripts import m004_transcripts
from langgraph_memory.storage.migrations.m005_recalls import m005_recalls
from langgraph_memory.storage.migrations.m006_heads import m006_heads
from langgraph_memory.storage.schema import metadata

MIGRATIONS: list[Callable[[Connection], None]] = [
    m001_initial,
    m002_writing,
    m003_items,
    m004_transcripts,
    m005_recalls,
    m006_heads,
]
"""Append only; a migration that has shipped is never edited."""

TEXT_INDEX = "text_index"
"""The one table that is derived: see `text_index.py`."""


def migrate(database: Database, *, check_new: Callable[[], None] | None = None) -> int:
    """Apply what is missing and return the schema's version (the number of migrations applied).

    Args:
        check_new: called before anything is made in a database that holds no store yet; it may refuse.

    Raises:
        SchemaTooNew: the database was written by a newer version of this package.
        StorageError: the SQLite file is another program's.
    """
    with database.read() as connection:
        version = _version(connection)
    if version == 0 and check_new is not None:
        check_new()
    if version < len(MIGRATIONS):
        with database.write() as connection:
            version = _version(connection)  # another process may have been faster
            if version == 0:
                _check_nobody_elses(database, connection)
                connection.execute(sa.text("CREATE TABLE schema_version (version BIGINT NOT NULL)"))
                connection.execute(sa.text("INSERT INTO schema_version VALUES (0)"))
            for migration in MIGRATIONS[version:]:
                migration(connection)
            version = max(version, len(MIGRATIONS))
            connection.execute(sa.text("UPDATE schema_version SET version = :version"), {"version": version})
    if version > len(MIGRATIONS):
        raise SchemaTooNew(
            f"{database.label} has schema version {version}; this package knows up to {len(MIGRATIONS)}. "
            "Upgrade langgraph-memory-plugin to open it; nothing was changed."
        )
    return version


def missing_tables(connection: Connection) -> list[str]:
    """Return the tables that a migrated store should have and has not."""
    return sorted({*metadata.tables, TEXT_INDEX} - set(sa.inspect(connection).get_table_names()))


def check_tables(database: Database) -> None:
    """Make sure that every table is there; the text index may be missing, since it can be written anew.

    Raises:
        StorageError: a table is gone that nothing could bring back.
    """
    with database.read() as connection:
        gone = [name for name in missing_tables(connection) if name != TEXT_INDEX]
    if gone:
        raise StorageError(
            f"{database.label} is damaged: the table {', '.join(gone)} is missing, and what it held cannot be rebuilt. "
            "Restore the database from a backup or an export; nothing was changed."
        )


def _check_nobody_elses(database: Database, connection: Connection) -> None:
    if database.is_sqlite and (found := sa.inspect(connection).get_table_names()):
        raise StorageError(
            f"{database.label} is the database of another program (it holds the table {found[0]!r}). "
            "Give the memory a folder of its own; nothing was changed."
        )


def _version(connection: Connection) -> int:
    if not sa.inspect(connection).has_table("schema_version"):
        return 0
    return int(connection.execute(sa.text("SELECT version FROM schema_version")).scalar_one())
