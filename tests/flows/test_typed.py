"""Extraction fills the developer's own schemas beside sentences; what does not fit is mended once, or refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import BaseModel

from langgraph_memory import Memory
from langgraph_memory.testing import ScriptedChatModel

Open = Callable[..., Memory]
A = ("acme", "alice")


class Address(BaseModel):
    """A place."""

    city: str


class Person(BaseModel):
    """Somebody who is talked about."""

    name: str
    age: int | None = None
    home: Address | None = None
    friends: list[Person] = []


def documents(*given: object, memories: tuple[object, ...] = ()) -> str:
    return json.dumps({"memories": memories, "documents": given})


ANA = {"schema": "Person", "value": {"name": "Ana", "age": "31", "home": {"city": "Oslo"}}, "sources": [0]}


def test_a_document_is_kept_typed_and_found_by_its_sentence(open_memory: Open, store_url: str) -> None:
    model = ScriptedChatModel([documents(ANA, memories=("Ana moved to Oslo.",)), documents(ANA)])
    memory = open_memory(store_url, model=model, schemas=[Person])
    report = memory.remember([("user", "Ana is 31 and moved to Oslo.")], scope=A, thread_id="t1")
    sentence, person = (memory.get(outcome.id or "") for outcome in report.added)
    assert (sentence.text, sentence.schema) == ("Ana moved to Oslo.", None)
    assert person.schema == "Person"
    assert person.data == {"name": "Ana", "age": 31, "home": {"city": "Oslo"}, "friends": []}
    assert person.text == "Person: name: Ana; age: 31; home: city: Oslo"
    assert person.id in [hit.id for hit in memory.recall("Who is 31?", scope=A).hits]
    again = memory.remember([("user", "As I said, Ana is 31.")], scope=A, thread_id="t2")
    assert [outcome.of for outcome in again.reinforced] == [person.id]


def test_the_model_reads_the_schemas_without_references(open_memory: Open, folder: Path) -> None:
    model = ScriptedChatModel([documents()])
    open_memory(folder, model=model, schemas=[Person]).remember("Hello Ana.", scope=A)
    (call,) = model.calls
    asked = json.dumps(call.tools or call.text)
    assert "Somebody who is talked about." in asked and "city" in asked
    assert "$ref" not in asked and "$defs" not in asked


@pytest.mark.parametrize("face", ["sync", "async"])
async def test_what_does_not_fit_is_mended_once(open_memory: Open, folder: Path, face: str) -> None:
    wrong = {"schema": "Person", "value": {"name": "Ana", "age": "about thirty"}, "sources": [0]}
    patch = ScriptedChatModel.call(
        "PatchFunctionErrors",
        json_doc_id="document-0",
        planned_edits="age is a number",
        patches=[{"op": "replace", "path": "/age", "value": 30}],
    )
    memory = open_memory(folder, model=ScriptedChatModel([documents(wrong), patch]), schemas=[Person])
    said = [("user", "Ana is about thirty.")]
    report = await memory.aremember(said, scope=A) if face == "async" else memory.remember(said, scope=A)
    assert [memory.get(outcome.id or "").data for outcome in report.added] == [
        {"name": "Ana", "age": 30, "home": None, "friends": []}
    ]
    assert report.usage.calls == 2


def test_what_cannot_be_used_is_refused_with_the_reason_and_harms_no_other(open_memory: Open, folder: Path) -> None:
    wrong = {"schema": "Person", "value": {"age": 3}, "sources": [0]}
    unknown = {"schema": "Robot", "value": {"name": "R2"}, "sources": [0]}
    memory = open_memory(folder, model=ScriptedChatModel([documents(wrong, unknown, 7, ANA)]), schemas=[Person])
    report = memory.remember("Ana is 31, R2 is 3.", scope=A, max_calls=1)
    reasons = [outcome.reason or "" for outcome in report.refused]
    assert reasons[0].startswith("does not fit Person: /name: Field required")
    assert reasons[1] == "there is no schema 'Robot'; there are: Person"
    assert reasons[2] == "no document in this item of the answer"
    assert [memory.get(outcome.id or "").data["name"] for outcome in report.added] == ["Ana"]  # type: ignore[index]
    assert report.usage.calls == 1, "no call was left for a repair"


def test_a_secret_in_any_field_of_a_document_is_refused(open_memory: Open, folder: Path) -> None:
    class Login(BaseModel):
        content: str
        note: str

    told = {"schema": "Login", "value": {"content": "Ana logs in.", "note": "password: hunter2hunter2"}, "sources": [0]}
    memory = open_memory(folder, model=ScriptedChatModel([documents(told)]), schemas=[Login])
    report = memory.remember("Ana logs in with hunter2hunter2.", scope=A)
    assert [outcome.reason for outcome in report.refused] == ["secret: password"] and memory.list(scope=A) == []


def test_a_document_is_not_changed_behind_its_fields(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder, model=ScriptedChatModel([documents(ANA)]), schemas=[Person])
    (ana,) = memory.remember("Ana is 31.", scope=A).ids
    (refused,) = memory.update(ana, text="Ana is 32.", scope=A).refused
    assert "it is a Person document" in (refused.reason or "") and refused.of == ana
    assert memory.get(ana).retired_at is None


class Note(BaseModel):
    """Something noted."""

    content: str
    tags: list[str] = []


def told(schema: str, **value: object) -> dict[str, object]:
    return {"schema": schema, "value": value, "sources": [0]}


def test_documents_are_what_they_hold_whatever_their_sentences(open_memory: Open, store_url: str) -> None:
    art, music = (
        told("Note", content="Alice sings.", tags=["art"]),
        told("Note", content="Alice sings.", tags=["music"]),
    )
    model = ScriptedChatModel([documents(art, music, art, memories=("Alice sings.",))] * 2)
    memory = open_memory(store_url, model=model, schemas=[Note])
    plain = memory.add("Alice sings.", scope=A).ids[0]
    first = memory.remember([("user", "I sing, Alice said.")], scope=A, thread_id="t1")
    held = [record.data for record in memory.list(scope=A)]
    assert held == [None, {"content": "Alice sings.", "tags": ["art"]}, {"content": "Alice sings.", "tags": ["music"]}]
    assert [outcome.of for outcome in first.reinforced] == [plain]
    assert [(o.reason, o.of) for o in first.skipped] == [("same document in this batch", first.added[0].id)]
    again = memory.remember([("user", "I sing, Alice said again.")], scope=A, thread_id="t2")
    assert not again.added and {outcome.of for outcome in again.reinforced} == {plain, *(o.id for o in first.added)}
    assert [record.reinforced for record in memory.list(scope=A)] == [2, 1, 1]


class Ann(BaseModel):
    name: str
    role: str
    city: str


def test_near_documents_are_two_with_the_bundled_embedder(open_memory: Open, folder: Path) -> None:
    model = ScriptedChatModel(
        [documents(told("Ann", name="Ann", role=role, city="Rome")) for role in ("buyer", "seller")]
        + [documents(memories=("Ann: name: Ann; role: seller; city: Rome",))]
    )
    memory = open_memory(folder, model=model, schemas=[Ann], embeddings=None)
    for thread, role in enumerate(("buyer", "seller", "seller")):
        said = [("user", f"Ann of Rome is a {role}, for the time {thread}.")]
        assert memory.remember(said, scope=A, thread_id=f"t{thread}").added
    assert [(record.schema, record.reinforced) for record in memory.list(scope=A)] == [
        ("Ann", 0), ("Ann", 0), (None, 0),
    ]  # fmt: skip


def test_many_near_documents_hide_no_restated_sentence(open_memory: Open, folder: Path) -> None:
    notes = [told("Note", content=f"Alice sings in the harbour choir on day {n}.") for n in range(12)]
    model = ScriptedChatModel([documents(*notes), documents(memories=("Alice sings in the harbour choir.",))])
    memory = open_memory(folder, model=model, schemas=[Note])
    plain = memory.add("In the harbour choir Alice sings.", scope=A).ids[0]
    memory.remember("The harbour choir, day after day.", scope=A)
    again = memory.remember("Alice, the harbour choir.", scope=A)
    assert [outcome.of for outcome in again.reinforced] == [plain]


def test_a_long_document_is_kept_as_manage_keeps_it(open_memory: Open, folder: Path) -> None:
    tags = [f"the rather long name of the song with number {number}" for number in range(60)]
    long = told("Note", content="Alice sings.", tags=tags), told("Note", content="Alice sings " + "la " * 400)
    memory = open_memory(folder, model=ScriptedChatModel([documents(*long)]), schemas=[Note])
    report = memory.remember("Alice sings many songs.", scope=A)
    assert [memory.get(id).data["tags"] for id in report.ids] == [tags]  # type: ignore[index]
    assert [outcome.reason for outcome in report.refused] == ["too long"], "a single field has the length of a memory"


def test_an_export_brings_documents_back_as_themselves(open_memory: Open, tmp_path: Path) -> None:
    notes = [told("Note", content="Alice sings.", tags=[tag]) for tag in ("art", "music")]
    one = open_memory(tmp_path / "one", model=ScriptedChatModel([documents(*notes)]), schemas=[Note])
    one.remember("Alice sings.", scope=A)
    one.export(scope=A, path=tmp_path / "a.jsonl")
    two = open_memory(tmp_path / "two")
    two.ingest(tmp_path / "a.jsonl", scope=A)
    assert [record.data for record in two.list(scope=A)] == [record.data for record in one.list(scope=A)]


@pytest.mark.parametrize("given", [ANA, {"a": ANA}, {"1": ANA}])
def test_documents_in_another_shape_are_still_read(open_memory: Open, folder: Path, given: object) -> None:
    said = json.dumps({"memories": [], "documents": given})
    memory = open_memory(folder, model=ScriptedChatModel([said]), schemas=[Person])
    assert [outcome.text for outcome in memory.remember("Ana is 31.", scope=A).added] == [
        "Person: name: Ana; age: 31; home: city: Oslo"
    ]


@pytest.mark.parametrize("given", ["Ana is 31.", 31, {"name": "Ana"}, [["Ana"]]])
def test_what_stands_in_place_of_documents_is_refused_and_not_dropped(
    open_memory: Open, folder: Path, given: object
) -> None:
    said = json.dumps({"memories": [{"text": "Ana is 31.", "sources": [0]}], "documents": given})
    memory = open_memory(folder, model=ScriptedChatModel([said]), schemas=[Person])
    report = memory.remember("Ana is 31.", scope=A)
    assert [outcome.text for outcome in report.added] == ["Ana is 31."]
    assert [outcome.reason for outcome in report.refused] == ["no document in this item of the answer"]
