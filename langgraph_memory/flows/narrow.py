"""Narrowing says which lines the options of one request rule out that the snapshot itself knows nothing of."""

from __future__ import annotations

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


def hidden_roles(request: Request, snapshot: Snapshot) -> list[str]:
    """Return the roles that are not searched: those of the request, and the private memories of others."""
    private = [role for role in snapshot.roles if role.startswith(PRIVATE)]
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
    seqs = [snapshot.seq(int(row)) for row in rows]
    keep = np.ones(len(rows), dtype=np.bool_)
    with database.read() as connection:
        if request.said_after is not None or request.said_before is not None:
            said, _ = ratings(connection, seqs)
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
    rows = np.flatnonzero(allowed)
    seqs = [snapshot.seq(int(row)) for row in rows]
    said, importance = ratings(connection, seqs)
    if log is not None:
        last = log.last_recalled(connection, seqs)
        said = np.maximum(said, np.array([last.get(seq, 0) for seq in seqs], dtype=np.int64))
    touched = np.zeros(len(allowed), dtype=np.int64)
    important = np.full(len(allowed), np.nan, dtype=np.float32)
    touched[rows], important[rows] = said, importance
    return Rated(touched, important, now)
