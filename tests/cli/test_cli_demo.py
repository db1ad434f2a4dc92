"""The demo shows memory surviving its process, in a folder that it clears away."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from command_line import Run

from langgraph_memory.cli import demo


def test_end_to_end_in_real_processes(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    command = [sys.executable, "-m", "langgraph_memory.cli.app", "demo", "--memory", str(folder), "--json"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    document = json.loads(done.stdout)
    assert document["kept"] and (folder / "memory.sqlite3").is_file()
    assert (document["ingest"]["sessions"], document["ingest"]["messages_added"]) == (2, 24)
    assert document["ingest"]["refusals"] == [] and document["embedding"]["reason"] is None
    city, price, dish, dentist = document["questions"]
    assert "Porto" in city["evidence"]["text"]
    assert "48 euros" in price["evidence"]["text"]
    assert "麻婆豆腐" in dish["evidence"]["text"]
    assert [asked["gaps"] for asked in (city, price, dish)] == [[], [], []]
    assert dentist["gaps"] == ["dentist"]
    assert all(0 < asked["tokens"] <= 1024 and asked["seconds"] > 0 for asked in document["questions"])


def _canned(question: str, folder: str, chroma: str | None) -> demo.Asked:
    hit = {"text": "I moved to Porto.", "speaker": "Mia", "said_at": "2025-11-15T10:30:00", "session_id": "autumn"}
    return demo.Asked(question, hit, ("dentist",) if "dentist" in question else (), 120, 0.3, 1.2)


def test_what_a_newcomer_reads(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(demo, "ask", _canned)
    ran = run("demo")
    assert ran.code == 0
    for words in ("Two conversations", "I moved to Porto.", "Nobody mentioned 'dentist'", "from langgraph_memory"):
        assert words in ran.stdout
    assert list(tmp_path.glob("langgraph-memory-demo-*")) == []
    kept = run("demo", "--keep", "--json").json
    assert kept["kept"] and [str(path) for path in tmp_path.glob("langgraph-memory-demo-*")] == [kept["folder"]]


def test_the_snippet_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    exec(demo.SNIPPET, {})
    assert "I moved to Porto." in capsys.readouterr().out


def test_a_process_that_fails_is_an_error_of_ours(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "QUESTIONS", ("",))
    ran = run("demo", "--json")
    assert ran.code == 1 and "The query is empty" in ran.json["error"]["message"]
