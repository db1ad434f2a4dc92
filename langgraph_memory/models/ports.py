"""What memory asks of models: of an embedder vectors that fit together, of a reranker a score for each text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""One unit-length row per text, shape `(n, dimension)`."""

Vector = NDArray[np.float32]
"""One unit-length vector, shape `(dimension,)`."""


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """The words of a question, each with the direction it has there.

    Attributes:
        words: one a row, as written, lower case; a word of several pieces has several rows.
        directions: unit length, shape `(rows, d)`, in the space of `TermDirections.directions`.
    """

    words: tuple[str, ...]
    directions: NDArray[np.float32]


class TermDirections(Protocol):
    """Which way single index terms point."""

    @property
    def directions(self) -> NDArray[np.float32]:
        """Unit length, shape `(terms + 1, d)`; the last row is zero and stands for every term not known."""
        ...

    def rows(self, terms: Sequence[str]) -> NDArray[np.int32]:
        """Return the row of each term."""
        ...


@dataclass(frozen=True, slots=True)
class SimilarityThresholds:
    """Cosines that mean something for one model; they do not carry over to another.

    Attributes:
        floor: below this a dense hit is unrelated noise (0..1).
        restatement: at or above this two texts say the same thing (0..1).
        duplicate: at or above this two texts of one batch are the same text (0..1).
    """

    floor: float
    restatement: float
    duplicate: float


@runtime_checkable
class Embedder(Protocol):
    """Turns text into unit-length vectors; safe to call from several threads.

    `name` identifies the vector space: two embedders with one name must produce comparable vectors.
    """

    @property
    def name(self) -> str:
        """What identifies the vector space; stamped on every store."""
        ...

    @property
    def dimension(self) -> int:
        """Numbers per vector."""
        ...

    @property
    def thresholds(self) -> SimilarityThresholds:
        """Cosines that mean something for this model."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text, in order; an empty list gives shape `(0, dimension)`."""
        ...

    def embed_query(self, text: str) -> Vector:
        """Return the vector to compare with document rows by dot product."""
        ...


@runtime_checkable
class WordReader(Protocol):
    """What an `Embedder` may also be: one that can compare the words of a question with single index terms."""

    def question_words(self, text: str) -> QuestionWords | None:
        """Return the words of a text; None for one that it does not read word by word."""
        ...

    def term_directions(self) -> TermDirections:
        """Return the table that the words are compared with."""
        ...


@runtime_checkable
class Reranker(Protocol):
    """Says how well texts answer a question: a cross-encoder or a service; safe to call from several threads.

    It may also have an async twin `ascores`, which is awaited on the event loop; without one, `scores` runs in a
    thread there. What it raises is a note on the answer, which then keeps the order of the search.
    """

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Return one finite number a text, in their order, on any scale; higher is better.

        Args:
            question: at most 4,000 characters of it.
            texts: two or more lines as they were spoken: who, when and what.
        """
        ...
