"""A snapshot is the searchable copy of one scope in memory: vectors, postings, neighbours, and who may be shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.retrieval.bm25 import Postings
from langgraph_memory.retrieval.products import with_each, with_one
from langgraph_memory.retrieval.region import REACH, Region, Rows, Scores
from langgraph_memory.retrieval.visibility import DECIDING, FOREVER, Visibility

PRIVATE = "private:"
"""The role of a private memory is this and its actor; that of every other memory is `memory`."""


@dataclass(frozen=True, slots=True)
class Line:
    """One searchable row as it is loaded.

    Times are microseconds; open ends are `FOREVER`. An entry counts as known from its recording and as true
    from the moment it was said.

    Attributes:
        session: a number that lines of one conversation share, or None for memories.
        kind: `message`, or the memory's kind.
        gone_at: when it was retired or replaced.
        valid_inferred: `valid_from` is only when it was recorded or said, so it says nothing of the future.
        needs_vector: False for blank text, which nothing can be near to.
        position: its place in the session; only lines at places that follow each other are neighbours.
        speaker: who said it, of lines of a session.
        header_terms: how many of its terms are its speaker's and date's.
        wording: a number that only lines share which one speaker said in the same words in one session, or in one scope
            where they are long enough to tell something; 0 for none.
        own: whether it lies in exactly the snapshot's scope, not in one inside it.
    """

    seq: int
    session: int | None
    role: str
    kind: str
    terms: Sequence[str]
    recorded_at: int
    valid_from: int
    valid_to: int = FOREVER
    gone_at: int = FOREVER
    expires_at: int = FOREVER
    valid_inferred: bool = False
    vector: NDArray[np.float32] | None = None
    needs_vector: bool = True
    position: int | None = None
    speaker: str = ""
    header_terms: int = 0
    wording: int = 0
    own: bool = True


_RUN = 1 << 32
"""Places between two runs of lines that stand next to each other; more than any run is long."""

_COLUMNS = ("seq", "speaker", "wording")


class Snapshot:
    """All lines of one scope in order of `seq`, appended to as they are recorded."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.postings = Postings()
        self.visibility = Visibility()
        self.rows: dict[int, int] = {}
        self.waiting: set[int] = set()
        self._size = 0
        self._last_of_session: dict[int, tuple[int, int | None]] = {}  # row and position
        self._speakers: dict[str, int] = {}
        self._columns: dict[str, NDArray[np.int64]] = {name: np.empty(0, dtype=np.int64) for name in _COLUMNS}
        self._previous: Rows = np.empty(0, dtype=np.int32)
        self._following: Rows = np.empty(0, dtype=np.int32)
        self._vectors = np.empty((0, dimension), dtype=np.float32)
        self._has_vector = np.empty(0, dtype=np.bool_)
        self._header_terms = np.empty(0, dtype=np.float32)
        self._places: NDArray[np.int64] = np.empty(0, dtype=np.int64)  # one more than that of the line before it
        self._runs = 0

    def __len__(self) -> int:
        return self._size

    @property
    def nbytes(self) -> int:
        """Size in memory, which the cache's limit counts."""
        return self._vectors.nbytes + self.postings.nbytes + 110 * self._size

    def vectors(self, rows: Sequence[int]) -> NDArray[np.float32]:
        """Return these rows' unit vectors; all zeros where a line has none."""
        return self._vectors[list(rows)] * self._has_vector[list(rows), None]

    def seq(self, row: int) -> int:
        """Return the `seq` of a row."""
        return int(self._columns["seq"][row])

    def seqs(self, rows: NDArray[np.integer[Any]] | Sequence[int]) -> list[int]:
        """Return the `seq` of several rows."""
        found: list[int] = self._columns["seq"][np.asarray(rows, dtype=np.intp)].tolist()
        return found

    def wordings(self, rows: Rows) -> NDArray[np.int64]:
        """Return the wording of rows, see `Line`."""
        wordings: NDArray[np.int64] = self._columns["wording"][rows]
        return wordings

    def walk(self, row: int, steps: int, allowed: NDArray[np.bool_]) -> list[int]:
        """Return up to so many rows said after a row in its session, or before it where `steps` is negative.

        What may not be shown ends the walk: what is hidden must not lift what stands beyond it.
        """
        direct = self._previous if steps < 0 else self._following
        found: list[int] = []
        for _ in range(abs(steps)):
            row = int(direct[row])
            if row < 0 or not allowed[row]:
                break
            found.append(row)
        return found

    def region(self, rows: Rows, allowed: NDArray[np.bool_]) -> Region:
        """Return these rows with what stands around them, as far as `walk` goes."""
        shown = np.append(allowed, False)  # row -1, no neighbour, is never shown
        found = [rows]
        for direct in (self._previous, self._following):
            here = rows
            for _ in range(REACH):
                here = direct[here]
                here = here[shown[here]]
                if not len(here):
                    break
                found.append(here)
        wanted = np.zeros(self._size, dtype=np.bool_)
        wanted[np.concatenate(found)] = True
        every = np.flatnonzero(wanted).astype(np.int32)
        every = every[np.argsort(self._places[every], kind="stable")]
        speakers = self._columns["speaker"][every]
        return Region(every, self.postings.lengths[every], self._places[every], speakers)

    def append(self, lines: Iterable[Line]) -> None:
        """Add newer lines; their `seq` must be greater than all before."""
        for line in lines:
            self._grow()
            row = self._size
            self._size += 1
            self.rows[line.seq] = row
            self.postings.append(line.terms)
            before = -1
            if line.session is not None:
                before, place = self._last_of_session.get(line.session, (-1, None))
                self._last_of_session[line.session] = row, line.position
                if place is not None and line.position != place + 1:
                    before = -1  # what stands between is not here
                if before >= 0:
                    self._following[before] = row
            if before >= 0:
                self._places[row] = self._places[before] + 1
            else:
                self._runs += 1
                self._places[row] = self._runs * _RUN
            self._previous[row], self._following[row] = before, -1
            self._header_terms[row] = line.header_terms
            self._columns["seq"][row] = line.seq
            self._columns["speaker"][row] = self._speakers.setdefault(line.speaker, len(self._speakers))
            self._columns["wording"][row] = line.wording
            self.visibility.append(line.role, line.kind, **{name: getattr(line, name) for name in DECIDING})
            if line.vector is not None:
                self.set_vector(line.seq, line.vector)
            elif line.needs_vector:
                self.waiting.add(line.seq)

    def set_vector(self, seq: int, vector: NDArray[np.float32]) -> None:
        """Give a line its vector."""
        row = self.rows[seq]
        self._vectors[row] = vector
        self._has_vector[row] = True
        self.waiting.discard(seq)

    def change(self, seq: int, **times: int) -> None:
        """Note a retirement, restoration or new end of a line that is already here."""
        row = self.rows.get(seq)
        if row is not None:
            self.visibility.change(row, times)

    def cosine(self, query: NDArray[np.float32]) -> Scores:
        """Return the cosine of every line with the query, exactly; NaN where a line has no vector."""
        scores = with_one(self._vectors[: self._size], query)
        missing = ~self._has_vector[: self._size]
        if missing.any():
            scores[missing] = np.nan
        return scores

    def nearest(self, queries: NDArray[np.float32], allowed: NDArray[np.bool_], limit: int) -> list[list[int]]:
        """Return, for each query, the allowed rows with the greatest cosine, best first; the older row on a tie.

        Args:
            queries: unit vectors, shape `(q, d)`.
        """
        rows = np.flatnonzero(allowed & self._has_vector[: self._size])
        cosines = with_each(self._vectors[: self._size], queries)[rows]
        found = []
        for scores in cosines.T:
            some = np.argpartition(-scores, limit - 1)[:limit] if len(rows) > limit else np.arange(len(rows))
            found.append(rows[some[np.lexsort((rows[some], -scores[some]))]].tolist())
        return found

    def brevity(self, region: Region, most: float, power: float) -> Scores:
        """Return for each line `min(1, its own terms / most) ** power`: the shortest say little; 1 for memories."""
        said = self.visibility.is_kind(region.rows, "message")
        own = np.maximum(region.lengths - self._header_terms[region.rows], 0)
        return np.where(said, np.minimum(1, own / most) ** power, 1).astype(np.float32)

    def verbosity(self, region: Region, role: str, least: float, power: float) -> Scores:
        """Return for each line of a role `min(1, least / its terms) ** power`, and 1 for all others."""
        theirs = self.visibility.is_role(region.rows, role)
        long = np.minimum(1, least / np.maximum(region.lengths, 1)) ** power
        return np.where(theirs, long, 1).astype(np.float32)

    def set_vectors(self, vectors: Mapping[int, NDArray[np.float32]]) -> None:
        """Give several lines their vectors."""
        for seq, vector in vectors.items():
            self.set_vector(seq, vector)

    def _grow(self) -> None:
        capacity = len(self._has_vector)
        if self._size < capacity:
            return
        extra = max(64, capacity // 2)
        for name, values in self._columns.items():
            self._columns[name] = np.concatenate((values, np.empty(extra, dtype=np.int64)))
        self._previous = np.concatenate((self._previous, np.empty(extra, dtype=np.int32)))
        self._following = np.concatenate((self._following, np.empty(extra, dtype=np.int32)))
        self._vectors = np.concatenate((self._vectors, np.zeros((extra, self.dimension), dtype=np.float32)))
        self._has_vector = np.concatenate((self._has_vector, np.zeros(extra, dtype=np.bool_)))
        self._header_terms = np.concatenate((self._header_terms, np.zeros(extra, dtype=np.float32)))
        self._places = np.concatenate((self._places, np.empty(extra, dtype=np.int64)))
