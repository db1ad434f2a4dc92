"""An embedder that needs no model: texts are alike as far as they share words."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from langgraph_memory.models.ports import SimilarityThresholds, Vector, Vectors
from langgraph_memory.text.tokenise import index_terms


class HashEmbedder:
    """Adds up one pseudo-random direction per word: the same text gives the same vector on every machine.

    It knows no synonyms, so it shows how memory behaves, not how well it finds. Fast enough for thousands of lines
    in a unit test.

    Args:
        dimension: numbers per vector; with more of them, different words get in each other's way less.
    """

    def __init__(self, dimension: int = 64) -> None:
        if dimension < 1:
            raise ValueError(f"dimension must be at least 1, not {dimension}.")
        self._dimension = dimension

    @property
    def name(self) -> str:
        """What identifies the vector space."""
        return f"testing-hash-{self._dimension}"

    @property
    def dimension(self) -> int:
        """Numbers per vector."""
        return self._dimension

    @property
    def thresholds(self) -> SimilarityThresholds:
        """Cosines of texts that share few, nearly all, or exactly all words."""
        return SimilarityThresholds(floor=0.3, restatement=0.95, duplicate=0.98)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text, in order."""
        rows = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for term in index_terms(text):
                row += self._direction(term)
            length = float(np.linalg.norm(row))
            if length:
                row /= length
            else:
                row[0] = 1.0  # a text without words still needs a vector of unit length
        return rows

    def embed_query(self, text: str) -> Vector:
        """Return the vector to compare with document rows."""
        row: Vector = self.embed_documents([text])[0]
        return row

    def _direction(self, term: str) -> Vector:
        seed = int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "big")
        return np.random.default_rng(seed).standard_normal(self._dimension, dtype=np.float32)
