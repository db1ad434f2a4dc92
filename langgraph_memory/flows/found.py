"""What one search found: rows of an open snapshot, with what made their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.flows.hits import Ranked
from langgraph_memory.retrieval.fuse import Fused
from langgraph_memory.retrieval.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Found:
    """The best rows of one search; good as long as the snapshot is open."""

    snapshot: Snapshot
    fused: Fused
    rows: Sequence[int]
    previous: NDArray[np.int32]
    following: NDArray[np.int32]

    def seqs(self) -> list[int]:
        """Return their `seq`, best first."""
        return [self.snapshot.seq(row) for row in self.rows]

    def ranked(self, lines: int) -> Ranked:
        """Return them with their signals and so many lines around each."""
        seq, rows = self.snapshot.seq, self.rows
        return Ranked(
            seqs=self.seqs(),
            scores=[float(self.fused.score[row]) for row in rows],
            signals=[_signals(self.fused, row) for row in rows],
            before=[[seq(r) for r in _walk(self.previous, row, lines)][::-1] for row in rows],
            after=[[seq(r) for r in _walk(self.following, row, lines)] for row in rows],
        )


def _signals(fused: Fused, row: int) -> dict[str, float]:
    """Return the parts of the score by channel, and each channel's own number under `raw_...`."""
    parts = {name: round(float(values[row]), 9) for name, values in fused.parts.items()}
    details = {name: round(float(values[row]), 9) for name, values in fused.details.items()}
    raw = {f"raw_{name}": round(float(values[row]), 9) for name, values in fused.raw.items()}
    return {**parts, **details, **raw}


def _walk(neighbour: NDArray[np.int32], row: int, steps: int) -> list[int]:
    found: list[int] = []
    for _ in range(steps):
        row = int(neighbour[row])
        if row < 0:
            break
        found.append(row)
    return found
