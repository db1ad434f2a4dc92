"""A command line to call in-process, with a clean environment and two short conversations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Ran, Run
from typer.testing import CliRunner

from langgraph_memory.cli.app import app


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command on the folder of this test; what is no text becomes text."""
    monkeypatch.setenv("LANGGRAPH_MEMORY", str(folder))
    monkeypatch.delenv("LANGGRAPH_MEMORY_SCOPE", raising=False)
    monkeypatch.setenv("COLUMNS", "100")

    def call(*arguments: object, stdin: str | None = None, columns: int = 100) -> Ran:
        monkeypatch.setenv("COLUMNS", str(columns))
        result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Ran(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    """Five lines in two conversations, of which the last line of the file is broken."""
    rows = [
        {"session": "t1", "id": "m1", "speaker": "Ana", "text": "I keep bees in Ghent.", "timestamp": "2025-04-01"},
        {"session": "t1", "id": "m2", "role": "assistant", "text": "How many hives?", "timestamp": "2025-04-01"},
        {"session": "t1", "id": "m3", "speaker": "Ana", "text": "Seven hives.", "timestamp": "2025-04-01"},
        {"session": "t2", "id": "m4", "speaker": "Ana", "text": "我在学中文。", "timestamp": "2025-09-01"},
        {"session": "t2", "id": "m5", "role": "assistant", "text": "太好了！", "timestamp": "2025-09-01"},
    ]
    path = tmp_path / "chat.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows) + "{broken\n", "utf-8")
    return path


@pytest.fixture
def filled(run: Run, chat: Path) -> Run:
    """The same, after the conversations were taken in for acme / ana."""
    assert run("ingest", chat, "-s", "acme", "-s", "ana", "--no-embed").code == 0
    return run
