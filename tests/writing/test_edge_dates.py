"""At both ends of the calendar no date raises: it is read, dropped with a remark, or refused in words."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import pytest
from facts import answer
from hypothesis import given, settings
from hypothesis import strategies as st

from langgraph_memory import Memory, Settings
from langgraph_memory.errors import InvalidInput
from langgraph_memory.testing import ScriptedChatModel
from langgraph_memory.text.dates_said import begins
from langgraph_memory.writing import extract
from langgraph_memory.writing.sentences import propose
from langgraph_memory.writing.turns import Turn

OFFSETS = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
FIRST, LAST = datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999_999)
EDGES = (
    st.datetimes(FIRST, FIRST + timedelta(days=40), timezones=OFFSETS)
    | st.datetimes(LAST - timedelta(days=400), LAST, timezones=OFFSETS)
    | st.datetimes(timezones=OFFSETS)
)
SAID = st.sampled_from(
    [
        *(f"I moved {when}" for when in ("yesterday", "three weeks ago", "999 years ago", "last month", "last friday")),
        *(f"I move {when}" for when in ("next year", "next week", "tomorrow", "the day after tomorrow", "next friday")),
        *("I moved on 0001-01-01", "I moved on 1.1.2000", "I moved in 1999", "我去年搬家了", "我上周一搬家了"),
    ]
)
EARLY = "0001-01-01T00:00:00+14:00"
Open = Callable[..., Memory]


def turn(said_at: str) -> Turn:
    return Turn(seq=1, id="m", role="user", speaker="user", text="I live in Oslo.", said_at=said_at)


@given(EDGES, EDGES, EDGES, SAID)
def test_no_date_overflows(said_at: datetime, since: datetime, now: datetime, text: str) -> None:
    found = begins(text, said_at)
    assert found is None or found.tzinfo == UTC
    propose("user", "user", text, said_at)
    turns = [turn(said_at.isoformat())]
    extract.prompt(turns, turns, [], None)
    given_answer = {"memories": [{"text": "Alice lives in Oslo.", "sources": [0], "since": since.isoformat()}]}
    (item,), notes, _ = extract.read_answer(given_answer, turns, [])
    assert item["status"] == "proposed"
    if item["valid_from"] is not None:
        assert datetime.fromisoformat(item["valid_from"]) == since <= said_at
    else:
        assert notes or since > said_at


@pytest.mark.parametrize("since", [EARLY, "9999-12-31T23:59:59-01:00", "soon", 2019, ["2019"], {}, True])
def test_a_date_that_cannot_be_read_is_dropped_with_a_remark(since: object) -> None:
    given_answer = {"memories": [{"text": "Alice lives in Oslo.", "sources": [0], "since": since}]}
    (item,), notes, _ = extract.read_answer(given_answer, [turn("2026-05-06T00:00:00+00:00")], [])
    assert (item["status"], item["valid_from"]) == ("proposed", None)
    assert len(notes) == 1 and "date" in notes[0]


@pytest.mark.parametrize("since", [None, "", "2019-05-01"])
def test_a_date_that_can_be_read_and_none_need_no_remark(since: str | None) -> None:
    given_answer = {"memories": [{"text": "Alice lives in Oslo.", "sources": [0], "since": since}]}
    (item,), notes, _ = extract.read_answer(given_answer, [turn("2026-05-06T00:00:00+00:00")], [])
    assert (bool(item["valid_from"]), notes) == (bool(since), [])


def test_recording_goes_on_when_a_model_dates_a_memory_before_the_calendar(open_memory: Open, store_url: str) -> None:
    model = ScriptedChatModel([answer({"text": "Alice lives in Oslo.", "sources": [0], "since": EARLY})])
    memory = open_memory(store_url, model=model, settings=Settings(distil="inline"))
    report = memory.record([("user", "I live in Oslo.")], scope="alice", thread_id="t")
    assert [record.text for record in memory.list(scope="alice")] == ["Alice lives in Oslo."]
    assert any("0001-01-01" in note for note in report.notes)
    model.assert_exhausted()


@settings(max_examples=25)
@given(EDGES)
def test_every_verb_takes_a_time_or_refuses_it_in_words(
    open_memory: Open, tmp_path_factory: pytest.TempPathFactory, moment: datetime
) -> None:
    with open_memory(tmp_path_factory.mktemp("edge")) as memory:
        with contextlib.suppress(InvalidInput):
            memory.remember([("user", "I moved to Oslo yesterday.")], scope="alice", observed_at=moment)
        with contextlib.suppress(InvalidInput):
            memory.record([("user", "I live in Oslo.")], scope="alice", thread_id="t", observed_at=moment)
        with contextlib.suppress(InvalidInput):
            memory.add("Alice lives in Oslo.", scope="alice", observed_at=moment, valid_from=moment)
        memory.recall("Where does Alice live?", scope="alice")
