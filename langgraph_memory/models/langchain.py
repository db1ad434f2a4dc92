"""Lets any LangChain embedding model serve as the memory's embedder."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from langgraph_memory.models import retry
from langgraph_memory.models.checked import checked_rows
from langgraph_memory.models.ports import SimilarityThresholds, Vector, Vectors

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

UNKNOWN_MODEL = SimilarityThresholds(floor=0.0, restatement=0.95, duplicate=0.98)
"""Thresholds for a model nobody measured: no floor (unrelated texts average .04 with one model and .78 with another),
and folds only where the texts are all but the same."""

_MODEL_ATTRIBUTES = ("model", "model_name", "deployment", "model_id")
_PROBE = "dimension"


class LangChainEmbedder:
    """An `Embedder` over `langchain_core.embeddings.Embeddings`.

    Rows are scaled to unit length and checked. Blank texts are not sent, since providers refuse them; they get a zero
    row, as does a text for which the model answers with zeros. Lost connections, timeouts and rate limits are tried
    again (`models.retry`); the provider's own error is raised in the end. It is as thread-safe as the wrapped object.

    Args:
        embeddings: the LangChain object.
        name: of the vector space, stamped on the store; by default the class and its model, such as
            `OpenAIEmbeddings:text-embedding-3-small`. Give it where the default would not change with the vectors
            (another `dimensions`, another server behind the same class).
        dimension: numbers a vector has; by default learnt from the first answer, or by one call when asked earlier.
        thresholds: the model's own, where you measured them; `UNKNOWN_MODEL` otherwise.
    """

    def __init__(
        self,
        embeddings: Embeddings,
        *,
        name: str | None = None,
        dimension: int | None = None,
        thresholds: SimilarityThresholds = UNKNOWN_MODEL,
    ) -> None:
        self._embeddings = embeddings
        self._name = name or _name_of(embeddings)
        self._dimension = dimension
        self._thresholds = thresholds
        self._lock = Lock()

    @property
    def name(self) -> str:
        """What identifies the vector space."""
        return self._name

    @property
    def thresholds(self) -> SimilarityThresholds:
        """Cosines that mean something for this model."""
        return self._thresholds

    @property
    def dimension(self) -> int:
        """Numbers per vector; calls the model once if nothing was embedded yet.

        Raises:
            EmbeddingError: the model answers with no usable vector.
        """
        if self._dimension is None:
            self.embed_query(_PROBE)
        assert self._dimension is not None  # _rows has set it, or has raised
        return self._dimension

    def expect(self, dimension: int) -> None:
        """Take the dimension from a store stamped with this model, so that opening it calls no model.

        An answer of another dimension raises `EmbeddingError` from then on.
        """
        with self._lock:
            self._dimension = self._dimension or dimension

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return one float32 row per text, in order, shape `(n, dimension)`.

        Raises:
            EmbeddingError: the answer has another count or dimension than asked, or values that are no numbers.
            Exception: the provider's own error, after the tries of `models.retry`.
        """
        sent = _sendable(texts)
        answer = retry.call(lambda: self._embeddings.embed_documents([texts[i] for i in sent])) if sent else []
        return self._placed(answer, sent, len(texts), self.dimension if not sent else 0)

    async def aembed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return what `embed_documents` does, by the model's own `aembed_documents`."""
        sent = _sendable(texts)
        answer = await retry.acall(lambda: self._embeddings.aembed_documents([texts[i] for i in sent])) if sent else []
        if not sent and self._dimension is None:
            await self.aembed_query(_PROBE)
        return self._placed(answer, sent, len(texts), self._dimension or 0)

    def embed_query(self, text: str) -> Vector:
        """Return the float32 vector of `text`, shape `(dimension,)`.

        Raises:
            EmbeddingError: the answer has another dimension than before, or values that are no numbers.
            Exception: the provider's own error, after the tries of `models.retry`.
        """
        if not text.strip():
            return np.zeros(self.dimension, dtype=np.float32)
        row: Vector = self._rows([retry.call(lambda: self._embeddings.embed_query(text))], 1)[0]
        return row

    async def aembed_query(self, text: str) -> Vector:
        """Return what `embed_query` does, by the model's own `aembed_query`."""
        if not text.strip():
            blank: Vector = (await self.aembed_documents([text]))[0]
            return blank
        row: Vector = self._rows([await retry.acall(lambda: self._embeddings.aembed_query(text))], 1)[0]
        return row

    def _placed(self, answer: list[list[float]], sent: list[int], count: int, dimension: int) -> Vectors:
        """Put the checked `answer` for the texts at `sent` among zero rows for the others."""
        if not sent:
            return np.zeros((count, dimension), dtype=np.float32)
        rows = self._rows(answer, len(sent))
        placed = np.zeros((count, rows.shape[1]), dtype=np.float32)
        placed[sent] = rows
        return placed

    def _rows(self, answer: Sequence[Sequence[float]], count: int) -> Vectors:
        """Check `answer` for `count` texts and return its rows at unit length."""
        return checked_rows(self._name, answer, count, self._learn)

    def _learn(self, dimension: int) -> int:
        """Return the dimension that is expected: the first one ever seen, where none was given."""
        with self._lock:
            self._dimension = self._dimension or dimension
            return self._dimension


def _sendable(texts: Sequence[str]) -> list[int]:
    return [index for index, text in enumerate(texts) if text.strip()]


def _name_of(embeddings: Embeddings) -> str:
    kind = type(embeddings).__name__
    for attribute in _MODEL_ATTRIBUTES:
        model = getattr(embeddings, attribute, None)
        if isinstance(model, str) and model:
            return f"{kind}:{model}"
    return kind
