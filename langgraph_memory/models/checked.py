"""Nothing that an embedding model answers is stored or searched with before it is checked here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, cast

import numpy as np

from langgraph_memory.errors import EmbeddingError
from langgraph_memory.models.ports import Embedder, SimilarityThresholds, Vector, Vectors, WordReader

_UNIT = 1e-5
"""How far from 1 a length may be and count as 1: single precision is not exact."""


def checked_rows(name: str, answer: Any, count: int, expected: int | Callable[[int], int]) -> Vectors:
    """Return a model's answer for `count` texts as float32 rows of unit length; a row of zeros stays one.

    Args:
        name: the embedder's, for the message.
        expected: the numbers a vector has; or tells it, from what this answer has.

    Raises:
        EmbeddingError: another count or dimension, or values that are no finite numbers.
    """
    given = len(answer) if hasattr(answer, "__len__") else None
    if given != count:
        said = f"{given} vectors" if given is not None else f"an object of type {type(answer).__name__}"
        raise EmbeddingError(f"{name} returned {said} for {count} texts; nothing was stored.")
    dimension = expected if isinstance(expected, int) else None
    if not count:
        return np.zeros((0, dimension or 0), dtype=np.float32)
    try:
        rows = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EmbeddingError(f"{name} returned vectors of unequal length or of no numbers.") from error
    if rows.ndim != 2 or not rows.shape[1]:
        raise EmbeddingError(f"{name} returned no vectors but an array of shape {rows.shape}.")
    dimension = expected(rows.shape[1]) if callable(expected) else expected
    if rows.shape[1] != dimension:
        raise EmbeddingError(
            f"{name} returned {rows.shape[1]} numbers per vector, {dimension} were expected. "
            "If the model was changed, give it another name and reindex."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise EmbeddingError(f"{name} returned a vector with NaN or infinite values; nothing was stored.")
    kept = (lengths == 0) | (np.abs(lengths - 1) <= _UNIT)
    unit: Vectors = (rows / np.where(kept, 1.0, lengths)).astype(np.float32)
    return unit


class CheckedEmbedder:
    """A user's own `Embedder`, whose answers are checked before anybody sees them."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def name(self) -> str:
        """What identifies the vector space."""
        return self._embedder.name

    @property
    def thresholds(self) -> SimilarityThresholds:
        """Cosines that mean something for this model."""
        return self._embedder.thresholds

    @property
    def dimension(self) -> int:
        """Numbers per vector.

        Raises:
            EmbeddingError: it is no number, or none that a vector can have.
        """
        dimension = self._embedder.dimension
        if isinstance(dimension, bool) or not isinstance(dimension, int | np.integer) or dimension < 1:
            raise EmbeddingError(f"{self.name} says its vectors have {dimension!r} numbers; a positive int is needed.")
        return int(dimension)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text, in order.

        Raises:
            EmbeddingError: the answer cannot be used.
            Exception: the model's own error.
        """
        return self._rows(self._embedder.embed_documents(texts), len(texts))

    def embed_query(self, text: str) -> Vector:
        """Return the vector to compare with document rows; it raises what `embed_documents` does."""
        row: Vector = self._rows([self._embedder.embed_query(text)], 1)[0]
        return row

    def _rows(self, answer: Any, count: int) -> Vectors:
        return checked_rows(self.name, answer, count, self.dimension)


class _AsyncEmbedder(Protocol):
    def aembed_documents(self, texts: Sequence[str]) -> Awaitable[Vectors]: ...

    def aembed_query(self, text: str) -> Awaitable[Vector]: ...


class CheckedAsyncEmbedder(CheckedEmbedder):
    """The same for an embedder that can be awaited."""

    async def aembed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return what `embed_documents` does, by the model's own `aembed_documents`."""
        return self._rows(await cast(_AsyncEmbedder, self._embedder).aembed_documents(texts), len(texts))

    async def aembed_query(self, text: str) -> Vector:
        """Return what `embed_query` does, by the model's own `aembed_query`."""
        row: Vector = self._rows([await cast(_AsyncEmbedder, self._embedder).aembed_query(text)], 1)[0]
        return row


def checked(embedder: Embedder) -> Embedder:
    """Return the embedder with its answers checked, and with its async face where it has one."""
    can_wait = all(callable(getattr(embedder, name, None)) for name in ("aembed_documents", "aembed_query"))
    return CheckedAsyncEmbedder(embedder) if can_wait else CheckedEmbedder(embedder)


def word_reader(embedder: Embedder) -> WordReader | None:
    """Return what reads questions word by word: the embedder, or the one whose answers it checks; None for neither."""
    inner = embedder._embedder if isinstance(embedder, CheckedEmbedder) else embedder
    return inner if isinstance(inner, WordReader) else None
