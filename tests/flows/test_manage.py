from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from blockbuster import blockbuster_ctx
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import BaseModel, Field

from langgraph_memory import MEMORY, Memory
from langgraph_memory.errors import ModelError, ModelNeeded
from langgraph_memory.flows.manage_state import ManageContext
from langgraph_memory.testing import ScriptedChatModel

A = ("acme", "alice")
Open = Callable[..., Memory]


class Person(BaseModel):
    """What is known of the person themself."""

    name: str = Field(description="What to call them.")
    city: str | None = None
    languages: list[str] = []


class Purchase(BaseModel):
    """Something that was bought."""

    item: str
    price: float


def calls(*wanted: tuple[str, dict[str, Any]]) -> AIMessage:
    """Return one answer that makes these tool calls."""
    return AIMessage(
        "",
        tool_calls=[
            {"type": "tool_call", "name": name, "args": arguments, "id": f"c{place}"}
            for place, (name, arguments) in enumerate(wanted)
        ],
    )


def texts(memory: Memory) -> list[str]:
    return [record.text for record in memory.list(scope=A)]


def test_two_creates_of_one_profile_are_told(open_memory: Open, folder: Path) -> None:
    both = calls(("create_Person", {"name": "Ana"}), ("create_Person", {"name": "Alice", "city": "Oslo"}), ("done", {}))
    memory = open_memory(folder, model=ScriptedChatModel([both]), profiles=[Person])
    report = memory.manage("I am Alice.", scope=A)
    assert [dict(record.data or {})["name"] for record in memory.list(scope=A)] == ["Alice"]
    assert report.notes == ("Person was created twice in one run; where they differ, the later call stands",)


def test_create_update_delete_done_in_one_turn(open_memory: Open, store_url: str) -> None:
    model = ScriptedChatModel(
        [
            calls(
                ("create", {"content": "Alice plays the cello.", "kind": "fact"}),
                ("update", {"id": 0, "content": "Alice moved from Porto to Oslo."}),
                ("delete", {"id": "1", "reason": "taken back"}),
                ("done", {}),
            )
        ]
    )
    memory = open_memory(store_url, model=model)
    old = [memory.add(text, scope=A).ids[0] for text in ("Alice lives in Porto.", "Alice hates tea.", "Alice is tall.")]
    said = [HumanMessage("I moved to Oslo, I play the cello, and tea is fine.", id="m1")]
    report = memory.manage(said, scope=A, thread_id="t")
    assert texts(memory) == ["Alice is tall.", "Alice moved from Porto to Oslo.", "Alice plays the cello."]
    assert [outcome.text for outcome in report.added] == ["Alice moved from Porto to Oslo.", "Alice plays the cello."]
    assert sorted(outcome.id or "" for outcome in report.retired) == sorted(old[:2])
    assert report.usage.calls == 1 and len(report.batches) == 1
    moved = memory.get(report.added[0].id or "")
    assert moved.supersedes == old[0] and "m1" in moved.evidence and moved.actor == "assistant"
    assert memory.history(old[1])[-1].reason == "taken back"
    memory.undo(report)
    assert texts(memory) == ["Alice lives in Porto.", "Alice hates tea.", "Alice is tall."]
    assert memory.entries("t", scope=A)[0].message_id == "m1"


def test_what_is_not_permitted_is_refused_and_told(open_memory: Open, folder: Path) -> None:
    wanted = calls(("delete", {"id": 0}), ("create", {"content": "Alice sings."}))
    model = ScriptedChatModel([wanted, calls(("done", {}))])
    memory = open_memory(folder, model=model)
    memory.add("Alice lives in Porto.", scope=A)
    report = memory.manage("hello", scope=A, inserts=False, deletes=False)
    assert texts(memory) == ["Alice lives in Porto."] and len(report.refused) == 2 and not report.batches
    assert model.calls[0].tool_names == ("update", "done")


def test_gates_hold_for_tool_calls_too(open_memory: Open, folder: Path) -> None:
    wanted = calls(
        ("create", {"content": "The password: hunter2hunter2 of Alice"}),
        ("create", {"content": "alice LIVES in Porto"}),
        ("done", {}),
    )
    memory = open_memory(folder, model=ScriptedChatModel([wanted, calls(("done", {}))]))
    known = memory.add("Alice lives in Porto.", scope=A).ids[0]
    report = memory.manage("hello", scope=A)
    assert [outcome.of for outcome in report.reinforced] == [known]
    assert len(report.refused) == 1 and (report.refused[0].reason or "").startswith("secret")
    assert texts(memory) == ["Alice lives in Porto."]


def test_a_profile_is_one_document_that_is_patched(open_memory: Open, store_url: str) -> None:
    first = calls(("update", {"id": 0, "patches": [{"op": "add", "path": "/name", "value": "Alice"}]}), ("done", {}))
    second = calls(
        ("update", {"id": 0, "patches": [
            {"op": "add", "path": "/city", "value": "Oslo"},
            {"op": "add", "path": "/languages/-", "value": "Norwegian"},
        ]}),
        ("done", {}),
    )  # fmt: skip
    memory = open_memory(
        store_url, model=ScriptedChatModel([first, second]), profiles=[(Person, {"languages": ["en"]})]
    )
    memory.manage("I am Alice.", scope=A, inserts=False)
    memory.manage("I live in Oslo now and learn Norwegian.", scope=A, inserts=False)
    [record] = memory.list(scope=A, kinds=["profile"])
    assert record.data == {"name": "Alice", "city": "Oslo", "languages": ["en", "Norwegian"]}
    assert record.schema == "Person" and record.supersedes
    assert record.text == "Person: name: Alice; city: Oslo; languages: en, Norwegian"
    assert memory.recall("Which city?", scope=A, kinds=["profile"]).hits[0].id == record.id
    assert memory.list(scope=(*A[:1], "bob"), kinds=["profile"]) == []


def test_a_profile_created_although_there_is_one_is_filled_in(open_memory: Open, folder: Path) -> None:
    replies = [
        calls(("create_Person", {"name": "Alice", "city": "Oslo"}), ("done", {})),
        calls(("create_Person", {"name": "Alice B."}), ("done", {})),
    ]
    memory = open_memory(folder, model=ScriptedChatModel(replies), profiles=[Person])
    memory.manage("I am Alice from Oslo.", scope=A)
    memory.manage("Call me Alice B.", scope=A)
    [record] = memory.list(scope=A, kinds=["profile"])
    assert record.data is not None and (record.data["name"], record.data["city"]) == ("Alice B.", "Oslo")


def test_typed_documents_are_validated_and_repaired(open_memory: Open, folder: Path) -> None:
    replies = [
        calls(("create_Purchase", {"item": "boat"}), ("done", {})),
        calls(("PatchFunctionErrors", {"json_doc_id": "c0", "planned_edits": "add the price", "patches": [
            {"op": "add", "path": "/price", "value": 900}]})),
    ]  # fmt: skip
    model = ScriptedChatModel(replies)
    memory = open_memory(folder, model=model, schemas=[Purchase])
    report = memory.manage("I bought a boat for 900.", scope=A)
    [record] = memory.list(scope=A)
    assert record.data == {"item": "boat", "price": 900.0} and record.schema == "Purchase"
    assert report.usage.calls == 2
    model.assert_exhausted()


@pytest.mark.parametrize(
    ("options", "tools"),
    [
        ({"schemas": [Purchase]}, ("create_Purchase", "done")),
        ({"profiles": [Person]}, ("create_Person", "update", "done")),
        ({"schemas": [MEMORY, Purchase]}, ("create_Memory", "create_Purchase", "done")),
        ({"schemas": [MEMORY], "profiles": [Person]}, ("create_Memory", "create_Person", "update", "done")),
    ],
)
def test_schemas_stand_alone_unless_plain_memories_are_named_too(
    open_memory: Open, folder: Path, options: dict[str, Any], tools: tuple[str, ...]
) -> None:
    plain = "create_Memory" in tools
    sentence = calls(("create_Memory", {"content": "Alice sails."}), ("done", {}))
    model = ScriptedChatModel([sentence if plain else calls(("done", {}))])
    memory = open_memory(folder, model=model, **options)
    memory.manage("I sail.", scope=A, deletes=False)
    assert set(model.calls[0].tool_names) == set(tools)
    assert texts(memory) == (["Alice sails."] if plain else [])


def test_plain_memories_named_beside_schemas_are_no_documents_of_remember(open_memory: Open, folder: Path) -> None:
    model = ScriptedChatModel(['{"memories": [{"text": "Alice sails.", "sources": [0]}], "documents": []}'])
    memory = open_memory(folder, model=model, schemas=[MEMORY, Purchase])
    memory.remember("I sail.", scope=A)
    assert texts(memory) == ["Alice sails."]
    model = ScriptedChatModel(['{"memories": []}'])
    memory = open_memory(folder.parent / "other", model=model, schemas=[MEMORY])
    memory.remember("I sail.", scope=A)
    assert "documents" not in model.calls[0].text


def test_a_person_reviews_before_anything_is_written(open_memory: Open, folder: Path) -> None:
    wanted = calls(
        ("create", {"content": "Alice sings."}),
        ("create", {"content": "Alice dances."}),
        ("delete", {"id": 0}),
        ("done", {}),
    )
    memory = open_memory(folder, model=ScriptedChatModel([wanted]))
    memory.add("Alice is tall.", scope=A)
    graph = memory.graph("manage").compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "review"}}
    context = ManageContext(deletes=True, review=True)
    state = graph.invoke({"scope": list(A), "conversation": "I sing and dance."}, config, context=context)
    waiting = state["__interrupt__"][0].value["edits"]
    assert [edit["action"] for edit in waiting] == ["create", "create", "delete"]
    assert texts(memory) == ["Alice is tall."] and json.dumps(waiting)
    again = graph.invoke(Command(resume={"decisions": [{"type": "approve"}]}), config, context=context)
    assert "3 edits wait" in again["__interrupt__"][0].value["problem"]
    decisions = [
        {"type": "edit", "value": {"content": "Alice sings alto."}},
        {"type": "reject", "message": "not true"},
        {"type": "approve"},
    ]
    done = graph.invoke(Command(resume={"decisions": decisions}), config, context=context)
    assert texts(memory) == ["Alice sings alto."]
    assert [outcome["reason"] for outcome in done["report"]["refused"]] == ["rejected in review: not true"]


def test_the_steps_are_nodes(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder, model=ScriptedChatModel([]))
    nodes = list(memory.graph("manage").compile().get_graph().nodes)
    assert nodes[1:-1] == ["gather", "propose", "review", "apply", "done"]


def test_what_somebody_else_changed_meanwhile_is_left_alone(open_memory: Open, store_url: str) -> None:
    def meanwhile(messages: list[Any]) -> AIMessage:
        memory.update(old, text="Alice lives in Bergen.")
        return calls(("update", {"id": 0, "content": "Alice lives in Oslo."}), ("done", {}))

    memory = open_memory(store_url, model=ScriptedChatModel([meanwhile]))
    old = memory.add("Alice lives in Porto.", scope=A).ids[0]
    report = memory.manage("I live in Oslo.", scope=A)
    assert [outcome.reason for outcome in report.failed] == ["the memory was changed by somebody else meanwhile"]
    assert texts(memory) == ["Alice lives in Bergen."]


def test_a_model_that_fails_writes_nothing_and_keeps_what_was_said(open_memory: Open, store_url: str) -> None:
    memory = open_memory(store_url, model=ScriptedChatModel([ValueError("lost")]))
    with pytest.raises(ModelError, match="lost"):
        memory.manage([("user", "I live in Oslo.")], scope=A, thread_id="t")
    assert texts(memory) == [] and len(memory.entries("t", scope=A)) == 1


def test_nothing_said_costs_no_call(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder, model=ScriptedChatModel([]))
    assert memory.manage([], scope=A, thread_id="t").notes == ("nothing was said",)
    assert memory.manage([("user", "  ")], scope=A, thread_id="t").usage.calls == 0


async def test_the_async_face_does_the_same_and_never_blocks(open_memory: Open, folder: Path) -> None:
    memory = open_memory(
        folder, model=ScriptedChatModel([calls(("create", {"content": "Alice sings."}), ("done", {}))])
    )
    with blockbuster_ctx():
        report = await memory.amanage("I sing.", scope=A)
    assert [outcome.text for outcome in report.added] == ["Alice sings."]


def test_without_a_model_it_says_what_is_missing(open_memory: Open, folder: Path) -> None:
    with pytest.raises(ModelNeeded, match="manage"):
        open_memory(folder).manage("x", scope=A)
