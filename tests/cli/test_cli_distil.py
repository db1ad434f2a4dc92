"""The distilling commands draw memories, say how to take them back, and name what they mention."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Run

from langgraph_memory import Memory
from langgraph_memory.testing import ScriptedChatModel

SCOPE = ("-s", "acme", "-s", "ana")


@pytest.fixture(autouse=True)
def said(folder: Path) -> None:
    with Memory(folder) as memory:
        memory.record([("user", "My sister Zoe lives in Oslo. What time is it?")], scope=("acme", "ana"), thread_id="t")


def test_remember_by_rule_and_undo(run: Run) -> None:
    ran = run("remember", *SCOPE)
    assert ran.code == 0 and "Added: My sister Zoe lives in Oslo." in ran.stdout
    batch = ran.stderr.rpartition("langgraph-memory undo ")[2].split()[0]
    assert [entity["name"] for entity in run("entities", *SCOPE, "--json").json["entities"]] == ["Zoe", "Oslo"]
    assert "1  Zoe" in run("entities", *SCOPE).stdout
    assert "nothing new to read" in run("remember", *SCOPE).stderr
    assert run("undo", batch, "--json").json["retired"][0]["reason"] == "undone"
    assert run("list", *SCOPE, "--json").json == {"memories": []}
    assert "mentions a name" in run("entities", *SCOPE).stdout
    missing = run("undo", "nothing", "--json")
    assert missing.code == 1 and missing.json["error"]["type"] == "NotFound"


def test_remember_and_consolidate_with_a_model(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    model = ScriptedChatModel([json.dumps({"memories": [{"text": "Ana's sister Zoe lives in Oslo."}]})])
    monkeypatch.setattr("langchain.chat_models.init_chat_model", lambda name: model)
    report = run("remember", *SCOPE, "--model", "openai:any", "--no-embed", "--json").json
    assert ([outcome["text"] for outcome in report["added"]], report["usage"]["calls"]) == (
        ["Ana's sister Zoe lives in Oslo."],
        1,
    )
    assert run("consolidate", *SCOPE, "--model", "openai:any", "--json").json["usage"]["calls"] == 0
    model.assert_exhausted()


def test_the_environment_may_name_a_model_of_ones_own(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / "models.py"
    made.write_text(
        "from langgraph_memory.testing import ScriptedChatModel\n"
        'chat = ScriptedChatModel([\'{"memories": ["Zoe lives in Oslo."]}\'])\n',
        encoding="utf-8",
    )
    monkeypatch.setenv("LANGGRAPH_MEMORY_MODEL", f"{made}:chat")
    assert [one["text"] for one in run("remember", *SCOPE, "--no-embed", "--json").json["added"]] == [
        "Zoe lives in Oslo."
    ]
    for named, why in ((f"{made}:other", "no chat model 'other'"), ("./gone.py:chat", "file that is not there")):
        monkeypatch.setenv("LANGGRAPH_MEMORY_MODEL", named)
        ran = run("remember", *SCOPE)
        assert ran.code == 1 and why in ran.stderr


def test_consolidate_needs_a_model(run: Run) -> None:
    ran = run("consolidate", *SCOPE)
    assert ran.code == 1 and "needs a chat model" in ran.stderr
