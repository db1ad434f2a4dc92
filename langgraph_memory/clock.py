"""The only place that asks what time it is, so that tests and imports can answer differently."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

from langgraph_memory.errors import InvalidInput

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = 24 * 60  # minutes

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
    """Return the moment with its zone, so that its local day is not lost; a naive time is taken to be UTC.

    Raises:
        InvalidInput: it is no `datetime`, or outside the years 1 to 9999 in UTC.
    """
    if moment is None:
        return None
    if not isinstance(moment, datetime):
        raise InvalidInput(
            f"{name} must be a datetime, not {str(moment)[:40]!r}. Write for example {name}=datetime(2026, 5, 31)."
        )
    try:
        as_utc(moment)
    except OverflowError:
        raise InvalidInput(
            f"{name} lies outside the years 1 to 9999 in UTC: {moment}. Give an earlier or later time."
        ) from None
    return zoned(moment)


def zoned(moment: datetime) -> datetime:
    """Return the moment with a zone: its own, or UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def utc_offset(moment: datetime) -> int:
    """Return how many whole minutes a moment's zone is ahead of UTC."""
    return (moment.utcoffset() or timedelta()) // timedelta(minutes=1)


def at_offset(moment: datetime, minutes: object) -> datetime:
    """Return the same instant in the zone that is so many minutes ahead of UTC; as it is where there is none."""
    if isinstance(minutes, bool) or not isinstance(minutes, int) or not -_DAY < minutes < _DAY:
        return moment
    try:
        return moment.astimezone(timezone(timedelta(minutes=minutes)))
    except OverflowError:  # the first or last day of the calendar
        return moment
