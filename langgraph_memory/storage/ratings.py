"""Ratings say of rows when they were said and how important they are; texts are there to be judged by a rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy.engine import Connection

from langgraph_memory.storage.schema import entries, memories

_CHUNK = 5_000


def ratings(connection: Connection, seqs: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return when each row was said, in microseconds, and its importance, NaN where nobody has rated it.

    Args:
        seqs: of entries and memories; what is not there any more was said at 0.
    """
    said = np.zeros(len(seqs), dtype=np.int64)
    importance = np.full(len(seqs), np.nan, dtype=np.float32)
    place = {seq: at for at, seq in enumerate(seqs)}
    for some in _chunks(seqs):
        for row in connection.execute(_SAID, {"seqs": some}):
            said[place[row.seq]] = min(row.observed_at, row.recorded_at)
        for known in connection.execute(_KNOWN, {"seqs": some}):
            said[place[known.seq]] = min(known.observed_at, known.recorded_at)
            if known.importance is not None:
                importance[place[known.seq]] = known.importance
    return said, importance


def texts(connection: Connection, seqs: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Yield each row's `seq` with its text."""
    for some in _chunks(seqs):
        for query in _TEXTS:
            for row in connection.execute(query, {"seqs": some}):
                yield row.seq, row.text


def _chunks(seqs: Sequence[int]) -> Iterator[list[int]]:
    for start in range(0, len(seqs), _CHUNK):
        yield list(seqs[start : start + _CHUNK])


_seqs: sa.BindParameter[int] = sa.bindparam("seqs", expanding=True)
_SAID = sa.select(entries.c.seq, entries.c.observed_at, entries.c.recorded_at).where(entries.c.seq.in_(_seqs))
_KNOWN = sa.select(memories.c.seq, memories.c.observed_at, memories.c.recorded_at, memories.c.importance).where(
    memories.c.seq.in_(_seqs)
)
_TEXTS = [sa.select(table.c.seq, table.c.text).where(table.c.seq.in_(_seqs)) for table in (entries, memories)]
