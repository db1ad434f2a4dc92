"""`ingest` takes a file once and says what became of every line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import Run

from langgraph_memory import Memory

SCOPE = ("-s", "acme", "-s", "ana")


def test_it_reports_what_was_added_and_refused_by_line(run: Run, chat: Path) -> None:
    ran = run("ingest", chat, *SCOPE, "--no-embed")
    assert ran.code == 0
    assert "read as jsonl: 2 sessions" in ran.stdout.replace("\n", " ")
    assert "Refused: 1" in ran.stdout and "line 6" in ran.stdout and "It is no JSON" in ran.stdout
    assert "Not embedded yet" in ran.stderr


def test_json_is_one_document(run: Run, chat: Path) -> None:
    ran = run("ingest", chat, *SCOPE, "--json")
    assert ran.code == 0
    document = ran.json
    (refusal,) = document.pop("refusals")
    assert (refusal["line"], refusal["skipped"]) == (6, False)
    assert document == {
        "path": str(chat),
        "format": "jsonl",
        "sessions": 2,
        "messages_added": 5,
        "messages_skipped": 0,
        "memories_added": 0,
        "memories_skipped": 0,
        "scope": ["acme", "ana"],
        "embedding": {"embedded": 5, "indexed": 5, "left": {}, "reason": None, "linked": 0},
    }


def test_the_second_time_adds_nothing(filled: Run, chat: Path) -> None:
    document = filled("ingest", chat, *SCOPE, "--json", "--no-embed").json
    assert (document["messages_added"], document["messages_skipped"], document["embedding"]) == (0, 5, None)


def test_only_the_first_twenty_refusals_are_in_the_table(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"role": "user", "content": "fine"}\n' + "{broken\n" * 30, "utf-8")
    ran = run("ingest", path, "-s", "x", "--no-embed")
    assert "and 10 more" in ran.stdout and "line 21" in ran.stdout and "line 22" not in ran.stdout
    assert len(run("ingest", path, "-s", "x", "--no-embed", "--json").json["refusals"]) == 30


def test_a_wrong_file_leaves_no_memory_behind(run: Run, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("Dear diary, nothing happened.", "utf-8")
    for arguments in ((tmp_path / "none.json",), (tmp_path / "note.txt",), (tmp_path / "note.txt", "-f", "pdf")):
        ran = run("ingest", *arguments, "-s", "x", "--json")
        assert ran.code == 1 and ran.json["error"]["type"] == "ImportFormatError"
        assert ran.stderr.startswith("error: ") and ran.stderr.count("\n") == 1
    assert not folder.exists()


def test_a_format_that_the_file_is_not_in(filled: Run, chat: Path) -> None:
    ran = filled("ingest", chat, *SCOPE, "--format", "chatgpt")
    assert ran.code == 1 and "not in the format chatgpt" in ran.stderr


def test_export_and_ingest_are_inverse(filled: Run, run: Run, tmp_path: Path) -> None:
    filled("add", "Ana has seven hives.", *SCOPE, "--no-embed")
    gone = filled("add", "Ana has six hives.", *SCOPE, "--no-embed", "--json").json["added"][0]["id"]
    assert filled("forget", gone, "--reason", "miscounted").code == 0
    assert filled("forget", "m2", *SCOPE).code == 0
    first, second, copy = tmp_path / "1.jsonl", tmp_path / "2.jsonl", tmp_path / "copy"
    assert filled("export", first, "-s", "acme", "--json").json == {"path": str(first), "messages": 5, "memories": 2}
    taken = run("ingest", first, "-s", "acme", "-m", copy, "--no-embed", "--json").json
    assert (taken["messages_added"], taken["memories_added"], taken["refusals"]) == (5, 2, [])
    again = run("ingest", first, "-s", "acme", "-m", copy, "--no-embed", "--json").json
    assert (again["messages_skipped"], again["memories_skipped"]) == (5, 2)
    assert run("export", second, "-s", "acme", "-m", copy).code == 0
    assert _lines(second) == _lines(first)
    assert sum("forgotten_at" in line for line in _lines(first)) == 1


def _lines(path: Path) -> list[dict[str, object]]:
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for line in lines:
        line.pop("exported_at", None)
        if line["type"] == "entry":
            line.pop("recorded_at")
    return lines


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
def test_ctrl_c_leaves_what_was_recorded_and_says_so(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "long.jsonl"
    rows = ({"session": f"s{n}", "role": "user", "content": f"line {n}"} for n in range(20_000))
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    command = [sys.executable, "-m", "langgraph_memory.cli.app", "ingest", str(path), "-m", str(folder), "-s", "x"]
    process = subprocess.Popen(
        [*command, "--no-embed", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a job in the background ignores it
    )
    with Memory(folder) as memory:
        deadline = time.monotonic() + 60
        while not memory.sessions(scope="x", limit=1) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
        recorded = len(memory.sessions(scope="x", limit=50_000))
    assert process.returncode == 130
    assert 0 < recorded < 20_000
    said = json.loads(stdout)["error"]
    assert said["type"] == "Interrupted" and said["message"] in stderr and "Traceback" not in stderr
    assert f"{recorded:,} messages" in said["message"] or f"{recorded - 1:,} messages" in said["message"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system")
def test_a_pipe_or_a_device_is_refused_at_once(run: Run, tmp_path: Path, folder: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", Path(os.devnull), Path("/dev/zero")):
        ran = run("ingest", place, *SCOPE)
        assert ran.code == 1
        assert ran.stderr.splitlines() == [
            f"error: {place}: this is no regular file but a pipe or a device. Save it to a file first."
        ]
    assert not folder.exists()
