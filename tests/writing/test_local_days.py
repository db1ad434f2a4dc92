"""Relative days are counted from the day on which the speaker was when it was said, not from that of UTC."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from facts import answer
from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory import Memory
from langgraph_memory.clock import at_offset, checked_moment
from langgraph_memory.records import UTC_OFFSET
from langgraph_memory.testing import ScriptedChatModel

TOKYO = timezone(timedelta(hours=9))
SAID = datetime(2023, 5, 9, 7, tzinfo=TOKYO)
"""A Tuesday there, still Monday in UTC."""
Open = Callable[..., Memory]


def as_argument(memory: Memory, text: str) -> None:
    memory.remember([("user", text)], scope="alice", thread_id="t", observed_at=SAID)


def as_field(memory: Memory, text: str) -> None:
    memory.remember([{"role": "user", "content": text, "observed_at": SAID.isoformat()}], scope="alice", thread_id="t")


def recorded_before(memory: Memory, text: str) -> None:
    memory.record([("user", text)], scope="alice", thread_id="t", observed_at=SAID)
    memory.remember(scope="alice", thread_id="t")


SAY = pytest.mark.parametrize("say", [as_argument, as_field, recorded_before])


@SAY
def test_yesterday_is_the_day_before_the_speakers_own(open_memory: Open, store_url: str, say: Any) -> None:
    memory = open_memory(store_url)
    say(memory, "I moved to Berlin yesterday.")
    (record,) = memory.list(scope="alice")
    assert record.valid_from == datetime(2023, 5, 8, tzinfo=UTC)
    assert (record.observed_at, record.observed_at.tzinfo) == (SAID, UTC)


@SAY
def test_the_model_is_told_the_speakers_own_day(open_memory: Open, store_url: str, say: Any) -> None:
    def look(messages: list[Any]) -> str:
        assert "2023-05-09 (Tuesday) user: I moved" in messages[-1].content
        assert "The newest message is of 2023-05-09 (Tuesday)." in messages[-1].content
        return answer({"text": "Alice moved to Berlin on 2023-05-08.", "sources": [0], "since": "2023-05-08"})

    model = ScriptedChatModel([look])
    memory = open_memory(store_url, model=model)
    say(memory, "I moved to Berlin yesterday.")
    assert [record.valid_from for record in memory.list(scope="alice")] == [datetime(2023, 5, 8, tzinfo=UTC)]
    model.assert_exhausted()


def test_said_in_another_zone_it_is_the_same_message(open_memory: Open, store_url: str) -> None:
    memory = open_memory(store_url)
    for moment in (SAID, SAID.astimezone(UTC)):
        report = memory.record([("user", "I live in Oslo.")], scope="alice", thread_id="t", observed_at=moment)
    assert report.skipped and not report.added


def test_an_export_keeps_the_zone(open_memory: Open, tmp_path: Any) -> None:
    memory, other = open_memory(tmp_path / "a"), open_memory(tmp_path / "b")
    memory.record([("user", "I moved to Berlin yesterday.")], scope="alice", thread_id="t", observed_at=SAID)
    memory.export(scope="alice", path=tmp_path / "out.jsonl")
    other.ingest(tmp_path / "out.jsonl", scope="alice")
    other.remember(scope="alice")
    assert [record.valid_from for record in other.list(scope="alice")] == [datetime(2023, 5, 8, tzinfo=UTC)]


@pytest.mark.parametrize("offset", ["9", 1440, -1440, True, None, 1.5, 10**30])
def test_an_offset_that_is_none_changes_nothing(open_memory: Open, store_url: str, offset: Any) -> None:
    memory = open_memory(store_url)
    said = {"role": "user", "content": "I moved to Berlin yesterday.", "observed_at": "2023-05-08T22:00:00Z"}
    memory.remember([{**said, "extra": {UTC_OFFSET: offset}}], scope="alice", thread_id="t")
    assert [record.valid_from for record in memory.list(scope="alice")] == [datetime(2023, 5, 7, tzinfo=UTC)]


def test_a_plan_is_known_from_when_it_was_told(open_memory: Open, store_url: str) -> None:
    memory = open_memory(store_url)
    memory.remember([("user", "I move to Berlin next year.")], scope="alice", thread_id="t", observed_at=SAID)
    assert [record.valid_from for record in memory.list(scope="alice")] == [SAID]


@given(st.datetimes(timezones=st.just(UTC)), st.integers() | st.text(max_size=3) | st.none())
def test_no_offset_moves_an_instant(moment: datetime, minutes: Any) -> None:
    assert at_offset(moment, minutes) == moment
    assert checked_moment("observed_at", moment) == moment
