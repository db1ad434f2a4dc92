"""Vectors live in SQL once per text and embedding model, so that every index can be rebuilt without embedding."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy.engine import Connection

from langgraph_memory.scope import Scope
from langgraph_memory.storage.schema import entries, facts, memories, models, vectors
from langgraph_memory.storage.scopes import ids_inside

_STORED = np.dtype("<f2")  # half precision: cosines move by less than 0.001, half the disk
_CHUNK = 5_000


def register_model(connection: Connection, name: str, dimension: int) -> int:
    """Return the number of an embedding model, writing it down at first sight.

    Raises:
        ValueError: the name is known with another dimension.
    """
    row = connection.execute(sa.select(models.c.id, models.c.dimension).where(models.c.name == name)).one_or_none()
    if row is None:
        return int(
            connection.execute(
                sa.insert(models).values(name=name, dimension=dimension).returning(models.c.id)
            ).scalar_one()
        )
    if row.dimension != dimension:
        raise ValueError(f"{name} was stamped with {row.dimension} dimensions, now it has {dimension}")
    return int(row.id)


def dimension_of(connection: Connection, name: str) -> int | None:
    """Return how many numbers a vector of this model has here, or None for a model never used."""
    return connection.execute(sa.select(models.c.dimension).where(models.c.name == name)).scalar_one_or_none()


def current_model(connection: Connection) -> str | None:
    """Return the name of the model that this store is embedded with, or None where nothing was yet."""
    return connection.execute(sa.select(facts.c.value).where(facts.c.name == "embedding_model")).scalar_one_or_none()


def set_current_model(connection: Connection, name: str) -> None:
    """Stamp the store with its embedding model."""
    connection.execute(sa.delete(facts).where(facts.c.name == "embedding_model"))
    connection.execute(sa.insert(facts).values(name="embedding_model", value=name))


def put(connection: Connection, model_id: int, rows: Mapping[int, NDArray[np.float32]]) -> None:
    """Store vectors by owner; a usable one that is there already is kept, so two workers on one row do no harm."""
    if not rows:
        return
    here = connection.execute(
        sa.select(vectors.c.owner_seq).where(vectors.c.owner_seq.in_(list(rows)), vectors.c.model_id == model_id)
    )
    present = list(here.scalars())
    discard(connection, model_id, set(present) - get(connection, model_id, present).keys())
    insert = _insert_for(connection)
    connection.execute(
        insert,
        [{"owner_seq": seq, "model_id": model_id, "vector": encode(vector)} for seq, vector in rows.items()],
    )


def get(connection: Connection, model_id: int, seqs: Sequence[int]) -> dict[int, NDArray[np.float32]]:
    """Return the usable vectors that these owners have for the model."""
    found: dict[int, NDArray[np.float32]] = {}
    for start in range(0, len(seqs), _CHUNK):
        rows = connection.execute(_GET, {"owners": list(seqs[start : start + _CHUNK]), "model": model_id}).all()
        found.update(_usable(rows))
    return found


def stream_inside(
    connection: Connection,
    scope: Scope,
    model_id: int,
    owners: Collection[str] = ("entries", "memories"),
    chunk: int = _CHUNK,
) -> Iterator[dict[int, NDArray[np.float32]]]:
    """Yield the usable vectors of everything inside the scope in chunks, by owner; of these kinds of owners."""
    inside = ids_inside(scope)
    for table in (table for table in (entries, memories) if table.name in owners):
        last = 0
        while True:
            rows = connection.execute(
                sa.select(vectors.c.owner_seq, vectors.c.vector)
                .join(table, table.c.seq == vectors.c.owner_seq)
                .where(
                    vectors.c.model_id == model_id,
                    is_whole(vectors.c.vector, model_id),
                    table.c.scope_id.in_(inside),
                    table.c.seq > last,
                )
                .order_by(table.c.seq)
                .limit(chunk)
            ).all()
            if not rows:
                break
            if usable := _usable(rows):
                yield usable
            last = rows[-1].owner_seq


def unusable(connection: Connection, model_id: int, owner: sa.Column[int] = vectors.c.owner_seq) -> list[int]:
    """Return the owners that have a vector of this model that no search can use; it reads every vector.

    Args:
        owner: the column that names them, in any table with the columns `model_id` and `vector`.
    """
    vector = owner.table.c.vector
    ours = sa.select(owner).where(owner.table.c.model_id == model_id)
    found = set(connection.scalars(ours.where(sa.not_(is_whole(vector, model_id)))))
    whole = ours.add_columns(vector).where(is_whole(vector, model_id))
    with connection.execute(whole.execution_options(yield_per=_CHUNK)) as result:
        for rows in result.partitions():
            usable = are_finite(np.array([decode(data) for _, data in rows]))
            found.update(seq for (seq, _), fine in zip(rows, usable, strict=True) if not fine)
    return sorted(found)


def discard(connection: Connection, model_id: int, seqs: Collection[int]) -> None:
    """Delete the vectors that these owners have for the model."""
    ordered = sorted(seqs)
    for start in range(0, len(ordered), _CHUNK):
        some = vectors.c.owner_seq.in_(ordered[start : start + _CHUNK])
        connection.execute(sa.delete(vectors).where(some, vectors.c.model_id == model_id))


def is_whole(column: sa.ColumnElement[bytes], model_id: int | sa.BindParameter[int]) -> sa.ColumnElement[bool]:
    """Return the condition "this stored vector has as many numbers as the model's vectors have"."""
    dimension = sa.select(models.c.dimension).where(models.c.id == model_id).scalar_subquery()
    return sa.func.length(column) == dimension * _STORED.itemsize


def encode(vector: NDArray[np.float32]) -> bytes:
    """Return a vector as it is stored."""
    return vector.astype(_STORED).tobytes()


def decode(blob: bytes) -> NDArray[np.float32]:
    """Return the stored bytes as a float32 vector."""
    return np.frombuffer(blob, dtype=_STORED).astype(np.float32)


def are_finite(rows: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Say for each row whether all its numbers are numbers."""
    finite: NDArray[np.bool_] = np.logical_and.reduce(np.isfinite(rows), axis=1)
    return finite


def _usable(rows: Sequence[Any]) -> dict[int, NDArray[np.float32]]:
    """Return the vectors of rows of the right length by owner, those with NaN left out."""
    if not rows:
        return {}
    matrix = np.frombuffer(b"".join(row.vector for row in rows), dtype=_STORED).astype(np.float32)
    matrix = matrix.reshape(len(rows), -1)
    usable = are_finite(matrix)
    return {row.owner_seq: vector for row, vector, fine in zip(rows, matrix, usable, strict=True) if fine}


def _insert_for(connection: Connection) -> sa.Insert:
    if connection.dialect.name == "sqlite":
        from sqlalchemy.dialects.sqlite import insert as sqlite_insert

        return sqlite_insert(vectors).on_conflict_do_nothing()
    from sqlalchemy.dialects.postgresql import insert as postgres_insert

    return postgres_insert(vectors).on_conflict_do_nothing()


# Built once: putting a statement together costs more than SQLite takes to run it.
_model: sa.BindParameter[int] = sa.bindparam("model", type_=sa.Integer)
_GET = sa.select(vectors.c.owner_seq, vectors.c.vector).where(
    vectors.c.owner_seq.in_(sa.bindparam("owners", expanding=True)),
    vectors.c.model_id == _model,
    is_whole(vectors.c.vector, _model),
)
