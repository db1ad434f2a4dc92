"""What stands around each line of a conversation, and how much of it counts for the line.

An answer often lies beside the words of its question, so a line is searched together with what was said shortly before
and after it. The further away, the less it counts; and the longer the lines, the less they need each other: both the
neighbour's weight and the line's own need fade once it has more than `FADE_FROM` terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int32]
Scores = NDArray[np.float32]
Kernel = Mapping[int, float]
"""Weights by distance: -1 is the line before, 1 the line after."""

FADE_FROM = 40.0
"""Terms of a line from which context counts less; a chat line has about 20, an assistant's answer hundreds."""

REACH = 4
"""Lines before and after at most."""


@dataclass(frozen=True, slots=True)
class Around:
    """The neighbours of every line.

    Attributes:
        rows: by distance from -REACH to REACH, 0 excepted, the row that stands there, or -1; shape `(n,)`.
        fade: how much a line gives to and takes from others, 0..1; shape `(n,)`.
    """

    rows: Mapping[int, Rows]
    fade: Scores
    _nobody: Rows  # stands for every distance at which no line has a neighbour, so that it costs nothing

    @classmethod
    def of(cls, previous: Rows, following: Rows, lengths: Scores) -> Around:
        """Return what stands around, from each line's direct neighbours (-1 for none) and its number of terms."""
        rows: dict[int, Rows] = {}
        nobody = np.full(len(lengths), -1, dtype=np.int32)
        for step, direct in ((-1, previous), (1, following)):
            padded = np.append(direct, np.int32(-1))
            here = direct
            for distance in range(1, REACH + 1):
                here = here if here is nobody or (here >= 0).any() else nobody
                rows[step * distance] = here
                here = here if here is nobody else padded[here]
        return cls(rows, np.minimum(1, FADE_FROM / np.maximum(lengths, 1)).astype(np.float32), nobody)

    def weights(self, kernel: Kernel) -> Iterable[tuple[int, Rows, Scores]]:
        """Yield for each distance of the kernel the rows there and what they count for each line."""
        fade = np.append(self.fade, np.float32(0))  # row -1, no neighbour, counts nothing
        for distance, weight in kernel.items():
            rows = self.rows[distance]
            if rows is self._nobody:
                continue
            yield distance, rows, np.float32(weight) * self.fade * fade[rows]

    def gather(self, values: Scores, kernel: Kernel) -> Scores:
        """Return each line's value plus those around it by weight."""
        padded = np.append(values, np.float32(0))
        total = values.astype(np.float32)
        for _, rows, weights in self.weights(kernel):
            total = total + weights * padded[rows]
        return total

    def spread(self, rows: Rows, values: Scores, kernel: Kernel) -> Scores:
        """Return what `gather` gives for values that are 0 but at some rows, without touching the others."""
        size = len(self.fade)
        targets, parts = [rows], [values]
        for distance, weight in kernel.items():
            if self.rows[-distance] is self._nobody:
                continue
            there = self.rows[-distance][rows]  # for whom these rows stand at that distance
            targets.append(there)
            parts.append(np.float32(weight) * values * self.fade[rows] * self.fade[there] * (there >= 0))
        summed = np.bincount(np.concatenate(targets) + 1, np.concatenate(parts), minlength=size + 1)[1:]
        return summed.astype(np.float32)


LEXICAL_KERNEL: Kernel = {-1: 0.45, -2: 0.45, -3: 0.225, -4: 0.225, 1: 0.225, 2: 0.225}
DENSE_KERNEL: Kernel = {-1: 0.2, -2: 0.15, -3: 0.05, 1: 0.15, 2: 0.1}
"""Words reach further than meaning does. Chosen on LoCoMo conversations 1 to 5 and half of the LongMemEval questions,
then weakened, since conversations differ in how closely their lines belong together."""
