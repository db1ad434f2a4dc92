"""A moment in plain English words, to put beside a line so that a question about its date finds it."""

from __future__ import annotations

from datetime import datetime

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def date_words(moment: datetime) -> str:
    """Return day, month, year and weekday, such as `8 May 2023 Monday`.

    The words are English in every locale, and the day is that of the moment's own time zone.
    """
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year} {_DAYS[moment.weekday()]}"
