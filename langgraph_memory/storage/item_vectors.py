"""The vectors of items, one per indexed text: which are known, which are missing, what changed since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy.engine import Connection

from langgraph_memory.storage.items import inside, to_path, vector_rows
from langgraph_memory.storage.schema import facts, item_vectors, items
from langgraph_memory.storage.vectors import are_finite, decode, is_whole

_CHUNK = 5_000
_MODEL = "item_model"
"""The fact that names the embedding model of which no item lacks a vector."""

Rows = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]
"""`seq` and `changed_seq` of an item for each of its vectors, and those vectors."""


def known(connection: Connection, model_id: int, digests: Sequence[str]) -> dict[str, bytes]:
    """Return the usable vectors, as they are stored, of texts that some item already has."""
    found: dict[str, bytes] = {}
    for start in range(0, len(digests), _CHUNK):
        some = list(digests[start : start + _CHUNK])
        rows = connection.execute(
            sa.select(item_vectors.c.digest, item_vectors.c.vector).where(
                item_vectors.c.model_id == model_id,
                item_vectors.c.digest.in_(some),
                is_whole(item_vectors.c.vector, model_id),
            )
        ).all()
        usable = are_finite(_matrix(rows))
        found.update((row.digest, bytes(row.vector)) for row, fine in zip(rows, usable, strict=True) if fine)
    return found


def stream(connection: Connection, prefix: Sequence[str], model_id: int, dimension: int) -> Iterator[Rows]:
    """Yield all vectors inside the prefix in chunks."""
    query = _VECTORS.where(inside(prefix), _usable_of(model_id))
    with connection.execute(query.execution_options(yield_per=_CHUNK)) as result:
        for rows in result.partitions():
            yield _arrays(rows, dimension)


def changed_since(
    connection: Connection, prefix: Sequence[str], model_id: int, dimension: int, since: int
) -> tuple[list[int], Rows]:
    """Return the `seq` of items inside the prefix that were put after `since`, and the vectors they now have."""
    # By change alone: beside a range of namespaces SQLite would choose the wrong index.
    rows = connection.execute(sa.select(items.c.seq, items.c.namespace).where(items.c.changed_seq > since))
    path = to_path(prefix)
    seqs = [row.seq for row in rows if row.namespace.startswith(path)]
    found: list[Any] = []
    for start in range(0, len(seqs), _CHUNK):
        some = items.c.seq.in_(seqs[start : start + _CHUNK])
        found += connection.execute(_VECTORS.where(some, _usable_of(model_id)))
    return seqs, _arrays(found, dimension)


def discard(connection: Connection, model_id: int, seqs: Sequence[int]) -> None:
    """Delete all vectors that these items have of the model; the store embeds them when it is next searched."""
    if not seqs:
        return
    for start in range(0, len(seqs), _CHUNK):
        some = item_vectors.c.item_seq.in_(list(seqs[start : start + _CHUNK]))
        connection.execute(sa.delete(item_vectors).where(some, item_vectors.c.model_id == model_id))
    set_complete(connection, None)


def complete_with(connection: Connection) -> str | None:
    """Return the name of the model of which no item lacks a vector, or None where that is not known."""
    return connection.execute(sa.select(facts.c.value).where(facts.c.name == _MODEL)).scalar_one_or_none()


def set_complete(connection: Connection, model_name: str | None) -> None:
    """Note that no item lacks a vector of this model; None where it must be looked at again."""
    connection.execute(sa.delete(facts).where(facts.c.name == _MODEL))
    if model_name is not None:
        connection.execute(sa.insert(facts).values(name=_MODEL, value=model_name))


def missing(connection: Connection, model_id: int, after: int, limit: int) -> list[tuple[int, int, str, str]]:
    """Return `(seq, changed_seq, value, paths)` of items behind a `seq` that have texts but no vector of this model."""
    has = sa.exists().where(item_vectors.c.item_seq == items.c.seq, item_vectors.c.model_id == model_id)
    query = (
        sa.select(items.c.seq, items.c.changed_seq, items.c.value, items.c.paths)
        .where(items.c.seq > after, items.c.texts > 0, ~has)
        .order_by(items.c.seq)
        .limit(limit)
    )
    return [(row.seq, row.changed_seq, row.value, row.paths) for row in connection.execute(query)]


def fill(
    connection: Connection, model_id: int, texts: Mapping[int, tuple[int, Sequence[str]]], vectors: Mapping[str, bytes]
) -> None:
    """Give items their vectors, unless they were put again or got them meanwhile.

    Args:
        texts: `(changed_seq, digests)` as they were read, by `seq`.
    """
    seqs = list(texts)
    same = connection.execute(sa.select(items.c.seq, items.c.changed_seq).where(items.c.seq.in_(seqs))).all()
    done = set(
        connection.scalars(
            sa.select(item_vectors.c.item_seq).where(
                item_vectors.c.item_seq.in_(seqs), item_vectors.c.model_id == model_id
            )
        )
    )
    rows: list[dict[str, Any]] = []
    for seq, changed_seq in same:
        if texts[seq][0] == changed_seq and seq not in done:
            rows += vector_rows(seq, model_id, texts[seq][1], vectors)
    if rows:
        connection.execute(sa.insert(item_vectors), rows)


def _arrays(rows: Sequence[Any], dimension: int) -> Rows:
    vectors = _matrix(rows) if rows else np.empty((0, dimension), dtype=np.float32)
    usable = are_finite(vectors)
    return (
        np.fromiter((row.seq for row in rows), dtype=np.int64, count=len(rows))[usable],
        np.fromiter((row.changed_seq for row in rows), dtype=np.int64, count=len(rows))[usable],
        vectors[usable],
    )


def _matrix(rows: Sequence[Any]) -> NDArray[np.float32]:
    """Return the vectors of rows of one length, one below the other."""
    return np.array([decode(row.vector) for row in rows], dtype=np.float32).reshape(len(rows), -1 if rows else 0)


def _usable_of(model_id: int) -> sa.ColumnElement[bool]:
    return sa.and_(item_vectors.c.model_id == model_id, is_whole(item_vectors.c.vector, model_id))


_VECTORS = sa.select(items.c.seq, items.c.changed_seq, item_vectors.c.vector).join(
    item_vectors, item_vectors.c.item_seq == items.c.seq
)
