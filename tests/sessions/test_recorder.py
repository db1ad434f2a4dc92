from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from langgraph_memory.errors import InvalidInput, MessageError, NotFound
from langgraph_memory.memory import Memory

ANA = ("acme", "ana")


def texts(memory: Memory, thread: str = "t", **options: object) -> list[str]:
    return [entry.text for entry in memory.entries(thread, scope=ANA, **options)]


def named(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"role": "user", "content": text, "id": name} for name, text in pairs]


def test_messages_are_kept_word_for_word_and_in_order(memory: Memory) -> None:
    said = ["one", "  two \n", "three 🎉 漢字", "nul \0", ""]
    report = memory.record(said, scope=ANA, thread_id="t")
    assert [outcome.text for outcome in report.added] == said
    entries = memory.entries("t", scope=ANA)
    assert [entry.text for entry in entries] == ["one", "  two \n", "three 🎉 漢字", "nul ␀", ""]
    assert [entry.content for entry in entries] == said
    assert [entry.position for entry in entries] == [0, 1, 2, 3, 4]
    assert [entry.seq for entry in entries] == sorted(entry.seq for entry in entries)
    assert len({entry.message_id for entry in entries}) == 5
    assert entries[0].scope.segments == ANA


def test_repeating_a_call_writes_nothing(memory: Memory) -> None:
    for said in (named(("1", "a"), ("2", "b")), ["c", "d"], ["e"]):
        first = memory.record(said, scope=ANA, thread_id="t")
        again = memory.record(said, scope=ANA, thread_id="t")
        assert not again.added
        assert [item.id for item in again.skipped] == [item.id for item in first.added]
    assert texts(memory) == ["a", "b", "c", "d", "e"]


def test_the_whole_history_each_time_or_only_the_new_turn_is_the_same(memory: Memory) -> None:
    turns = [f"line {number}" for number in range(12)]
    for end in range(2, 13, 2):
        memory.record(turns[:end], scope=ANA, thread_id="whole")
        memory.record(turns[end - 2 : end], scope=ANA, thread_id="new")
    assert texts(memory, "whole") == texts(memory, "new") == turns


def test_the_same_line_said_again_counts_again(memory: Memory) -> None:
    for line in ("yes", "no", "yes", "no", "no"):
        memory.record([line], scope=ANA, thread_id="t")
    # The last `no` cannot be told from a retry of the one before.
    assert texts(memory) == ["yes", "no", "yes", "no"]


def test_an_edited_message_replaces_the_old_one_and_both_stay(memory: Memory) -> None:
    memory.record(named(("1", "first"), ("2", "second")), scope=ANA, thread_id="t")
    memory.record(named(("1", "first, better")), scope=ANA, thread_id="t")
    memory.record(named(("1", "first, best")), scope=ANA, thread_id="t")
    assert texts(memory) == ["second", "first, best"]
    assert texts(memory, include_history=True) == ["first", "second", "first, better", "first, best"]
    every = memory.entries("t", scope=ANA, include_history=True)
    assert every[0].replaced_by == every[2].seq and every[2].replaced_by == every[3].seq
    assert memory.recall("first", scope=ANA).hits[0].text == "first, best"
    assert "first" not in [hit.text for hit in memory.recall("first", scope=ANA).hits]


def test_an_edit_that_is_taken_back_makes_the_old_version_current_again(memory: Memory) -> None:
    memory.record(named(("e", "Ana drinks tea"), ("f", "then")), scope=ANA, thread_id="t")
    memory.record(named(("e", "Ana drinks coffee")), scope=ANA, thread_id="t")
    assert memory.recall("what does Ana drink", scope=ANA, limit=1).hits[0].text == "Ana drinks coffee"
    report = memory.record(named(("e", "Ana drinks tea")), scope=ANA, thread_id="t")
    assert (report.added, report.skipped, report.ids) == ((), (), ("e",))
    assert "current one again" in str(report.restored[0].reason)
    assert texts(memory) == ["Ana drinks tea", "then"]
    assert texts(memory, include_history=True) == ["Ana drinks tea", "then", "Ana drinks coffee"]
    first, _, edit = memory.entries("t", scope=ANA, include_history=True)
    assert (first.replaced_by, edit.replaced_by) == (None, first.seq)
    assert [hit.text for hit in memory.recall("what does Ana drink", scope=ANA).hits] == ["Ana drinks tea", "then"]
    again = memory.record(named(("e", "Ana drinks tea")), scope=ANA, thread_id="t")
    assert (again.restored, [item.reason for item in again.skipped]) == ((), ["already recorded"])
    memory.record(named(("e", "Ana drinks coffee")), scope=ANA, thread_id="t")
    assert texts(memory) == ["then", "Ana drinks coffee"]
    assert len(texts(memory, include_history=True)) == 3


def test_of_several_versions_the_one_said_last_stands(memory: Memory) -> None:
    memory.record(named(("1", "a"), ("1", "b"), ("1", "c")), scope=ANA, thread_id="t")
    every = memory.record(named(("1", "a"), ("1", "b"), ("1", "c")), scope=ANA, thread_id="t")
    assert (len(every.skipped), every.restored) == (3, ())  # the whole story once more changes nothing
    report = memory.record(named(("1", "d"), ("1", "b"), ("1", "d"), ("1", "b")), scope=ANA, thread_id="t")
    assert [len(part) for part in (report.added, report.restored, report.skipped)] == [1, 1, 2]
    assert texts(memory) == ["b"]
    assert texts(memory, include_history=True) == ["a", "b", "c", "d"]
    assert [entry.text for entry in memory.entries("t", scope=ANA, after=1)] == []


def test_a_version_that_was_forgotten_stays_hidden_when_it_is_said_again(memory: Memory) -> None:
    memory.record(named(("1", "my number is 555"), ("2", "hi")), scope=ANA, thread_id="t")
    memory.forget("1", scope=ANA)
    memory.record(named(("1", "never mind")), scope=ANA, thread_id="t")
    memory.record(named(("1", "my number is 555")), scope=ANA, thread_id="t")
    assert texts(memory) == ["hi"]
    memory.restore("1", scope=ANA)
    assert texts(memory) == ["my number is 555", "hi"]


def test_two_versions_of_a_message_in_one_call(memory: Memory) -> None:
    report = memory.record(named(("1", "draft"), ("1", "final"), ("1", "final")), scope=ANA, thread_id="t")
    assert (len(report.added), len(report.skipped)) == (2, 1)
    assert texts(memory) == ["final"]


def test_threads_and_scopes_do_not_share_ids(memory: Memory) -> None:
    for scope in (ANA, ("acme", "bob")):
        for thread in ("t", "u"):
            assert len(memory.record(named(("1", "hi")), scope=scope, thread_id=thread).added) == 1
    assert [session.entries for session in memory.sessions(scope="acme")] == [1, 1, 1, 1]


def test_when_it_was_said_is_kept_and_tells_lines_without_id_apart(memory: Memory) -> None:
    may = datetime(2026, 5, 1, 12, tzinfo=UTC)
    memory.record(["yes"], scope=ANA, thread_id="t", observed_at=may)
    memory.record(["yes"], scope=ANA, thread_id="t", observed_at=may)
    memory.record(["yes"], scope=ANA, thread_id="t", observed_at=may + timedelta(hours=1))
    entries = memory.entries("t", scope=ANA)
    assert [entry.observed_at for entry in entries] == [may, may + timedelta(hours=1)]
    session = memory.sessions(scope=ANA)[0]
    assert (session.started_at, session.last_at) == (may, may + timedelta(hours=1))


def test_entries_are_paged_both_ways(memory: Memory) -> None:
    memory.record([str(number) for number in range(7)], scope=ANA, thread_id="t")
    assert texts(memory, limit=3) == ["0", "1", "2"]
    assert texts(memory, after=2, limit=3) == ["3", "4", "5"]
    assert texts(memory, newest_first=True, limit=3) == ["6", "5", "4"]
    assert texts(memory, newest_first=True, after=4, limit=3) == ["3", "2", "1"]


def test_names_may_be_any_text_and_are_found_as_given(memory: Memory) -> None:
    for thread in ("a\0b", "half \ud83d", "emoji 👩‍👩‍👧", "x" * 1_500, "' OR 1=1 --"):
        memory.record([{"role": "user", "content": "hi", "id": thread}], scope=ANA, thread_id=thread)
        assert texts(memory, thread) == ["hi"]
        assert memory.forget(thread, scope=ANA, thread_id=thread).retired
        assert memory.erase(scope=ANA, thread_id=thread).counts["messages"] == 1
    assert memory.sessions(scope=ANA) == []


@pytest.mark.parametrize("thread", ["", "  ", None, 7, "漢" * 700])
def test_a_thread_id_that_names_nothing_is_refused(memory: Memory, thread: object) -> None:
    with pytest.raises(InvalidInput, match="thread_id"):
        memory.record(["hi"], scope=ANA, thread_id=thread)
    assert memory.sessions(scope=ANA) == []


def test_an_endless_message_id_is_refused_and_nothing_is_written(memory: Memory) -> None:
    with pytest.raises(MessageError, match="message 1 takes more than 2,000 bytes"):
        memory.record(named(("1", "a"), ("x" * 2_001, "b")), scope=ANA, thread_id="t")
    with pytest.raises(NotFound):
        memory.entries("t", scope=ANA)


def test_nothing_to_record_makes_no_session(memory: Memory) -> None:
    assert memory.record([], scope=ANA, thread_id="t").added == ()
    assert memory.sessions(scope=ANA) == []
