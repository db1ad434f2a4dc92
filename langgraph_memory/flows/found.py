"""What one search found, as rows of an open snapshot, and as the ranking that outlives it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.flows.hits import Ranked
from langgraph_memory.retrieval.search import Found
from langgraph_memory.retrieval.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class FoundHere:
    """The best rows of one search; good as long as the snapshot is open."""

    snapshot: Snapshot
    found: Found
    allowed: NDArray[np.bool_]

    def seqs(self) -> list[int]:
        """Return the `seq` of its rows, best first."""
        return self.snapshot.seqs(self.found.rows)

    def ranked(self, lines: int) -> Ranked:
        """Return them with their signals and so many lines around each."""
        seqs, walk, rows = self.snapshot.seqs, self.snapshot.walk, self.found.rows
        before = [walk(row, -lines, self.allowed)[::-1] for row in rows]
        after = [walk(row, lines, self.allowed) for row in rows]
        shown = np.array([*rows, *chain(*before, *after)], dtype=np.int32)
        return Ranked(
            seqs=self.seqs(),
            scores=self.found.scores,
            signals=self.found.signals(),
            before=[seqs(around) for around in before],
            after=[seqs(around) for around in after],
            wordings=self.snapshot.wordings(shown[: len(rows)]).tolist(),
            terms=self.snapshot.postings.terms_of(shown),
        )
