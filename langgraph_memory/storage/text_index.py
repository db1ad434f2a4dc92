"""The text index finds rows by the terms in them: FTS5 on SQLite, lexemes on PostgreSQL.

Terms are cut by `text/tokenise.py` before they come here. No text typed by a person ever reaches the
query grammar: each term becomes one quoted phrase.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection


@dataclass(frozen=True, slots=True)
class IndexedText:
    """One row to index: its number, the ids of its scope and of all that contain it, and its terms."""

    seq: int
    scope_ids: Sequence[int]
    terms: Sequence[str]


def put(connection: Connection, rows: Iterable[IndexedText]) -> None:
    """Index new rows in the transaction that stores them, so that text search never lags behind."""
    values = [
        {
            "seq": row.seq,
            "scopes": _scope_terms(row.scope_ids) if _is_sqlite(connection) else list(row.scope_ids),
            "terms": " ".join(row.terms),
            "lexemes": [] if _is_sqlite(connection) else _lexemes(row.terms),
        }
        for row in rows
    ]
    if not values:
        return
    if _is_sqlite(connection):
        connection.execute(_PUT_SQLITE, values)
    else:
        connection.execute(_PUT_POSTGRES, values)


def drop(connection: Connection, seqs: Sequence[int]) -> None:
    """Remove rows from the index."""
    for start in range(0, len(seqs), 5_000):
        connection.execute(_DROP, {"seqs": list(seqs[start : start + 5_000])})


def terms_of(connection: Connection, seqs: Sequence[int]) -> dict[int, list[str]]:
    """Return the indexed terms of these rows, with repetitions."""
    found: dict[int, list[str]] = {}
    for start in range(0, len(seqs), 5_000):
        rows = connection.execute(_TERMS, {"seqs": list(seqs[start : start + 5_000])})
        found.update((row.rowid, row.terms.split()) for row in rows)
    return found


def search(
    connection: Connection, scope_id: int, terms: Sequence[str], limit: int, *, memories_only: bool = False
) -> list[int]:
    """Return the rows inside the scope that hold any of the terms, roughly best first.

    The order serves only to choose candidates: scores are computed by `retrieval/bm25.py` from the
    scope's own statistics, on every database alike.
    """
    if not terms:
        return []
    if _is_sqlite(connection):
        match = f'scopes : "s{scope_id}" AND terms : ({" OR ".join(map(_quoted, terms))})'
        statement = _SEARCH_SQLITE_MEMORIES if memories_only else _SEARCH_SQLITE
        return list(connection.execute(statement, {"match": match, "limit": limit}).scalars())
    query = " | ".join(_lexeme(term) for term in terms if len(term.encode()) <= _LONGEST_LEXEME)
    statement = _SEARCH_POSTGRES_MEMORIES if memories_only else _SEARCH_POSTGRES
    return list(connection.execute(statement, {"query": query, "scope": [scope_id], "limit": limit}).scalars())


def frequency(connection: Connection, scope_id: int, term: str) -> int:
    """Return how many rows inside the scope hold the term."""
    if _is_sqlite(connection):
        match = f'scopes : "s{scope_id}" AND terms : {_quoted(term)}'
        return int(connection.execute(_COUNT_SQLITE, {"match": match}).scalar_one())
    return int(connection.execute(_COUNT_POSTGRES, {"query": _lexeme(term), "scope": [scope_id]}).scalar_one())


def forget_traces(connection: Connection) -> None:
    """Rewrite the SQLite index so that deleted terms leave the file; PostgreSQL's vacuum does the same."""
    if _is_sqlite(connection):
        connection.exec_driver_sql("INSERT INTO text_index (text_index) VALUES ('optimize')")


_LONGEST_LEXEME = 2046  # bytes; PostgreSQL's limit for one lexeme
_MOST_LEXEMES = 1_000_000  # bytes; its limit for all lexemes of one row is 1,048,575

_SEQS: sa.BindParameter[list[int]] = sa.bindparam("seqs", expanding=True)
_DROP = sa.text("DELETE FROM text_index WHERE rowid IN :seqs").bindparams(_SEQS)
_TERMS = sa.text("SELECT rowid, terms FROM text_index WHERE rowid IN :seqs").bindparams(_SEQS)

_PUT_SQLITE = sa.text("INSERT INTO text_index (rowid, scopes, terms) VALUES (:seq, :scopes, :terms)")
_OF_MEMORIES = "AND rowid IN (SELECT seq FROM memories) "
_SEARCH_SQLITE, _SEARCH_SQLITE_MEMORIES = (
    sa.text(
        f"SELECT rowid FROM text_index WHERE text_index MATCH :match {of}"
        "ORDER BY bm25(text_index, 0.0, 1.0) LIMIT :limit"
    )
    for of in ("", _OF_MEMORIES)
)
_COUNT_SQLITE = sa.text("SELECT count(*) FROM text_index WHERE text_index MATCH :match")

_PUT_POSTGRES = sa.text(
    "INSERT INTO text_index (rowid, scopes, terms, lexemes) "
    "VALUES (:seq, :scopes, :terms, array_to_tsvector(CAST(:lexemes AS TEXT[])))"
)
_SEARCH_POSTGRES, _SEARCH_POSTGRES_MEMORIES = (
    sa.text(
        "SELECT rowid FROM text_index WHERE scopes @> CAST(:scope AS BIGINT[]) AND lexemes @@ CAST(:query AS tsquery) "
        f"{of}ORDER BY ts_rank(lexemes, CAST(:query AS tsquery)) DESC, rowid DESC LIMIT :limit"
    )
    for of in ("", _OF_MEMORIES)
)
_COUNT_POSTGRES = sa.text(
    "SELECT count(*) FROM text_index WHERE scopes @> CAST(:scope AS BIGINT[]) AND lexemes @@ CAST(:query AS tsquery)"
)


def _is_sqlite(connection: Connection) -> bool:
    return connection.dialect.name == "sqlite"


def _lexemes(terms: Sequence[str]) -> list[str]:
    """Return the distinct terms that PostgreSQL takes; of a text with a megabyte of them, the first."""
    kept: list[str] = []
    size = 0
    for term in dict.fromkeys(terms):
        length = len(term.encode())
        if length > _LONGEST_LEXEME:
            continue
        size += length + 1  # it aligns some of them
        if size > _MOST_LEXEMES:
            break
        kept.append(term)
    return kept


def _scope_terms(scope_ids: Sequence[int]) -> str:
    return " ".join(f"s{scope_id}" for scope_id in scope_ids)


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


def _lexeme(term: str) -> str:
    return "'" + term.replace("\\", "\\\\").replace("'", "''") + "'"
