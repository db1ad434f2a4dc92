"""What the Claude Agent SDK asks of a session store, here over memory, driven by the SDK itself where it decides."""

from __future__ import annotations

import asyncio
import copy
import os
import signal
import stat
import tempfile
import uuid
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import claude_agent_sdk as sdk
import pytest
from children import Child, barrier, run_all
from claude_agent_sdk import ClaudeAgentOptions, fold_session_summary
from claude_agent_sdk._internal.session_resume import materialize_resume_session
from claude_agent_sdk._internal.transcript_mirror_batcher import TranscriptMirrorBatcher
from claude_agent_sdk.testing import run_session_store_conformance
from fake_agents import ScriptedCli, mirrored, result
from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory.errors import InvalidInput
from langgraph_memory.memory import Memory
from langgraph_memory.settings import Settings
from langgraph_memory.storage import crash_points
from langgraph_memory.testing.clock import FrozenClock
from langgraph_memory.testing.embedder import HashEmbedder
from langgraph_memory.toolkits import ClaudeSessionStore

SCOPE = ("acme", "ana")
PROJECT = sdk.project_key_for_directory(None)
KEY: Any = {"project_key": PROJECT, "session_id": str(uuid.UUID(int=1))}
OTHER: Any = {"project_key": PROJECT, "session_id": str(uuid.UUID(int=2))}


def said(number: int, text: str = "", role: str = "user", **more: Any) -> dict[str, Any]:
    """Return a line in which somebody says something; each follows the one before it."""
    before = str(uuid.UUID(int=number - 1)) if number > 100 else None
    line = {"type": role, "uuid": str(uuid.UUID(int=number)), "parentUuid": before, "sessionId": KEY["session_id"]}
    line["timestamp"] = f"2026-05-01T10:00:{number % 60:02}.000Z"
    return {**line, "message": {"role": role, "content": text or f"line {number}"}, **more}


class Wrapped:
    """A store that does something of its own before, and leaves the rest to ours."""

    def __init__(self, store: ClaudeSessionStore) -> None:
        self.store = store
        self.loads: list[str] = []
        self.running = self.most = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    async def load(self, key: Any) -> Any:
        self.loads.append(key["session_id"])
        self.running += 1
        self.most = max(self.most, self.running)
        loaded = await self.store.load(key)
        self.running -= 1
        return loaded


def wrapped(store: ClaudeSessionStore, **own: Any) -> Any:
    """Return a store like ours, but for these verbs; the SDK looks for verbs in the class."""
    ours = {name: getattr(store, name) for name in ("list_sessions", "list_session_summaries", "list_subkeys")}
    return type("Own", (Wrapped,), {name: staticmethod(verb) for name, verb in {**ours, **own}.items()})(store)


@pytest.fixture
def store(memory: Memory) -> ClaudeSessionStore:
    return memory.session_store(scope=SCOPE)


async def test_the_sdks_own_conformance_suite_passes(memory: Memory) -> None:
    made: list[int] = []

    def make() -> ClaudeSessionStore:
        made.append(1)
        return memory.session_store(scope=("suite", len(made)))

    await run_session_store_conformance(make)
    assert len(made) == 15  # none of the 14 contracts was skipped


async def test_claude_agent_sdk_C01_entries_come_back_in_order_and_an_unknown_key_is_none(store: Any) -> None:
    a, b, c = said(101), said(102, role="assistant"), {"type": "mode", "value": {"deep": [1, None, "x\x00", "\ud800"]}}
    await store.append(KEY, [a])
    await store.append(KEY, [b, c])
    assert await store.load(KEY) == [a, b, c]
    assert await store.load(OTHER) is None
    assert await store.load({**KEY, "subpath": "subagents/x"}) is None


async def test_claude_agent_sdk_C02_the_same_line_is_stored_once(store: Any, memory: Memory) -> None:
    title = {"type": "custom-title", "customTitle": "T"}
    batch = [said(101), title, said(102)]
    await store.append(KEY, batch)
    await store.append(KEY, batch)  # a retry of what had succeeded, with its line that has no id
    assert await store.load(KEY) == batch
    await store.append(KEY, [said(102), said(103), said(103), title])
    assert await store.load(KEY) == [*batch, said(103), title]
    changed = said(103, "said otherwise")
    await store.append(KEY, [changed])
    assert (await store.load(KEY))[-1] == changed  # an id used twice for different lines loses neither
    assert [hit.text for hit in memory.recall("line 103", scope=SCOPE).hits].count("line 103") == 0


async def test_claude_agent_sdk_C03_appending_nothing_makes_no_session(store: Any, memory: Memory) -> None:
    await store.append(KEY, [])
    assert await store.load(KEY) is None
    assert await store.list_sessions(PROJECT) == [] and memory.sessions(scope=SCOPE) == []


def mirror(tmp_path: Path, store: Any, **options: Any) -> ClaudeAgentOptions:
    return ClaudeAgentOptions(session_store=store, env={"CLAUDE_CONFIG_DIR": str(tmp_path)}, **options)


def file_of(tmp_path: Path) -> Path:
    return tmp_path / "projects" / PROJECT / f"{KEY['session_id']}.jsonl"


async def test_claude_agent_sdk_C05_whoever_sees_a_result_finds_the_turn_in_the_store(
    store: Any, memory: Memory, tmp_path: Path
) -> None:
    turn = [said(101, "I live in Porto."), said(102, "Noted.", "assistant")]
    cli = ScriptedCli(mirrored(file_of(tmp_path), turn[0]), mirrored(file_of(tmp_path), turn[1]), result("s"))
    seen = []
    async for answer in sdk.query(prompt="I live in Porto.", options=mirror(tmp_path, store), transport=cli):
        seen.append(type(answer).__name__)
        assert await store.load(KEY) == turn
        assert "I live in Porto." in [hit.text for hit in memory.recall("Porto", scope=SCOPE).hits]
    assert seen == ["ResultMessage"]


async def test_claude_agent_sdk_C06_eager_shows_each_step_at_once_and_in_order(store: Any, tmp_path: Path) -> None:
    arrived: asyncio.Queue[list[Any]] = asyncio.Queue()

    async def append(key: Any, entries: Any) -> None:
        await store.append(key, entries)
        arrived.put_nowait(await store.load(key))

    shown: list[list[Any]] = []

    async def look() -> None:
        shown.append(await arrived.get())

    lines = [said(number) for number in range(101, 107)]
    frames = [mirrored(file_of(tmp_path), line) for line in lines]
    cli = ScriptedCli(frames[0], look, frames[1], look, *frames[2:], result("s"))
    options = mirror(tmp_path, wrapped(store, append=append), session_store_flush="eager")
    assert [type(one).__name__ async for one in sdk.query(prompt="x", options=options, transport=cli)] == [
        "ResultMessage"
    ]
    assert shown == [lines[:1], lines[:2]]
    assert await store.load(KEY) == lines


def batcher(tmp_path: Path, store: Any, errors: list[Any], **options: Any) -> TranscriptMirrorBatcher:
    async def on_error(key: Any, error: str) -> None:
        errors.append((key, error))

    return TranscriptMirrorBatcher(store, str(tmp_path / "projects"), on_error, **options)


async def test_claude_agent_sdk_C07_a_failing_append_is_tried_again_and_then_told(store: Any, tmp_path: Path) -> None:
    errors: list[Any] = []
    times: list[float] = []
    failures = [2]

    async def append(key: Any, entries: Any) -> None:
        times.append(asyncio.get_running_loop().time())
        await store.append(key, entries)  # it lands, and the answer is lost
        if failures[0]:
            failures[0] -= 1
            raise OSError("lost")

    sender = batcher(tmp_path, wrapped(store, append=append), errors)
    sender.enqueue(str(file_of(tmp_path)), [said(101)])
    await sender.flush()
    assert [round(later - before, 1) for before, later in pairwise(times)] == [0.2, 0.8]
    assert errors == [] and await store.load(KEY) == [said(101)]
    failures[0] = 3
    sender.enqueue(str(file_of(tmp_path)), [said(102)])
    await sender.flush()
    assert errors == [(KEY, "lost")]
    sender.enqueue(str(file_of(tmp_path)), [said(103)])
    await sender.close()
    assert await store.load(KEY) == [said(101), said(102), said(103)]


async def test_claude_agent_sdk_C08_a_hanging_append_is_cut_and_told_and_not_repeated(
    store: Any, tmp_path: Path
) -> None:
    errors: list[Any] = []
    calls: list[int] = []

    async def append(key: Any, entries: Any) -> None:
        calls.append(1)
        await asyncio.Event().wait()

    sender = batcher(tmp_path, wrapped(store, append=append), errors, send_timeout=0.02)
    sender.enqueue(str(file_of(tmp_path)), [said(101)])
    await asyncio.wait_for(sender.close(), 5)
    assert calls == [1] and [key for key, _ in errors] == [KEY]


def test_claude_agent_sdk_C10_two_writers_of_one_session_lose_nothing(
    open_memory: Callable[..., Memory], store_url: str
) -> None:
    gate = barrier(2)
    run_all(_write_two_hundred, [(store_url, gate, writer) for writer in range(2)])
    store = open_memory(store_url).session_store(scope=SCOPE)
    lines = asyncio.run(store.load(KEY))
    assert lines is not None and len(lines) == 400
    for writer in range(2):
        assert [line["n"] for line in lines if line["writer"] == writer] == list(range(200))


def test_claude_agent_sdk_C18_a_summary_is_the_fold_of_the_whole_log_whoever_wrote_it(
    open_memory: Callable[..., Memory], store_url: str
) -> None:
    gate = barrier(4)
    run_all(_write_two_hundred, [(store_url, gate, writer, 25) for writer in range(4)])
    store = open_memory(store_url).session_store(scope=SCOPE)
    lines = asyncio.run(store.load(KEY))
    (summary,) = asyncio.run(store.list_session_summaries(PROJECT))
    assert lines is not None and len(lines) == 100
    assert summary["data"] == fold_session_summary(None, KEY, lines)["data"]
    assert summary["data"]["custom_title"] == lines[-1]["customTitle"]


ENTRY = st.fixed_dictionaries(
    {"type": st.sampled_from(["user", "assistant", "tag", "summary", "mode"])},
    optional={
        "timestamp": st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-02T00:00:00.5Z", "no time"]),
        "isMeta": st.booleans(),
        "isSidechain": st.booleans(),
        "cwd": st.sampled_from(["", "/home/ana"]),
        "customTitle": st.sampled_from(["", "T1", "T2"]),
        "gitBranch": st.sampled_from(["", "main"]),
        "tag": st.sampled_from(["", "v1"]),
        "message": st.fixed_dictionaries(
            {"content": st.sampled_from(["", "Hello", "<command-name>/init</command-name>"])}
        ),
    },
)


@given(entries=st.lists(ENTRY, max_size=8), cuts=st.sets(st.integers(1, 7)))
def test_claude_agent_sdk_C11_however_a_log_is_cut_its_summary_is_the_same(
    open_memory: Callable[..., Memory], tmp_path_factory: Any, entries: list[Any], cuts: set[int]
) -> None:
    def fold(before: Any, key: Any, new: Any) -> Any:
        kept = copy.deepcopy(before)
        after = fold_session_summary(before, key, new)
        assert before == kept
        return after

    memory = open_memory(tmp_path_factory.mktemp("fold"))
    store = memory.session_store(scope=SCOPE, fold=fold)

    async def write() -> list[Any]:
        bounds = sorted({0, len(entries), *(cut for cut in cuts if cut < len(entries))})
        pieces = [entries[start:end] for start, end in pairwise(bounds)]
        for name, parts in (("one", [[entry] for entry in entries]), ("all", [entries]), ("cut", pieces)):
            for part in parts:
                await store.append({"project_key": "p", "session_id": name}, part)
        return await store.list_session_summaries("p")

    summaries = asyncio.run(write())
    memory.close()
    assert len(summaries) == (3 if entries else 0)
    assert all(summary["data"] == summaries[0]["data"] for summary in summaries)


async def test_claude_agent_sdk_C12_a_summary_takes_what_a_person_would_take(store: Any) -> None:
    before = await _summary_after(store, [said(101, "meta", isMeta=True)])
    command = said(102, "<command-name>/init</command-name>")
    assert "first_prompt" not in before and "custom_title" not in before
    assert (await _summary_after(store, [command]))["command_fallback"] == "/init"
    long = "x" * 249 + "\n"
    titles = [{"type": "custom-title", "customTitle": title} for title in ("T1", "T2")]
    tags = [{"type": "tag", "tag": tag} for tag in ("v1", "")]
    data = await _summary_after(store, [said(103, long), *titles, *tags])
    assert len(data["first_prompt"]) == 201 and data["first_prompt"].endswith("…")
    assert data["custom_title"] == "T2" and "tag" not in data
    assert data["created_at"] == 1777629641000  # of the first line
    (row,), (listed,) = await store.list_session_summaries(PROJECT), await store.list_sessions(PROJECT)
    assert row["mtime"] == listed["mtime"] > data["created_at"]


async def _summary_after(store: Any, entries: list[Any]) -> dict[str, Any]:
    await store.append(KEY, entries)
    (summary,) = await store.list_session_summaries(PROJECT)
    return dict(summary["data"])


async def test_claude_agent_sdk_C13_the_last_name_tag_and_branch_win(store: Any) -> None:
    await store.append(KEY, [said(101, "First question", cwd="/home/ana")])
    first = await sdk.get_session_info_from_store(store, KEY["session_id"])
    for title in ("T1", "T2"):
        await sdk.rename_session_via_store(store, KEY["session_id"], title)
    await sdk.tag_session_via_store(store, KEY["session_id"], "urgent")
    assert (await sdk.list_sessions_from_store(store))[0].tag == "urgent"
    await sdk.tag_session_via_store(store, KEY["session_id"], None)
    await store.append(KEY, [said(102, "Later", gitBranch="dev", cwd="/elsewhere")])
    (info,) = await sdk.list_sessions_from_store(store)
    assert (info.summary, info.custom_title, info.tag, info.git_branch) == ("T2", "T2", None, "dev")
    assert first is not None and (info.created_at, info.cwd) == (first.created_at, "/home/ana")
    assert info.first_prompt == first.first_prompt == "First question"


async def test_claude_agent_sdk_C15_deleting_a_session_takes_its_subpaths_and_nothing_else(
    store: Any, memory: Memory
) -> None:
    one, two = {**KEY, "subpath": "subagents/one"}, {**KEY, "subpath": "subagents/two"}
    for key, line in (
        (KEY, said(101, "Porto is mine")),
        (one, said(102)),
        (two, said(103)),
        (OTHER, said(104, "Oslo")),
    ):
        await store.append(key, [line])
    await store.delete(one)
    assert await store.list_subkeys(KEY) == ["subagents/two"]
    assert await store.load(one) is None and await store.load(KEY) == [said(101, "Porto is mine")]
    await sdk.delete_session_via_store(store, KEY["session_id"])
    assert [await store.load(key) for key in (KEY, two)] == [None, None]
    assert await store.load(OTHER) == [said(104, "Oslo")]
    assert [hit.text for hit in memory.recall("Porto Oslo", scope=SCOPE).hits] == ["Oslo"]
    await store.delete(KEY)  # once more is no error


async def test_claude_agent_sdk_C16_a_summary_that_is_damaged_old_or_nobodys_spoils_no_list(
    store: Any, memory: Memory
) -> None:
    names = [str(uuid.UUID(int=number)) for number in range(1, 6)]
    for number, name in enumerate(names, 101):
        await store.append({"project_key": PROJECT, "session_id": name}, [said(number, f"prompt of {number}")])
    with memory._parts.database.write() as connection:
        connection.exec_driver_sql(f"UPDATE transcripts SET summary = NULL WHERE name = '{names[0]}'")
        connection.exec_driver_sql(f"UPDATE transcripts SET summary = '{{bro' WHERE name = '{names[1]}'")
    real = await store.list_session_summaries(PROJECT)
    assert len(real) == 3

    async def list_session_summaries(project: str) -> list[Any]:
        stale = [{**row, "mtime": 1, "data": {}} if row["session_id"] == names[2] else row for row in real]
        return [*stale, {"session_id": str(uuid.UUID(int=99)), "mtime": 1, "data": {"first_prompt": "orphan"}}]

    async def load(key: Any) -> Any:
        if key["session_id"] == names[0]:
            raise OSError("unreadable")
        return await store.load(key)

    found = await sdk.list_sessions_from_store(wrapped(store, list_session_summaries=list_session_summaries, load=load))
    shown = {info.session_id: info.first_prompt for info in found}
    assert {shown.get(name) for name in names[1:]} == {f"prompt of {number}" for number in range(102, 106)}
    assert set(shown) <= set(names)
    await store.append({"project_key": PROJECT, "session_id": names[1]}, [said(120)])
    await store.append({"project_key": PROJECT, "session_id": names[3]}, [said(121)])
    infos = {info.session_id: info for info in await sdk.list_sessions_from_store(store)}
    assert infos[names[1]].first_prompt == "prompt of 102"  # not folded from the middle


async def test_claude_agent_sdk_C17_a_page_of_a_thousand_sessions_loads_only_what_is_stale(
    open_memory: Callable[..., Memory], folder: Path
) -> None:
    store: Any = open_memory(folder).session_store(scope=SCOPE)
    for number in range(1, 1001):
        key = {"project_key": PROJECT, "session_id": str(uuid.UUID(int=number))}
        await store.append(key, [said(100 + number, f"prompt {number}")])
    fresh = wrapped(store)
    page = await sdk.list_sessions_from_store(fresh, limit=20, offset=40)
    assert [info.first_prompt for info in page] == [f"prompt {number}" for number in range(960, 940, -1)]
    assert fresh.loads == []

    async def list_session_summaries(project: str) -> list[Any]:
        rows = await store.list_session_summaries(project)
        return [{**row, "mtime": 1} if place in (0, 7, 19) else row for place, row in enumerate(rows)]

    stale = wrapped(store, list_session_summaries=list_session_summaries)
    assert len(await sdk.list_sessions_from_store(stale, limit=20)) == 20
    assert len(stale.loads) == 3 and stale.most <= 16


async def test_claude_agent_sdk_C20_a_resume_that_fails_leaves_no_file_behind(
    store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    lines, aside = [said(101), said(102, role="assistant")], {"type": "user", "uuid": "u", "isSidechain": True}
    await store.append(KEY, lines)
    await store.append({**KEY, "subpath": "subagents/agent-x"}, [aside])

    async def list_subkeys(key: Any) -> list[str]:
        raise OSError("gone")

    broken = mirror(tmp_path / "home", wrapped(store, list_subkeys=list_subkeys), resume=KEY["session_id"])
    with pytest.raises(RuntimeError, match="gone"):
        await materialize_resume_session(broken)
    assert "claude-resume" not in str(os.listdir(tmp_path))  # noqa: PTH208 (a Path would be said to block)
    whole = await materialize_resume_session(mirror(tmp_path / "home", store, continue_conversation=True))
    assert whole is not None and whole.resume_session_id == KEY["session_id"]
    assert stat.S_IMODE(whole.config_dir.stat().st_mode) == 0o700
    files = {path.name: path for path in whole.config_dir.rglob("*.jsonl")}
    assert set(files) == {f"{KEY['session_id']}.jsonl", "agent-x.jsonl"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in files.values()} == {0o600}
    await whole.cleanup()
    assert "claude-resume" not in str(os.listdir(tmp_path))  # noqa: PTH208 (a Path would be said to block)


async def test_claude_agent_sdk_C21_a_damaged_line_a_circle_and_an_orphan_cost_only_themselves(
    store: Any, memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    lines = [said(number, role="user" if number % 2 else "assistant") for number in range(101, 106)]
    await store.append(KEY, lines)
    with memory._parts.database.write() as connection:
        connection.exec_driver_sql("UPDATE transcript_lines SET body = '{\"bro' WHERE position = 1")
    assert await store.load(KEY) == [lines[0], *lines[2:]]
    assert "damaged" in caplog.text
    chain = await sdk.get_session_messages_from_store(store, KEY["session_id"])
    assert [one.uuid for one in chain] == [line["uuid"] for line in lines[2:]]  # the parent of the third is gone
    circle = [{**said(201), "parentUuid": said(202)["uuid"]}, said(202, role="assistant")]
    await store.append(OTHER, circle)
    assert len(await sdk.get_session_messages_from_store(store, OTHER["session_id"])) <= 2


async def test_claude_agent_sdk_C22_a_fork_has_ids_of_its_own_and_is_recalled_once(store: Any, memory: Memory) -> None:
    lines = [said(101, "I live in Porto."), said(102, "Nice.", "assistant"), said(103, "And you?")]
    await store.append(KEY, lines)
    fork = await sdk.fork_session_via_store(store, KEY["session_id"], up_to_message_id=lines[1]["uuid"])
    assert await store.load(KEY) == lines
    key = {"project_key": PROJECT, "session_id": fork.session_id}
    copied = [line for line in await store.load(key) or [] if line["type"] in ("user", "assistant")]
    assert [line["message"] for line in copied] == [line["message"] for line in lines[:2]]
    assert not {line["uuid"] for line in copied} & {line["uuid"] for line in lines}
    assert copied[1]["parentUuid"] == copied[0]["uuid"]
    info = await sdk.get_session_info_from_store(store, fork.session_id)
    assert info is not None and info.custom_title is not None and info.custom_title.endswith("(fork)")
    assert [hit.text for hit in memory.recall("Porto", scope=SCOPE).hits].count("I live in Porto.") == 1
    again = await sdk.fork_session_via_store(store, fork.session_id)
    await store.append({**key, "session_id": again.session_id}, [said(301, "New in the fork.")])
    texts = [hit.text for hit in memory.recall("Porto fork", scope=SCOPE).hits]
    assert texts.count("I live in Porto.") == 1 and "New in the fork." in texts


async def test_claude_agent_sdk_C23_a_store_that_only_appends_and_loads_works_and_says_what_it_cannot(
    store: Any, tmp_path: Path
) -> None:
    class Minimal:
        append, load = store.append, store.load

    minimal: Any = Minimal()
    await minimal.append(KEY, [said(101)])
    resumed = await materialize_resume_session(mirror(tmp_path, minimal, resume=KEY["session_id"]))
    assert resumed is not None
    await resumed.cleanup()
    with pytest.raises(ValueError, match="cannot list sessions"):
        await sdk.list_sessions_from_store(minimal)
    with pytest.raises(ValueError, match="requires the store to implement list_sessions"):
        options = mirror(tmp_path, minimal, continue_conversation=True)
        [one async for one in sdk.query(prompt="x", options=options, transport=ScriptedCli())]


async def test_only_what_people_and_the_model_say_is_recalled(store: Any, memory: Memory) -> None:
    result_block = [{"type": "tool_result", "tool_use_id": "t", "content": "secret result"}]
    tool = {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}
    blocks = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Porto it is."}, tool]
    aside = said(109, "prompt of a subagent")
    lines = [
        said(101, "I live in Porto."),
        {**said(102, role="assistant"), "message": {"role": "assistant", "content": blocks}},
        {**said(103), "message": {"role": "user", "content": result_block}},
        said(104, "a note of the machine", isMeta=True),
        said(105, "what happened so far", isCompactSummary=True),
        said(106, "<local-command-stdout>out</local-command-stdout>"),
        said(107, "[Request interrupted by user]"),
        said(108, "an aside", isSidechain=True),
        {"type": "system", "content": "told by the machine"},
        {"type": "user", "message": {"role": "user", "content": "Without an id."}},
        {"type": "user", "message": None},
    ]
    await store.append(KEY, lines)
    await store.append({**KEY, "subpath": "subagents/agent-a"}, [aside])
    thread = f"{PROJECT}/{KEY['session_id']}"
    kept = [(entry.role, entry.text) for entry in memory.entries(thread, scope=SCOPE)]
    assert kept == [("user", "I live in Porto."), ("assistant", "Porto it is."), ("user", "Without an id.")]
    hit = memory.recall("Where do I live? Porto", scope=SCOPE).hits[0]
    assert hit.id in (lines[0]["uuid"], lines[1]["uuid"]) and hit.said_at.year == 2026
    assert memory.recall("Porto", scope=("acme", "bob")).hits == ()
    assert await store.load(KEY) == lines


@pytest.mark.parametrize("moment", ["before commit", "after commit"])
def test_a_killed_append_is_whole_with_its_summary_and_memory_or_absent(
    open_memory: Callable[..., Memory], store_url: str, moment: str
) -> None:
    assert Child(_append_and_die, store_url, moment).exitcode() == -signal.SIGKILL
    memory = open_memory(store_url)
    store = memory.session_store(scope=SCOPE)
    absent = moment == "before commit"
    assert asyncio.run(store.load(KEY)) == (None if absent else [said(101), said(102)])
    assert len(asyncio.run(store.list_session_summaries(PROJECT))) == (0 if absent else 1)
    assert len(memory.recall("line", scope=SCOPE).hits) == (0 if absent else 2)
    asyncio.run(store.append(KEY, [said(101), said(102)]))  # the retry
    assert asyncio.run(store.load(KEY)) == [said(101), said(102)]


def test_nothing_of_a_transcript_survives_the_erasure_of_its_scope(
    open_memory: Callable[..., Memory], folder: Path
) -> None:
    memory = open_memory(folder)
    store = memory.session_store(scope=SCOPE)
    asyncio.run(store.append(KEY, [said(101, "The word is xyzzy."), {"type": "mode", "mode": "xyzzy"}]))
    asyncio.run(store.append({**KEY, "subpath": "subagents/a"}, [said(102, "xyzzy too")]))
    memory.flush()
    receipt = memory.erase(scope="acme")
    assert receipt.counts["transcript_lines"] == 3
    assert asyncio.run(store.list_sessions(PROJECT)) == [] and asyncio.run(store.load(KEY)) is None
    memory.flush()
    assert not [path for path in folder.rglob("*") if path.is_file() and b"xyzzy" in path.read_bytes()]


async def test_each_write_is_newer_than_all_before_it_even_if_the_clock_stands(
    open_memory: Callable[..., Memory], store_url: str
) -> None:
    store = open_memory(store_url, clock=FrozenClock()).session_store(scope=SCOPE)
    for number, key in enumerate((KEY, OTHER, KEY), 101):
        await store.append(key, [said(number)])
    listed = await store.list_sessions(PROJECT)
    assert [row["session_id"] for row in listed] == [KEY["session_id"], OTHER["session_id"]]
    assert listed[0]["mtime"] > listed[1]["mtime"]


async def test_scopes_do_not_see_each_others_sessions(memory: Memory) -> None:
    ana, bob = memory.session_store(scope=SCOPE), memory.session_store(scope=("acme", "bob"))
    await ana.append(KEY, [said(101)])
    assert await bob.load(KEY) is None and await bob.list_sessions(PROJECT) == []
    await bob.delete(KEY)
    assert await ana.load(KEY) == [said(101)]


async def test_what_cannot_be_used_is_refused_and_nothing_is_written(store: Any) -> None:
    bad_keys = [{}, {**KEY, "session_id": ""}, {**KEY, "subpath": ""}, {**KEY, "project_key": 7}, "key"]
    for key in bad_keys:
        with pytest.raises(InvalidInput):
            await store.append(key, [said(101)])
    for entries in ("text", [said(101), "text"], [said(101), {"type": "x", "n": float("inf")}], {"type": "x"}):
        with pytest.raises(InvalidInput):
            await store.append(KEY, entries)
    assert await store.load(KEY) is None


async def test_no_verb_of_the_store_blocks_the_event_loop(open_memory: Callable[..., Memory], folder: Path) -> None:
    from blockbuster import blockbuster_ctx

    store = open_memory(folder).session_store(scope=SCOPE)
    with blockbuster_ctx("langgraph_memory"):
        await store.append(KEY, [said(101)])
        await store.load(KEY)
        await store.list_sessions(PROJECT)
        await store.list_session_summaries(PROJECT)
        await store.list_subkeys(KEY)
        await store.delete(KEY)


def _open(store_url: str) -> Memory:
    return Memory(store_url, embeddings=HashEmbedder(), settings=Settings(background=False))


def _write_two_hundred(store_url: str, gate: Any, writer: int, count: int = 200) -> None:
    gate.wait()
    with _open(store_url) as memory:
        store = memory.session_store(scope=SCOPE)

        async def write() -> None:
            for number in range(count):
                title = f"writer {writer} line {number}"
                line = {"type": "custom-title", "customTitle": title, "writer": writer, "n": number}
                await store.append(KEY, [{**line, "uuid": f"{writer}-{number}"}])

        asyncio.run(write())


def _append_and_die(store_url: str, moment: str) -> None:
    store = _open(store_url).session_store(scope=SCOPE)

    def die(reached: str) -> None:
        if reached == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    crash_points.hook = die
    asyncio.run(store.append(KEY, [said(101), said(102)]))
