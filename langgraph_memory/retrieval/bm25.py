"""BM25 over the lines of one scope, from postings that lines are only ever appended to.

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

from langgraph_memory.models.ports import TermDirections
from langgraph_memory.retrieval.region import Rows, Scores


@dataclass(frozen=True, slots=True)
class Collection:
    """Where the lines at hand are only a sample: how many lines hold each term, and how many there are."""

    frequencies: Mapping[str, int]
    population: int


@dataclass(frozen=True, slots=True)
class Matched:
    """The lines that hold terms of a question.

    Attributes:
        idf: of each term, shape `(terms,)`.
        rows, counts: which lines hold the first term and how often, then the second, and so on.
        holding: how many lines hold each term, shape `(terms,)`.
        lengths: terms of every line, shape `(n,)`.
    """

    idf: Scores
    rows: NDArray[np.intp]
    counts: Scores
    holding: NDArray[np.intp]
    lengths: Scores

    def alone(self, *, k1: float, b: float) -> Scores:
        """Score every line by itself, shape `(n,)`."""
        norm = length_norm(self.lengths, self.mean_length, k1, b)
        weights = np.repeat(self.idf * np.float32(k1 + 1), self.holding)
        scores = weights * self.counts / (self.counts + norm.take(self.rows))
        return np.bincount(self.rows, scores, minlength=len(self.lengths)).astype(np.float32)

    def counted(self, wanted: Rows) -> Scores:
        """Return how often each term stands in the wanted lines, shape `(terms, wanted)`."""
        is_wanted = np.zeros(len(self.lengths), dtype=np.bool_)
        is_wanted[wanted] = True
        places = np.empty(len(self.lengths), dtype=np.int32)
        places[wanted] = np.arange(len(wanted), dtype=np.int32)
        some = np.flatnonzero(is_wanted.take(self.rows))
        terms = np.searchsorted(np.cumsum(self.holding), some, side="right")
        found = np.zeros((len(self.idf), len(wanted)), dtype=np.float32)
        found[terms, places[self.rows[some]]] = self.counts[some]
        return found

    @property
    def mean_length(self) -> float:
        """Terms of an average line."""
        return float(self.lengths.mean()) if len(self.lengths) else 0.0


class Postings:
    """Which lines hold which terms; lines are only ever appended."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._terms: list[str] = []
        self._rows: list[array[int]] = []
        self._counts: list[array[float]] = []
        self._lengths: array[float] = array("f")
        self._held: array[int] = array("i")  # the distinct terms of one line after the other
        self._starts: array[int] = array("q", [0])  # where each line's terms begin, and where the last one's end
        self._table: TermDirections | None = None
        self._table_rows: Rows = np.zeros(0, dtype=np.int32)

    def __len__(self) -> int:
        return len(self._lengths)

    @property
    def nbytes(self) -> int:
        """Rough size in memory: 12 bytes a posting, about 400 a distinct term, 12 a line."""
        return 400 * len(self._ids) + 12 * len(self._held) + 12 * len(self._lengths)

    def append(self, terms: Sequence[str]) -> None:
        """Add the next line."""
        row = len(self._lengths)
        for term, count in Counter(terms).items():
            number = self._ids.get(term)
            if number is None:
                number = self._ids[term] = len(self._terms)
                self._terms.append(term)
                self._rows.append(array("i"))
                self._counts.append(array("f"))
            self._rows[number].append(row)
            self._counts[number].append(count)
            self._held.append(number)
        self._starts.append(len(self._held))
        self._lengths.append(len(terms))

    @property
    def lengths(self) -> Scores:
        """How many terms each line has, shape `(n,)`."""
        return np.array(self._lengths, dtype=np.float32)

    def match(self, terms: Sequence[str], collection: Collection | None = None) -> Matched | None:
        """Find the lines that hold any of these distinct terms; None where none does."""
        known = [term for term in terms if term in self._ids]
        if not known:
            return None
        numbers = [self._ids[term] for term in known]
        return Matched(
            self.idf(known, collection),
            np.concatenate([np.frombuffer(self._rows[number], dtype=np.int32) for number in numbers], dtype=np.intp),
            np.concatenate([np.frombuffer(self._counts[number], dtype=np.float32) for number in numbers]),
            np.array([len(self._rows[number]) for number in numbers]),
            self.lengths,
        )

    def idf(self, terms: Sequence[str], collection: Collection | None = None) -> Scores:
        """Return what each term tells, shape `(terms,)`; the most where no line holds it."""
        total = len(self) if collection is None else collection.population
        holding = np.array([self._holding(term, collection) for term in terms], dtype=np.float64)
        return np.log(1 + (total - holding + 0.5) / (holding + 0.5)).astype(np.float32)

    def terms_of(self, rows: Rows) -> list[str]:
        """Return the distinct terms of some lines."""
        return [self._terms[number] for number in self.held(rows)[0]]

    def rows_in(self, table: TermDirections) -> Rows:
        """Return the row of each term in a table, by the terms' numbers; each is looked up once."""
        if table is not self._table:
            self._table, self._table_rows = table, np.zeros(0, dtype=np.int32)
        if len(self._table_rows) < len(self._terms):
            new = table.rows(self._terms[len(self._table_rows) :])
            self._table_rows = np.concatenate((self._table_rows, new))
        return self._table_rows

    def held(self, rows: Rows) -> tuple[Rows, Rows, NDArray[np.int64]]:
        """Return the distinct terms of some lines, by number.

        Returns:
            The terms; for each line one after the other, which of these it holds; where each line begins.
        """
        starts = np.frombuffer(self._starts, dtype=np.int64)
        counts = starts[rows + 1] - starts[rows]
        ends = np.cumsum(counts)
        first = np.repeat(starts[rows] - (ends - counts), counts)
        if not len(first):
            none = np.zeros(0, dtype=np.int32)
            return none, none, ends - counts
        numbers = np.frombuffer(self._held, dtype=np.int32)[first + np.arange(len(first))]
        place = np.full(len(self._terms), -1, dtype=np.int32)
        place[numbers] = 0
        distinct = np.flatnonzero(place == 0).astype(np.int32)
        place[distinct] = np.arange(len(distinct), dtype=np.int32)
        return distinct, place[numbers], ends - counts

    def _holding(self, term: str, collection: Collection | None) -> float:
        number = self._ids.get(term)
        here = 0 if number is None else len(self._rows[number])
        if collection is None:
            return here
        # Of a term that was not counted in the collection, the sample tells its share.
        return collection.frequencies.get(term, here * collection.population / max(len(self), 1))


def windows(counted: Scores, idf: Scores, lengths: Scores, mean: float, *, k1: float, b: float) -> Scores:
    """Score lines together with what stands around them, shape `(m,)`.

    Args:
        counted: how often each term stands in and around each line, shape `(terms, m)`.
        lengths: terms in and around each line, shape `(m,)`.
        mean: terms in and around an average line.
    """
    norm = length_norm(lengths, mean, k1, b)
    weights = (idf * np.float32(k1 + 1))[:, None]
    score: Scores = (weights * counted / (counted + norm)).sum(axis=0, dtype=np.float32)
    return score


def length_norm(lengths: Scores, mean: float, k1: float, b: float) -> Scores:
    """Return BM25's `k1 * (1 - b + b * length / mean)`; above 0 also for an empty line and `b` = 1."""
    scaled: Scores = np.maximum(k1 * (1 - b) + np.float32(k1 * b / max(mean, 1.0)) * lengths, np.float32(1e-6))
    return scaled
