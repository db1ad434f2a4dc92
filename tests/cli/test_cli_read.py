"""The reading commands show what is there, to people and to programs, and never make a store."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Run

from langgraph_memory.cli.output import plain, printable

SCOPE = ("-s", "acme", "-s", "ana")
READING = (
    ("recall", "bees", *SCOPE),
    ("show", "t1", *SCOPE),
    ("sessions", *SCOPE),
    ("list", *SCOPE),
    ("history", "some-id"),
    ("export", "-", *SCOPE),
    ("forget", "some-id"),
    ("restore", "some-id"),
    ("erase", "--yes", *SCOPE),
    ("doctor",),
    ("reindex",),
)


@pytest.mark.parametrize("command", READING, ids=lambda command: command[0])
def test_a_folder_without_a_memory_is_an_error_and_stays_so(run: Run, folder: Path, command: tuple[str, ...]) -> None:
    ran = run(*command)
    assert ran.code == 1 and ran.stdout == ""
    assert str(folder) in ran.stderr and "ingest" in ran.stderr and "demo" in ran.stderr
    assert not folder.exists()


@pytest.mark.parametrize(
    "command", [("recall", "x"), ("show", "t1"), ("sessions",), ("list",), ("add", "x"), ("erase",), ("export", "-")]
)
def test_a_missing_scope_is_a_usage_error(filled: Run, command: tuple[str, ...]) -> None:
    ran = filled(*command)
    assert ran.code == 2 and "--scope" in ran.stderr
    if command[0] != "export":
        ran = filled(*command, "--json")
        assert ran.code == 2 and "LANGGRAPH_MEMORY_SCOPE" in ran.json["error"]["message"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("recall", "x", *SCOPE, "--as-of", "garbage"), "'--as-of': it is not a date that can be read as ISO 8601"),
        (("recall", "x", *SCOPE, "--limit", "0"), "'--limit'"),
        (("recall", "x", *SCOPE, "--limit", "many"), "'--limit'"),
        (("recall", "x", *SCOPE, "--wrong"), "No such option: --wrong"),
        (("recall",), "Missing argument"),
        (("recall", "x", "y", *SCOPE), "unexpected extra argument"),
        (("conjure", "x"), "No such command 'conjure'"),
        (("--wrong", "recall", "x"), "No such option: --wrong"),
        (("sessions", "--scope"), "requires an argument"),
        (("export", "-", *SCOPE), "leave --json out"),
        (("recall", "x"), "LANGGRAPH_MEMORY_SCOPE"),
    ],
)
def test_a_usage_error_is_a_json_document_for_programs(filled: Run, command: tuple[str, ...], said: str) -> None:
    ran = filled(command[0], "--json", *command[1:]) if command[-1] == "--scope" else filled(*command, "--json")
    assert ran.code == 2
    assert ran.json["error"]["type"] == "UsageError" and said in ran.json["error"]["message"]
    assert set(ran.json) == {"error"} and ran.stderr


def test_a_usage_error_is_no_document_for_people(filled: Run) -> None:
    for command in (("conjure",), ("recall", "x", *SCOPE, "--limit", "0"), ("add", *SCOPE, "--wrong", "--", "--json")):
        ran = filled(*command)
        assert (ran.code, ran.stdout) == (2, "") and ran.stderr


def test_the_environment_names_the_scope(filled: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGGRAPH_MEMORY_SCOPE", "acme/ana")
    assert filled("sessions", "--json").json["sessions"][0]["scope"] == ["acme", "ana"]
    assert filled("sessions", "--json", "-s", "nobody").json == {"sessions": []}


def test_recall_for_people(filled: Run) -> None:
    ran = filled("recall", "how many hives are there in Ghent, and which dentist?", *SCOPE, "--recipe", "lexical")
    assert ran.code == 0
    assert "Ana, 2025-04-01, session t1" in ran.stdout and "Seven hives." in ran.stdout and "score" in ran.stdout
    assert "Not found: dentist" in ran.stdout
    assert "\x1b" not in ran.stdout


def test_recall_for_programs(filled: Run) -> None:
    document = filled("recall", "hives", *SCOPE, "--limit", "1", "--budget", "500", "--json").json
    assert set(document) == {"query", "hits", "block", "gaps", "tokens", "notes", "usage", "seconds"}
    (hit,) = document["hits"]
    assert hit["session_id"] == "t1" and hit["scope"] == ["acme", "ana"] and set(hit["signals"])
    assert 0 < document["tokens"] <= 500


def test_recall_prints_only_the_block(filled: Run) -> None:
    ran = filled("recall", "hives", *SCOPE, "--block", "--recipe", "lexical")
    assert ran.stdout.startswith("<memory-context>") and ran.stdout.endswith("</memory-context>\n")
    assert filled("recall", "hives", "-s", "nobody", "--block").stdout == ""


def test_recall_explains_its_scores(filled: Run) -> None:
    ran = filled("recall", "hives", *SCOPE, "--explain")
    assert "raw signal" in ran.stdout and "lexical" in ran.stdout and "dense" in ran.stdout
    for recipe, shares in (("composite", "recency"), ("generative_agents", "relevance"), ("mem0", "bm25")):
        assert shares in filled("recall", "hives", *SCOPE, "--explain", "--recipe", recipe, columns=140).stdout


def test_recall_passes_its_options_on(filled: Run) -> None:
    def found(*options: str) -> list[str]:
        return [hit["id"] for hit in filled("recall", "hives", *SCOPE, "--json", *options).json["hits"]]

    assert set(found("--role", "assistant")) <= {"m2", "m5"}
    assert found("--kind", "fact") == []
    assert found("--known-at", "2000-01-01") == []
    assert found("--as-of", "2030-01-01", "--history")
    assert found("--before", "2000-01-01") == [] and found("--after", "2000-01-01") == found()
    assert found("--min-score", "2") == [] and found("--deep") == found("--private")
    assert filled("recall", "x", *SCOPE, "--recipe", "magic").code == 1
    assert filled("recall", "x", *SCOPE, "--as-of", "once").code == 2
    assert filled("recall", "x", *SCOPE, "--limit", "0").code == 2


def test_chinese_wraps_by_its_width(filled: Run, tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_text(json.dumps({"session": "zh", "text": "我搬到了成都的一个小公寓里" * 6}), "utf-8")
    filled("ingest", path, *SCOPE, "--no-embed")
    ran = filled("recall", "成都", *SCOPE, "--recipe", "lexical", columns=40)
    body = [line for line in ran.stdout.splitlines() if "公寓" in line]
    assert len(body) > 2 and all(len(line.strip()) * 2 + 3 <= 40 for line in body)


def test_show_and_sessions(filled: Run) -> None:
    ran = filled("show", "t1", *SCOPE)
    assert ran.code == 0 and ran.stdout.index("I keep bees") < ran.stdout.index("Seven hives")
    document = filled("show", "t1", "-s", "acme", "--json", "--last", "2").json  # found inside the scope
    assert document["scope"] == ["acme", "ana"] and [line["message_id"] for line in document["entries"]] == ["m2", "m3"]
    assert [item["session_id"] for item in filled("sessions", "-s", "acme", "--json").json["sessions"]] == ["t2", "t1"]
    ran = filled("show", "t9", *SCOPE, "--json")
    assert ran.code == 1 and ran.json["error"]["type"] == "NotFound"


def test_a_session_that_several_scopes_have_must_be_named(filled: Run, chat: Path) -> None:
    filled("ingest", chat, "-s", "acme", "-s", "bob", "--no-embed")
    ran = filled("show", "t1", "-s", "acme")
    assert ran.code == 1 and "acme / ana; acme / bob" in ran.stderr


def test_show_marks_what_was_forgotten(filled: Run) -> None:
    filled("forget", "m3", *SCOPE)
    assert "Seven" not in filled("show", "t1", *SCOPE).stdout
    assert "forgotten" in filled("show", "t1", *SCOPE, "--history").stdout


def test_export_to_stdout(filled: Run) -> None:
    ran = filled("export", "-", *SCOPE)
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    assert lines[0]["type"] == "header" and len(lines) == 6
    assert "5 messages and 0 memories" in ran.stderr
    assert filled("export", "-", *SCOPE, "--json").code == 2


def test_export_to_a_place_that_is_none(filled: Run, tmp_path: Path) -> None:
    ran = filled("export", tmp_path / "no" / "where.jsonl", *SCOPE)
    assert ran.code == 1 and ran.stderr.startswith("error: Cannot write the export")


def test_recorded_text_cannot_command_the_terminal(filled: Run, tmp_path: Path) -> None:
    path = tmp_path / "evil.jsonl"
    path.write_text(json.dumps({"session": "e", "text": "\x1b[2J\x9b31m :smile: [bold]x[/bold]"}), "utf-8")
    filled("ingest", path, *SCOPE, "--no-embed")
    shown = filled("show", "e", *SCOPE).stdout
    assert "\x1b" not in shown and "\x9b" not in shown and ":smile: [bold]x[/bold]" in shown
    assert printable("a\tb\n\u202ec é 家") == "a\tb\n\u202ec é 家"


def test_plain_leaves_nothing_that_json_does_not_know() -> None:
    assert plain({1: (None, True, 0.5)}) == {"1": [None, True, 0.5]}


def test_a_real_process_writes_json_in_any_locale(filled: Run, folder: Path) -> None:
    command = [sys.executable, "-m", "langgraph_memory.cli.app", "show", "t2", "-m", str(folder), *SCOPE]
    environment = {"PATH": "/usr/bin:/bin", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*command, "--json"], capture_output=True, env=environment, check=True)
    assert json.load(io.BytesIO(done.stdout))["entries"][0]["text"] == "我在学中文。"
    assert subprocess.run(command, capture_output=True, env=environment, check=True).stdout.isascii()


def test_help_is_quick_and_lists_every_command() -> None:
    program = "import sys; from langgraph_memory.cli.app import main; sys.argv = ['x', '--help']\ntry: main()\n"
    program += "except SystemExit: print([m for m in ('chromadb', 'onnxruntime', 'langchain') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.rstrip().endswith("[]")
    commands = "demo ingest recall show sessions list add history forget restore erase export doctor reindex"
    assert [name for name in commands.split() if f" {name} " not in done.stdout] == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")
@pytest.mark.parametrize(
    "command", [("recall", "bees", "--json"), ("recall", "bees"), ("doctor", "--json"), ("--help",)], ids=" ".join
)
def test_output_that_cannot_be_written_is_one_line(
    run: Run, folder: Path, chat: Path, command: tuple[str, ...]
) -> None:
    run("ingest", chat, *SCOPE, "--no-embed")
    where = SCOPE if command[0] == "recall" else ()
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "langgraph_memory.cli.app", *command, *where],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ran.returncode == 1
    assert ran.stderr.splitlines() == ["error: the output cannot be written: No space left on device"]


def test_a_server_that_is_away_changes_nothing_where_the_search_is_exact(run: Run, chat: Path) -> None:
    """A small scope is searched from SQL with or without the index; `doctor` is what tests a server."""
    run("ingest", chat, *SCOPE)
    away = ("--chroma", "http://localhost:1")
    here, there = run("recall", "bees", *SCOPE, "--json").json, run("recall", "bees", *SCOPE, *away, "--json").json
    assert [hit["text"] for hit in there["hits"]] == [hit["text"] for hit in here["hits"]] != []
    assert there["notes"] == []
    assert "does not answer" in run("doctor", *away).stdout.replace("\n", " ")
