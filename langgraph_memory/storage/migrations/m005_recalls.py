"""Migration 5 adds the log of recalls: what was found, by which questions, on which days."""

from __future__ import annotations

from sqlalchemy.engine import Connection


def m005_recalls(connection: Connection) -> None:
    """Create the table; what was recalled before counts as never recalled."""
    connection.exec_driver_sql(
        """CREATE TABLE recalls (
            owner_seq BIGINT NOT NULL, query_hash TEXT NOT NULL, day BIGINT NOT NULL, times BIGINT NOT NULL,
            total DOUBLE PRECISION NOT NULL, best DOUBLE PRECISION NOT NULL, last_at BIGINT NOT NULL,
            PRIMARY KEY (owner_seq, query_hash, day))"""
    )
