"""A file becomes memory once, whole, and comes back as it went out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from langgraph_memory import Memory
from langgraph_memory.errors import ImportFormatError
from langgraph_memory.flows.ingest import IngestReport
from langgraph_memory.sessions.recorder import LONGEST_NAME
from langgraph_memory.settings import Settings

QUIET = Settings(background=False)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "one", settings=QUIET) as opened:
        yield opened


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "two", settings=QUIET) as opened:
        yield opened


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def exported(memory: Memory, path: Path, scope: Any = "acme") -> list[dict[str, Any]]:
    memory.export(scope=scope, path=path)
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for row in rows:
        row.pop("exported_at", None)
        if row["type"] == "entry":
            row.pop("recorded_at")
    return rows


def counts(report: IngestReport) -> tuple[int, int, int, int, int, int]:
    return (
        report.sessions,
        report.messages_added,
        report.messages_skipped,
        report.memories_added,
        report.memories_skipped,
        len(report.refusals),
    )


def fill(memory: Memory) -> None:
    """Everything that an export can hold: tools, blocks, names, versions, forgotten and corrected things."""
    scope = ("acme", "alice")
    when = datetime(2025, 3, 1, 9, 30, tzinfo=UTC)
    memory.record(
        [
            {"role": "user", "content": "我搬到了成都。", "id": "m1", "name": "Alice"},
            {
                "role": "assistant",
                "content": None,
                "id": "m2",
                "tool_calls": [{"id": "c1", "function": {"name": "weather", "arguments": '{"city": "成都"}'}}],
            },
            {"role": "tool", "content": "18 °C", "tool_call_id": "c1", "id": "m3"},
            {"role": "user", "content": [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": "x"}]},
            {"role": "user", "content": "my number is 555-0199", "id": "m5"},
        ],
        scope=scope,
        thread_id="t1",
        observed_at=when,
    )
    memory.record([("user", "hello"), ("assistant", "ok"), ("assistant", "ok")], scope="acme", thread_id="t2")
    memory.record({"role": "user", "content": "draft", "id": "v"}, scope=scope, thread_id="t3")
    memory.forget("v", scope=scope)
    memory.record({"role": "user", "content": "final", "id": "v"}, scope=scope, thread_id="t3")
    memory.forget("m5", scope=scope)
    for text in ("one", "two", "three", "one"):  # an edit that was taken back
        memory.record({"role": "user", "content": text, "id": "w"}, scope=scope, thread_id="t4")
    memory.record({"role": "user", "content": "after it", "id": "z"}, scope=scope, thread_id="t4")
    memory.add("Alice likes tea.", scope=scope, evidence=["m1"], pinned=True, metadata={"a": [1, {"b": "ü\ud83d"}]})
    city = memory.add("Alice lives in Chengdu.", scope=scope, importance=0.5, valid_from=when).ids[0]
    memory.update(city, text="Alice lives in Oslo.", reason="she moved")
    gone = memory.add("Alice has a cat.", scope=scope, evidence=[city]).ids[0]
    memory.forget(gone, reason="wrong")


def test_an_export_comes_back_equal(memory: Memory, other: Memory, tmp_path: Path) -> None:
    fill(memory)
    before = exported(memory, tmp_path / "before.jsonl")
    report = other.ingest(tmp_path / "before.jsonl", scope="acme")
    assert (report.format, report.refusals) == ("jsonl", ())
    assert counts(report) == (4, 14, 0, 4, 0, 0)
    assert exported(other, tmp_path / "after.jsonl") == before
    assert sum("forgotten_at" in row for row in before) == 2
    assert [entry.text for entry in other.entries("t3", scope=("acme", "alice"))] == ["final"]
    assert [entry.text for entry in other.entries("t4", scope=("acme", "alice"))] == ["one", "after it"]
    assert [entry.text for entry in memory.entries("t4", scope=("acme", "alice"))] == ["one", "after it"]


def test_the_second_time_adds_nothing(memory: Memory, other: Memory, tmp_path: Path) -> None:
    fill(memory)
    before = exported(memory, tmp_path / "before.jsonl")
    other.ingest(tmp_path / "before.jsonl", scope="acme")
    assert counts(other.ingest(tmp_path / "before.jsonl", scope="acme")) == (4, 0, 14, 0, 4, 0)
    assert exported(other, tmp_path / "after.jsonl") == before


def test_what_a_person_restored_stays_restored(memory: Memory, other: Memory, tmp_path: Path) -> None:
    fill(memory)
    memory.export(scope="acme", path=tmp_path / "x.jsonl")
    other.ingest(tmp_path / "x.jsonl", scope="acme")
    other.restore("m5", scope="acme")
    other.ingest(tmp_path / "x.jsonl", scope="acme")
    assert "my number is 555-0199" in [entry.text for entry in other.entries("t1", scope=("acme", "alice"))]


def test_an_interrupted_run_is_made_good(memory: Memory, other: Memory, tmp_path: Path) -> None:
    fill(memory)
    before = exported(memory, tmp_path / "before.jsonl")

    def interrupt(report: IngestReport) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        other.ingest(tmp_path / "before.jsonl", scope="acme", on_progress=interrupt)
    assert len(other.sessions(scope="acme")) == 1
    other.ingest(tmp_path / "before.jsonl", scope="acme")
    assert exported(other, tmp_path / "after.jsonl") == before


def test_a_forgotten_message_is_not_recalled(memory: Memory, other: Memory, tmp_path: Path) -> None:
    fill(memory)
    memory.export(scope="acme", path=tmp_path / "x.jsonl")
    other.ingest(tmp_path / "x.jsonl", scope="acme")
    answer = other.recall("what is my number?", scope="acme")
    assert answer.hits and "555-0199" not in answer.block
    assert all("555-0199" not in hit.text for hit in answer.hits)
    (entry,) = [e for e in other.entries("t1", scope=("acme", "alice"), include_history=True) if e.message_id == "m5"]
    assert "forgotten_at" not in entry.extra and entry.retired_at is not None


def test_another_scope_keeps_the_scopes_inside_apart(memory: Memory, other: Memory, tmp_path: Path) -> None:
    fill(memory)
    memory.export(scope="acme", path=tmp_path / "x.jsonl")
    other.ingest(tmp_path / "x.jsonl", scope=("copy", "of"))
    places = {(session.scope.segments, session.session_id) for session in other.sessions(scope="copy")}
    assert places == {
        (("copy", "of", "alice"), "t1"),
        (("copy", "of"), "t2"),
        (("copy", "of", "alice"), "t3"),
        (("copy", "of", "alice"), "t4"),
    }
    assert {record.scope.segments for record in other.list(scope="copy")} == {("copy", "of", "alice")}


def test_a_memory_kept_elsewhere_is_refused_and_said(memory: Memory, tmp_path: Path) -> None:
    fill(memory)
    memory.export(scope="acme", path=tmp_path / "x.jsonl")
    report = memory.ingest(tmp_path / "x.jsonl", scope="copy")
    assert counts(report) == (4, 14, 0, 0, 0, 4)
    assert "acme / alice already" in report.refusals[0].reason and report.refusals[0].line == 16


def test_lines_without_ids_are_taken_once_also_where_conversations_take_turns(memory: Memory, tmp_path: Path) -> None:
    rows = [{"session": s, "role": "user", "content": text} for text in ("yes", "yes", "no", "yes") for s in "ab"]
    path = lines(tmp_path / "chat.jsonl", *rows)
    assert counts(memory.ingest(path, scope="x"))[:3] == (2, 8, 0)
    assert counts(memory.ingest(path, scope="x"))[:3] == (2, 0, 8)
    assert [entry.text for entry in memory.entries("a", scope="x")] == ["yes", "yes", "no", "yes"]
    lines(path, *rows, {"session": "a", "role": "user", "content": "more"})
    assert counts(memory.ingest(path, scope="x"))[:3] == (2, 1, 8)


def test_what_was_recorded_live_is_not_taken_again(memory: Memory, tmp_path: Path) -> None:
    memory.record([("user", "hi"), ("assistant", "hello")], scope="x", thread_id="chat")
    path = lines(tmp_path / "chat.jsonl", *({"role": r, "content": t} for r, t in (("user", "hi"), ("ai", "hello"))))
    assert counts(memory.ingest(path, scope="x"))[:3] == (1, 0, 2)


def test_the_same_words_on_another_day_are_other_words(memory: Memory, tmp_path: Path) -> None:
    for day in (1, 2):
        path = lines(tmp_path / "log.jsonl", {"role": "user", "content": "hi", "observed_at": f"2026-01-0{day}"})
        assert memory.ingest(path, scope="x").messages_added == 1


def test_refusals_have_lines_and_the_rest_is_taken(memory: Memory, tmp_path: Path) -> None:
    path = lines(
        tmp_path / "chat.jsonl",
        {"role": "user", "content": "one"},
        "{broken",
        {"role": "user", "content": "two"},
        {"type": "memory", "text": "No id."},
        {"role": "user", "content": "three", "id": "x" * (LONGEST_NAME + 1)},
        {"type": "memory", "id": "n", "text": 5, "kind": "fact", "actor": "user", "valid_from": "once"},
    )
    report = memory.ingest(path, scope="x")
    assert report.messages_added == 2
    by_line = {refusal.line: refusal.reason for refusal in report.refusals}
    assert set(by_line) == {2, 4, None, 6}
    assert "id: Field required" in by_line[4]
    assert "text: Input should be a valid string" in by_line[6] and "valid_from" in by_line[6]


def test_an_edited_memory_line_counts_as_what_it_says_now(memory: Memory, other: Memory, tmp_path: Path) -> None:
    memory.add("Alice likes tea.", scope="acme")
    memory.export(scope="acme", path=tmp_path / "x.jsonl")
    text = (tmp_path / "x.jsonl").read_text("utf-8").replace("tea", "coffee")
    (tmp_path / "x.jsonl").write_text(text, "utf-8")
    other.ingest(tmp_path / "x.jsonl", scope="acme")
    assert other.add("Alice likes coffee!", scope="acme").reinforced
    assert not other.add("Alice likes tea.", scope="acme").reinforced


@pytest.mark.parametrize("blank", ["  ", "\u200b"])
def test_a_memory_line_edited_to_nothing_is_refused(memory: Memory, other: Memory, tmp_path: Path, blank: str) -> None:
    memory.add("Alice likes tea.", scope="acme")
    memory.export(scope="acme", path=tmp_path / "x.jsonl")
    text = (tmp_path / "x.jsonl").read_text("utf-8").replace("Alice likes tea.", blank)
    (tmp_path / "x.jsonl").write_text(text, "utf-8")
    assert [refusal.reason for refusal in other.ingest(tmp_path / "x.jsonl", scope="acme").refusals] == [
        "This memory line cannot be read: its text is blank."
    ]
    assert list(other.list(scope="acme")) == []


def test_a_memory_said_by_another_live_one_is_skipped(memory: Memory, other: Memory, tmp_path: Path) -> None:
    memory.add("Alice likes tea.", scope="acme")
    memory.export(scope="acme", path=tmp_path / "x.jsonl")
    other.add("alice likes tea", scope="acme")
    assert counts(other.ingest(tmp_path / "x.jsonl", scope="acme")) == (0, 0, 0, 0, 1, 0)


def test_wrong_files_and_formats_are_errors(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(ImportFormatError, match="no such file"):
        memory.ingest(tmp_path / "none.json", scope="x")
    with pytest.raises(ImportFormatError, match="no format 'pdf'"):
        memory.ingest(lines(tmp_path / "a.jsonl", {"role": "user", "content": "x"}), scope="x", format="pdf")


async def test_the_async_twin_reports_progress(memory: Memory, tmp_path: Path) -> None:
    rows = [{"session": s, "role": "user", "content": "hi"} for s in "abc"]
    seen: list[int] = []
    report = await memory.aingest(
        lines(tmp_path / "c.jsonl", *rows), scope="x", on_progress=lambda so_far: seen.append(so_far.messages_added)
    )
    assert (report.messages_added, seen) == (3, [1, 2, 3])


def test_an_export_taken_back_into_the_store_it_came_from_adds_nothing(tmp_path: Path) -> None:
    from datetime import UTC, datetime

    from langgraph_memory import Memory, Settings
    from langgraph_memory.testing import HashEmbedder

    with Memory(tmp_path / "m", embeddings=HashEmbedder(), settings=Settings(background=False)) as memory:
        moment = datetime(2026, 1, 1, tzinfo=UTC)
        memory.record([("user", "yes"), ("user", "yes")], scope="a", thread_id="untimed")
        memory.record([("user", "yes"), ("assistant", "no")], scope="a", thread_id="timed", observed_at=moment)
        memory.record([{"role": "user", "content": "hi", "id": "m1"}], scope="a", thread_id="named")
        memory.export(scope="a", path=tmp_path / "out.jsonl")
        report = memory.ingest(tmp_path / "out.jsonl", scope="a")
        assert (report.messages_added, report.messages_skipped, report.refusals) == (0, 5, ())
