"""Narrowing says which lines the options of one request rule out that the snapshot itself knows nothing of."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.engine import Connection

from langgraph_memory.clock import to_micros
from langgraph_memory.flows.request import Request
from langgraph_memory.maintenance.recall_log import RecallLog
from langgraph_memory.retrieval.formulae import Rated
from langgraph_memory.retrieval.snapshot import PRIVATE, Snapshot
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.ratings import ratings, texts

_RATINGS: WeakKeyDictionary[Snapshot, tuple[NDArray[np.int64], NDArray[np.float32]]] = WeakKeyDictionary()
"""Of snapshots in use, as long as they are; 12 bytes a line, and only where somebody asks by time or importance."""


def hidden_roles(request: Request, snapshot: Snapshot) -> list[str]:
    """Return the roles that are not searched: those of the request, and the private memories of others."""
    private = [role for role in snapshot.visibility.roles if role.startswith(PRIVATE)]
    if request.include_private:
        private = []
    elif request.actor is not None:
        private = [role for role in private if role != PRIVATE + request.actor]
    return [*request.hidden_roles, *private]


def narrowed(request: Request, snapshot: Snapshot, allowed: NDArray[np.bool_], database: Database) -> NDArray[np.bool_]:
    """Return which of the allowed lines were said in the request's time, and are not skipped by its rule."""
    if request.said_after is None and request.said_before is None and request.skip is None:
        return allowed
    rows = np.flatnonzero(allowed)
    seqs = snapshot.seqs(rows)
    keep = np.ones(len(rows), dtype=np.bool_)
    with database.read() as connection:
        if request.said_after is not None or request.said_before is not None:
            said = known_ratings(connection, snapshot)[0][rows]
            if request.said_after is not None:
                keep &= said >= to_micros(request.said_after)
            if request.said_before is not None:
                keep &= said < to_micros(request.said_before)
        if request.skip is not None:
            skipped = {seq for seq, text in texts(connection, seqs) if request.skip(text)}
            keep &= np.array([seq not in skipped for seq in seqs], dtype=np.bool_)
    result = np.zeros_like(allowed)
    result[rows[keep]] = True
    return result


def rated(
    connection: Connection, snapshot: Snapshot, allowed: NDArray[np.bool_], log: RecallLog | None, now: int
) -> Rated:
    """Return how old and how important the allowed lines are.

    Args:
        log: makes a line as new as its last recall; None where recalling renews nothing.
        now: the present of the question, microseconds.
    """
    said, importance = known_ratings(connection, snapshot)
    if log is None:
        return Rated(said, importance, now)
    rows = np.flatnonzero(allowed)
    seqs = snapshot.seqs(rows)
    last = log.last_recalled(connection, seqs)
    touched = said.copy()
    touched[rows] = np.maximum(said[rows], np.array([last.get(seq, 0) for seq in seqs], dtype=np.int64))
    return Rated(touched, importance, now)


def known_ratings(connection: Connection, snapshot: Snapshot) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return when each line of a snapshot was said, and its importance; what does not change is read once."""
    said, importance = _RATINGS.get(snapshot, (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)))
    if len(said) < len(snapshot):
        new = ratings(connection, snapshot.seqs(range(len(said), len(snapshot))))
        said, importance = np.concatenate((said, new[0])), np.concatenate((importance, new[1]))
        _RATINGS[snapshot] = said, importance
    return said, importance
