"""Products of vectors by as many threads as are worth it: on a busy machine several wait for each other for long."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]

ALONE = 20_000
"""Vectors up to which one thread compares them with a question, in less than a millisecond."""

_UNTHREADED = 1 << 18
"""Multiplications up to which OpenBLAS uses one thread for two matrices."""


def with_one(many: Rows, one: Rows) -> Rows:
    """Return the product of each row with a vector, shape `(many,)`."""
    product: Rows = many @ one if len(many) > ALONE else np.vecdot(many, one)
    return product


def with_each(many: Rows, few: Rows) -> Rows:
    """Return the product of each row with each row of a few, shape `(many, few)`."""
    step = len(many) if len(many) > ALONE else max(1, _UNTHREADED // max(few.size, 1))
    parts = [many[at : at + step] @ few.T for at in range(0, len(many), step)]
    return np.concatenate(parts) if parts else np.zeros((0, len(few)), dtype=np.float32)
