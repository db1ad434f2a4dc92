"""Migration 6 adds what compacted sessions need: the items that a session begins with, and what they stand for."""

from __future__ import annotations

from sqlalchemy.engine import Connection

_STATEMENTS = (
    """CREATE TABLE session_heads (
        session_id BIGINT PRIMARY KEY REFERENCES sessions(id), generation BIGINT NOT NULL,
        items TEXT NOT NULL)""",
    """CREATE TABLE session_covered (
        session_id BIGINT NOT NULL REFERENCES sessions(id), entry_seq BIGINT NOT NULL REFERENCES entries(seq),
        PRIMARY KEY (session_id, entry_seq))""",
    "CREATE INDEX session_covered_by_entry ON session_covered (entry_seq)",
)


def m006_heads(connection: Connection) -> None:
    """Create the tables; no session was compacted before."""
    for statement in _STATEMENTS:
        connection.exec_driver_sql(statement)
