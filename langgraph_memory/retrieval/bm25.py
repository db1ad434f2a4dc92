"""BM25 over the lines of one scope, and over lines together with what stands around them, from one set of postings.

Robertson & Zaragoza (2009), "The Probabilistic Relevance Framework: BM25 and Beyond":
`idf(t) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean_length))`, with the non-negative
`idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5))`.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from langgraph_memory.retrieval.around import LEXICAL_KERNEL, Around, Rows, Scores

__all__ = ["Lexical", "Postings", "Rows", "Scores"]


@dataclass(frozen=True, slots=True)
class Lexical:
    """BM25 of every line by itself (`line`) and together with those around it (`window`), shape `(n,)`."""

    line: Scores
    window: Scores


class Postings:
    """Which lines hold which terms; lines are only ever appended."""

    def __init__(self) -> None:
        self._rows: dict[str, array[int]] = {}
        self._counts: dict[str, array[float]] = {}
        self._lengths: array[float] = array("f")
        self._count = 0

    def __len__(self) -> int:
        return len(self._lengths)

    @property
    def nbytes(self) -> int:
        """Rough size in memory: 8 bytes a posting and about 300 a distinct term."""
        return 300 * len(self._rows) + 8 * self._count + 4 * len(self._lengths)

    def append(self, terms: Sequence[str]) -> None:
        """Add the next line."""
        row = len(self._lengths)
        counts = Counter(terms)
        for term, count in counts.items():
            rows = self._rows.get(term)
            if rows is None:
                rows = self._rows[term] = array("i")
                self._counts[term] = array("f")
            rows.append(row)
            self._counts[term].append(count)
        self._lengths.append(len(terms))
        self._count += len(counts)

    @property
    def lengths(self) -> Scores:
        """How many terms each line has, shape `(n,)`."""
        return np.array(self._lengths, dtype=np.float32)

    def scores(
        self,
        terms: Sequence[str],
        around: Around,
        *,
        k1: float,
        b: float,
        frequencies: Mapping[str, int] | None = None,
        population: int | None = None,
    ) -> Lexical:
        """Score every line for the query's terms.

        Args:
            terms: distinct terms of the query.
            around: what stands around each line.
            k1, b: BM25's saturation and length normalisation.
            frequencies, population: how many lines hold each term, and how many there are, where these
                postings are only a sample of a larger collection.
        """
        n = len(self._lengths)
        line = np.zeros(n, dtype=np.float32)
        window = np.zeros(n, dtype=np.float32)
        known = [term for term in terms if term in self._rows]
        if not known:
            return Lexical(line, window)
        lengths = self.lengths
        line_norm = _norm(lengths, k1, b)
        window_norm = _norm(around.gather(lengths, LEXICAL_KERNEL), k1, b)
        total = population or n
        for term in known:
            rows = np.array(self._rows[term], dtype=np.int32)
            counts = np.array(self._counts[term], dtype=np.float32)
            holding = frequencies.get(term, len(rows)) if frequencies else len(rows)
            weight = np.float32(_idf(total, holding) * (k1 + 1))
            line[rows] += weight * counts / (counts + line_norm[rows])
            held = around.spread(rows, counts, LEXICAL_KERNEL)
            window += weight * held / (held + window_norm)
        return Lexical(line, window)


def _idf(total: int, holding: int) -> float:
    return float(np.log(1 + (total - holding + 0.5) / (holding + 0.5)))


def _norm(lengths: Scores, k1: float, b: float) -> Scores:
    scaled: Scores = k1 * (1 - b + b * lengths / max(float(lengths.mean()), 1.0))
    return np.maximum(scaled, np.float32(1e-6))  # with b = 1 that of an empty line would be 0
