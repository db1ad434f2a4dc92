"""The only place that asks what time it is, so that tests and imports can answer differently."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from langgraph_memory.errors import InvalidInput

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Clock = Callable[[], datetime]
"""Returns the current time as an aware UTC `datetime`."""


def system_clock() -> datetime:
    """Return the present in UTC, with microseconds."""
    return datetime.now(UTC)


def as_utc(moment: datetime) -> datetime:
    """Return the same instant in UTC; a naive time is taken to be UTC already."""
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC)


def to_micros(moment: datetime) -> int:
    """Return microseconds since 1970-01-01 UTC: exact, ordered, and the same on every database."""
    return (as_utc(moment) - EPOCH) // timedelta(microseconds=1)


def from_micros(micros: int) -> datetime:
    """Return the UTC instant stored as microseconds since 1970."""
    return EPOCH + timedelta(microseconds=micros)


def checked_moment(name: str, moment: datetime | None) -> datetime | None:
    """Return the moment in UTC.

    Raises:
        InvalidInput: it is no `datetime`, or outside the years 1 to 9999 in UTC.
    """
    if moment is None:
        return None
    if not isinstance(moment, datetime):
        raise InvalidInput(f"{name} must be a datetime, not {moment!r}.")
    try:
        return as_utc(moment)
    except OverflowError:
        raise InvalidInput(
            f"{name} lies outside the years 1 to 9999 in UTC: {moment}. Give an earlier or later time."
        ) from None
