"""Rows of the trustcall acceptance list: typed documents, repaired by small patches, never silently dropped."""

from __future__ import annotations

import copy
import json
from typing import Annotated, Any

import pytest
import typing_extensions as te
from editing.asking import DONE, NOW, Place, User, fix, gone, propose, put, set_, turn, untagged
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.tools import InjectedToolArg, tool

from langgraph_memory.editing.documents import Document
from langgraph_memory.editing.editor import Editor
from langgraph_memory.editing.schemas import schemas_of
from langgraph_memory.errors import CallBudgetExhausted, ModelError
from langgraph_memory.models import retry
from langgraph_memory.models.chat import CallBudget, Chat
from langgraph_memory.testing import ScriptedChatModel

FACES = pytest.mark.parametrize("face", ["sync", "async"])
ANN = Document("u-1", "User", {"name": "Ann", "age": 30, "tags": ["bees"], "nickname": None, "legacy": {"x": [1]}})
BOB = Document("u-2", "User", {"name": "Bob", "age": 40})


@FACES
def test_trustcall_T01_a_valid_call_costs_one_model_call(face: str) -> None:
    model = ScriptedChatModel([turn(("create_User", {"name": "Ann", "age": 30}), DONE)])
    edits = propose(model, [User], face=face)
    (created,) = edits.creates
    (schema,) = schemas_of([User])
    assert schema.parse(created.value) == User(name="Ann", age=30)
    assert (created.attempts, len(model.calls), edits.done) == (1, 1, True)
    assert model.calls[0].tool_names == ("create_User", "done")
    assert model.calls[0].tool_choice == "any"


@FACES
def test_trustcall_T02_a_missing_field_is_patched_and_nothing_else_touched(face: str) -> None:
    given = {"name": "Zoë 李 \u2028", "tags": ["a/b", "~"]}
    model = ScriptedChatModel([turn(("create_User", given)), fix(set_("/age", 5))])
    (created,) = propose(model, [User], face=face).creates
    assert {key: created.value[key] for key in given} == given
    assert (created.value["age"], created.attempts, len(model.calls)) == (5, 2, 2)
    asked = model.calls[1].text
    assert "/age: Field required" in asked  # the error
    assert "'required': ['name', 'age']" in asked  # the schema
    assert "json_doc_id=[call-0]" in asked  # the id
    assert "Hello." in asked  # and what it was all about
    assert model.calls[1].tool_names == ("PatchFunctionErrors", "PatchFunctionName")


@FACES
def test_trustcall_T03_only_the_bad_call_of_three_is_patched(face: str) -> None:
    calls = [("create_User", {"name": name, "age": age}) for name, age in (("A", 1), ("B", "old"), ("C", 3))]
    model = ScriptedChatModel([turn(*calls), fix(put("/age", 2), call="call-1")])
    edits = propose(model, [User], face=face)
    assert [(made.value["name"], made.value["age"], made.attempts) for made in edits.creates] == [
        ("A", 1, 1),
        ("B", 2, 2),
        ("C", 3, 1),
    ]
    assert "'old'" in model.calls[1].text
    (asked,) = [message for message in model.calls[1].messages if isinstance(message, AIMessage)]
    assert [call["args"]["name"] for call in asked.tool_calls] == ["B"]


@FACES
@pytest.mark.parametrize("attempts", [3, 5, 1])
def test_trustcall_T05_what_is_never_fixed_ends_with_an_error_object(face: str, attempts: int) -> None:
    good, bad = ("create_User", {"name": "A", "age": 1}), ("create_User", {"name": "B", "age": -1})
    repairs = [fix(put("/age", -place), call="call-1") for place in range(2, attempts + 1)]
    model = ScriptedChatModel([turn(good, bad), *repairs])
    edits = propose(model, [User], face=face, max_attempts=attempts)
    assert [made.value["name"] for made in edits.creates] == ["A"]
    (failed,) = edits.failed
    assert failed.value == {"name": "B", "age": -attempts}
    assert failed.attempts == attempts == len(model.calls)
    assert (failed.tool, failed.schema) == ("create_User", "User")
    assert failed.reason == f"/age: Input should be greater than or equal to 0 (given: '{-attempts}')"


@FACES
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (ValueError("no such deployment"), "no such deployment"),
        ("I would rather not.", "without a tool call"),
        (AIMessage(""), "without a tool call"),
    ],
)
def test_trustcall_T06_a_repair_that_breaks_down_harms_no_sibling(face: str, answer: Any, reason: str) -> None:
    calls = [("create_User", {"name": name, **age}) for name, age in (("A", {"age": 1}), ("B", {}), ("C", {}))]
    model = ScriptedChatModel([turn(*calls), answer, fix(set_("/age", 3), call="call-2")])
    edits = propose(model, [User], face=face)
    assert [made.value["name"] for made in edits.creates] == ["A", "C"]
    (failed,) = edits.failed
    assert failed.value == {"name": "B"}
    assert failed.reason.startswith("/age: Field required") and reason in failed.reason
    assert len(model.calls) == 3


@FACES
def test_trustcall_T06_a_spent_budget_is_recorded_for_each_call_that_needed_it(face: str) -> None:
    model = ScriptedChatModel([turn(("create_User", {}), ("create_User", {"name": "A", "age": 1}))])
    edits = propose(model, [User], face=face, budget=CallBudget(1))
    assert "used up" in edits.failed[0].reason
    assert [made.value["name"] for made in edits.creates] == ["A"]


@FACES
def test_trustcall_T07_a_model_that_is_down_is_one_error_and_no_loop(
    face: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedChatModel([ValueError("wrong key")])
    with pytest.raises(ModelError):
        propose(model, [User], [ANN], face=face)
    assert len(model.calls) == 1
    for wait in ("FIRST_WAIT", "LONGEST_WAIT", "JITTER"):
        monkeypatch.setattr(retry, wait, 0)
    model = ScriptedChatModel([ConnectionError("away")] * retry.ATTEMPTS)
    with pytest.raises(ModelError):
        propose(model, [User], [ANN], face=face)
    assert len(model.calls) == retry.ATTEMPTS
    with pytest.raises(CallBudgetExhausted):
        propose(ScriptedChatModel([]), [User], [ANN], face=face, budget=CallBudget(0))


@FACES
def test_trustcall_T08_a_wrong_tool_name_is_repaired_and_the_call_validated_again(face: str) -> None:
    rename = turn(("PatchFunctionName", {"json_doc_id": "call-0", "reasoning": ["a"], "fixed_name": "create_User"}))
    model = ScriptedChatModel([turn(("store_person", {"name": "Ann", "age": 30})), rename])
    (created,) = propose(model, [User, Place], face=face).creates
    assert (created.schema, created.value["name"], created.attempts) == ("User", "Ann", 2)
    assert "create_User, create_Place, done" in model.calls[1].text
    # With a fault in the arguments as well, the second repair still sees the conversation.
    model = ScriptedChatModel([turn(("store_person", {"name": "Ann"})), rename, fix(set_("/age", 30))])
    (created,) = propose(model, [User, Place], face=face).creates
    assert (created.value["age"], created.attempts) == (30, 3)
    assert "Hello." in model.calls[2].text and "/age: Field required" in model.calls[2].text
    # A name that is never repaired is reported.
    model = ScriptedChatModel([turn(("store_person", {"name": "Ann", "age": 3})), fix(), fix()])
    edits = propose(model, [User, Place], face=face)
    assert "there is no tool named 'store_person'; there are create_User" in edits.failed[0].reason
    assert edits.failed[0].value == {"name": "Ann", "age": 3}


@FACES
def test_trustcall_T10_one_field_changes_and_everything_else_stays(face: str) -> None:
    before = copy.deepcopy(ANN)
    model = ScriptedChatModel([turn(("update", {"id": 0, "patches": [put("/age", "31")], "reason": "birthday"}))])
    edits = propose(model, [User], [ANN], face=face)
    (changed,) = edits.updates
    assert changed.value == {**ANN.value, "age": 31}
    assert json.dumps({**changed.value, "age": 0}) == json.dumps({**ANN.value, "age": 0})
    assert (changed.id, changed.before, changed.reason) == ("u-1", ANN.value, "birthday")
    assert before == ANN
    assert len(model.calls) == 1


@FACES
def test_trustcall_T11_two_updates_and_an_insert_are_told_apart(face: str) -> None:
    calls = [
        ("update", {"id": 1, "patches": [put("/age", 41)]}),
        ("create_User", {"name": "Cleo", "age": 1}),
        ("update", {"id": 0, "patches": [set_("/tags/-", "tea")]}),
        DONE,
    ]
    edits = propose(ScriptedChatModel([turn(*calls)]), [User], [ANN, BOB], face=face)
    assert [(changed.id, changed.value["age"]) for changed in edits.updates] == [("u-2", 41), ("u-1", 30)]
    assert edits.updates[1].value["tags"] == ["bees", "tea"]
    assert [made.value["name"] for made in edits.creates] == ["Cleo"]


@FACES
def test_trustcall_T12_two_updates_of_one_document_build_on_each_other(face: str) -> None:
    calls = [
        ("update", {"id": "0", "patches": [set_("/tags/-", "tea"), put("/age", 31)], "reason": "said so"}),
        ("update", {"id": "id-0", "patches": [put("/tags/1", "green tea")], "reason": "said more"}),
    ]
    edits = propose(ScriptedChatModel([turn(*calls)]), [User], [ANN], face=face)
    (changed,) = edits.updates
    assert changed.value == {**ANN.value, "tags": ["bees", "green tea"], "age": 31}
    assert [patch["path"] for patch in changed.patches] == ["/tags/-", "/age", "/tags/1"]
    assert changed.reason == "said so; said more"


@FACES
def test_trustcall_T13_good_patches_are_applied_and_the_bad_one_is_reported(face: str) -> None:
    patches = [put("/age", 31), gone("/hobbies/3"), set_("/tags/-", "tea")]
    edits = propose(ScriptedChatModel([turn(("update", {"id": 0, "patches": patches}))]), [User], [ANN, BOB], face=face)
    (changed,) = edits.updates
    assert changed.value == {**ANN.value, "age": 31, "tags": ["bees", "tea"]}
    (refused,) = edits.refused
    assert (refused.id, refused.reason) == ("u-1", "patch 2 (remove /hobbies/3): there is nothing at /hobbies")
    # Where nothing could be applied, the document is still in the result, as it was.
    edits = propose(ScriptedChatModel([turn(("update", {"id": 0, "patches": [gone("/no")]}))]), [User], [ANN, BOB])
    assert edits.documents == (ANN, BOB) and not edits.updates
    assert edits.refused[0].reason == "patch 1 (remove /no): there is nothing at /no"


@FACES
def test_trustcall_T15_missing_parents_are_created(face: str) -> None:
    schema = {"title": "Profile", "type": "object", "properties": {"home": {"type": "object"}}}
    document = Document("p", "Profile", {})
    patches = [set_("/home/address/city", "Oslo"), set_("/home/phones/-", "123")]
    model = ScriptedChatModel([turn(("update", {"id": 0, "patches": patches}))])
    (changed,) = propose(model, [schema], [document], face=face).updates
    assert changed.value == {"home": {"address": {"city": "Oslo"}, "phones": ["123"]}}


@FACES
def test_trustcall_T15_an_update_that_breaks_the_schema_is_repaired_as_a_whole_document(face: str) -> None:
    broken = turn(("update", {"id": 0, "patches": [gone("/name"), put("/age", 31)]}))
    model = ScriptedChatModel([broken, fix(set_("/name", "Anna"))])
    (changed,) = propose(model, [User], [ANN], face=face).updates
    assert changed.value == {**ANN.value, "name": "Anna", "age": 31}
    assert changed.attempts == 2
    model = ScriptedChatModel([broken, "no"])
    edits = propose(model, [User], [ANN], face=face)
    assert edits.documents == (ANN,) and not edits.updates
    assert (edits.failed[0].id, edits.failed[0].value["age"], "name" in edits.failed[0].value) == ("u-1", 31, False)


@FACES
@pytest.mark.parametrize("name", ["create_User", "User", "create_user"])
def test_trustcall_T16_an_insert_is_refused_where_inserts_are_off(face: str, name: str) -> None:
    model = ScriptedChatModel(
        [turn((name, {"name": "X", "age": 1}), ("update", {"id": 0, "patches": [put("/age", 3)]}))]
    )
    edits = propose(model, [User], [ANN], face=face, inserts=False)
    assert not edits.creates and len(edits.updates) == 1
    assert edits.refused[0].value == {"name": "X", "age": 1}
    assert "switched off" in edits.refused[0].reason
    assert model.calls[0].tool_names == ("update", "done")
    assert '"json_schema"' in model.calls[0].text  # no create tool shows the schema, so the prompt does


@FACES
def test_trustcall_T17_a_right_id_is_deleted_and_a_wrong_one_is_told_the_ids_there_are(face: str) -> None:
    model = ScriptedChatModel(
        [
            turn(("delete", {"id": 1, "reason": "asked to"}), ("delete", {"id": "u-3"})),
            turn(("delete", {"id": 2}), DONE),
        ]
    )
    documents = [ANN, BOB, Document("u-3", "User", {"name": "Cy", "age": 2})]
    edits = propose(model, [User], documents, face=face, deletes=True, max_steps=2)
    assert [(left.id, left.reason) for left in edits.deletes] == [("u-2", "asked to"), ("u-3", None)]
    assert edits.documents == (ANN,)
    assert "there is no document 'u-3'; the ids that exist are 0, 2" in model.calls[1].text
    assert edits.done


@FACES
@pytest.mark.parametrize("wrong", ["existing", "7", 7, "u-1", "", None, "01x", True, -1, 1.5, ["0"]])
def test_trustcall_T18_an_unknown_id_is_refused_with_the_ids_there_are(face: str, wrong: Any) -> None:
    call = ("update", {"id": wrong, "patches": [put("/age", 31)]})
    edits = propose(ScriptedChatModel([turn(call)]), [User], [ANN, BOB], face=face)
    assert not edits.updates
    assert edits.refused[0].reason.endswith("the ids that exist are 0, 1")
    # With a single document there is nothing else that could be meant.
    edits = propose(ScriptedChatModel([turn(call)]), [User], [ANN], face=face)
    assert [changed.id for changed in edits.updates] == ["u-1"] and not edits.refused


class Typed(te.TypedDict):
    """Save a person."""

    name: str
    age: te.NotRequired[int]


def save_person(name: str, user_id: Annotated[str, InjectedToolArg], age: int | None = None) -> None:
    """Save a person."""


@tool
def save_tool(name: str, user_id: Annotated[str, InjectedToolArg], age: int | None = None) -> None:
    """Save a person."""


PERSON = {
    "title": "Person",
    "description": "Save a person.",
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": ["integer", "null"]}},
    "required": ["name"],
}
OPENAI = {"type": "function", "function": {"name": "Person", "description": "Save a person.", "parameters": PERSON}}


class Model(User):
    """Save a person."""

    age: int | None = None  # type: ignore[assignment]


@FACES
@pytest.mark.parametrize("form", [Model, Typed, PERSON, OPENAI, save_person, save_tool])
def test_trustcall_T20_every_form_of_schema_gives_the_same_result(face: str, form: Any) -> None:
    (schema,) = schemas_of([form])
    name = f"create_{schema.name}"
    script = [turn((name, {"age": 3})), fix(set_("/name", "Ann"))]
    model = ScriptedChatModel(script)
    (created,) = propose(model, [form], face=face).creates
    assert {key: created.value[key] for key in ("name", "age")} == {"name": "Ann", "age": 3}
    shown = model.calls[0].tools[0]["function"]
    assert "Save a person." in shown["description"]
    assert "user_id" not in json.dumps(shown)
    assert shown["parameters"]["required"] == ["name"]
    assert schema.validate({"name": "Ann", "age": "x"})[1] is not None


@FACES
def test_trustcall_T21_keys_named_id_and_keys_with_signs_are_addressed_right(face: str) -> None:
    schema = {"title": "Odd", "type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    document = Document("d", "Odd", {"id": "7", "a/b": 1, "m~n": 2, "名前": "旧", "~1": {"/": [1]}})
    patches = [put("/a~1b", 10), put("/m~0n", 20), put("/名前", "新"), put("/id", "8"), set_("/~01/~1/-", 2)]
    model = ScriptedChatModel([turn(("update", {"id": 0, "patches": patches}))])
    (changed,) = propose(model, [schema], [document, Document("e", "Odd", {"id": "0"})], face=face).updates
    assert changed.value == {"id": "8", "a/b": 10, "m~n": 20, "名前": "新", "~1": {"/": [1, 2]}}
    assert changed.id == "d"


@FACES
def test_trustcall_T22_what_the_caller_gave_is_unchanged(face: str) -> None:
    messages = [SystemMessage("Be kind."), HumanMessage([{"type": "text", "text": "Hi"}], id="h"), AIMessage("Yes?")]
    documents = [copy.deepcopy(ANN), copy.deepcopy(BOB)]
    before = copy.deepcopy((messages, documents))
    model = ScriptedChatModel(
        [
            turn(("update", {"id": 0, "patches": [set_("/tags/-", "x"), gone("/name")]}), ("create_User", {})),
            fix(set_("/name", "Anna")),
            "no",
        ]
        * 3
    )
    editor = Editor(Chat(model), [User], deletes=True)
    prompts = []
    for _ in range(3):
        start = len(model.calls)
        editor.propose(messages, documents, budget=CallBudget(), now=NOW)
        prompts.append(untagged(model.calls[start].text))
        assert (messages, documents) == before
    assert len(set(prompts)) == 1  # nothing piles up from call to call


SCRIPTS: list[tuple[dict[str, Any], list[Any]]] = [
    ({}, [turn(("create_User", {"name": "A", "age": 1}), DONE)]),
    ({}, [turn(("create_User", {}), ("nonsense", {})), "no", fix(), fix()]),
    ({"deletes": True, "max_steps": 3}, [turn(("delete", {"id": 9})), turn(("delete", {"id": 1})), turn(DONE)]),
    (
        {"max_steps": 2},
        [turn(("update", {"id": 0, "patches": [put("/age", "x")]})), fix(put("/age", 5)), RuntimeError("x")],
    ),
    ({"max_attempts": 5}, [turn(("create_User", {"name": 1})), *[fix(put("/name", n)) for n in range(4)]]),
]


@pytest.mark.parametrize("place", range(len(SCRIPTS)))
def test_trustcall_T23_both_faces_ask_the_same_and_decide_the_same(place: int) -> None:
    options, script = SCRIPTS[place]
    results = []
    for face in ("sync", "async"):
        model = ScriptedChatModel(copy.deepcopy(script))
        edits = propose(model, [User], [ANN, BOB], face=face, **options)
        results.append((edits, [(untagged(call.text), call.tools, call.tool_choice) for call in model.calls]))
    assert results[0] == results[1]
