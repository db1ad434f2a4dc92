"""BM25 over the lines of one scope, and over windows of three lines, from one set of postings.

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
from numpy.typing import NDArray

Scores = NDArray[np.float32]
Rows = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Lexical:
    """BM25 of every line by itself (`line`) and together with the lines around it (`window`), shape `(n,)`."""

    line: Scores
    window: Scores


class Postings:
    """Which lines hold which terms; lines are only ever appended."""

    def __init__(self) -> None:
        self._rows: dict[str, array[int]] = {}
        self._counts: dict[str, array[float]] = {}
        self._lengths: array[float] = array("f")

    def __len__(self) -> int:
        return len(self._lengths)

    @property
    def nbytes(self) -> int:
        """Rough size in memory: 8 bytes a posting and about 300 a distinct term."""
        return 300 * len(self._rows) + 8 * sum(map(len, self._rows.values())) + 4 * len(self._lengths)

    def append(self, terms: Sequence[str]) -> None:
        """Add the next line."""
        row = len(self._lengths)
        for term, count in Counter(terms).items():
            rows = self._rows.get(term)
            if rows is None:
                rows = self._rows[term] = array("i")
                self._counts[term] = array("f")
            rows.append(row)
            self._counts[term].append(count)
        self._lengths.append(len(terms))

    def scores(
        self,
        terms: Sequence[str],
        *,
        previous: Rows,
        following: Rows,
        k1: float,
        b: float,
        frequencies: Mapping[str, int] | None = None,
        population: int | None = None,
    ) -> Lexical:
        """Score every line for the query's terms.

        Args:
            terms: distinct terms of the query.
            previous, following: for each line the row of its neighbour in the session, or -1.
            k1, b: BM25's saturation and length normalisation.
            frequencies, population: how many lines hold each term, and how many there are, where these
                postings are only a sample of a larger collection.
        """
        n = len(self._lengths)
        line = np.zeros(n, dtype=np.float32)
        window = np.zeros(n, dtype=np.float32)
        if n == 0:
            return Lexical(line, window)
        lengths = np.array(self._lengths, dtype=np.float32)
        has_previous, has_following = previous >= 0, following >= 0
        window_lengths = lengths.copy()
        window_lengths[has_previous] += lengths[previous[has_previous]]
        window_lengths[has_following] += lengths[following[has_following]]
        line_norm = k1 * (1 - b + b * lengths / max(float(lengths.mean()), 1.0))
        window_norm = k1 * (1 - b + b * window_lengths / max(float(window_lengths.mean()), 1.0))
        total = population or n
        for term in terms:
            found = self._rows.get(term)
            if found is None:
                continue
            rows = np.array(found, dtype=np.int32)
            counts = np.array(self._counts[term], dtype=np.float32)
            known = frequencies.get(term, len(rows)) if frequencies else len(rows)
            line[rows] += _idf(total, known) * counts * (k1 + 1) / (counts + line_norm[rows])

            # A window's count is its own plus its two neighbours'; only lines beside a posting can have one.
            around = np.concatenate((rows, following[rows], previous[rows]))
            doubled = np.concatenate((counts, counts, counts))
            present = around >= 0
            windows, slot = np.unique(around[present], return_inverse=True)
            sums = np.bincount(slot, weights=doubled[present]).astype(np.float32)
            share = len(windows) / len(rows)
            idf = _idf(total, min(total, round(known * share)))
            window[windows] += idf * sums * (k1 + 1) / (sums + window_norm[windows])
        return Lexical(line, window)


def _idf(total: int, holding: int) -> float:
    return float(np.log(1 + (total - holding + 0.5) / (holding + 0.5)))
