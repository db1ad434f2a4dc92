"""What cannot be used is refused by name, in words, before anything is read or written."""

from __future__ import annotations

import asyncio
import io
import math
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from langgraph_memory.errors import InvalidInput, NotFound
from langgraph_memory.memory import Memory
from langgraph_memory.settings import Settings

WEST, EAST = timezone(timedelta(hours=-5)), timezone(timedelta(hours=14))
TOO_LATE, TOO_EARLY = datetime.max.replace(tzinfo=WEST), datetime.min.replace(tzinfo=EAST)

Call = Callable[[Memory], Any]


def recall(**options: Any) -> Call:
    return lambda memory: memory.recall("tea", scope="a", **options)


def add(**options: Any) -> Call:
    return lambda memory: memory.add("Ana likes tea.", scope="a", **options)


CYCLE: dict[str, Any] = {}
CYCLE["self"] = CYCLE

REFUSED: list[tuple[str, Call, str]] = [
    ("progress of flush", lambda memory: memory.flush(5), "on_progress"),
    ("progress of reindex", lambda memory: memory.reindex(5), "on_progress"),
    ("half a character in a path", lambda memory: memory.export(scope="a", path="\ud800"), "half a character"),
    ("half a character in a file", lambda memory: memory.ingest("\ud800", scope="a"), "half a character"),
    ("max_calls as text", lambda memory: memory.remember("I sail.", scope="a", max_calls="3"), "max_calls is a whole"),
    ("max_calls below 0", lambda memory: memory.drain(max_calls=-1), "max_calls"),
    ("instructions", lambda memory: memory.remember("I sail.", scope="a", instructions=7), "instructions is a text"),
    ("name", lambda memory: memory.merge_entities("Bob", 7, scope="a"), "into is a text, not 7"),
    ("an entity limit", lambda memory: memory.entities(scope="a", limit="3"), "limit is a whole number"),
    ("flow", lambda memory: memory.graph("dance"), "There is no flow 'dance'"),
    ("batch", lambda memory: memory.undo(None), "undo takes the report"),
    ("history as object", recall(include_history=object()), "include_history is True or False"),
    ("list history", lambda memory: memory.list(scope="a", include_history=1), "include_history is True or False"),
    ("newest_first", lambda memory: memory.entries("t", scope="a", newest_first="yes"), "newest_first is True or"),
    ("a huge importance", add(importance=10**5000), "between 0 and 1, not a number of 16610 bits"),
    ("limit below any number", recall(limit=-(10**5000)), "at least 1, not a number of 16610 bits"),
    ("a huge scope", lambda memory: memory.add("hi", scope=("a", 10**5000)), "number of 16610 bits"),
    ("kinds as text", recall(kinds="fact"), r"kinds is a list, not the text 'fact'.*kinds=\['fact'\]"),
    ("kinds as number", recall(kinds=5), "kinds is a list, not 5"),
    ("kinds of numbers", recall(kinds=[5]), "kinds holds 5, and lists texts"),
    ("kinds as dict", recall(kinds={"fact": 1}), "kinds is a list"),
    ("roles as text", recall(roles="user"), "roles is a list, not the text 'user'"),
    ("unknown role", recall(roles=("wizard", "user")), "roles holds 'wizard'; there are 'user', 'assistant', 'system'"),
    ("limit as text", recall(limit="3"), "limit is a whole number, not the text '3'"),
    ("limit as float", recall(limit=3.5), "limit is a whole number, not 3.5"),
    ("limit as bool", recall(limit=True), "limit is a whole number, not True"),
    ("limit 0", recall(limit=0), "limit must be at least 1, not 0"),
    ("budget as text", recall(budget="1k"), "budget is a whole number"),
    ("budget below 0", recall(budget=-1), "budget must be at least 0"),
    (
        "recipe None",
        recall(recipe=None),
        r"no recipe None; write one of 'hybrid', 'lexical', 'dense'.*or give a Recipe",
    ),
    ("recipe as list", recall(recipe=["hybrid"]), "There is no recipe"),
    ("as_of as text", recall(as_of="2026-01-01"), "as_of must be a datetime"),
    ("as_of too late", recall(as_of=TOO_LATE), "as_of lies outside the years 1 to 9999"),
    ("known_at too early", recall(known_at=TOO_EARLY), "known_at lies outside"),
    ("said_before too late", recall(said_before=TOO_LATE), "said_before lies outside"),
    ("a blank actor", recall(actor=" "), "actor is blank"),
    ("private as number", add(private=1), "private is True or False"),
    ("include_private", recall(include_private="yes"), "include_private is True or False"),
    ("a rule that is none", recall(skip="idle"), "skip is a function"),
    ("min_score as text", recall(min_score="0.5"), "min_score is a number, not the text '0.5'"),
    ("min_score not a number", recall(min_score=float("nan")), "min_score is a number"),
    ("a huge min_score", recall(min_score=10**5000), "min_score is a number, not a number of 16610 bits"),
    ("depth", recall(depth=3), "There is no depth 3; write 'shallow' or 'deep'"),
    ("calls of a deep recall", recall(depth="deep", max_calls=1.5), "max_calls is a whole number"),
    ("calls below 0 of one search", recall(max_calls=-1), "max_calls must be at least 0, not -1"),
    ("calls that are no number, of one search", recall(max_calls=math.nan), "max_calls is a whole number, not nan"),
    ("calls awaited", lambda memory: asyncio.run(memory.arecall("tea", scope="a", max_calls=-1)), "max_calls must be"),
    (
        "calls of many",
        lambda memory: memory.recall_many(["tea"], scope="a", max_calls=-1),
        "without depth and max_calls",
    ),
    ("queries as text", lambda memory: memory.recall_many("tea", scope="a"), "queries is a list"),
    ("an option of none", lambda memory: memory.recall_many(["tea"], scope="a", depth="deep"), "no option depth"),
    (
        "query None",
        lambda memory: memory.recall(None, scope="a"),
        "query is a text, not None. Write for example query=",
    ),
    ("query as number", lambda memory: memory.recall(5, scope="a"), "query is a text, not 5"),
    ("query as bytes", lambda memory: memory.recall(b"tea", scope="a"), "query is a text, not an object of type bytes"),
    ("query of blanks", lambda memory: memory.recall(" \n", scope="a"), "The query is empty"),
    (
        "many queries, one a number",
        lambda memory: memory.recall_many(["tea", 5], scope="a"),
        "queries holds 5, and lists",
    ),
    ("many queries, one blank", lambda memory: memory.recall_many(["tea", ""], scope="a"), "The query is empty"),
    ("list kinds", lambda memory: memory.list(scope="a", kinds="fact"), "kinds is a list"),
    ("list limit", lambda memory: memory.list(scope="a", limit="2"), "limit is a whole number"),
    ("list limit below 0", lambda memory: memory.list(scope="a", limit=-1), "limit must be at least 0"),
    ("list offset", lambda memory: memory.list(scope="a", offset=-1), "offset must be at least 0"),
    ("sessions limit", lambda memory: memory.sessions(scope="a", limit=-1), "limit must be at least 0"),
    ("sessions offset", lambda memory: memory.sessions(scope="a", offset=None), "offset is a whole number, not None"),
    ("entries thread", lambda memory: memory.entries(5, scope="a"), "thread_id is a text, not 5"),
    ("entries after", lambda memory: memory.entries("t", scope="a", after="x"), "after is a whole number"),
    ("entries limit", lambda memory: memory.entries("t", scope="a", limit=-2), "limit must be at least 0"),
    ("get", lambda memory: memory.get(5), "id is a text, not 5"),
    ("history", lambda memory: memory.history(None), "id is a text, not None"),
    ("export to nothing", lambda memory: memory.export(scope="a", path=None), "path is a path, not None"),
    ("export to bytes", lambda memory: memory.export(scope="a", path=io.BytesIO()), "path is a path, not an object of"),
    ("export to empty", lambda memory: memory.export(scope="a", path=""), "path is empty"),
    ("export to root", lambda memory: memory.export(scope="a", path="/"), "no name of a file"),
    ("export to NUL", lambda memory: memory.export(scope="a", path="a\0b"), "path holds a NUL"),
    ("text None", lambda memory: memory.add(None, scope="a"), "text is a text, not None"),
    ("kind None", add(kind=None), "kind is a text, not None"),
    ("kind empty", add(kind=""), "kind is blank"),
    ("kind blank", add(kind=" \n"), "kind is blank"),
    ("kind message", add(kind="message"), r"what was said, which record\(\) keeps"),
    ("actor None", add(actor=None), "actor is a text, not None"),
    ("actor blank", add(actor=""), "actor is blank"),
    ("session_id", add(session_id=7), "session_id is a text, not 7"),
    ("importance text", add(importance="x"), "importance is a number from 0 to 1, not the text 'x'"),
    ("importance bool", add(importance=True), "importance is a number"),
    ("importance too large", add(importance=1.5), "importance lies between 0 and 1, not 1.5"),
    ("importance NaN", add(importance=math.nan), "importance lies between 0 and 1, not nan"),
    ("pinned", add(pinned="yes"), "pinned is True or False, not the text 'yes'"),
    ("metadata text", add(metadata="zz"), "metadata is a dict, not the text 'zz'"),
    ("metadata set", add(metadata={"a": {1}}), r"metadata holds something that JSON does not know.*set.*Write texts"),
    ("metadata date", add(metadata={"at": datetime.max}), "metadata holds something"),
    ("metadata NaN", add(metadata={"a": math.nan}), "metadata holds something"),
    ("metadata cycle", add(metadata=CYCLE), "metadata holds something"),
    ("evidence text", add(evidence="abc"), r"evidence is a list, not the text 'abc'.*evidence=\['message-id'\]"),
    ("evidence numbers", add(evidence=[1]), "evidence holds 1"),
    ("observed_at too late", add(observed_at=TOO_LATE), "observed_at lies outside the years"),
    ("valid_from too early", add(valid_from=TOO_EARLY), "valid_from lies outside the years"),
    ("valid_to too late", add(valid_to=TOO_LATE), "valid_to lies outside the years"),
    ("expires_at too late", add(expires_at=TOO_LATE), "expires_at lies outside the years"),
    (
        "record observed_at",
        lambda memory: memory.record("hi", scope="a", thread_id="t", observed_at=TOO_LATE),
        "outside",
    ),
    ("record None", lambda memory: memory.record(None, scope="a", thread_id="t"), "Expected messages, but got None"),
    ("update text", lambda memory: memory.update("x", text=None), "text is a text, not None"),
    ("update id", lambda memory: memory.update(1, text="y"), "id is a text, not 1"),
    ("update actor", lambda memory: memory.update("x", text="y", actor=None), "actor is a text"),
    ("forget id", lambda memory: memory.forget(None), "id is a text, not None"),
    ("forget reason", lambda memory: memory.forget("x", reason=5), "reason is a text, not 5"),
    ("restore thread", lambda memory: memory.restore("x", thread_id=5), "thread_id is a text, not 5"),
    ("undo", lambda memory: memory.undo(5), "undo takes the report of a call"),
    ("erase thread", lambda memory: memory.erase(scope="a", thread_id=5), "thread_id is a text, not 5"),
    ("ingest path", lambda memory: memory.ingest(None, scope="a"), "path is a path, not None"),
    ("ingest NUL", lambda memory: memory.ingest("a\0b", scope="a"), "path holds a NUL"),
    ("ingest format", lambda memory: memory.ingest("x.json", scope="a", format=["jsonl"]), "format is a text"),
    ("ingest progress", lambda memory: memory.ingest("x.json", scope="a", on_progress=5), "on_progress is a function"),
]


@pytest.mark.parametrize(("call", "said"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_cannot_be_used_is_refused_in_words(memory: Memory, call: Call, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        call(memory)
    assert (memory.list(scope="a", include_history=True), memory.sessions(scope="a")) == ([], [])


async def test_the_async_twins_refuse_alike(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="kinds is a list"):
        await memory.arecall("tea", scope="a", kinds="fact")
    with pytest.raises(InvalidInput, match="evidence is a list"):
        await memory.aadd("Ana likes tea.", scope="a", evidence="abc")


OPENING: list[tuple[str, dict[str, Any], str]] = [
    ("nowhere", {"location": None}, "location is a path, not None"),
    ("bytes", {"location": b"memory"}, "location is a path, not an object of type bytes"),
    ("number", {"location": 5}, "location is a path, not 5"),
    ("empty", {"location": ""}, "location is empty"),
    ("NUL", {"location": "a\0b"}, "location holds a NUL"),
    ("reindex", {"reindex": "yes"}, "reindex is True or False, not the text 'yes'"),
    ("chroma", {"chroma": "notaurl"}, "chroma is no address of a server. Write it as http://localhost:8000"),
    ("chroma's port", {"chroma": "http://localhost:x"}, "chroma is no address"),
    ("chroma as a file", {"chroma": "file:///tmp"}, "chroma is no address"),
    ("clock", {"clock": lambda: 5}, "clock returns 5. It must return a datetime"),
    ("count_tokens", {"count_tokens": lambda text: "x"}, "count_tokens returns the text 'x'. It must return a number"),
    ("settings", {"settings": {"limit": 5}}, r"settings is a Settings object.*Settings\(limit=5\)"),
    ("clock", {"clock": datetime.max}, "clock is a function"),
    ("count_tokens", {"count_tokens": 4}, "count_tokens is a function, not 4"),
    ("chroma", {"chroma": 8000}, "chroma is a text, not 8000"),
    ("instructions", {"instructions": ["x"]}, "instructions is a text"),
    ("schemas", {"schemas": {"type": "object"}}, "schemas is a list"),
    ("profiles", {"profiles": Settings}, "profiles is a list, not the class Settings"),
    ("query_model alone", {"query_model": "openai:x"}, "query_model searches for what the model writes"),
    ("embeddings", {"embeddings": "openai:x"}, "embeddings= cannot be the text"),
]


@pytest.mark.parametrize(("options", "said"), [case[1:] for case in OPENING], ids=[case[0] for case in OPENING])
def test_a_memory_that_cannot_be_opened_says_why(
    open_memory: Callable[..., Memory], folder: Path, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidInput, match=said):
        open_memory(options.pop("location", folder), **options)
    assert not folder.exists()


def test_a_clock_that_stops_giving_times_is_said(open_memory: Callable[..., Memory], folder: Path) -> None:
    good = datetime(2026, 5, 1, tzinfo=EAST)
    given: list[Any] = [good] * 50
    memory = open_memory(folder, clock=lambda: given[-1])
    given.append("noon")
    for call in (
        lambda: memory.record(["tea"], scope="a", thread_id="t"),
        lambda: memory.add("Ana likes tea.", scope="a"),
        lambda: memory.recall("tea", scope="a"),
        lambda: memory.list(scope="a"),
    ):
        with pytest.raises(InvalidInput, match=r"clock returns the text 'noon'. It must return a datetime"):
            call()
    given.append(good)
    assert memory.list(scope="a") == []


def test_what_can_be_used_is_used(memory: Memory) -> None:
    at = datetime(2026, 5, 1, tzinfo=EAST)
    memory.record({"role": "user", "content": "tea is good", "id": "m1"}, scope="a", thread_id="t", observed_at=at)
    report = memory.add(
        "Ana likes tea.",
        scope="a",
        kind="taste",
        importance=1,
        metadata={"list": [1, None, {"deep": ("tuple",)}], 7: True},
        evidence={"m1"},
        valid_from=datetime.min,
    )
    record = memory.get(report.ids[0])
    assert (record.kind, record.importance, record.evidence) == ("taste", 1.0, ("m1",))
    assert record.metadata == {"list": [1, None, {"deep": ["tuple"]}], "7": True}
    assert {hit.kind for hit in memory.recall("tea", scope="a", kinds={"taste", "message"}).hits} == {
        "taste",
        "message",
    }
    assert [hit.kind for hit in memory.recall("tea", scope="a", kinds=(kind for kind in ["taste"])).hits] == ["taste"]
    assert [hit.kind for hit in memory.recall("tea", scope="a", roles=[], limit=10**30).hits] == ["taste"]
    assert len(memory.list(scope="a", kinds=["taste"], limit=10**30)) == 1
    assert memory.list(scope="a", limit=0) == [] and memory.list(scope="a", offset=10**30) == []
    assert len(memory.entries("t", scope="a", after=-1, limit=10**30)) == 1
    assert memory.export(scope="a", path=io.StringIO()) == {"messages": 1, "memories": 1}
    with pytest.raises(NotFound):
        memory.get("")


def test_an_error_stays_short_however_long_what_was_given(memory: Memory) -> None:
    with pytest.raises(LookupError) as raised:
        memory.get("x" * 3_000_000)
    assert len(str(raised.value)) < 2_100
    with pytest.raises(NotFound, match="Nothing was written under"):
        memory.undo("\ud800")
