"""Which checkpoints of a thread may go, decided from the list of them alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from langgraph_memory.checkpoints.records import Place

_GREGORIAN = datetime(1582, 10, 15, tzinfo=UTC)
"""Where the time in a UUID of version 6 begins (RFC 9562, 5.6)."""


def to_remove(places: Iterable[Place], keep_last: int, before: datetime | None = None) -> list[Place]:
    """Return the checkpoints that a thread can do without.

    Kept are, in each namespace, the newest `keep_last`; every one that is not older than `before`; and every one that
    waits on an interrupt and was not gone on from, so that it can still be resumed. A call of a subgraph goes with the
    checkpoint that it was called from. A thread with state that is rebuilt from older checkpoints is kept whole.

    Args:
        places: all checkpoints of one thread.
        keep_last: at least 1.
        before: None for any age.
    """
    places = list(places)
    if any(place.is_delta for place in places):
        return []
    followed = {(place.namespace, place.parent) for place in places}
    kept: set[tuple[str, str]] = set()
    for line in _by_namespace(places):
        for rank, place in enumerate(line):
            waits = place.waits and (place.namespace, place.id) not in followed
            if rank < keep_last or waits or not _is_older(place.id, before):
                kept.add((place.namespace, place.id))
                if place.needs_parent and place.parent is not None:
                    kept.add((place.namespace, place.parent))
    saved = {place.id for place in places if not place.namespace}
    gone_roots = {place.id for place in places if not place.namespace and ("", place.id) not in kept}
    return [
        place
        for place in places
        if (place.namespace, place.id) not in kept
        or (":" in place.namespace and place.root in saved and place.root in gone_roots)
    ]


def made_at(checkpoint_id: str) -> datetime | None:
    """Return when a checkpoint was made, from its id; None where the id does not tell."""
    try:
        number = UUID(checkpoint_id)
    except ValueError:
        return None
    if number.version != 6:
        return None
    whole = number.int
    ticks = (whole >> 96) << 28 | (whole >> 80 & 0xFFFF) << 12 | (whole >> 64 & 0xFFF)
    return _GREGORIAN + timedelta(microseconds=ticks // 10)


def _is_older(checkpoint_id: str, before: datetime | None) -> bool:
    if before is None:
        return True
    made = made_at(checkpoint_id)
    return made is not None and made < before


def _by_namespace(places: Sequence[Place]) -> list[list[Place]]:
    """Return the checkpoints of each namespace, newest first."""
    lines: dict[str, list[Place]] = {}
    for place in sorted(places, key=lambda place: place.id, reverse=True):
        lines.setdefault(place.namespace, []).append(place)
    return list(lines.values())
