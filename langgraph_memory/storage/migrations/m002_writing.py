"""Migration 2 adds what distilling memories needs: watermarks, leases, entities and batches that can be undone."""

from __future__ import annotations

from sqlalchemy.engine import Connection

_STATEMENTS = (
    "ALTER TABLE journal ADD COLUMN batch TEXT",
    "CREATE INDEX journal_by_batch ON journal (batch, seq) WHERE batch IS NOT NULL",
    """CREATE TABLE watermarks (
        session_id BIGINT NOT NULL REFERENCES sessions(id), job TEXT NOT NULL, seq BIGINT NOT NULL,
        PRIMARY KEY (session_id, job))""",
    "CREATE TABLE leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until BIGINT NOT NULL)",
    """CREATE TABLE entities (
        seq BIGINT PRIMARY KEY, scope_id BIGINT NOT NULL REFERENCES scopes(id), key TEXT NOT NULL, name TEXT NOT NULL,
        kind TEXT NOT NULL, merged_into BIGINT REFERENCES entities(seq), UNIQUE (scope_id, key))""",
    """CREATE TABLE merges (
        seq BIGINT PRIMARY KEY, at BIGINT NOT NULL, merged BIGINT NOT NULL REFERENCES entities(seq),
        "into" BIGINT NOT NULL REFERENCES entities(seq), actor TEXT NOT NULL, reason TEXT NOT NULL,
        undone_at BIGINT)""",
    """CREATE TABLE mentions (
        memory_seq BIGINT NOT NULL REFERENCES memories(seq), entity_seq BIGINT NOT NULL REFERENCES entities(seq),
        PRIMARY KEY (memory_seq, entity_seq))""",
    "CREATE INDEX mentions_by_entity ON mentions (entity_seq)",
    # A profile is one document a scope and schema; whoever writes a second one at the same moment is refused.
    """CREATE UNIQUE INDEX memories_one_live_profile ON memories (scope_id, schema)
        WHERE kind = 'profile' AND schema IS NOT NULL AND retired_at IS NULL AND valid_to IS NULL""",
)


def m002_writing(connection: Connection) -> None:
    """Create the tables and indexes; what was written before belongs to no batch."""
    for statement in _STATEMENTS:
        connection.exec_driver_sql(statement)
