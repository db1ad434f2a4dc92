"""Every example runs offline as it is printed, and says what it promises."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

EXPECTED = {
    "two_lines.py": ("monday  assistant: I will remember.", "friday  assistant: Gyokuro, as you told me."),
    "tools_only.py": ("search_memory (call-1)", "It is called fjord."),
    "distil.py": (
        "  added: I am allergic to nuts.",
        "  restored: Alice moved from Porto to Oslo.",
        "Known: ['I am allergic to nuts.', 'Alice moved from Porto to Oslo.']",
    ),
    "many_users.py": (
        "acme/bob: What is my door code?  ->  Hm.",
        "globex/alice: What is my door code?  ->  Hm.",
        "acme/alice: What is my door code?  ->  It is 4711.",
        "erased: 4 messages",
    ),
    "review_before_saving.py": ("saved so far:  []", "saved now:     ['Alice may move to Oslo next year.']"),
    "own_store.py": ("to read:  ['Momo']", "by meaning: momo", "memories: ['Alice reads on the train.']"),
    "openai_agents.py": ("continued: On platform 4.", "recalled:  My train leaves from platform 4."),
    "claude_agent.py": (
        "session:  We deploy on Thursdays, never on Fridays. (fork)",
        "messages: 2",
        "recalled: ['We deploy on Thursdays, never on Fridays.']",
    ),
    "hand_built_graph.py": ("assistant: At 7:40.", "recalled:  ['My train leaves at 7:40.'", "recorded:  2 messages"),
}


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.py")))
def test_runs_offline(name: str, tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "MODEL" and not key.endswith("_API_KEY")}
    run = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore::DeprecationWarning:chromadb.*", str(EXAMPLES / name)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    for line in EXPECTED.get(name, ()):
        assert line in run.stdout
    assert not run.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < 60
