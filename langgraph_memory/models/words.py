"""Compares the words of a question, as they are meant there, with single words: a small table instead of a model run.

Each English index term has one direction, made once from MiniLM by reading the words of its vocabulary alone. A
question's words get theirs from the very run that embeds the question, so `bank` beside `river` lies elsewhere than
`bank` beside `loan`. This is late interaction (ColBERT, Khattab and Zaharia, 2020) with the documents' side reduced to
what a term means by itself: nothing has to be kept per line.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.models.weights import ModelFile

TABLE = ModelFile(
    "langgraph-memory-plugin",
    "",
    "minilm_terms.npz",
    "2d4faa58721c429fa7fc0713b44096f94b6cfba14d7f47e02b88fe3440bd5d42",
)


class WordTable:
    """The directions of about 15,000 English index terms, in 64 numbers each.

    Raises:
        EmbeddingError: at construction, when the file is missing or changed.
    """

    def __init__(self) -> None:
        with np.load(TABLE.locate(), allow_pickle=False) as file:
            terms = file["terms"].tobytes().decode("utf-8").split("\n")
            self._projection = file["projection"].astype(np.float32)
            directions = file["directions"].astype(np.float32)
        self._rows = {term: row for row, term in enumerate(terms)}
        self.directions = np.concatenate((unit(directions), np.zeros((1, directions.shape[1]), dtype=np.float32)))
        """Float32, shape `(terms + 1, 64)`, of unit length; the last row is zero and stands for every other term."""

    def rows(self, terms: Sequence[str]) -> NDArray[np.int32]:
        """Return the row of each term in `directions`; that of the zero row for a term it does not know."""
        unknown = len(self._rows)
        return np.array([self._rows.get(term, unknown) for term in terms], dtype=np.int32)

    def project(self, pieces: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the directions of word pieces in context, shape `(pieces, 64)`, from the model's last layer."""
        return unit(pieces @ self._projection)


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale rows to length 1; rows of zeros stay."""
    scaled: NDArray[np.float32] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-6))
    return scaled
