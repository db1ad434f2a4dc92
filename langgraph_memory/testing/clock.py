"""A clock that stands still until it is told how much time has passed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from langgraph_memory.clock import as_utc

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
"""Where a clock starts that was not told otherwise."""


class FrozenClock:
    """Tells the same time at every call; pass it as `Memory(..., clock=FrozenClock())`.

    Args:
        now: the time it shows; without a zone it is taken as UTC.
    """

    def __init__(self, now: datetime = START) -> None:
        self._now = as_utc(now)

    def __call__(self) -> datetime:
        """Return the time it shows, in UTC."""
        return self._now

    def advance(
        self,
        step: timedelta | None = None,
        *,
        days: float = 0,
        hours: float = 0,
        minutes: float = 0,
        seconds: float = 0,
    ) -> datetime:
        """Let time pass, all arguments added up, and return the new time.

        Raises:
            ValueError: the sum is negative; a clock that goes back hides bugs. Use `set` if you mean it.
        """
        total = (step or timedelta()) + timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
        if total < timedelta():
            raise ValueError(f"advance() goes forward, not by {total}. Use set() to go back.")
        self._now += total
        return self._now

    def set(self, now: datetime) -> datetime:
        """Show another time, and return it in UTC."""
        self._now = as_utc(now)
        return self._now
