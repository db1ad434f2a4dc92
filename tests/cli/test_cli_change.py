"""The changing commands do one thing, say what they did, and ask before they destroy."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Run

from langgraph_memory.maintenance import doctor

SCOPE = ("-s", "acme", "-s", "ana")


def added(run: Run, text: str) -> str:
    return str(run("add", text, *SCOPE, "--no-embed", "--json").json["added"][0]["id"])


def test_add_makes_the_folder_and_says_the_id(run: Run, folder: Path) -> None:
    ran = run("add", "Ana keeps bees.", *SCOPE, "--kind", "preference", "--pinned")
    assert ran.code == 0 and "Added: Ana keeps bees." in ran.stdout and folder.is_dir()
    (record,) = run("list", *SCOPE, "--json").json["memories"]
    assert (record["kind"], record["pinned"], record["id"] in ran.stdout) == ("preference", True, True)
    again = run("add", "ana keeps bees", *SCOPE)
    assert again.code == 0 and "once more" in again.stdout


def test_a_private_memory_is_recalled_by_its_actor(run: Run) -> None:
    run("add", "Ana hides the harbour key.", *SCOPE, "--private", "--actor", "ana", "--no-embed")
    run("add", "Everybody likes the harbour.", *SCOPE, "--no-embed")

    def found(*options: str) -> set[str]:
        ran = run("recall", "harbour", *SCOPE, *options, "--json")
        return {f"{hit['speaker']}: {hit['text']}" for hit in ran.json["hits"]}

    known = {"user: Everybody likes the harbour."}
    assert found() == found("--actor", "bob") == known
    assert found("--actor", "ana") == found("--private") == known | {"ana: Ana hides the harbour key."}
    assert "actor is blank" in run("recall", "harbour", *SCOPE, "--actor", " ").stderr


def test_the_history_says_who_did_it(run: Run) -> None:
    id = added(run, "Ana keeps bees.")
    (batch,) = run("forget", id, "--actor", "bob", "--json").json["batches"]
    run("undo", batch, "--actor", "eve")
    run("forget", id, "--actor", "bob")
    run("restore", id, "--actor", "ana")
    changes = run("history", id, "--json").json["changes"]
    assert [change["actor"] for change in changes] == ["user", "bob", "eve", "bob", "ana"]


def test_a_blank_memory_is_refused(run: Run) -> None:
    ran = run("add", "  ", *SCOPE)
    assert ran.code == 1 and "blank" in ran.stdout


def test_forget_restore_and_history(run: Run) -> None:
    id = added(run, "Ana keeps bees.")
    assert run("forget", id, "--reason", "sold them", "--json").json["retired"][0]["id"] == id
    assert run("list", *SCOPE, "--json").json == {"memories": []}
    assert "sold them" in run("list", *SCOPE, "--history").stdout
    assert "Nothing to do" in run("forget", id).stdout
    assert run("restore", id, *SCOPE).stdout.startswith("Restored")
    document = run("history", id, "--json").json
    assert (document["id"], [change["action"] for change in document["changes"]]) == (
        id,
        ["added", "retired", "restored"],
    )
    assert "retired by user: sold them" in run("history", id, *SCOPE).stdout


def test_ids_outside_the_scope_are_not_found(run: Run) -> None:
    id = added(run, "Ana keeps bees.")
    for command in ("forget", "restore", "history"):
        ran = run(command, id, "-s", "bob", "--json")
        assert ran.code == 1 and ran.json["error"]["type"] == "NotFound"


def test_a_message_in_two_conversations_needs_its_thread(filled: Run, chat: Path) -> None:
    filled("ingest", chat, "-s", "acme", "-s", "bob", "--no-embed")
    assert filled("forget", "m1", "-s", "acme").code == 1
    assert filled("forget", "m1", *SCOPE, "--thread", "t1").code == 0


def test_erase_asks_and_no_is_no(filled: Run) -> None:
    for answer in ("n\n", "\n", ""):
        ran = filled("erase", *SCOPE, stdin=answer)
        assert ran.code == 1 and "cannot be undone" in ran.stderr and "Nothing was erased" in ran.stderr
    assert filled("erase", *SCOPE, "--json", stdin="n\n").json["erased"] is False
    assert len(filled("sessions", *SCOPE, "--json").json["sessions"]) == 2


def test_erase_one_conversation_then_all(filled: Run) -> None:
    document = filled("erase", "-s", "acme", "--thread", "t1", "--yes", "--json").json
    assert document["erased"] and document["scope"] == ["acme", "ana"] and document["counts"]["messages"] == 3
    ran = filled("erase", "-s", "acme", stdin="y\n")
    assert ran.code == 0 and "2 messages" in ran.stdout
    assert "There was nothing" in filled("erase", "-s", "acme", "--yes").stdout
    assert filled("erase", "-s", "acme", "--thread", "t1", "--yes").code == 1


def test_doctor_and_reindex(filled: Run) -> None:
    ran = filled("doctor", "--json")
    assert ran.code == 0 and ran.json["healthy"] and "outbox" in [check["name"] for check in ran.json["checks"]]
    assert "langgraph-memory reindex" in filled("doctor").stdout
    assert filled("reindex", "--json").json == {"embedded": 5, "indexed": 5, "left": {}, "reason": None, "linked": 0}
    assert "nothing is owed" in filled("doctor").stdout


def test_doctor_fails_where_another_package_has_our_name(filled: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    owners = {"langgraph_memory": ["langgraph-memory-plugin", "langgraph-memory"]}
    monkeypatch.setattr(doctor, "packages_distributions", lambda: owners)
    ran = filled("doctor")
    assert ran.code == 1 and "problem" in ran.stdout and "pip uninstall" in ran.stdout
    assert filled("doctor", "--json").json["healthy"] is False


def test_a_damaged_database_is_one_line(run: Run, folder: Path) -> None:
    folder.mkdir()
    (folder / "memory.sqlite3").write_text("This is no database, though it is long enough to be one." * 100, "utf-8")
    ran = run("recall", "x", *SCOPE, "--json")
    assert ran.code == 1 and ran.json["error"]["type"] == "StorageError" and ran.stderr.count("\n") == 1
