"""What a compaction session of the OpenAI Agents SDK does, here in one transaction, and with all still recalled."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import agents
import httpx
import pytest
from agents import Agent, Runner, SessionSettings, function_tool
from agents.memory import is_openai_responses_compaction_aware_session
from children import Child
from cryptography.fernet import Fernet
from fake_agents import ScriptedModel, call, message
from openai import AsyncOpenAI
from session_children import SCOPE, compact_and_die
from statements import at_statement, cancel_at_each_statement, each_statement

from langgraph_memory.compaction import summarise_items
from langgraph_memory.errors import InvalidInput
from langgraph_memory.memory import Memory
from langgraph_memory.storage import crash_points
from langgraph_memory.testing import ScriptedChatModel
from langgraph_memory.toolkits import ItemCompaction, Sealing

agents.set_tracing_disabled(True)


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


TWELVE = [said(role, f"{role} says {n}") for n in range(6) for role in ("user", "assistant")]
SHORT = said("user", "All of it, briefly.")


def shortened(items: list[Any]) -> list[Any]:
    """Return a summary and the newest two items."""
    return [SHORT, *items[-2:]]


NEW = shortened(TWELVE)


def compacting(memory: Memory, compact: Any = shortened, thread: str = "t", **options: Any) -> Any:
    conditions = {name: options.pop(name) for name in ("candidates", "tokens", "when") if name in options}
    return memory.session(thread, scope=SCOPE, compaction=ItemCompaction(compact, **conditions), **options)


def plain(items: Any) -> str:
    return json.dumps(items)


@pytest.mark.parametrize(("candidates", "due"), [(9, False), (10, True), (11, True)])
async def test_openai_agents_sdk_P11_ten_items_that_are_not_the_users_start_a_compaction(
    memory: Memory, candidates: int, due: bool
) -> None:
    calls: list[int] = []

    def compact(items: list[Any]) -> list[Any]:
        calls.append(len(items))
        return [SHORT]

    session = compacting(memory, compact)
    earlier = {"type": "compaction", "id": "cmp_1", "encrypted_content": "zzz"}
    many = [said("user", f"u{n}") for n in range(50)]
    await session.add_items([earlier, *many[:25], *(said("assistant", f"a{n}") for n in range(candidates)), *many[25:]])
    before = await session.get_items()
    assert (await session.run_compaction({"response_id": "resp_1"})).status == ("compacted" if due else "not due")
    assert calls == ([51 + candidates] if due else [])
    assert await session.get_items() == ([SHORT] if due else before)


async def test_openai_agents_sdk_P12_a_compactor_that_fails_leaves_the_history_byte_for_byte(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    async def down(items: list[Any]) -> list[Any]:
        raise ConnectionError("the API is down")

    session = compacting(memory, down)
    await session.add_items(TWELVE)
    outcome = await session.run_compaction({"force": True})
    assert outcome.status == "failed" and "the API is down" in outcome.reason and "the API is down" in caplog.text
    assert plain(await session.get_items()) == plain(TWELVE)
    for bad in ([], "text", [SHORT, "text"], [{"role": "user", "content": float("nan")}], None):
        session = compacting(memory, lambda items, bad=bad: bad)
        assert (await session.run_compaction({"force": True})).status == session.compacted.status == "failed"
        assert plain(await session.get_items()) == plain(TWELVE)


def test_openai_agents_sdk_P12_a_write_that_fails_anywhere_leaves_the_history_byte_for_byte(memory: Memory) -> None:
    session = compacting(memory).blocking
    session.add_items(TWELVE)

    def fail() -> None:
        raise OSError("the disk is gone")

    failures = 0
    while True:
        with at_statement(memory, failures + 1, fail) as counted:
            try:
                session.run_compaction({"force": True})
            except OSError:
                failures += 1
                counted.active = False
                assert plain(session.get_items()) == plain(TWELVE)
                continue
        break
    assert failures > 10  # reading, and each statement of the transaction
    assert session.get_items() == NEW


async def test_openai_agents_sdk_P12_a_cancellation_anywhere_leaves_the_history_byte_for_byte(memory: Memory) -> None:
    session = compacting(memory)
    await session.add_items(TWELVE)

    async def unchanged() -> None:
        assert plain(await session.get_items()) == plain(TWELVE)

    assert await cancel_at_each_statement(memory, lambda: session.run_compaction({"force": True}), unchanged) > 10
    assert session.compacted.status == "compacted" and await session.get_items() == NEW


async def test_openai_agents_sdk_P12_cancelled_while_the_compactor_works_or_the_commit_does(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks: list[asyncio.Task[Any]] = []

    async def hang(items: list[Any]) -> list[Any]:
        tasks[0].cancel()
        await asyncio.Event().wait()
        return []

    session = compacting(memory, hang)
    await session.add_items(TWELVE)
    tasks.append(asyncio.create_task(session.run_compaction({"force": True})))
    with pytest.raises(asyncio.CancelledError):
        await tasks[0]
    assert plain(await session.get_items()) == plain(TWELVE)
    loop = asyncio.get_running_loop()
    late: list[asyncio.Task[Any]] = []

    def cancel(moment: str) -> None:
        if moment == "before commit":
            loop.call_soon_threadsafe(late[0].cancel)

    monkeypatch.setattr(crash_points, "hook", cancel)
    late.append(asyncio.create_task(compacting(memory).run_compaction({"force": True})))
    with pytest.raises(asyncio.CancelledError):
        await late[0]
    assert await session.get_items() == NEW  # whole, and over


def test_openai_agents_sdk_P13_a_kill_anywhere_leaves_the_old_history_or_the_new(
    open_memory: Callable[..., Memory], store_url: str
) -> None:
    memory = open_memory(store_url)

    def history(name: str) -> Any:
        session = memory.session(name, scope=SCOPE).blocking
        session.add_items(TWELVE)
        return session

    history("counted")
    statements = Child(compact_and_die, store_url, "counted", SHORT, 0).result()
    assert statements > 5
    sessions = [history(f"killed {number}") for number in range(1, statements + 1)]
    children = [
        Child(compact_and_die, store_url, session.session_id, SHORT, number)
        for number, session in enumerate(sessions, 1)
    ]
    assert {child.exitcode() for child in children} == {-signal.SIGKILL}
    assert all(session.get_items() == TWELVE for session in sessions)
    for moment, left in (("before commit", TWELVE), ("after commit", NEW)):
        session = history(moment)
        assert Child(compact_and_die, store_url, moment, SHORT, moment).exitcode() == -signal.SIGKILL
        assert session.get_items() == left


async def test_openai_agents_sdk_P15_a_limit_hides_nothing_from_a_compaction(memory: Memory) -> None:
    seen: list[Any] = []

    async def compact(items: list[Any]) -> list[Any]:
        seen.append(items)
        return [SHORT]

    session = compacting(memory, compact, session_settings=SessionSettings(limit=3), candidates=7)
    await session.add_items(TWELVE)
    assert await session.get_items() == TWELVE[-3:]
    model = ScriptedModel(message("Fine."))
    await Runner.run(Agent(name="a", model=model), "And now?", session=session)
    assert len(model.asked[0]) == 4
    assert [item["content"] for item in seen[0][:-1]] == [
        item["content"] for item in [*TWELVE, said("user", "And now?")]
    ]
    assert await session.get_items() == [SHORT]
    kept = [entry.text for entry in memory.entries("t", scope=SCOPE)]
    assert kept == [*(item["content"] for item in TWELVE), "And now?", "Fine."]  # nothing was destroyed


async def test_openai_agents_sdk_P15_what_is_added_meanwhile_stays_behind_the_new_history(
    open_memory: Callable[..., Memory], store_url: str
) -> None:
    here, there = open_memory(store_url), open_memory(store_url)

    async def compact(items: list[Any]) -> list[Any]:
        await session.add_items([said("user", "added here")])
        await there.session("t", scope=SCOPE).add_items([said("user", "added elsewhere")])
        return shortened(items)

    session = compacting(here, compact)
    await session.add_items(TWELVE)
    assert (await session.run_compaction({"force": True})).status == "compacted"
    assert await session.get_items() == [*NEW, said("user", "added here"), said("user", "added elsewhere")]
    assert await session.get_items(3) == [NEW[2], said("user", "added here"), said("user", "added elsewhere")]


def test_openai_agents_sdk_P16_whoever_reads_meanwhile_sees_the_old_history_or_the_new(
    open_memory: Callable[..., Memory], store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, elsewhere = open_memory(store_url), open_memory(store_url)
    reader = elsewhere.session("t", scope=SCOPE).blocking
    seen: list[Any] = []

    def look(_: Any = None) -> None:
        seen.append(reader.get_items())

    def compact(items: list[Any]) -> list[Any]:
        look()
        return shortened(items)

    session = compacting(memory, compact).blocking
    session.add_items(TWELVE)
    monkeypatch.setattr(crash_points, "hook", look)
    with each_statement(memory, look) as counted:
        session.run_compaction({"force": True})
    assert counted.count > 10 and len(seen) > counted.count
    assert seen.pop() == NEW  # after the commit
    assert all(items == TWELVE for items in seen)


async def test_openai_agents_sdk_P17_open_tool_outputs_put_it_off_to_the_next_turn(memory: Memory) -> None:
    @function_tool
    def weather(city: str) -> str:
        """Tell the weather."""
        return f"snow in {city}"

    session = compacting(memory)
    await session.add_items(TWELVE)
    await session.add_items([said("assistant", f"more {n}") for n in range(6)])
    model = ScriptedModel(call("weather", "c1", city="Oslo"), message("Snow."))
    agent = Agent(name="a", model=model, tools=[weather], tool_use_behavior="stop_on_first_tool")
    await Runner.run(agent, "The weather?", session=session)
    assert session.compacted is None and len(await session.get_items()) == 21
    await Runner.run(agent, "So?", session=session)
    assert session.compacted.status == "compacted" and session.compacted.before == 23
    assert [item["content"] for item in await session.get_items()][:2] == [SHORT["content"], "So?"]


async def test_openai_agents_sdk_P17_a_call_without_its_output_is_waited_for_even_by_force(memory: Memory) -> None:
    session = compacting(memory)
    lost = {"type": "function_call", "call_id": "c0", "name": "f", "arguments": "{}"}  # nobody waits for this one
    ask = {"type": "mcp_approval_request", "id": "r1", "name": "f", "arguments": "{}", "server_label": "s"}
    await session.add_items([said("user", "x"), lost, *TWELVE, {**lost, "call_id": "c1"}, ask])
    outcome = await session.run_compaction({"force": True})
    assert outcome.status == "waiting" and "c1, r1" in outcome.reason
    await session.add_items([{"type": "function_call_output", "call_id": "c1", "output": "o"}])
    assert (await session.run_compaction({"force": True})).status == "waiting"
    await session.add_items([{"type": "mcp_approval_response", "approval_request_id": "r1", "approve": True}])
    assert (await session.run_compaction({"force": True})).status == "compacted"


async def test_openai_agents_sdk_P18_of_two_compactions_one_wins_and_the_other_does_nothing(
    open_memory: Callable[..., Memory], store_url: str
) -> None:
    both = asyncio.Barrier(2)

    def of(name: str) -> Any:
        async def compact(items: list[Any]) -> list[Any]:
            await both.wait()
            return [said("user", f"{name} after {items[0]['content']}"), *items[-2:]]

        return compacting(open_memory(store_url), compact)

    sessions = {name: of(name) for name in ("one", "two")}
    await sessions["one"].add_items(TWELVE)
    outcomes = await asyncio.gather(*(session.run_compaction({"force": True}) for session in sessions.values()))
    assert sorted(outcome.status for outcome in outcomes) == ["compacted", "overtaken"]
    (winner,) = [name for name, session in sessions.items() if session.compacted.status == "compacted"]
    assert await sessions["one"].get_items() == [said("user", f"{winner} after user says 0"), *TWELVE[-2:]]
    # Once more, where neither takes away an entry that the other has seen: only the generation tells.
    outcomes = await asyncio.gather(*(session.run_compaction({"force": True}) for session in sessions.values()))
    assert sorted(outcome.status for outcome in outcomes) == ["compacted", "overtaken"]


@pytest.mark.parametrize("change", ["pop_item", "clear_session"])
async def test_openai_agents_sdk_P18_what_was_taken_out_meanwhile_is_not_brought_back(
    memory: Memory, change: str
) -> None:
    async def compact(items: list[Any]) -> list[Any]:
        await getattr(session, change)()
        return [SHORT]

    session = compacting(memory, compact)
    await session.add_items(TWELVE)
    assert (await session.run_compaction({"force": True})).status == "overtaken"
    assert await session.get_items() == (TWELVE[:-1] if change == "pop_item" else [])


async def test_what_was_compacted_away_is_still_recalled_and_the_summary_is_not(memory: Memory) -> None:
    session = compacting(memory, lambda items: [said("user", "It was about zebras."), *items[-2:]])
    await session.add_items([said("user", "I keep a zebra called Nono."), *TWELVE])
    await session.run_compaction({"force": True})
    texts = [hit.text for hit in memory.recall("zebras Nono", scope=SCOPE).hits]
    assert "I keep a zebra called Nono." in texts and "It was about zebras." not in texts
    assert len(memory.entries("t", scope=SCOPE)) == 13


async def test_a_compacted_session_is_popped_from_its_end_and_cleared_as_a_whole(memory: Memory) -> None:
    session = compacting(memory)
    await session.add_items(TWELVE)
    await session.run_compaction({"force": True})
    assert await session.get_items(2) == NEW[1:] and await session.get_items(1) == NEW[2:]
    assert [await session.pop_item() for _ in range(4)] == [*reversed(NEW), None]
    assert len(memory.entries("t", scope=SCOPE)) == 10  # two of the three were entries, popped for good
    await session.add_items([SHORT])
    report = session.blocking.clear_session()
    assert len(report.retired) == 11 and memory.entries("t", scope=SCOPE) == []
    memory.restore(report.retired[0].id, scope=SCOPE)
    assert await session.get_items() == TWELVE[:1]


async def test_equal_items_that_stay_are_two(memory: Memory) -> None:
    session = compacting(memory)
    await session.add_items([*TWELVE, said("user", "yes"), said("user", "yes")])
    await session.run_compaction({"force": True})
    assert await session.pop_item() == said("user", "yes")
    assert await session.get_items() == [SHORT, said("user", "yes")]


async def test_the_second_compaction_extends_the_first(memory: Memory) -> None:
    model = ScriptedChatModel(["First.", "Second."])
    session = compacting(memory, summarise_items(model, keep_turns=1))
    await session.add_items(TWELVE)
    await session.run_compaction({"force": True})
    more = [said("user", "more"), said("assistant", "yes")]
    await session.add_items(more)
    await session.run_compaction({"force": True})
    summary, *rest = await session.get_items()
    assert rest == more
    assert summary["content"].startswith("Summary of the 12 messages") and summary["content"].endswith("Second.")
    asked = model.calls[1].messages[-1].text
    assert "First." in asked and "user says 5" in asked and "user says 4" not in asked
    assert (await session.run_compaction({"force": True})).reason == "the compactor left all as it was"


async def test_by_default_memorys_own_model_summarises_or_rules_do(
    open_memory: Callable[..., Memory], folder: Path
) -> None:
    memory = open_memory(folder, model=ScriptedChatModel(["In short."]))
    turns = [said("user", "I live in Porto."), *TWELVE]
    session = memory.session("t", scope=SCOPE, compaction=ItemCompaction(candidates=6))
    await session.add_items(turns)
    await session.run_compaction()
    summary, *rest = await session.get_items()
    assert summary["content"].endswith("\n\nIn short.") and rest == TWELVE[-4:]
    ruled = open_memory(folder.with_name("ruled"))
    session = ruled.session("t", scope=SCOPE, compaction=ItemCompaction(candidates=6))
    await session.add_items(turns)
    await session.run_compaction()
    await session.add_items([said("user", "My cat is called Tom."), *TWELVE])
    await session.run_compaction()
    (summary, *_) = await session.get_items()
    assert "by rule" in summary["content"]
    assert "- I live in Porto." in summary["content"] and "- My cat is called Tom." in summary["content"]


async def test_a_branch_begins_with_the_summary_and_keeps_it_whatever_becomes_of_the_main_one(memory: Memory) -> None:
    main = compacting(memory)
    await main.add_items(TWELVE)
    await main.run_compaction({"force": True})
    await main.add_items([said("user", "later")])
    inside, behind = await main.branch("inside", from_turn=1), await main.branch("behind", from_turn=2)
    assert await inside.get_items() == [SHORT] and await behind.get_items() == NEW
    await main.clear_session()
    assert await behind.get_items() == NEW
    assert len(memory.entries("t", scope=SCOPE)) == 12  # `behind` still stands on all of them, "later" is gone
    await inside.clear_session()
    report = await main.delete_branch("behind")
    assert len(report.retired) == 12 and memory.entries("t", scope=SCOPE) == []
    assert hasattr(inside, "run_compaction")


async def test_a_sealed_summary_is_sealed_and_what_cannot_be_opened_is_never_compacted_away(memory: Memory) -> None:
    class Key:
        def __init__(self) -> None:
            self.fernet = Fernet(Fernet.generate_key())

        def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
            return "k", self.fernet.encrypt(plaintext)

        def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
            return self.fernet.decrypt(ciphertext)

    ours, theirs = Key(), Key()
    await memory.session("t", scope=SCOPE, seal=Sealing(theirs)).add_items([said("user", "theirs")])
    session = compacting(memory, seal=Sealing(ours, unreadable="skip"))
    await session.add_items(TWELVE)
    assert (await session.run_compaction({"force": True})).before == 12
    assert await session.get_items() == NEW and len(session.unreadable) == 1
    with memory._parts.database.read() as connection:
        kept = connection.exec_driver_sql("SELECT items FROM session_heads").scalar_one()
    assert "briefly" not in kept and "sealed" in kept
    strangers = compacting(memory, lambda items: [said("user", "x")], seal=Sealing(theirs, unreadable="skip"))
    assert (await strangers.run_compaction({"force": True})).before == 1
    assert await session.get_items() == NEW


def test_nothing_of_a_summary_survives_the_erasure_of_its_scope(
    open_memory: Callable[..., Memory], folder: Path
) -> None:
    memory = open_memory(folder)
    session = compacting(memory, lambda items: [said("user", "About xyzzy."), *items[-1:]]).blocking
    session.add_items([said("user", "The word is xyzzy."), *TWELVE])
    session.run_compaction({"force": True})
    twig = session.branch("twig")
    twig.add_items([said("user", "own")])
    memory.erase(scope=SCOPE, thread_id="t")  # the branch retells what was erased: its summary goes, too
    assert session.get_items() == [] and twig.get_items() == [said("user", "own")]
    memory.erase(scope="acme")
    memory.flush()
    assert not [path for path in folder.rglob("*") if path.is_file() and b"xyzzy" in path.read_bytes()]


async def test_the_responses_api_can_compact(memory: Memory) -> None:
    asked: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append((request.url.path, json.loads(request.content)))
        user = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}], "id": "m"}
        output = [{**user, "status": "completed"}, {"type": "compaction", "id": "cmp_1", "encrypted_content": "zzz"}]
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        body = {"id": "c", "object": "response.compaction", "created_at": 1, "output": output, "usage": usage}
        return httpx.Response(200, json=body)

    http = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    client = AsyncOpenAI(api_key="none", http_client=http)

    async def compact(items: list[Any]) -> list[Any]:
        answer = await client.responses.compact(model="gpt-5-mini", input=items)
        return [item.model_dump(exclude_unset=True, warnings=False) for item in answer.output]

    session = compacting(memory, compact)
    await session.add_items(TWELVE)
    assert (await session.run_compaction({"force": True})).status == "compacted"
    assert asked == [("/v1/responses/compact", {"model": "gpt-5-mini", "input": TWELVE})]
    assert [item["type"] for item in await session.get_items()] == ["message", "compaction"]
    assert await session.pop_item() == {"type": "compaction", "id": "cmp_1", "encrypted_content": "zzz"}


async def test_a_turn_ends_well_although_its_compaction_fails(memory: Memory) -> None:
    def down(items: list[Any]) -> list[Any]:
        raise ConnectionError("down")

    session = compacting(memory, down, candidates=1)
    assert is_openai_responses_compaction_aware_session(session)
    answer = await Runner.run(Agent(name="a", model=ScriptedModel(message("Hello."))), "Hi", session=session)
    assert answer.final_output == "Hello." and session.compacted.status == "failed"
    assert len(await session.get_items()) == 2


async def test_tokens_or_a_function_may_start_it_too(memory: Memory) -> None:
    session = compacting(memory, candidates=None, tokens=100)
    await session.add_items(TWELVE[:2])
    assert (await session.run_compaction()).status == "not due"
    await session.add_items(TWELVE[2:])
    assert (await session.run_compaction()).status == "compacted"
    contexts: list[Any] = []

    def when(context: Any) -> bool:
        contexts.append(context)
        return True

    session = compacting(memory, thread="other", candidates=None, when=when)
    await session.add_items(TWELVE)
    assert (await session.run_compaction()).status == "compacted"
    assert contexts == [{"compaction_candidate_items": TWELVE[1::2], "session_items": TWELVE}]


async def test_what_makes_no_sense_is_refused(memory: Memory) -> None:
    bad: list[dict[str, Any]] = [{"candidates": 0}, {"tokens": True}, {"compact": "x"}, {"when": 1}]
    for options in bad:
        with pytest.raises(InvalidInput):
            ItemCompaction(**options)
    for wrong in ({"keep_turns": 0}, {"summary_tokens": 3}):
        with pytest.raises(InvalidInput):
            summarise_items(**wrong)  # type: ignore[arg-type]
    session = compacting(memory)
    await session.add_items(TWELVE)
    with pytest.raises(InvalidInput, match="items that it holds"):
        await session.run_compaction({"compaction_mode": "previous_response_id"})
    with pytest.raises(InvalidInput, match="args is a dict"):
        await session.run_compaction("force")

    async def later(items: list[Any]) -> list[Any]:
        return items

    with pytest.raises(InvalidInput, match="await session"):
        compacting(memory, later).blocking.run_compaction({"force": True})


async def test_run_compaction_does_not_block_the_event_loop(open_memory: Callable[..., Memory], folder: Path) -> None:
    from blockbuster import blockbuster_ctx

    memory = open_memory(folder)
    with blockbuster_ctx("langgraph_memory"):
        session = memory.session("t", scope=SCOPE, compaction=ItemCompaction(candidates=2))
        await session.add_items(TWELVE)
        assert (await session.run_compaction()).status == "compacted"
