"""Migration 3 adds the items of `memory.store`: an application's own keys and values, with their vectors."""

from __future__ import annotations

from sqlalchemy.engine import Connection

# `seq` numbers an item once; `changed_seq` is the number of its last put, so it orders items and tells caches what is
# new. `texts` counts what is indexed, so that items still to be embedded with another model can be told from others.
_STATEMENTS = (
    """CREATE TABLE items (
        seq BIGINT PRIMARY KEY, namespace TEXT {binary} NOT NULL, key TEXT {binary} NOT NULL, value TEXT NOT NULL,
        paths TEXT NOT NULL, texts BIGINT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, ttl BIGINT,
        expires_at BIGINT, changed_seq BIGINT NOT NULL, UNIQUE (namespace, key))""",
    "CREATE UNIQUE INDEX items_by_change ON items (changed_seq)",
    "CREATE INDEX items_by_expiry ON items (expires_at) WHERE expires_at IS NOT NULL",
    """CREATE TABLE item_vectors (
        item_seq BIGINT NOT NULL REFERENCES items(seq), model_id BIGINT NOT NULL REFERENCES models(id),
        place BIGINT NOT NULL, digest TEXT NOT NULL, vector {blob} NOT NULL,
        PRIMARY KEY (item_seq, model_id, place))""",
    # The digest first: by model alone SQLite would read all vectors to find those of one namespace.
    "CREATE INDEX item_vectors_by_digest ON item_vectors (digest, model_id)",
)


def m003_items(connection: Connection) -> None:
    """Create the two tables."""
    sqlite = connection.dialect.name == "sqlite"
    types = {"binary": "" if sqlite else 'COLLATE "C"', "blob": "BLOB" if sqlite else "BYTEA"}
    for statement in _STATEMENTS:
        connection.exec_driver_sql(statement.format(**types))
