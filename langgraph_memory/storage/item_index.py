"""Exact search over the vectors of items: a matrix per namespace prefix, kept up to date by what changed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.engine import Connection

from langgraph_memory.storage.item_vectors import Rows, changed_since, stream
from langgraph_memory.storage.items import Labels

_DIGITS = 6
"""Decimals of a score: equal texts must tie wherever in the matrix they stand, so that pages do not overlap."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """The vectors inside one prefix as of one `seq`; never changed, only replaced."""

    seqs: NDArray[np.int64]
    changed: NDArray[np.int64]
    vectors: NDArray[np.float32]
    upto: int

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return self.seqs.nbytes + self.changed.nbytes + self.vectors.nbytes


class ItemIndex:
    """Ranks the items inside a prefix; safe to share between threads.

    Args:
        limit: bytes of vectors that are kept between searches; a prefix that takes more is read from SQL each time.
    """

    def __init__(self, model_id: int, dimension: int, limit: int) -> None:
        self._model_id = model_id
        self._dimension = dimension
        self._limit = limit
        self._kept: OrderedDict[Labels, Matrix] = OrderedDict()
        self._lock = threading.Lock()

    def rank(
        self, connection: Connection, prefix: Labels, vector: NDArray[np.float32], upto: int
    ) -> tuple[list[int], list[float]]:
        """Return every item inside the prefix that has a vector, with its best cosine, best and newest first.

        Deleted and expired items may be among them; the caller reads each and tells `forget` which are gone.

        Args:
            upto: the last `seq` that the connection sees.
        """
        with self._lock:
            matrix = self._kept.get(prefix)
            if matrix is not None:
                if matrix.upto < upto:
                    matrix = self._renewed(connection, prefix, matrix, upto)
                self._keep(prefix, matrix)
        if matrix is not None:
            return _ranking(matrix.seqs, matrix.changed, matrix.vectors @ vector)
        return self._load(connection, prefix, vector, upto)

    def forget(self, prefix: Labels, seqs: Sequence[int], upto: int) -> None:
        """Drop items that are not there any more as of `upto`; a `seq` never comes back."""
        with self._lock:
            matrix = self._kept.get(prefix)
            if matrix is not None:
                stays = ~np.isin(matrix.seqs, seqs) | (matrix.changed > upto)
                self._keep(
                    prefix, Matrix(matrix.seqs[stays], matrix.changed[stays], matrix.vectors[stays], matrix.upto)
                )

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()

    def _load(
        self, connection: Connection, prefix: Labels, vector: NDArray[np.float32], upto: int
    ) -> tuple[list[int], list[float]]:
        """Rank while reading, and keep what was read if there is room for it."""
        chunks: list[Rows] = []
        seqs: list[NDArray[np.int64]] = []
        changed: list[NDArray[np.int64]] = []
        scores: list[NDArray[np.float32]] = []
        size = 0
        for chunk in stream(connection, prefix, self._model_id, self._dimension):
            seqs.append(chunk[0])
            changed.append(chunk[1])
            scores.append(chunk[2] @ vector)
            size += sum(part.nbytes for part in chunk)
            chunks = [*chunks, chunk] if size <= self._limit else []
        if not seqs:
            return [], []
        if chunks:
            columns = [np.concatenate(parts) for parts in zip(*chunks, strict=True)]
            with self._lock:
                present = self._kept.get(prefix)
                if present is None or present.upto < upto:
                    self._keep(prefix, Matrix(columns[0], columns[1], columns[2], upto))
        return _ranking(np.concatenate(seqs), np.concatenate(changed), np.concatenate(scores))

    def _renewed(self, connection: Connection, prefix: Labels, matrix: Matrix, upto: int) -> Matrix:
        put, (seqs, changed, vectors) = changed_since(connection, prefix, self._model_id, self._dimension, matrix.upto)
        if not put:
            return Matrix(matrix.seqs, matrix.changed, matrix.vectors, upto)
        stays = ~np.isin(matrix.seqs, put)
        return Matrix(
            np.concatenate((matrix.seqs[stays], seqs)),
            np.concatenate((matrix.changed[stays], changed)),
            np.concatenate((matrix.vectors[stays], vectors)),
            upto,
        )

    def _keep(self, prefix: Labels, matrix: Matrix) -> None:
        self._kept[prefix] = matrix
        self._kept.move_to_end(prefix)
        while sum(kept.size for kept in self._kept.values()) > self._limit:
            self._kept.popitem(last=False)


def _ranking(
    seqs: NDArray[np.int64], changed: NDArray[np.int64], scores: NDArray[np.float32]
) -> tuple[list[int], list[float]]:
    rounded = np.round(np.clip(scores.astype(np.float64), -1.0, 1.0), _DIGITS)  # halves are not quite of unit length
    order = np.lexsort((-changed, -rounded))
    _, first = np.unique(seqs[order], return_index=True)  # an item's best vector is the first of its own
    best = order[np.sort(first)]
    return seqs[best].tolist(), rounded[best].tolist()
