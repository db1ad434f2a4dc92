"""Recording is idempotent: however a conversation is cut into calls, and whichever are repeated, it is stored once.

For messages with ids the cuts never matter, each version is stored once, and the version said last is the current one,
also where it is said last by a repeated call. Without ids nothing but the texts can tell a repetition from
something said again, so it holds (as `sessions/identity.py` says) where no text comes twice, and a call that is
repeated late holds more than one message.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory.clock import system_clock
from langgraph_memory.records import Entry, Message
from langgraph_memory.scope import Scope
from langgraph_memory.sessions.recorder import Recorder
from langgraph_memory.storage import entries
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.migrations import migrate

SCOPE = Scope(("a",))

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=6)
with_ids = st.lists(
    st.tuples(st.sampled_from(["1", "2", "3", "x", "é"]), texts), min_size=1, max_size=8
).map(lambda pairs: [Message("user", text, text, id=name) for name, text in pairs])  # fmt: skip
without_ids = st.lists(texts, min_size=1, max_size=10, unique=True).map(
    lambda lines: [Message("user", text, text) for text in lines]
)


@given(with_ids, st.data())
def test_messages_with_ids_in_any_calls_with_any_repeats(messages: list[Message], data: st.DataObject) -> None:
    again = []
    for number, call in enumerate(calls := cut(messages, data)):
        again.append(call)
        again += [calls[data.draw(st.integers(0, number))] for _ in range(data.draw(st.integers(0, 2)))]
    every = [message for call in again for message in call]
    with fresh() as clean:
        once = stored(clean, [every])
    with fresh() as database:
        assert stored(database, again) == once
    assert len(once) == len({(message.id, message.text) for message in every})
    said_last = {message.id: message.text.replace("\0", "\u2400") for message in every}
    assert {name: text for name, text, _, replaced_by in once if replaced_by is None} == said_last


@given(without_ids, st.data())
def test_messages_without_ids_in_any_calls_with_any_repeats(messages: list[Message], data: st.DataObject) -> None:
    calls = cut(messages, data)
    with fresh() as database:
        again = []
        for number, call in enumerate(calls):
            again += [call] * data.draw(st.integers(1, 3))
            long = [earlier for earlier in calls[:number] if len(earlier) > 1]
            if long:
                again.append(data.draw(st.sampled_from(long)))
        assert texts_of(stored(database, again)) == [message.text for message in messages]


@given(without_ids, st.data())
def test_the_whole_history_at_each_turn(messages: list[Message], data: st.DataObject) -> None:
    ends = sorted({data.draw(st.integers(1, len(messages))) for _ in range(3)} | {len(messages)})
    with fresh() as database:
        assert texts_of(stored(database, [messages[:end] for end in ends])) == [message.text for message in messages]


@given(st.lists(st.one_of(with_ids, without_ids), max_size=4))
def test_what_is_stored_is_in_order_and_numbered_without_gap(calls: list[list[Message]]) -> None:
    with fresh() as database:
        found = stored(database, calls)
        assert [position for _, _, position, _ in found] == list(range(len(found)))
        reported = [entry for entry in found if entry[3] is None]
        assert len({name for name, _, _, _ in reported}) == len(reported)  # one current version per id


def cut(messages: list[Message], data: st.DataObject) -> list[list[Message]]:
    marks = sorted({data.draw(st.integers(0, len(messages))) for _ in range(data.draw(st.integers(0, 4)))})
    bounds = [0, *marks, len(messages)]
    return [messages[start:end] for start, end in pairwise(bounds)]


@contextmanager
def fresh() -> Iterator[Database]:
    with tempfile.TemporaryDirectory() as folder:
        database = Database.open_folder(Path(folder))
        migrate(database)
        try:
            yield database
        finally:
            database.close()


def stored(database: Database, calls: list[list[Message]]) -> list[tuple[str, str, int, int | None]]:
    recorder = Recorder(database, system_clock)
    for call in calls:
        report = recorder.record(call, SCOPE, "t")
        assert len(report.added) + len(report.skipped) + len(report.restored) == len(call)
    with database.read() as connection:
        found: list[Entry] = entries.page(
            connection, SCOPE, "t", after=None, limit=None, newest_first=False, include_history=True
        )
    places = {entry.seq: entry.position for entry in found}
    return [
        (entry.message_id, entry.text, entry.position, None if entry.replaced_by is None else places[entry.replaced_by])
        for entry in found
    ]


def texts_of(found: list[tuple[str, str, int, int | None]]) -> list[str]:
    return [text.replace("␀", "\0") if "␀" in text else text for _, text, _, _ in found]
