"""The one date that a sentence says is found; where it says two, or an unclear one, nothing is guessed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory.text.dates_said import begins

SAID = datetime(2026, 5, 6, 15, 30, tzinfo=UTC)
"""A Wednesday."""

DATES = {
    "2026-05-03": [
        "It began on 2026-05-03.",
        "on 2026/5/3 we met",
        "3 May 2026",
        "3rd of May, 2026",
        "May 3, 2026",
        "May 3rd 2026",
        "03 may 2026",
        "2026年5月3日搬家了",
        "２０２６年５月３日",
        "2026年5月3日に引っ越した",
        "2026년 5월 3일에 이사했다",
        "el 3 de mayo de 2026",
        "le 3 mai 2026",
        "am 3. Mai 2026",
        "il 3 maggio 2026",
        "em 3 de maio de 2026",
        "3 мая 2026 года",
        "three days ago",
        "3 days ago I moved",
        "3天前",
        "vor 3 Tagen",
        "il y a trois jours",
        "hace 3 días",
        "3 дня назад",
        "last Sunday",
        "上周日我们见面了",
    ],
    "2026-12-25": ["25/12/2026", "12/25/2026", "25.12.2026"],
    "2026-05-01": ["in May 2026", "since May 2026", "2026年5月", "2026-05", "im Mai 2026", "this month", "本月"],
    "2019-01-01": [
        "since 2019",
        "I have lived here since 2019.",
        "in 2019",
        "2019年",
        "自2019年",
        "seit 2019",
        "depuis 2019",
        "desde 2019",
        "dal 2019",
        "с 2019 года",
        "Ich wohne hier seit 2019",
    ],
    "2026-05-06": ["today", "I moved today", "今天我搬家了", "сегодня", "hoy", "heute", "今日引っ越した", "오늘"],
    "2026-05-05": [
        "yesterday",
        "Yesterday I took the kids out.",
        "last night",
        "昨天",
        "昨日",
        "вчера",
        "ayer",
        "gestern",
        "ieri",
        "ontem",
    ],
    "2026-05-04": ["the day before yesterday", "前天", "this week"],
    "2026-05-07": ["tomorrow", "明天", "завтра", "내일"],
    "2026-04-27": ["last week", "I went last week.", "上周", "先週", "la semana pasada", "на прошлой неделе"],
    "2026-04-01": ["last month", "上个月", "先月", "el mes pasado", "letzten Monat", "le mois dernier", "지난달"],
    "2025-01-01": [
        "last year",
        "去年",
        "昨年",
        "el año pasado",
        "letztes Jahr",
        "l'année dernière",
        "작년",
        "в прошлом году",
    ],
    "2027-01-01": ["next year", "明年", "来年"],
    "2026-06-01": ["next month", "下个月"],
    "2026-05-11": ["next week", "下周", "来週"],
    "2026-05-08": ["next Friday", "We meet next Friday."],
    "2026-05-15": ["下周五"],
    "2026-05-01 ": ["last Friday", "上周五"],
    "2026-04-22": ["two weeks ago", "两周前"],
    "2026-03-01": ["two months ago", "两个月前"],
    "2023-01-01": ["three years ago", "3年前", "il y a trois ans", "vor drei Jahren"],
}

UNCLEAR = [
    "",
    "I moved to Oslo.",
    "from 2019 to 2021",
    "2019-2021",
    "between May 2019 and May 2021",
    "until 2019",
    "before May 2026",
    "after 2026-05-03",
    "by tomorrow",
    "bis 2019",
    "2019年以前",
    "2019年から2021年まで",
    "05/03/2026",
    "on 3 May",
    "May 3rd",
    "5月3日",
    "on Friday",
    "周五",
    "yesterday and today",
    "On 3 May I got what I ordered yesterday",
    "recently",
    "in summer",
    "May I come in?",
    "2026-13-45",
    "31 February 2026",
    "the 2000s",
    "the 1990s were loud",
    "I weigh 2000 kg",
    "room 2019",
    "9999 years ago",
    "999 years from now",
    "five years",
    "I ran 10 km",
    "version 2019.1.2",
]


@pytest.mark.parametrize(("day", "text"), [(day.strip(), text) for day, texts in DATES.items() for text in texts])
def test_the_one_date_is_read(day: str, text: str) -> None:
    assert begins(text, SAID) == datetime.fromisoformat(day).replace(tzinfo=UTC)


@pytest.mark.parametrize("text", UNCLEAR)
def test_nothing_is_guessed(text: str) -> None:
    assert begins(text, SAID) is None


def test_a_date_said_twice_is_one_date() -> None:
    assert begins("yesterday (2026-05-05)", SAID) == datetime(2026, 5, 5, tzinfo=UTC)


def test_the_day_is_that_of_the_speakers_zone() -> None:
    evening = datetime(2026, 5, 5, 22, tzinfo=timezone(timedelta(hours=-5)))
    assert begins("today", evening) == datetime(2026, 5, 5, tzinfo=UTC)
    assert begins("today", datetime(2026, 5, 5)) == datetime(2026, 5, 5, tzinfo=UTC)


def test_what_lies_beyond_the_calendar_is_no_date() -> None:
    assert begins("yesterday", datetime.min.replace(tzinfo=UTC)) is None
    assert begins("next year", datetime.max.replace(tzinfo=UTC)) is None
    assert begins("999 years ago", datetime(900, 1, 1, tzinfo=UTC)) is None


@given(st.text(max_size=100), st.datetimes(timezones=st.just(UTC)))
def test_any_text_can_be_asked_about(text: str, moment: datetime) -> None:
    found = begins(text, moment)
    assert found is None or found.tzinfo is UTC


@pytest.mark.parametrize("piece", ["3 May ", "2019 ", "昨天", "last ", "3 天", "von 2019 bis ", "the "])
def test_long_repetitions_do_not_run_away(piece: str) -> None:
    begins(piece * 1_000, SAID)
