"""Dates in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from langgraph_memory.text.dates import date_words
from langgraph_memory.text.tokenise import index_terms


def test_date_words() -> None:
    assert date_words(datetime(2023, 5, 8, 13, 56, tzinfo=UTC)) == "8 May 2023 Monday"
    assert date_words(datetime(2024, 2, 29)) == "29 February 2024 Thursday"
    assert date_words(datetime(1, 1, 1)) == "1 January 1 Monday"


def test_the_day_is_that_of_the_given_zone() -> None:
    assert date_words(datetime(2023, 5, 8, 23, 0, tzinfo=timezone(timedelta(hours=-8)))) == "8 May 2023 Monday"


def test_dates_are_searchable() -> None:
    assert {"8", "may", "2023", "monday"} <= set(index_terms(date_words(datetime(2023, 5, 8))))
