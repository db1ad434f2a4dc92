"""The rows of CrewAI's acceptance list that concern saving, scopes and lifecycle."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import os
import signal
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from children import Child
from facts import answer, distiller, every_fact
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult

from langgraph_memory import Memory, Settings
from langgraph_memory.errors import MemoryClosed, ModelError, NotFound
from langgraph_memory.maintenance.reconcile import Differences
from langgraph_memory.records import Report
from langgraph_memory.scope import Scope
from langgraph_memory.testing import ScriptedChatModel
from langgraph_memory.testing.embedder import HashEmbedder
from langgraph_memory.text.normalise import content_hash

A = ("acme", "alice")
Open = Callable[..., Memory]

NOTHING = Report(notes=("nothing new to read",))
OLD, NEAR = "Alice works at the harbour office.", "The harbour office is where Alice works since May."


class GivenCosines(HashEmbedder):
    """Puts the two texts of each pair at the cosine given; all other texts are unlike."""

    def __init__(self, *pairs: tuple[str, str, float]) -> None:
        super().__init__(64)
        self._given: dict[str, Any] = {}
        for place, (one, other, cosine) in enumerate(pairs):
            for text, along in ((one, 1.0), (other, cosine)):
                row = self._given[text] = [0.0] * 64
                row[2 * place : 2 * place + 2] = along, math.sqrt(1 - along * along)

    def embed_documents(self, texts: Sequence[str]) -> Any:
        rows = super().embed_documents(texts)
        for row, text in zip(rows, texts, strict=True):
            for known, vector in self._given.items():
                if text.endswith(known):  # a memory is embedded with its speaker and date before it
                    row[:] = vector
        return rows


def test_crewai_C18_forget_takes_what_meets_all_conditions_inside_the_scope(open_memory: Open, store_url: str) -> None:
    memory = open_memory(store_url)
    then, now = datetime(2024, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)

    def add(scope: tuple[str, ...], kind: str = "fact", at: datetime = then, **metadata: Any) -> str:
        place = len(memory.list(scope=("acme",)))
        return memory.add(
            f"Note {place}.", scope=scope, kind=kind, observed_at=at, valid_from=then, metadata=metadata
        ).ids[0]

    wanted = [add(A, topic="tea", room=1), add((*A, "work"), topic="tea", room=2)]
    others = [
        add(("acme", "bob"), topic="tea"),
        add(("acme", "alice2"), topic="tea"),
        add(A, kind="event", topic="tea"),
        add(A, at=now, topic="tea"),
        add(A, topic="jazz"),
        add(A),
    ]
    left_out = add(A, topic="tea")
    report = memory.forget_where(
        scope=A,
        ids=[*wanted, *others],
        kinds=["fact"],
        older_than=datetime(2025, 1, 1),
        metadata={"topic": "tea"},
        reason="asked",
    )
    assert [outcome.id for outcome in report.retired] == wanted
    assert [outcome.id for outcome in report.skipped] == others
    live = [record.id for record in memory.list(scope=("acme",))]
    assert live == [*others, left_out] and memory.history(wanted[0])[-1].reason == "asked"
    assert [outcome.id for outcome in memory.undo(report).restored] == wanted[::-1]
    everything = memory.forget_where(scope=A)
    assert len(everything.retired) == 7
    assert [record.id for record in memory.list(scope=("acme",))] == others[:2]


class WaitingEmbedder(HashEmbedder):
    """Embeds only once it is let, as a slow model would; a loop that it blocks can never let it."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.let, self.waited_in_vain = threading.Event(), threading.Event(), False

    def embed_documents(self, texts: Sequence[str]) -> Any:
        self.asked.set()
        self.waited_in_vain |= not self.let.wait(20)
        return super().embed_documents(texts)


class WaitingModel(ScriptedChatModel):
    """Answers only once it is let; its blocking face must not be used."""

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        while not self.metadata["let"].is_set():  # type: ignore[index]
            self.metadata["asked"].set()  # type: ignore[index]
            await asyncio.sleep(0)
        return await super()._agenerate(messages, *args, **kwargs)

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        raise AssertionError("the blocking face of the model was used")


def texts(memory: Memory, scope: Any = A) -> list[str]:
    return [record.text for record in memory.list(scope=scope)]


def plan(*actions: tuple[Any, ...]) -> str:
    names = ("number", "action", "text", "reason")
    return json.dumps({"actions": [dict(zip(names, action, strict=False)) for action in actions]})


def similar(open_memory: Open, place: Any, *replies: Any, cosine: float = 0.9) -> Memory:
    """Open a memory that knows `OLD`, to which `NEAR` will be similar."""
    model = ScriptedChatModel(replies)
    memory = open_memory(place, model=model, embeddings=GivenCosines((OLD, NEAR, cosine)))
    memory.add(OLD, scope=A, kind="profile", importance=0.9, session_id="t0", metadata={"from": "survey"})
    return memory


async def loop_ticks_while(event: threading.Event) -> None:
    """Run other work on the loop until the event is set."""
    for _ in range(1_000_000):
        if event.is_set():
            return
        await asyncio.sleep(0)
    raise AssertionError("nothing was asked")


def test_crewai_C01_a_memory_with_every_field_given_costs_no_call(open_memory: Open, store_url: str) -> None:
    memory = open_memory(store_url, model=ScriptedChatModel([]))
    memory.add("Bob drinks coffee.", scope=A)
    said = datetime(2026, 3, 1, 9, tzinfo=UTC)
    report = memory.add(
        "Alice moved to Oslo.",
        scope=A,
        kind="move",
        importance=0.8,
        actor="survey",
        session_id="t",
        observed_at=said,
        metadata={"categories": ["home", "travel"]},
    )
    assert report.usage.calls == 0 and not report.reinforced
    record = memory.get(report.added[0].id or "")
    assert (record.text, record.scope.segments, record.kind) == ("Alice moved to Oslo.", A, "move")
    assert (record.importance, record.actor, record.session_id) == (0.8, "survey", "t")
    assert (record.observed_at, record.metadata) == (said, {"categories": ["home", "travel"]})


def test_crewai_C02_one_call_fills_in_what_was_not_given(open_memory: Open, store_url: str) -> None:
    """What CrewAI files under categories is the kind here; the scope is the caller's, never the model's."""
    fact = {"text": "Alice moved to Oslo.", "kind": "event", "importance": 0.7, "about": ["Norway"], "sources": [0]}
    model = ScriptedChatModel([answer({**fact, "since": "2026-05-01", "scope": "../../etc  Team A/"})])
    memory = open_memory(store_url, model=model)
    memory.add("Bob drinks coffee.", scope=A)
    said = datetime(2026, 5, 9, tzinfo=UTC)
    report = memory.remember([("user", "I moved to Oslo.")], scope=A, thread_id="t", observed_at=said)
    done = memory.consolidate(report, scope=A)
    assert (report.usage.calls, done.usage.calls) == (1, 0), "nothing is similar, so that nobody is asked about it"
    [record] = memory.list(scope=A, kinds=["event"])
    assert [record.id] == [outcome.id for outcome in report.added]
    assert (record.text, record.kind, record.importance) == ("Alice moved to Oslo.", "event", 0.7)
    assert (record.valid_from, record.valid_inferred) == (datetime(2026, 5, 1, tzinfo=UTC), False)
    assert record.metadata == {"about": ["Norway"], "extracted_by": "model"}
    assert "Norway" in [entity.name for entity in memory.entities(scope=A)]
    assert record.scope.segments == A and len(memory.list(scope="acme")) == 2
    assert not memory.list(scope="etc") and not memory.list(scope="Team A")
    model.assert_exhausted()


def test_crewai_C03_similar_with_fields_given_costs_one_call_and_the_plan_is_applied(
    open_memory: Open, store_url: str
) -> None:
    merged = "Alice has worked at the harbour office since May."
    memory = similar(open_memory, store_url, plan((0, "update", merged, "newer"), (1, "delete", None, "merged")))
    before = memory.list(scope=A)
    report = memory.add(NEAR, scope=A)
    done = memory.consolidate(report, scope=A)
    assert report.usage.calls + done.usage.calls == 1
    assert texts(memory) == [merged]
    record = memory.list(scope=A)[0]
    assert record.supersedes == before[0].id and set(record.evidence) == {before[0].id, *report.ids}
    assert (record.kind, record.importance, record.metadata) == ("profile", 0.9, {"from": "survey"})
    assert record.session_id == "t0", "a rewritten memory keeps where it came from"
    assert all(memory.get(id, current=True) == record for id in (before[0].id, *report.ids))
    memory.undo(done)
    assert sorted(texts(memory)) == sorted([OLD, NEAR])


def test_crewai_C03_similar_with_fields_missing_costs_two_calls(open_memory: Open, store_url: str) -> None:
    told = answer({"text": NEAR, "sources": [0]})
    memory = similar(open_memory, store_url, told, plan((0, "delete", None, "superseded"), (1, "keep")))
    report = memory.remember([("user", "Since May I work at the harbour office.")], scope=A, thread_id="t")
    done = memory.consolidate(report, scope=A)
    assert (report.usage.calls, done.usage.calls) == (1, 1)
    assert texts(memory) == [NEAR] and [outcome.reason for outcome in done.retired] == ["superseded"]


@pytest.mark.parametrize(("cosine", "calls"), [(0.86, 1), (0.84, 0)])
def test_crewai_C03_the_threshold_decides_what_is_similar(
    open_memory: Open, folder: Path, cosine: float, calls: int
) -> None:
    memory = similar(open_memory, folder, *[plan((0, "keep"), (1, "keep"))] * calls, cosine=cosine)
    assert memory.consolidate(memory.add(NEAR, scope=A), scope=A).usage.calls == calls
    assert texts(memory) == [OLD, NEAR]


def test_crewai_C03_a_plan_that_changes_nothing_is_not_reported_as_saved(open_memory: Open, folder: Path) -> None:
    memory = similar(open_memory, folder, plan((0, "keep"), (1, "keep"), (7, "delete")))
    done = memory.consolidate(memory.add(NEAR, scope=A), scope=A)
    assert (done.ids, done.retired, done.batches) == ((), (), ())
    assert {outcome.reason for outcome in done.skipped} == {"kept as it is"} and len(done.refused) == 1


def test_crewai_C05_of_a_batch_only_what_is_all_but_the_same_is_dropped(open_memory: Open, store_url: str) -> None:
    tea, again = "Alice drinks green tea.", "Green tea is what Alice drinks."
    flat, anew = "Alice rents a small flat.", "A small flat is what Alice rents."
    facts = [{"text": text, "sources": [place]} for place, text in enumerate((tea, again, flat, anew))]
    memory = open_memory(
        store_url,
        model=ScriptedChatModel([answer(*facts)]),
        embeddings=GivenCosines((tea, again, 0.98), (flat, anew, 0.97)),
    )
    said = [{"role": "user", "content": fact["text"], "id": f"m{n}"} for n, fact in enumerate(facts)]
    report = memory.remember(said, scope=A, thread_id="t")
    assert texts(memory) == [tea, flat, anew]
    kept = memory.list(scope=A)[0]
    assert [(outcome.text, outcome.reason, outcome.of) for outcome in report.skipped] == [
        (again, "all but the same text in this batch", kept.id)
    ]
    assert kept.evidence == ("m0", "m1"), "what was dropped still counts as evidence"


def test_crewai_C06_a_model_that_raises_loses_nothing_and_doubles_nothing(open_memory: Open, store_url: str) -> None:
    model = ScriptedChatModel([ValueError("lost"), ValueError("lost"), answer("Alice lives in Oslo.")])
    memory = open_memory(store_url, model=model)
    said = [{"role": "user", "content": "I live in Oslo.", "id": "m1"}]
    for _ in range(2):
        with pytest.raises(ModelError, match="lost"):
            memory.remember(said, scope=A, thread_id="t")
    assert [hit.text for hit in memory.recall("Oslo", scope=A).hits] == ["I live in Oslo."]
    memory.remember(said, scope=A, thread_id="t")
    assert texts(memory) == ["Alice lives in Oslo."] and len(memory.entries("t", scope=A)) == 1


@pytest.mark.parametrize("junk", ["I cannot do that.", '"?"', "{{{", "<think>so</think>"])
def test_crewai_C06_junk_leaves_it_to_the_rules_and_the_same_text_is_one_row(
    open_memory: Open, folder: Path, junk: str
) -> None:
    memory = open_memory(folder, model=ScriptedChatModel([junk] * 2))
    for thread in ("t1", "t2"):
        said = {"role": "user", "content": "I live in Oslo.", "id": f"of-{thread}"}
        report = memory.remember([said], scope=A, thread_id=thread)
        assert report.notes[-1] == "sentences were chosen by rule instead" and report.usage.calls == 1
    [record] = memory.list(scope=A, include_history=True)
    assert (record.text, record.kind, record.actor, record.reinforced) == ("I live in Oslo.", "fact", "user", 1)
    assert record.hash == content_hash("i live in oslo") and record.evidence == ("of-t1", "of-t2")
    assert record.metadata["extracted_by"] == "rules" and record.scope.segments == A


def test_crewai_C06_what_is_added_needs_no_model_and_has_defaults(open_memory: Open, store_url: str) -> None:
    memory = open_memory(store_url, model=ScriptedChatModel([]), settings=Settings(background=False, distil="inline"))
    for text in ("Alice lives in Oslo.", "alice lives  in Oslo"):
        memory.add(text, scope=A)
    [record] = memory.list(scope=A, include_history=True)
    assert (record.text, record.kind, record.actor) == ("Alice lives in Oslo.", "fact", "user")
    assert (record.importance, record.pinned, record.tier, record.metadata) == (None, False, "short", {})
    assert record.reinforced == 1 and record.hash == content_hash("Alice lives in Oslo.")


def test_crewai_C06_a_message_is_saved_whatever_the_model_does(open_memory: Open, store_url: str) -> None:
    model = ScriptedChatModel([ValueError("lost"), answer("Alice lives in Oslo.")])
    memory = open_memory(store_url, model=model, settings=Settings(background=False, distil="inline"))
    said = {"role": "user", "content": "I live in Oslo.", "id": "m1"}
    report = memory.record([said], scope=A, thread_id="t")
    assert [outcome.id for outcome in report.added] == ["m1"] and "not distilled yet: " in report.notes[0]
    [hit] = memory.recall("Oslo", scope=A).hits
    assert (hit.id, hit.speaker, hit.kind) == ("m1", "user", "message")
    assert memory.record([said], scope=A, thread_id="t").skipped and len(memory.entries("t", scope=A)) == 1
    assert [outcome.text for outcome in memory.drain().added] == ["Alice lives in Oslo."]
    model.assert_exhausted()


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (ValueError("lost"), "lost"),
        ("junk", "there is no JSON in it"),
        (plan((0, "explode"), ("x", "delete")), "explode"),
    ],
)
def test_crewai_C06_a_failed_consolidation_leaves_both(open_memory: Open, folder: Path, reply: Any, told: str) -> None:
    memory = similar(open_memory, folder, reply)
    before = memory.list(scope=A)
    report = memory.add(NEAR, scope=A)
    done = memory.consolidate(report, scope=A)
    assert memory.list(scope=A) == [*before, memory.get(report.ids[0])] and texts(memory) == [OLD, NEAR]
    assert not done.batches and told in str(done)


def test_crewai_C17_erasing_a_scope_leaves_parents_and_lookalikes(open_memory: Open, store_url: str) -> None:
    memory = open_memory(store_url)
    ids = {}
    for scope in (("acme",), ("acme", "proj"), ("acme", "project2"), ("acme", "proj", "x"), ("acme", "proj-x")):
        ids[scope] = memory.add(f"Kept for {scope[-1]}.", scope=scope).ids[0]
        memory.record([("user", f"Said in {scope[-1]}.")], scope=scope, thread_id="t")
    receipt = memory.erase(scope=("acme", "proj"))
    assert (receipt.counts["memories"], receipt.counts["messages"], receipt.counts["scopes"]) == (2, 2, 2)
    assert texts(memory, "acme") == ["Kept for acme.", "Kept for project2.", "Kept for proj-x."]
    assert {session.scope.segments[-1] for session in memory.sessions(scope="acme")} == {"acme", "project2", "proj-x"}
    assert {hit.scope.segments[-1] for hit in memory.recall("kept said for in", scope="acme").hits} == {
        "acme", "project2", "proj-x",
    }  # fmt: skip
    assert all(memory.get(ids["acme", name]).retired_at is None for name in ("project2", "proj-x"))


def test_crewai_C17_forgetting_reaches_no_further_than_its_scope(open_memory: Open, store_url: str) -> None:
    memory = open_memory(store_url)
    scopes = (("acme",), ("acme", "proj"), ("acme", "project2"), ("acme", "proj", "x"))
    above, own, beside, inside = (memory.add(f"Kept for {scope[-1]}.", scope=scope).ids[0] for scope in scopes)
    for foreign in (above, beside):
        with pytest.raises(NotFound):
            memory.forget(foreign, scope=("acme", "proj"))
    for reached in (own, inside):
        memory.forget(reached, scope=("acme", "proj"))
    assert texts(memory, "acme") == ["Kept for acme.", "Kept for project2."]


ODD = (
    *("a//b/", "../x", "a b", "日本/語", "Zoë", "%", "a%", "_", "a_c", "abc", "o'brien"),
    *('"', "*", "?", "\\", "a.b", "a"),
)


def test_crewai_C20_no_character_of_a_scope_is_a_wildcard_or_a_path(open_memory: Open, store_url: str) -> None:
    memory = open_memory(store_url)
    for place, name in enumerate(ODD):
        memory.add(f"Alice knows secret number {place}.", scope=("acme", f" {name} "))
    for place, name in enumerate(ODD):
        own = [f"Alice knows secret number {place}."]
        assert texts(memory, ("acme", name)) == own
        assert [hit.text for hit in memory.recall("secret number", scope=("acme", name)).hits] == own
    for left in range(len(ODD) - 1, -1, -1):
        assert memory.erase(scope=("acme", ODD[left])).counts["memories"] == 1
        assert len(texts(memory, "acme")) == left


@pytest.mark.parametrize("name", ODD)
def test_crewai_C20_a_scope_has_one_canonical_path(name: str) -> None:
    scope = Scope.of(("acme", f"  {name}\n"))
    assert scope.segments == ("acme", name)
    assert scope.path.count("/") == 2 and Scope.from_path(scope.path) == scope
    assert Scope.from_namespace(scope.namespace()) == scope


@pytest.mark.parametrize("scope", [None, (), "", " ", ("acme", ""), ("acme", "\t"), ("acme", None), "a\0b", {"a": 1}])
def test_crewai_C20_what_names_nobody_is_a_value_error(open_memory: Open, folder: Path, scope: Any) -> None:
    memory = open_memory(folder, model=ScriptedChatModel([]))
    for call in (
        lambda: memory.add("Alice likes tea.", scope=scope),
        lambda: memory.remember("I like tea.", scope=scope),
        lambda: memory.recall("tea", scope=scope),
        lambda: memory.erase(scope=scope),
    ):
        with pytest.raises(ValueError, match=r"[Ss]cope"):
            call()
    with pytest.raises(ValueError, match="scope"):
        Scope.from_path("a//b/")


@pytest.mark.parametrize("background", [True, False])
def test_crewai_C22_a_recall_sees_everything_written_before_it(
    open_memory: Open, store_url: str, background: bool
) -> None:
    settings = Settings(background=background, distil="manual")
    memory = open_memory(store_url, model=distiller(), settings=settings)
    for turn in range(5):
        many = [("user", f"Fact {word} belongs to shelf {turn}{place}.") for place, word in enumerate("abcdefghij")]
        memory.record(many, scope=A, thread_id="t")
        said = f"Fact j belongs to shelf {turn}9."
        assert said in [hit.text for hit in memory.recall(said, scope=A).hits]
        memory.remember(scope=A, thread_id="t")
        assert said in [hit.text for hit in memory.recall(said, scope=A, kinds=["fact"]).hits]


def _record_and_end(place: str, how: str) -> None:
    """Record something that is still to be embedded, indexed and distilled; then close, or just end the process."""
    memory = Memory(place, model=ScriptedChatModel([]), embeddings=HashEmbedder())
    memory.record([("user", "Fact one.")], scope=A, thread_id="t")
    if how == "close":
        memory.close()
    elif how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("how", ["close", "exit", "kill"])
def test_crewai_C23_what_is_pending_at_the_end_is_neither_lost_nor_done_twice(
    open_memory: Open, store_url: str, how: str
) -> None:
    child = Child(_record_and_end, store_url, how)
    assert child.exitcode() == (-signal.SIGKILL if how == "kill" else 0)
    model = distiller(1)
    memory = open_memory(store_url, model=model, embeddings=HashEmbedder())
    assert [hit.text for hit in memory.recall("fact one", scope=A).hits] == ["Fact one."]
    assert [outcome.text for outcome in memory.drain().added] == ["Fact one."]
    assert memory.drain() == NOTHING and not memory.flush().left
    assert texts(memory) == ["Fact one."] and len(memory.entries("t", scope=A)) == 1
    model.assert_exhausted()


def test_crewai_C23_what_is_drained_before_close_is_not_pending_after_it(open_memory: Open, store_url: str) -> None:
    model = distiller(1)
    with open_memory(store_url, model=model) as memory:
        memory.record([("user", "Fact one.")], scope=A, thread_id="t")
        memory.drain()
        memory.flush()
    memory = open_memory(store_url, model=ScriptedChatModel([]))
    assert texts(memory) == ["Fact one."]
    assert memory.drain() == NOTHING and memory.flush().embedded == 0
    model.assert_exhausted()


def test_crewai_C23_a_save_after_close_is_refused_loudly(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder, model=ScriptedChatModel([]))
    memory.close()
    memory.close()
    for call in (
        lambda: memory.add("Alice likes tea.", scope=A),
        lambda: memory.record("I like tea.", scope=A, thread_id="t"),
        lambda: memory.remember("I like tea.", scope=A),
        lambda: memory.session("t", scope=A).blocking.add_items([{"role": "user", "content": "I like tea."}]),
        memory.drain,
    ):
        with pytest.raises(MemoryClosed):
            call()
    again = open_memory(folder)
    assert texts(again) == [] and not again.sessions(scope=A)


def test_crewai_C23_what_was_written_beside_a_failure_is_in_the_report(open_memory: Open, store_url: str) -> None:
    def read(messages: list[BaseMessage]) -> str:
        if "Fact two" in str(messages[-1].content):
            raise ValueError("lost")
        return every_fact(messages)

    model = ScriptedChatModel([read, read])
    memory = open_memory(store_url, model=model)
    for thread, said in (("t1", "Fact one."), ("t2", "Fact two.")):
        memory.record([("user", said)], scope=A, thread_id=thread)
    with pytest.raises(ModelError, match="lost") as failure:
        memory.drain()
    report = failure.value.report
    assert [outcome.text for outcome in report.added] == texts(memory) == ["Fact one."]
    assert report.batches and report.usage.calls == 2
    model.replies = [*model.replies, every_fact]
    assert [outcome.text for outcome in memory.drain().added] == ["Fact two."]
    model.assert_exhausted()


def test_crewai_C23_what_fails_in_the_background_is_logged_and_raised_by_drain(
    open_memory: Open, store_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    failed = threading.Event()

    def fail(messages: Any) -> str:
        failed.set()
        raise ValueError("lost")

    model = ScriptedChatModel([fail, ValueError("still lost"), answer("Alice lives in Oslo.")])
    memory = open_memory(store_url, model=model, settings=Settings(quiet_seconds=0))
    with caplog.at_level(logging.WARNING):
        memory.record([("user", "I live in Oslo.")], scope=A, thread_id="t")
        assert failed.wait(20)
        with pytest.raises(ModelError, match="still lost"):
            memory.drain()
        assert [outcome.text for outcome in memory.drain().added] == ["Alice lives in Oslo."]
        memory.close()
    assert "could not be distilled" in caplog.text
    model.assert_exhausted()


@pytest.mark.parametrize("blank", ["", "   ", "\n\t", "\u3000", "\u200b"])
def test_crewai_C25_blank_content_is_rejected_without_a_call(open_memory: Open, folder: Path, blank: str) -> None:
    memory = open_memory(folder, model=ScriptedChatModel([]))
    known = memory.add("Alice likes tea.", scope=A).ids[0]
    assert [outcome.reason for outcome in memory.add(blank, scope=A).refused] == ["blank"]
    assert [outcome.reason for outcome in memory.update(known, text=blank).refused] == ["blank"]
    assert memory.remember(blank, scope=A).usage.calls == 0
    assert memory.remember([("user", blank)], scope=A, thread_id="t").usage.calls == 0
    assert texts(memory) == ["Alice likes tea."]


async def test_crewai_C26_the_loop_ticks_while_something_is_embedded(open_memory: Open, folder: Path) -> None:
    slow = WaitingEmbedder()
    memory = open_memory(folder, model=ScriptedChatModel([answer("Alice lives in Oslo.")]), embeddings=slow)
    await memory.aadd("Alice likes tea.", scope=A)
    await memory.arecord("Hello.", scope=A, thread_id="u")
    for place, verb in enumerate(
        (
            lambda: memory.aremember("I live in Oslo.", scope=A, thread_id="t"),
            lambda: memory.arecall("Where does Alice live?", scope=A),
            lambda: memory.aconsolidate(scope=A),
            lambda: memory.aflush(),
        )
    ):
        slow.asked.clear()
        slow.let.clear()
        task = asyncio.ensure_future(verb())
        await loop_ticks_while(slow.asked)
        assert not task.done()
        slow.let.set()
        await task
        await memory.aadd(f"Alice has seen shelf {place}.", scope=A)
    assert not slow.waited_in_vain, "the event loop stood still"


async def test_crewai_C26_the_loop_ticks_while_the_model_thinks(open_memory: Open, folder: Path) -> None:
    asked, let = threading.Event(), threading.Event()
    model = WaitingModel([answer("Alice lives in Oslo.")], metadata={"asked": asked, "let": let})
    memory = open_memory(folder, model=model)
    task = asyncio.ensure_future(memory.aremember("I live in Oslo.", scope=A, thread_id="t"))
    await loop_ticks_while(asked)
    assert not task.done()
    let.set()
    assert [outcome.text for outcome in (await task).added] == ["Alice lives in Oslo."]


async def test_crewai_C26_the_loop_ticks_while_another_writes(open_memory: Open, store_url: str) -> None:
    memory = open_memory(store_url)
    with memory._parts.database.write():
        tasks = [
            asyncio.ensure_future(memory.aadd("Alice likes tea.", scope=A)),
            asyncio.ensure_future(memory.arecord("I like tea.", scope=A, thread_id="t")),
        ]
        for _ in range(100):
            await asyncio.sleep(0)
        assert not any(task.done() for task in tasks)
    await asyncio.gather(*tasks)
    assert texts(memory) == ["Alice likes tea."] and len(memory.entries("t", scope=A)) == 1


def counted(memory: Memory) -> dict[str, Any]:
    """Return what each way of counting the store says."""
    exported = memory.export(scope="acme", path=StringIO())
    sessions = memory.sessions(scope="acme")
    findings = {check.name: check for check in memory.doctor()}
    assert not [check for check in findings.values() if check.status == "problem"]
    return {
        "live": len(memory.list(scope="acme")),
        "ever": len(memory.list(scope="acme", include_history=True)),
        "by scope": sum(len(texts(memory, ("acme", name))) for name in ("alice", "bob")),
        "paged": sum(len(memory.list(scope="acme", limit=1, offset=place)) for place in range(10)),
        "messages": sum(session.entries for session in sessions),
        "exported": (exported["memories"], exported["messages"]),
    }


def test_crewai_C28_every_count_agrees_after_saves_and_deletes(open_memory: Open, store_url: str) -> None:
    memory = open_memory(store_url)

    def expect(live: int, ever: int, messages: int) -> None:
        assert counted(memory) == {
            "live": live,
            "ever": ever,
            "by scope": live,
            "paged": live,
            "messages": messages,
            "exported": (ever, messages),
        }

    expect(0, 0, 0)
    tea = memory.add("Alice likes tea.", scope=A)
    memory.add("Alice likes tea.", scope=A)
    memory.add("Alice likes jazz.", scope=(*A, "music"))
    memory.add("Bob likes tea.", scope=("acme", "bob"))
    memory.record([("user", "I like tea."), ("user", "I like jazz.")], scope=A, thread_id="t")
    expect(3, 3, 2)
    memory.forget(tea.ids[0])
    expect(2, 3, 2)
    memory.restore(tea.ids[0])
    changed = memory.update(tea.ids[0], text="Alice likes green tea.")
    expect(3, 4, 2)
    memory.undo(changed)
    expect(3, 4, 2)
    memory.erase(scope=A, thread_id="t")
    expect(3, 4, 0)
    receipt = memory.erase(scope=A)
    assert receipt.counts["memories"] == 3
    expect(1, 1, 0)
    memory.flush()
    assert memory.reconcile() == Differences()
    memory.erase(scope="acme")
    expect(0, 0, 0)
