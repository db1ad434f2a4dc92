"""Rows of the trustcall acceptance list from the outside: what `manage` writes, and what it says of the rest."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import pytest
import typing_extensions as te
from editing.asking import DONE, User, fix, gone, put, set_, turn
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.tools import InjectedToolArg

from langgraph_memory import Memory, Report
from langgraph_memory.errors import ModelError
from langgraph_memory.testing import ScriptedChatModel

Open = Callable[..., Memory]
A = ("acme", "alice")
ANN = {"name": "Ann", "age": 30, "tags": ["bees"], "nickname": None}
BOB = {"name": "Bob", "age": 40, "tags": [], "nickname": None}


class Managed:
    """A memory that holds documents already, and one run of `manage` over it by either face."""

    def __init__(
        self, memory: Memory, model: ScriptedChatModel, face: str, *, messages: Any = "Hello.", **options: Any
    ) -> None:
        self.memory, self.model = memory, model
        self.before = list(memory.list(scope=A))
        seeded = len(model.calls)
        options = {"max_steps": 1, **options}
        self.report: Report = (
            memory.manage(messages, scope=A, **options)
            if face == "sync"
            else asyncio.run(memory.amanage(messages, scope=A, **options))
        )
        self.calls = model.calls[seeded:]
        model.assert_exhausted()

    @property
    def data(self) -> list[dict[str, Any]]:
        return [dict(record.data or {}) for record in self.memory.list(scope=A)]

    @property
    def added(self) -> list[dict[str, Any]]:
        return [dict(self.memory.get(id).data or {}) for id in self.report.ids]


Run = Callable[..., Managed]


@pytest.fixture(params=["sync", "async"])
def run(request: pytest.FixtureRequest, open_memory: Open, folder: Path) -> Run:
    def run_(
        script: Sequence[Any], existing: Sequence[dict[str, Any]] = (), schema: Any = User, **options: Any
    ) -> Managed:
        name = schema["title"] if isinstance(schema, dict) else schema.__name__
        seed = [turn(*((f"create_{name}", value) for value in existing), DONE)] if existing else []
        model = ScriptedChatModel([*seed, *script])
        memory = open_memory(folder, model=model, schemas=[schema])
        if existing:
            memory.manage("Before.", scope=A)
        return Managed(memory, model, request.param, **options)

    return run_


def test_trustcall_T01_one_call_writes_one_typed_document(run: Run) -> None:
    done = run([turn(("create_User", {"name": "Ann", "age": 30}), DONE)])
    (record,) = done.memory.list(scope=A)
    assert User(**(record.data or {})) == User(name="Ann", age=30) and record.schema == "User"
    assert [outcome.id for outcome in done.report.added] == [record.id] and done.report.usage.calls == 1


def test_trustcall_T02_what_was_missing_is_patched_and_the_rest_is_written_as_it_was(run: Run) -> None:
    given = {"name": "Zoë 李", "tags": ["a/b", "~"]}
    done = run([turn(("create_User", given)), fix(set_("/age", 5))])
    assert done.data == [{**given, "age": 5, "nickname": None}] and done.report.usage.calls == 2
    for told in ("/age: Field required", "'required': ['name', 'age']", "json_doc_id=[call-0]"):
        assert told in done.calls[1].text


def test_trustcall_T03_only_the_bad_one_of_three_is_patched_and_the_order_stays(run: Run) -> None:
    calls = [("create_User", {"name": name, "age": age}) for name, age in (("A", 1), ("B", "old"), ("C", 3))]
    done = run([turn(*calls), fix(put("/age", 2), call="call-1")])
    assert [(one["name"], one["age"]) for one in done.added] == [("A", 1), ("B", 2), ("C", 3)]


def test_trustcall_T05_what_is_never_fixed_is_reported_beside_what_was_written(run: Run) -> None:
    calls = turn(("create_User", {"name": "A", "age": 1}), ("create_User", {"name": "B", "age": -1}))
    done = run([calls, fix(put("/age", -2), call="call-1"), fix(put("/age", -3), call="call-1")])
    assert [one["name"] for one in done.data] == ["A"]
    (failed,) = done.report.failed
    assert "name: B; age: -3" in failed.text and done.report.usage.calls == 3
    assert failed.reason == "/age: Input should be greater than or equal to 0 (given: '-3')"


@pytest.mark.parametrize("answer", [ValueError("no such deployment"), "I would rather not.", AIMessage("")])
def test_trustcall_T06_a_repair_that_breaks_down_harms_no_sibling(run: Run, answer: Any) -> None:
    done = run([turn(("create_User", {"name": "A", "age": 1}), ("create_User", {"name": "B"})), answer])
    assert [one["name"] for one in done.data] == ["A"]
    assert len(done.report.failed) == 1 and "/age: Field required" in (done.report.failed[0].reason or "")


@pytest.mark.parametrize("face", ["sync", "async"])
def test_trustcall_T07_a_model_that_is_down_is_one_call_and_one_error(
    open_memory: Open, folder: Path, face: str
) -> None:
    model = ScriptedChatModel([turn(("create_User", ANN), DONE), ValueError("wrong key")])
    memory = open_memory(folder, model=model, schemas=[User])
    memory.manage("Before.", scope=A)
    before = memory.list(scope=A)
    with pytest.raises(ModelError, match="wrong key"):
        Managed(memory, model, face)
    assert len(model.calls) == 2 and memory.list(scope=A) == before


def test_trustcall_T08_a_wrong_tool_name_is_repaired(run: Run) -> None:
    rename = ("PatchFunctionName", {"json_doc_id": "call-0", "reasoning": ["a"], "fixed_name": "create_User"})
    done = run([turn(("store_person", {"name": "Ann", "age": 30})), turn(rename)])
    assert [one["name"] for one in done.data] == ["Ann"] and done.report.usage.calls == 2


def test_trustcall_T10_one_field_changes_and_history_keeps_the_document_as_it_was(run: Run) -> None:
    done = run([turn(("update", {"id": 0, "patches": [put("/age", "31")], "reason": "birthday"}))], [ANN])
    (record,) = done.memory.list(scope=A)
    assert json.dumps(dict(record.data or {})) == json.dumps({**ANN, "age": 31})
    (old,) = done.before
    assert record.supersedes == old.id and done.memory.get(old.id).data == ANN
    assert done.memory.get(old.id).reason == "birthday"


def test_trustcall_T11_two_updates_and_an_insert_are_told_apart(run: Run) -> None:
    calls = [
        ("update", {"id": 1, "patches": [put("/age", 41)]}),
        ("create_User", {"name": "Cleo", "age": 1}),
        ("update", {"id": 0, "patches": [set_("/tags/-", "tea")]}),
        DONE,
    ]
    done = run([turn(*calls)], [ANN, BOB])
    assert [(one["name"], one["age"], one["tags"]) for one in sorted(done.data, key=lambda one: one["name"])] == [
        ("Ann", 30, ["bees", "tea"]),
        ("Bob", 41, []),
        ("Cleo", 1, []),
    ]
    assert {outcome.id for outcome in done.report.retired} == {record.id for record in done.before}
    new = [record for record in done.memory.list(scope=A) if record.supersedes is None]
    assert [(record.data or {})["name"] for record in new] == ["Cleo"]


def test_trustcall_T12_two_updates_of_one_document_are_one_successor(run: Run) -> None:
    calls = [
        ("update", {"id": 0, "patches": [set_("/tags/-", "tea"), put("/age", 31)]}),
        ("update", {"id": 0, "patches": [put("/tags/1", "green tea")]}),
    ]
    done = run([turn(*calls)], [ANN])
    assert done.data == [{**ANN, "tags": ["bees", "green tea"], "age": 31}]
    assert len(done.report.added) == 1 and len(done.memory.list(scope=A, include_history=True)) == 2


def test_trustcall_T13_good_patches_are_written_and_the_bad_one_is_reported(run: Run) -> None:
    patches = [put("/age", 31), gone("/hobbies/3"), set_("/tags/-", "tea")]
    done = run([turn(("update", {"id": 0, "patches": patches}))], [ANN])
    assert done.data == [{**ANN, "age": 31, "tags": ["bees", "tea"]}]
    assert [outcome.reason for outcome in done.report.refused] == [
        "patch 2 (remove /hobbies/3): there is nothing at /hobbies"
    ]


def test_trustcall_T15_missing_parents_are_created(run: Run) -> None:
    schema = {"title": "Place", "type": "object", "properties": {"home": {"type": "object"}}}
    patches = [set_("/home/address/city", "Oslo"), set_("/home/phones/-", "123")]
    done = run([turn(("update", {"id": 0, "patches": patches}))], [{"home": {"door": "red"}}], schema)
    assert done.data == [{"home": {"door": "red", "address": {"city": "Oslo"}, "phones": ["123"]}}]


def test_trustcall_T16_an_insert_is_refused_where_inserts_are_off(run: Run) -> None:
    calls = turn(("create_User", {"name": "X", "age": 1}), ("update", {"id": 0, "patches": [put("/age", 3)]}))
    done = run([calls], [ANN], inserts=False)
    assert [(one["name"], one["age"]) for one in done.data] == [("Ann", 3)]
    assert ["switched off" in (outcome.reason or "") for outcome in done.report.refused] == [True]
    assert set(done.calls[0].tool_names) == {"update", "delete", "done"}


def test_trustcall_T17_a_wrong_id_of_a_deletion_is_told_the_ids_there_are_and_mended(run: Run) -> None:
    script = [
        turn(("delete", {"id": 0, "reason": "asked to"}), ("delete", {"id": 7})),
        turn(("delete", {"id": 1}), DONE),
    ]
    done = run(script, [ANN, BOB, {**BOB, "name": "Cy"}], max_steps=2)
    assert [one["name"] for one in done.data] == ["Cy"]
    assert "there is no document '7'; the ids that exist are 1, 2" in done.calls[1].text
    assert {outcome.id for outcome in done.report.retired} == {record.id for record in done.before[:2]}


@pytest.mark.parametrize("wrong", ["existing", "7", "", None, -1])
def test_trustcall_T18_an_unknown_id_changes_nothing(run: Run, wrong: Any) -> None:
    done = run([turn(("update", {"id": wrong, "patches": [put("/age", 31)]}))], [ANN, BOB])
    assert [one["age"] for one in done.data] == [30, 40]
    (refused,) = done.report.refused
    assert (refused.reason or "").endswith("the ids that exist are 0, 1")


def test_trustcall_T18_a_single_document_is_meant_whatever_the_id(run: Run) -> None:
    done = run([turn(("update", {"id": "existing", "patches": [put("/age", 31)]}))], [ANN])
    assert done.data == [{**ANN, "age": 31}] and not done.report.refused


class Typed(te.TypedDict):
    """Save a person."""

    name: str
    age: te.NotRequired[int]


def save_person(name: str, user_id: Annotated[str, InjectedToolArg], age: int | None = None) -> None:
    """Save a person."""


PERSON = {
    "title": "Person",
    "description": "Save a person.",
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": ["integer", "null"]}},
    "required": ["name"],
}


@pytest.mark.parametrize("form", [Typed, PERSON, save_person])
def test_trustcall_T20_every_form_of_schema_is_written_alike(run: Run, form: Any) -> None:
    name = form["title"] if isinstance(form, dict) else form.__name__
    done = run([turn((f"create_{name}", {"age": 3})), fix(set_("/name", "Ann"))], schema=form)
    assert [{key: one[key] for key in ("name", "age")} for one in done.data] == [{"name": "Ann", "age": 3}]
    assert "user_id" not in json.dumps(done.calls[0].tools)


def test_trustcall_T21_keys_named_id_and_keys_with_signs_are_addressed_right(run: Run) -> None:
    schema = {"title": "Odd", "type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    odd = {"id": "7", "a/b": 1, "m~n": 2, "名前": "旧", "~1": {"/": [1]}}
    patches = [put("/a~1b", 10), put("/m~0n", 20), put("/名前", "新"), put("/id", "8"), set_("/~01/~1/-", 2)]
    done = run([turn(("update", {"id": 0, "patches": patches}))], [odd, {"id": "0"}], schema)
    assert {"id": "8", "a/b": 10, "m~n": 20, "名前": "新", "~1": {"/": [1, 2]}} in done.data
    assert {"id": "0"} in done.data


def test_trustcall_T22_what_the_caller_gave_is_unchanged(run: Run) -> None:
    messages = [SystemMessage("Be kind."), HumanMessage([{"type": "text", "text": "Hi"}], id="h"), AIMessage("Yes?")]
    given = copy.deepcopy(messages)
    run([turn(("update", {"id": 0, "patches": [set_("/tags/-", "x")]}), DONE)], [ANN], messages=given)
    assert given == messages


SCRIPTS: list[tuple[dict[str, Any], list[Any]]] = [
    ({}, [turn(("create_User", {"name": "A", "age": 1}), DONE)]),
    ({}, [turn(("create_User", {}), ("nonsense", {})), "no", fix(), fix()]),
    ({"max_steps": 3}, [turn(("delete", {"id": 9})), turn(("delete", {"id": 1})), turn(DONE)]),
]


@pytest.mark.parametrize("place", range(len(SCRIPTS)))
def test_trustcall_T23_both_faces_write_and_report_the_same(open_memory: Open, tmp_path: Path, place: int) -> None:
    options, script = SCRIPTS[place]
    results = []
    for face in ("sync", "async"):
        model = ScriptedChatModel([turn(("create_User", ANN), ("create_User", BOB), DONE), *copy.deepcopy(script)])
        memory = open_memory(tmp_path / face, model=model, schemas=[User])
        memory.manage("Before.", scope=A)
        done = Managed(memory, model, face, **options)
        parts = (done.report.added, done.report.retired, done.report.refused, done.report.failed)
        results.append((done.data, [[(one.text, one.reason) for one in part] for part in parts], done.report.usage))
    assert results[0] == results[1]
