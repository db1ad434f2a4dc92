"""What the README shows is run, and what it claims is what was measured."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from features import acceptance, readme_with, section

from langgraph_memory import Memory
from langgraph_memory.cli.app import app
from langgraph_memory.evaluation import load
from langgraph_memory.testing import ScriptedChatModel

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_first_block_runs_offline_as_it_stands_and_makes_an_agent_that_remembers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(BLOCKS[0], names)
    assert "For my afternoon tea I always take gyokuro." in capsys.readouterr().out
    names["model"].assert_exhausted()


def test_the_second_block_records_and_recalls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(BLOCKS[1], {})
    assert "mia" not in capsys.readouterr().err
    assert (tmp_path / "memory" / "memory.sqlite3").is_file()


def test_the_third_block_distils_corrects_and_takes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    model = ScriptedChatModel(['{"memories": [{"text": "Mia lives in Oslo."}]}', ScriptedChatModel.call("done")])
    names = {"Memory": Memory, "model": model}
    exec(BLOCKS[2].replace('"openai:gpt-5-mini"', "model"), names)
    assert "text='Mia lives in Oslo.'" in capsys.readouterr().out
    with Memory(tmp_path / "memory") as memory:
        assert memory.list(scope="mia") == []


def test_the_questions_of_your_own_are_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "my.json"
    path.write_text(README.split("```json\n")[1].split("```")[0], encoding="utf-8")
    data = load(path)
    (conversation,) = data.conversations
    said = {turn.id: turn.text for turn in conversation.turns}
    asked = {question.text: [said[id] for id in question.evidence] for question in conversation.questions}
    assert data.left_out == () and asked == {
        "What does Ana keep?": ["I keep bees in Ghent."],
        "Who asked about hives?": ["How many hives do you have?"],
    }


def test_every_command_is_listed() -> None:
    listed = re.search(r"^`(demo ingest [a-z ]+)`\.$", README, re.MULTILINE)
    assert listed is not None
    commands = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    assert set(listed[1].split()) == commands


def test_the_measured_section_is_the_generated_one() -> None:
    assert acceptance()
    assert readme_with(section()) == README, "run: python tests/features.py --write"


def test_the_files_it_links_to_exist() -> None:
    for link in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (Path(__file__).parents[1] / link).exists(), link
