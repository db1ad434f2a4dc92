"""The rows of mem0's acceptance list that concern writing."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from facts import answer, distiller
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from stores import CountingEmbedder

from langgraph_memory import Memory, Settings
from langgraph_memory.errors import ModelError
from langgraph_memory.storage import journal
from langgraph_memory.storage import memories as memory_table
from langgraph_memory.store.memories import MEMORIES
from langgraph_memory.testing import HashEmbedder, ScriptedChatModel
from langgraph_memory.text.line import spoken_line
from langgraph_memory.text.normalise import content_hash

ALICE = ("acme", "alice")
Open = Callable[..., Memory]


def texts(memory: Memory) -> list[str]:
    return [record.text for record in memory.list(scope=ALICE)]


class TickingClock:
    """Tells another time at every call, as a real one does."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def test_mem0_M01_two_facts_are_two_memories(open_memory: Open, store_url: str) -> None:
    model = ScriptedChatModel(
        [
            answer(
                {"text": "Alice lives in Oslo.", "said_by": "user", "sources": [0], "kind": "fact", "about": ["Oslo"]},
                {"text": "The assistant will send Alice a map.", "said_by": "assistant", "sources": [1]},
            )
        ]
    )
    memory = open_memory(store_url, model=model, clock=TickingClock())
    report = memory.remember(
        [HumanMessage("I live in Oslo.", id="m1"), AIMessage("I'll send you a map.", id="m2")],
        scope=ALICE,
        thread_id="t",
    )
    assert [outcome.text for outcome in report.added] == [
        "Alice lives in Oslo.",
        "The assistant will send Alice a map.",
    ]
    assert report.usage.calls == 1 and len(memory.list(scope=ALICE)) == 2
    first, second = (memory.get(outcome.id or "") for outcome in report.added)
    assert (first.actor, second.actor) == ("user", "assistant")
    assert (first.evidence, second.evidence) == (("m1",), ("m2",))
    assert [(record.id, record.text) for record in (first, second)] == [
        (outcome.id, outcome.text) for outcome in report.added
    ]
    for record in (first, second):
        assert record.scope.segments == ALICE and record.session_id == "t"
        assert record.hash == content_hash(record.text)
        [event] = memory.history(record.id)
        assert (event.action, event.actor, event.before) == ("added", record.actor, None)
        assert event.after is not None and event.after["text"] == record.text
        item = memory.store.get((MEMORIES, *record.scope.namespace()), record.id)
        assert item is not None and item.created_at == item.updated_at == record.recorded_at == event.at
    assert first.id != second.id and first.hash != second.hash
    assert first.valid_from == first.observed_at and first.novelty == 1.0
    assert first.metadata["extracted_by"] == "model"
    model.assert_exhausted()


def test_mem0_M02_an_exact_duplicate_is_found_however_many_rank_better(
    open_memory: Open, store_url: str, embedder: CountingEmbedder
) -> None:
    memory = open_memory(store_url, model=ScriptedChatModel([answer("Tea is what Alice drinks")]))
    long_ago = datetime(2001, 2, 3, tzinfo=UTC)
    old = memory.add("tea is what alice drinks", scope=ALICE, actor="Old Bob of Hull", observed_at=long_ago).ids[0]
    for number in range(30):
        memory.add(f"Tea is what Alice drinks {number}", scope=ALICE)
    records = memory.list(scope=ALICE)
    new = embedder.embed_query(spoken_line("user", records[-1].observed_at, "Tea is what Alice drinks"))
    likeness = [new @ embedder.embed_query(spoken_line(r.actor, r.observed_at, r.text)) for r in records]
    assert sum(other > likeness[0] for other in likeness[1:]) > 10, "no search would show it"
    report = memory.remember("Tea is what Alice drinks, tea.", scope=ALICE)
    assert [(outcome.of, outcome.reason) for outcome in report.reinforced] == [(old, None)]
    assert not report.added and not report.failed and len(texts(memory)) == 31


def test_mem0_M03_the_same_fact_is_one_row_in_a_batch_and_between_threads(open_memory: Open, store_url: str) -> None:
    fact = {"text": "Alice has two cats.", "sources": [0]}
    memory = open_memory(store_url, model=ScriptedChatModel([answer(fact, fact)] + [answer(fact)] * 6))
    report = memory.remember([("user", "I have two cats.")], scope=ALICE, thread_id="t0")
    assert (len(report.added), len(report.skipped)) == (1, 1)
    assert report.skipped[0].reason == "same text in this batch" and report.skipped[0].of == report.added[0].id

    def say(number: int) -> None:
        memory.remember([("user", f"I have two cats, I said {number}.")], scope=ALICE, thread_id=f"t{number}")

    threads = [threading.Thread(target=say, args=(number,)) for number in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts(memory) == ["Alice has two cats."]
    assert memory.list(scope=ALICE)[0].reinforced == 6


async def test_mem0_M03_the_same_fact_is_one_row_between_tasks(open_memory: Open, store_url: str) -> None:
    fact = {"text": "Alice has two cats.", "sources": [0]}
    memory = open_memory(store_url, model=ScriptedChatModel([answer(fact)] * 6))
    said = (memory.aremember([("user", f"I have two cats, {n}.")], scope=ALICE, thread_id=f"t{n}") for n in range(6))
    reports = await asyncio.gather(*said)
    assert sorted(len(report.added) for report in reports) == [0] * 5 + [1]
    [record] = memory.list(scope=ALICE)
    assert (record.text, record.reinforced) == ("Alice has two cats.", 5)


def test_mem0_M05_the_same_claim_in_other_words_is_folded_and_another_claim_is_not(
    open_memory: Open, store_url: str
) -> None:
    when = "every morning before work at the harbour office beside the old fish market"
    what = "Alice drinks two cups of green tea with honey, lemon, ginger and a slice of dark rye bread"
    told, again = f"{what} {when}", f"{when} {what}"
    more = told.replace("two", "three")
    memory = open_memory(store_url, model=ScriptedChatModel([answer(told), answer(again), answer(more)]))
    for number in range(3):
        memory.remember([("user", f"Tea before work, as said {number} times")], scope=ALICE, thread_id=f"t{number}")
    kept = memory.list(scope=ALICE)
    assert [change.action for change in memory.history(kept[0].id)] == ["added", "reinforced"]
    found = [(record.text, record.reinforced) for record in kept]
    assert found == [(told, 1), (more, 0)], "another number is another claim, however near the wording"


def test_mem0_M05_a_restatement_is_found_however_many_inner_scopes_say_the_same(
    open_memory: Open, store_url: str
) -> None:
    when = "every morning before work at the harbour office beside the old fish market"
    what = "Alice drinks two cups of green tea with honey, lemon, ginger and a slice of dark rye bread"
    memory = open_memory(store_url, model=ScriptedChatModel([answer(f"{when} {what}")]))
    own = memory.add(f"{what} {when}", scope="team").ids[0]
    for number in range(120):
        memory.add(f"{when} {what}", scope=("team", number))
    report = memory.remember(f"{when} {what}", scope="team")
    assert [outcome.id for outcome in report.reinforced] == [own] and not report.added


@pytest.mark.parametrize("held", [True, False])
def test_mem0_M05_a_restatement_is_found_however_much_waits_for_its_vector(folder: Path, held: bool) -> None:
    when = "every morning before work at the harbour office beside the old fish market"
    what = "Alice drinks two cups of green tea with honey, lemon, ginger and a slice of dark rye bread"
    model = ScriptedChatModel([answer(f"{when} {what}"), '{"actions": []}'])
    limits = Settings(background=False, embed_at_recall=5, cache_mb=512 if held else 1)
    with Memory(folder, embeddings=HashEmbedder(4_000), model=model, settings=limits) as memory:
        own = memory.add(f"{what} {when}", scope=ALICE).ids[0]
        memory.add(f"{when} {what} again", scope=ALICE)
        memory.record([f"Message {number} of the harbour." for number in range(350)], scope=ALICE, thread_id="t")
        report = memory.remember(f"{when} {what}", scope=ALICE, thread_id="u")
        assert [outcome.id for outcome in report.reinforced] == [own] and not report.added
        assert memory.consolidate(scope=ALICE).usage.calls == 1, "what resembles each other was seen"


def test_mem0_M06_only_numbers_that_were_shown_link(open_memory: Open, store_url: str) -> None:
    memory = open_memory(
        store_url, model=ScriptedChatModel([answer({"text": "Alice sold her boat.", "related": [0, 7]})])
    )
    old = memory.add("Alice owns a boat.", scope=ALICE).ids[0]
    report = memory.remember("I sold my boat.", scope=ALICE)
    assert memory.get(report.added[0].id or "").metadata["related"] == [old]
    assert [note for note in report.notes if "'7'" in note and "not shown" in note]


SAID = "I live in Oslo."
DOG, HORSE = "Alice has a dog.", "Alice has a horse."
HALF, NO_TEXT = "the answer is cut off or broken in this item", "no text in this item of the answer"


@pytest.mark.parametrize(
    ("said", "kept", "refused"),
    [
        ('```json\n{"memories": [{"text": "Alice has a dog."}]}\n```', [DOG], []),
        ('<think>hm {"x": 1}</think>{"memories": [{"text": "Alice has a dog."}]}', [DOG], []),
        ('Sure! Here you go: {"memories": [{"text": "Alice has a dog."}]} Anything else?', [DOG], []),
        ('{"memories": [{"text": "Alice has a dog."},]}', [DOG], []),
        (
            '{"memories": [{"text": "Alice has a dog."}, {"text": "Alice has a c',
            [DOG],
            [('{"text": "Alice has a c', HALF)],
        ),
        (
            '{"memories": [{"text": "Alice has a dog."}, {"text": "Alice has a cat.", "sources": [0',
            [DOG],
            [('{"text": "Alice has a cat.", "sources": [0', HALF)],
        ),
        ('{"memories": [{"text": "Alice has a dog."}, ', [DOG], []),
        ('["Alice has a dog.", "Alice has a c', [DOG], [('"Alice has a c', HALF)]),
        ('{"memories": [{"text": "Alice has a c', [SAID], [('{"text": "Alice has a c', HALF)]),
        ('{"memories": [{"text": "Alice has a dog."}, {nonsense}]}', [DOG], [("{nonsense}]}", HALF)]),
        ('{"memory": ["Alice has a dog.", "Alice has a horse."]}', [DOG, HORSE], []),
        ('{"memories": {"a": {"text": "Alice has a dog."}}}', [DOG], []),
        (
            '{"facts": [{"memory": "Alice has a dog."}, 42, {"text": 7}, "  \\n ", {"text": "Alice has a horse."}]}',
            [DOG, HORSE],
            [("42", NO_TEXT), ("{'text': 7}", NO_TEXT), ("", "blank")],
        ),
        ("{}", [], []),
        ("[]", [], []),
        (" \n ", [SAID], []),
        ("42", [SAID], []),
    ],
)
def test_mem0_M07_what_can_be_read_is_kept_and_the_rest_is_told(
    open_memory: Open, folder: Path, said: str, kept: list[str], refused: list[tuple[str, str]]
) -> None:
    memory = open_memory(folder, model=ScriptedChatModel([said]))
    report = memory.remember(SAID, scope=ALICE)
    assert texts(memory) == [outcome.text for outcome in report.added] == kept
    assert [(outcome.text, outcome.reason) for outcome in report.refused] == refused
    assert not report.failed and not report.skipped and report.usage.calls == 1
    odd = any(note.startswith("the model's answer was odd: ") for note in report.notes)
    assert odd == (HALF in dict(refused).values() or kept == [SAID] or said.endswith(", "))


def test_mem0_M07_a_tool_call_that_was_cut_off_is_told_in_the_same_way(open_memory: Open, folder: Path) -> None:
    call = {"name": "memories", "args": {"memories": [DOG, "Alice has a c"]}, "id": "c1", "type": "tool_call"}
    cut = AIMessage("", tool_calls=[call], response_metadata={"finish_reason": "length"})
    memory = open_memory(folder, model=ScriptedChatModel([cut]))
    report = memory.remember(SAID, scope=ALICE)
    assert texts(memory) == [DOG]
    assert [(outcome.text, outcome.reason) for outcome in report.refused] == [('"Alice has a c', HALF)]


def test_mem0_M08_a_model_that_fails_loses_nothing(open_memory: Open, store_url: str) -> None:
    model = ScriptedChatModel([ValueError("out of order"), answer("Alice lives in Oslo.")])
    memory = open_memory(store_url, model=model)
    with pytest.raises(ModelError, match="out of order"):
        memory.remember([("user", "I live in Oslo.")], scope=ALICE, thread_id="t")
    assert texts(memory) == [] and len(memory.entries("t", scope=ALICE)) == 1
    assert [outcome.text for outcome in memory.remember(scope=ALICE, thread_id="t").added] == ["Alice lives in Oslo."]


@pytest.mark.parametrize("place", ["record", "history"])
def test_mem0_M10_one_record_that_cannot_be_written_takes_no_other_with_it(
    open_memory: Open, store_url: str, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    memory = open_memory(
        store_url, model=ScriptedChatModel([answer("Alice is one.", "Alice is two.", "Alice is three.")])
    )
    insert, log = memory_table.insert, journal.log

    def insert_badly(connection: Any, new: Any) -> None:
        insert(connection, new)
        if any("two" in record.text for _, record in new):
            raise OSError("the disk has a hole")

    def log_badly(connection: Any, lines: Any) -> None:
        log(connection, lines)
        if any("two" in change.after["text"] for _, _, change in lines):
            raise OSError("the disk has a hole")

    if place == "record":
        monkeypatch.setattr(memory_table, "insert", insert_badly)
    else:
        monkeypatch.setattr(journal, "log", log_badly)
    report = memory.remember("one two three", scope=ALICE)
    assert [outcome.text for outcome in report.added] == ["Alice is one.", "Alice is three."]
    assert [(outcome.id, outcome.text, outcome.reason) for outcome in report.failed] == [
        (None, "Alice is two.", "OSError: the disk has a hole")
    ]
    kept = memory.list(scope=ALICE, include_history=True)
    assert [record.text for record in kept] == ["Alice is one.", "Alice is three."]
    with memory._parts.database.read() as connection:
        lines = journal.of_batch(connection, report.batches[0])
    assert [(line.change.action, line.change.memory_id) for line in lines] == [("added", record.id) for record in kept]
    assert all([change.action for change in memory.history(record.id)] == ["added"] for record in kept)


def test_mem0_M12_every_name_for_a_role_is_read_and_tools_are_not(open_memory: Open, folder: Path) -> None:
    model = ScriptedChatModel([answer({"text": "Alice likes jazz.", "said_by": "user", "sources": [0]})])
    memory = open_memory(folder, model=model)
    call = {"name": "look", "args": {}, "id": "c1", "type": "tool_call"}
    messages = [
        {"role": "human", "content": "I like jazz."},
        AIMessage("", tool_calls=[call]),
        ToolMessage("a secret table", tool_call_id="c1"),
        {"role": "ai", "content": "Good choice."},
        {"role": "system", "content": "Be brief."},
    ]
    memory.remember(messages, scope=ALICE, thread_id="t")
    prompt = str(model.calls[0].messages[-1].content)
    assert "user: I like jazz." in prompt and "assistant: Good choice." in prompt
    assert "secret table" not in prompt and "Be brief" not in prompt
    assert memory.list(scope=ALICE)[0].actor == "user"


@pytest.mark.parametrize(
    "messages",
    [[], "   ", [("user", "")], [{"role": "user", "content": None}], [AIMessage("", tool_calls=[
        {"name": "look", "args": {}, "id": "c1", "type": "tool_call"}])]],
)  # fmt: skip
def test_mem0_M13_nothing_said_costs_no_call(open_memory: Open, folder: Path, messages: Any) -> None:
    memory = open_memory(folder, model=ScriptedChatModel([]))
    report = memory.remember(messages, scope=ALICE, thread_id="t")
    assert (report.added, report.usage.calls) == ((), 0)


def test_mem0_M15_dates_are_counted_from_when_it_was_said(open_memory: Open, folder: Path) -> None:
    model = ScriptedChatModel([answer("Alice was in Rome on 2023-05-07.")])
    memory = open_memory(folder, model=model)
    said = datetime(2023, 5, 8, 9, tzinfo=UTC)
    report = memory.remember([("user", "Yesterday I was in Rome.")], scope=ALICE, thread_id="t", observed_at=said)
    prompt = str(model.calls[0].messages[-1].content)
    assert "2023-05-08 (Monday)" in prompt and f"{datetime.now(UTC):%Y-%m-%d}" not in prompt
    record = memory.get(report.added[0].id or "")
    assert record.observed_at == said and record.recorded_at > said


def test_mem0_M15_manage_counts_dates_from_when_it_was_said_too(open_memory: Open, store_url: str) -> None:
    call = ScriptedChatModel.call
    model = ScriptedChatModel(
        [call("create", content="Alice was in Rome on 2023-05-07."), call("update", id=0, content="Alice likes Rome.")]
    )
    memory = open_memory(store_url, model=model)
    memory.add("Alice hates Rome.", scope=ALICE)
    said = datetime(2023, 5, 8, 9, tzinfo=UTC)
    for text in ("Yesterday I was in Rome.", "I like Rome."):
        report = memory.manage([("user", text)], scope=ALICE, thread_id="t", observed_at=said, max_steps=1)
        record = memory.get(report.added[0].id or "")
        assert record.observed_at == said and record.recorded_at > said
    prompt = str(model.calls[0].messages[-1].content)
    assert "Today is 2023-05-08 (Monday)" in prompt and f"{datetime.now(UTC):%Y-%m-%d}" not in prompt
    found = memory.recall("Rome", scope=ALICE, as_of=datetime(2024, 1, 1, tzinfo=UTC), kinds=["fact"])
    assert [hit.text for hit in found.hits] == ["Alice was in Rome on 2023-05-07."]


def test_mem0_M16_chinese_stays_chinese_and_two_characters_find_it(open_memory: Open, store_url: str) -> None:
    model = ScriptedChatModel([answer({"text": "小明对花生过敏。", "sources": [0]})])
    memory = open_memory(store_url, model=model)
    memory.remember([("user", "我对花生过敏")], scope=ALICE, thread_id="t")
    assert "language" in model.calls[0].text and "Do not translate" in model.calls[0].text
    hits = memory.recall("过敏", scope=ALICE, recipe="lexical", kinds=["fact"]).hits
    assert [hit.text for hit in hits] == ["小明对花生过敏。"]


def test_mem0_M17_own_instructions_stand_once_behind_the_rules(open_memory: Open, folder: Path) -> None:
    model = ScriptedChatModel([answer(), answer()])
    memory = open_memory(folder, model=model, instructions="Only note allergies.")
    memory.remember("I like jazz.", scope=ALICE)
    memory.remember("I like tea.", scope=ALICE, instructions="Only note hobbies.")
    system = [str(call.messages[0].content) for call in model.calls]
    assert system[0].count("Only note allergies.") == 1 and system[0].endswith("Only note allergies.")
    assert "hobbies" in system[1] and "allergies" not in system[1]


def test_mem0_M27_the_newest_ten_messages_before_give_the_context(open_memory: Open, folder: Path) -> None:
    model = distiller()
    memory = open_memory(folder, model=model)
    memory.remember([("user", f"early line {n}") for n in range(25)], scope=ALICE, thread_id="t")
    for place, (scope, thread) in enumerate(
        (
            (("acme", "bob"), "t"),  # another scope, with a thread of the same name
            (("acme",), "t"),
            ((*ALICE, "work"), "t"),
            (ALICE, "other"),
        )
    ):
        memory.remember([("user", f"foreign line {place}")], scope=scope, thread_id=thread)
    memory.remember([("user", f"late line {n}") for n in range(3)], scope=ALICE, thread_id="t")
    earlier, _, new = str(model.calls[-1].messages[-1].content).partition("New messages:")
    assert re.findall(r"(\w+) line (\d+)", earlier) == [("early", str(n)) for n in range(15, 25)]
    assert re.findall(r"(\w+) line (\d+)", new) == [("late", str(n)) for n in range(3)]
    memory.remember([("user", "bob's late line 9")], scope=("acme", "bob"), thread_id="t")
    assert re.findall(r"(\w+) line (\d+)", str(model.calls[-1].messages[-1].content)) == [
        ("foreign", "0"),
        ("late", "9"),
    ]


def as_system_block(block: str) -> list[Any]:
    return [SystemMessage(f"You are helpful.\n\n{block}", id="s1"), HumanMessage("How is the weather?", id="m1")]


def beside_the_question(block: str) -> list[Any]:
    return [HumanMessage(f"{block}\n\nHow is the weather?", id="m1")]


@pytest.mark.parametrize("placed", [as_system_block, beside_the_question])
def test_mem0_M28_what_was_recalled_is_not_taken_for_news(
    open_memory: Open, folder: Path, placed: Callable[[str], list[Any]]
) -> None:
    model = ScriptedChatModel([answer("Alice owns a red boat.")])
    memory = open_memory(folder, model=model, settings=Settings(background=False, known_limit=0))
    memory.add("Alice owns a red boat.", scope=ALICE, actor="user")
    block = memory.recall("boat", scope=ALICE).block
    assert "red boat" in block and block.startswith("<") and block.rstrip().endswith(">"), "it is tagged"
    report = memory.remember(placed(block), scope=ALICE, thread_id="t")
    assert "How is the weather?" in model.calls[0].text
    assert "red boat" not in model.calls[0].text and "You are helpful" not in model.calls[0].text
    [refused] = report.refused
    assert refused.text == "Alice owns a red boat." and refused.reason in ("echo", "system prompt")
    assert [(record.text, record.reinforced) for record in memory.list(scope=ALICE)] == [("Alice owns a red boat.", 0)]


def test_mem0_M28_a_system_block_is_no_news_for_a_scope_that_does_not_know_it(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder, model=ScriptedChatModel([answer("Alice owns a red boat.")]))
    memory.add("Alice owns a red boat.", scope="acme")
    block = memory.recall("boat", scope="acme").block
    report = memory.remember(as_system_block(block), scope=ALICE, thread_id="t")
    assert [outcome.reason for outcome in report.refused] == ["system prompt"] and not texts(memory)


def test_mem0_M28_the_rules_do_not_take_it_for_news_either(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder)
    memory.add("Alice owns a red boat in Bergen.", scope=ALICE, actor="user")
    block = memory.recall("boat", scope=ALICE).block
    for place, placed in enumerate((as_system_block, beside_the_question)):
        memory.remember(placed(block), scope=ALICE, thread_id=f"t{place}")
    assert [record.reinforced for record in memory.list(scope=ALICE)] == [0]
