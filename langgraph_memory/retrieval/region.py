"""The lines that a question is scored on: the best of each channel, and what stands around them.

An answer often lies beside the words of its question, so a line is searched together with what was said shortly before
and after it. The further away, the less it counts; and the longer the lines, the less they need each other: both the
neighbour's weight and the line's own need fade once it has more than `LONG` terms. Where one person goes on speaking,
lines count less for each other (`MONOLOGUE`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int32]
Scores = NDArray[np.float32]
Kernel = Mapping[int, float]
"""Weights by distance: -1 is the line before, 1 the line after."""

LONG = 60.0
"""Terms of a line from which context counts less, and an assistant's line as well; a chat line has about 20, an
assistant's answer hundreds."""

MONOLOGUE = 0.5
"""What lines count for each other where nobody else speaks between: who says several things in a row often says things
that have nothing to do with each other, while an answer belongs to its question."""

REACH = 4
"""Lines before and after at most."""

LEXICAL_KERNEL: Kernel = {-1: 0.5, -2: 0.5, -3: 0.2, -4: 0.2, 1: 0.2, 2: 0.2}
DENSE_KERNEL: Kernel = {-1: 0.2, -2: 0.2, 1: 0.1, 2: 0.1}
KINDRED_KERNEL: Kernel = {-1: 0.85, -2: 0.85, -3: 0.7, -4: 0.7, 1: 0.7, 2: 0.7}
"""Words reach further than meaning does. Chosen on LoCoMo conversations 1 to 5 and half of the LongMemEval questions,
then weakened, since conversations differ in how closely their lines belong together."""


@dataclass(frozen=True)
class Region:
    """Some lines in the order in which they were said, so that neighbours stand side by side.

    Attributes:
        rows: the snapshot's row of each line, shape `(m,)`.
        lengths: how many terms each has, shape `(m,)`.
        places: numbers that differ by 1 where two lines stand next to each other, ascending, shape `(m,)`.
        speakers: numbers that only lines of one speaker share, shape `(m,)`.
    """

    rows: Rows
    lengths: Scores
    places: NDArray[np.int64]
    speakers: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def is_joined(self) -> bool:
        """Whether anything stands beside anything: memories stand alone."""
        return len(self._bonds) > 0

    def part(self, chosen: NDArray[np.intp]) -> Region:
        """Return some of its lines, ascending, as a region of their own."""
        return Region(self.rows[chosen], self.lengths[chosen], self.places[chosen], self.speakers[chosen])

    def gather(self, values: Scores, kernel: Kernel) -> Scores:
        """Return each line's value plus those around it by weight; lines are the last axis of `values`."""
        total = values.copy()
        for here, there, weights in self._shares(kernel):
            total[..., here] += weights * values[..., there]
        return total

    def mean(self, values: Scores, kernel: Kernel) -> Scores:
        """Return the mean of each line's value and those around it by weight; NaN takes no part, and stays one."""
        missing = np.isnan(values)
        held = np.where(missing, np.float32(0), values)
        total, weight = self.gather(np.stack((held, ~missing)).astype(np.float32), kernel)
        result: Scores = np.where(missing, values, total / np.maximum(weight, np.float32(1e-6)))
        return result

    def greatest(self, values: Scores, kernel: Kernel) -> Scores:
        """Return the greatest of each line's value and those around it times their weight; values are 0 or more."""
        most = values.copy()
        for here, there, weights in self._shares(kernel):
            np.maximum(most[..., here], weights * values[..., there], out=most[..., here])
        return most

    def near(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which lines are chosen or stand within `REACH` of one that is."""
        near = chosen.copy()
        for distance in range(1, REACH + 1):
            together = self._together(distance)
            near[distance:] |= chosen[:-distance] & together
            near[:-distance] |= chosen[distance:] & together
        return near

    def _together(self, distance: int) -> NDArray[np.bool_]:
        together: NDArray[np.bool_] = self.places[distance:] - self.places[:-distance] == distance
        return together

    def _shares(self, kernel: Kernel) -> Iterator[tuple[slice, slice, Scores]]:
        """Yield for each distance the lines that have one there, those lines, and what they count."""
        for distance, weight in kernel.items():
            step = abs(distance)
            if step <= len(self._bonds):
                later, earlier = slice(step, None), slice(None, -step)
                here, there = (later, earlier) if distance < 0 else (earlier, later)
                yield here, there, np.float32(weight) * self._bonds[step - 1]

    @cached_property
    def _bonds(self) -> Sequence[Scores]:
        """By distance, what two lines that far apart count for each other before any weight, 0..1."""
        if not (np.diff(self.places) == 1).any():  # memories, which nothing stands around
            return ()
        fade = np.minimum(1, np.float32(LONG) / np.maximum(self.lengths, 1)).astype(np.float32)
        turns = np.cumsum(np.diff(self.speakers, prepend=self.speakers[:1]) != 0)
        return [
            np.where(turns[step:] == turns[:-step], np.float32(MONOLOGUE), np.float32(1))
            * (fade[step:] * fade[:-step] * self._together(step))
            for step in range(1, min(REACH, len(self) - 1) + 1)
        ]
