"""What a command says is meant for a shell: paths in one piece, and advice in options and commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from langgraph_memory.errors import EmbeddingMismatch
from langgraph_memory.memory import Memory
from langgraph_memory.testing import HashEmbedder

LINE = '{"session": "s1", "role": "user", "text": "The heron nests by the lake."}\n'


@pytest.fixture
def started(run: Any) -> Any:
    assert run("add", "The heron nests by the lake.", "--scope", "ana", "--no-embed").code == 0
    return run


@pytest.mark.parametrize(
    ("command", "advice"),
    [
        (["consolidate", "-s", "ana"], "--model provider:name"),
        (["forget", "nowhere"], "--scope alice"),
        (["history", "nowhere"], "`langgraph-memory list`"),
        (["recall", " ", "-s", "ana"], "`langgraph-memory sessions`"),
        (["remember", "-s", "ana", "--model", "nobody"], "cannot be opened"),
        (["history", "nowhere", "--json"], "`langgraph-memory list`"),
    ],
)
def test_advice_is_given_in_the_words_of_the_command_line(
    started: Any, monkeypatch: pytest.MonkeyPatch, command: list[str], advice: str
) -> None:
    monkeypatch.delenv("LANGGRAPH_MEMORY_MODEL", raising=False)
    ran = started(*command)
    told = ran.stdout if "--json" in command else ran.stderr
    assert ran.code == 1 and advice in told
    assert "Memory(" not in told and "scope=(" not in told and "()" not in told


def test_another_embedder_is_told_what_the_command_line_can_do(run: Any, folder: Path) -> None:
    Memory(folder, embeddings=HashEmbedder()).close()
    with pytest.raises(EmbeddingMismatch):
        Memory(folder)
    ran = run("recall", "heron", "-s", "ana")
    assert ran.code == 1 and "use this memory from Python" in ran.stderr and "reindex=True" not in ran.stderr


def test_a_path_is_printed_in_one_piece_however_narrow_the_screen(run: Any, tmp_path: Path) -> None:
    file = tmp_path / ("a-folder-with-a-name-that-is-long-" * 3) / "demo conversations.jsonl"
    file.parent.mkdir()
    file.write_text(LINE, encoding="utf-8")
    ran = run("ingest", file, "-s", "ana", "--no-embed", columns=40)
    assert ran.code == 0 and str(file) in ran.stdout


def test_doctor_prints_paths_in_one_piece(started: Any, folder: Path) -> None:
    ran = started("doctor", columns=40)
    paths = [word for word in ran.stdout.split() if word.startswith(str(folder.parent))]
    assert all(Path(word.rstrip(".,:;)")).exists() for word in paths)
