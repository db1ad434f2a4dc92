from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command_line import Run

from langgraph_memory.retrieval.recipe import RECIPES


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """The README's example, with a category as long as some are."""
    rows = [
        {"session": "May", "date": "2025-05-01"},
        {"id": "a1", "speaker": "Ana", "text": "I keep bees."},
        {"id": "a2", "speaker": "Bob", "text": "I sail boats in Bergen."},
        {"question": "What does Ana keep?", "evidence": ["a1"], "category": "single-session-preference-of-a-person"},
        {"question": "Where are boats sailed?", "quotes": ["sail boats"]},
    ]
    path = tmp_path / "own.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


MEASURES = ["R@5", "R@10", "R@50", "MRR", "nDCG@10", "R@512", "R@1k", "R@2k", "hit@5"]


@pytest.mark.parametrize("columns", [60, 80, 100, 200])
def test_no_number_and_no_heading_is_cut_however_narrow_the_terminal(run: Run, questions: Path, columns: int) -> None:
    ran = run("evaluate", questions, "--recipe", "generative_agents", "--recipe", "lexical", columns=columns)
    assert ran.code == 0
    lines = ran.stdout.splitlines()[1:]  # the first says how it was filled, and may be as long as it likes
    assert all(len(line) <= columns for line in lines)
    words = " ".join(lines).split()
    numbers = [word for word in words if re.fullmatch(r"[-+]?[\d.,]+", word)]
    assert all(re.fullmatch(r"[-+]?\d\.\d{3}|\d+\.\d|\d|95", number) for number in numbers)
    for measure in MEASURES:
        assert words.count(measure) == 3  # once for each run, and once for their difference
    assert (sum(line.startswith("all ") for line in lines) == 2) == (columns == 200)  # a table for each run


def test_every_recipe_is_named_in_the_help(run: Run) -> None:
    for command in ("evaluate", "recall"):
        told = " ".join(re.sub("[│╭╰╮╯]", " ", run(command, "--help", columns=200).stdout).split())
        assert all(name in told for name in RECIPES)


def test_as_many_places_as_tokens_are_two_measures(run: Run, questions: Path) -> None:
    ran = run("evaluate", questions, "--k", 1, "--budget", 1, "--budget", 256, "--json", "-")
    assert ran.code == 0
    scores = ran.json["runs"][0]["groups"][0]["scores"]
    assert [name for name in ran.json["measures"] if name.startswith("R@")] == ["R@1", "R@1 tokens", "R@256"]
    assert (scores["R@1"]["mean"], scores["R@1 tokens"]["mean"], scores["R@256"]["mean"]) == (1.0, 0.0, 1.0)
