"""What a session of the OpenAI Agents SDK does, here over memory, driven by its real runner where it decides."""

from __future__ import annotations

import asyncio
import inspect
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import agents
import pytest
from agents import Agent, GuardrailFunctionOutput, RunConfig, Runner, SessionSettings, function_tool, input_guardrail
from agents.exceptions import InputGuardrailTripwireTriggered
from children import Child, barrier, run_all
from cryptography.fernet import Fernet
from fake_agents import ScriptedModel, call, message
from session_children import SCOPE, add_and_die, add_hundred, pop_fifty
from statements import at_statement, cancel_at_each_statement

from langgraph_memory.errors import InvalidInput, NotFound, SealBroken
from langgraph_memory.memory import Memory
from langgraph_memory.storage import crash_points
from langgraph_memory.testing.clock import FrozenClock
from langgraph_memory.toolkits import ItemCompaction, Sealing

agents.set_tracing_disabled(True)

FIVE = [{"role": "user", "content": f"line {n}"} for n in range(5)]
CALL = {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city": "Porto"}', "id": "fc_1"}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "sunny"}


def open_session(memory: Memory, **options: Any) -> Any:
    return memory.session("t", scope=SCOPE, **options).blocking


async def test_openai_agents_sdk_P01_the_last_items_in_the_order_in_which_they_were_added(memory: Memory) -> None:
    session = memory.session("t", scope=SCOPE)
    await session.add_items(FIVE)
    assert await session.get_items(2) == FIVE[3:]
    assert await session.get_items() == await session.get_items(None) == FIVE
    assert await session.get_items(0) == []
    for bad in (-1, True, "2"):
        with pytest.raises(InvalidInput, match="at least 0"):
            await session.get_items(bad)


async def test_openai_agents_sdk_P02_popping_takes_the_newest_first_and_then_nothing(memory: Memory) -> None:
    session = memory.session("t", scope=SCOPE)
    await session.add_items(FIVE)
    assert [await session.pop_item() for _ in range(6)] == [*reversed(FIVE), None]
    assert await memory.session("never", scope=SCOPE).pop_item() is None


async def test_openai_agents_sdk_P03_who_says_a_limit_last_is_obeyed(memory: Memory) -> None:
    session = memory.session("t", scope=SCOPE, session_settings=SessionSettings(limit=3))
    await session.add_items(FIVE)
    assert await session.get_items() == FIVE[2:]
    assert await session.get_items(2) == FIVE[3:]
    model = ScriptedModel(message("a"), message("b"))
    agent = Agent(name="a", model=model)
    await Runner.run(agent, "x", session=session)
    await Runner.run(agent, "y", session=session, run_config=RunConfig(session_settings=SessionSettings(limit=1)))
    assert [len(asked) for asked in model.asked] == [4, 2]


def test_openai_agents_sdk_P05_a_batch_that_fails_midway_is_not_added(memory: Memory) -> None:
    session = open_session(memory)
    with pytest.raises(InvalidInput, match="Item 1 holds"):
        session.add_items([FIVE[0], {"role": "user", "content": float("nan")}])
    with pytest.raises(InvalidInput, match="Item 1 is no dict"):
        session.add_items([FIVE[0], "text"])
    assert session.get_items() == []

    def fail() -> None:
        raise OSError("the disk is gone")

    failures = 0
    while session.get_items() == []:
        with at_statement(memory, failures + 1, fail), suppress(OSError):
            session.add_items(FIVE)
        failures += 1
    assert failures > 5  # each statement of the transaction, and then none
    assert session.get_items() == FIVE


def test_openai_agents_sdk_P05_a_batch_killed_midway_is_added_whole_or_not_at_all(
    open_memory: Callable[..., Memory], store_url: str
) -> None:
    memory = open_memory(store_url)
    open_session(memory).add_items(FIVE)  # now the scope is known, and each batch takes the same statements
    statements = Child(add_and_die, store_url, "counted", FIVE, 0).result()
    assert statements > 5
    moments = [*range(1, statements + 1), "before commit", "after commit"]
    children = [Child(add_and_die, store_url, f"at {moment}", FIVE, moment) for moment in moments]
    assert {child.exitcode() for child in children} == {-signal.SIGKILL}
    left = {moment: memory.session(f"at {moment}", scope=SCOPE).blocking.get_items() for moment in moments}
    assert left.pop("after commit") == FIVE
    assert list(left.values()) == [[]] * len(left)


def test_openai_agents_sdk_P06_four_processes_add_a_hundred_each_to_a_new_store(
    open_memory: Callable[..., Memory], store_url: str
) -> None:
    gate = barrier(4)
    run_all(add_hundred, [(store_url, gate, writer) for writer in range(4)])
    said = [item["content"] for item in open_session(open_memory(store_url)).get_items()]
    assert len(said) == len(set(said)) == 400
    for writer in range(4):
        assert [text for text in said if text.startswith(f"{writer} ")] == [f"{writer} {n}" for n in range(100)]


def test_openai_agents_sdk_P07_two_processes_pop_every_item_once(
    open_memory: Callable[..., Memory], store_url: str
) -> None:
    memory = open_memory(store_url)
    open_session(memory).add_items([{"role": "user", "content": f"n{n}"} for n in range(100)])
    gate = barrier(2)
    popped = [item for some in run_all(pop_fifty, [(store_url, gate)] * 2) for item in some]
    assert sorted(item["content"] for item in popped) == sorted(f"n{n}" for n in range(100))
    assert open_session(memory).get_items() == []


@pytest.mark.parametrize("verb", ["add_items", "pop_item", "clear_session"])
def test_openai_agents_sdk_P08_a_write_that_fails_holds_nobody_up(
    open_memory: Callable[..., Memory], store_url: str, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    memory, other = open_memory(store_url), open_memory(store_url)
    session = open_session(memory)
    session.add_items(FIVE)

    def fail(moment: str) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr(crash_points, "hook", fail)
    with pytest.raises(OSError, match="gone"):
        getattr(session, verb)(*([[{"role": "user", "content": "lost"}]] if verb == "add_items" else []))
    monkeypatch.setattr(crash_points, "hook", None)
    assert session.get_items() == FIVE
    began = time.monotonic()
    open_session(other).add_items([FIVE[0]])  # as another process would, whose wait for a lock is a minute
    assert session.pop_item() == FIVE[0] and time.monotonic() - began < 10
    assert session.pop_item() == FIVE[-1]


async def test_openai_agents_sdk_P10_a_cancelled_add_is_whole_or_absent_and_over(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = memory.session("t", scope=SCOPE)
    loop = asyncio.get_running_loop()
    tasks: list[asyncio.Task[None]] = []

    def cancel(moment: str) -> None:
        if moment == "before commit":
            loop.call_soon_threadsafe(tasks[0].cancel)

    monkeypatch.setattr(crash_points, "hook", cancel)
    tasks.append(asyncio.create_task(session.add_items(FIVE)))
    with pytest.raises(asyncio.CancelledError):
        await tasks[0]
    monkeypatch.setattr(crash_points, "hook", None)
    assert await session.get_items() == FIVE  # it had begun: nothing of it happens after the caller went on


async def test_openai_agents_sdk_P10_an_add_cancelled_before_its_commit_never_happens(memory: Memory) -> None:
    session = memory.session("t", scope=SCOPE)
    early = asyncio.create_task(session.add_items(FIVE))
    early.cancel()
    with pytest.raises(asyncio.CancelledError):
        await early

    async def nothing() -> None:
        assert await session.get_items() == []

    assert await cancel_at_each_statement(memory, lambda: session.add_items(FIVE), nothing) > 5
    assert await session.get_items() == FIVE


async def test_openai_agents_sdk_P20_a_limit_that_cuts_a_call_from_its_output_orphans_nothing(memory: Memory) -> None:
    session = memory.session("t", scope=SCOPE)
    lost = {**CALL, "call_id": "c2", "id": "fc_2"}
    stored = [FIVE[0], CALL, OUTPUT, {"role": "assistant", "content": "It is sunny."}, lost, FIVE[1]]
    await session.add_items(stored)
    model = ScriptedModel(message("a"))
    config = RunConfig(session_settings=SessionSettings(limit=4))
    await Runner.run(Agent(name="a", model=model), "And now?", session=session, run_config=config)
    assert [item.get("type", item.get("role")) for item in model.asked[0]] == ["assistant", "user", "user"]
    kept = await session.get_items()
    assert kept[:6] == stored and [item["role"] for item in kept[6:]] == ["user", "assistant"]


async def test_openai_agents_sdk_P21_a_callback_may_do_what_it_likes_to_its_copy_of_history(memory: Memory) -> None:
    session = memory.session("t", scope=SCOPE)
    await session.add_items(FIVE)

    def rearrange(history: list[Any], new: list[Any]) -> list[Any]:
        history[0]["content"] = "changed"
        return [*new, history[3], history[0]]

    model = ScriptedModel(message("a"))
    config = RunConfig(session_input_callback=rearrange)
    new = [{"role": "user", "content": "new"}]
    await Runner.run(Agent(name="a", model=model), new, session=session, run_config=config)
    assert [item["content"] for item in model.asked[0]] == ["new", "line 3", "changed"]
    kept = await session.get_items()
    assert kept[:5] == FIVE
    assert [item["role"] for item in kept[5:]] == ["user", "assistant"] and kept[5]["content"] == "new"


@pytest.mark.parametrize("in_parallel", [False, True])
async def test_openai_agents_sdk_P22_what_a_guardrail_stops_is_kept_without_an_answer(
    memory: Memory, in_parallel: bool
) -> None:
    @input_guardrail(run_in_parallel=in_parallel)
    async def stop(context: Any, agent: Any, given: Any) -> GuardrailFunctionOutput:
        return GuardrailFunctionOutput(output_info=None, tripwire_triggered=True)

    session = memory.session("t", scope=SCOPE)
    model = ScriptedModel(*[message("Here it is.")] * in_parallel)  # meanwhile the model may have answered
    agent = Agent(name="a", model=model, input_guardrails=[stop])
    with pytest.raises(InputGuardrailTripwireTriggered):
        await Runner.run(agent, "Something forbidden", session=session)
    assert await session.get_items() == [{"content": "Something forbidden", "role": "user"}]


async def test_openai_agents_sdk_P23_a_branch_is_isolated_and_shares_what_was_said_before(memory: Memory) -> None:
    main = memory.session("t", scope=SCOPE)
    turns = [
        {"role": role, "content": text}
        for n in range(1, 4)
        for role, text in (("user", f"question {n}"), ("assistant", f"answer {n}"))
    ]
    await main.add_items(turns)
    branch = await main.branch("draft", from_turn=2)
    await branch.add_items([{"role": "user", "content": "another question"}])
    assert await branch.get_items() == [*turns[:2], {"role": "user", "content": "another question"}]
    assert await main.get_items() == turns
    for name, said in (("main", "no branch"), ("draft", "at hand")):
        with pytest.raises(InvalidInput, match=said):
            await branch.delete_branch(name)
    with pytest.raises(NotFound):
        await main.delete_branch("unknown")
    with pytest.raises(InvalidInput, match="no turn 4"):
        await main.branch("late", from_turn=4)
    assert [hit.text for hit in memory.recall("question 1", scope=SCOPE).hits].count("question 1") == 1
    report = main.blocking.delete_branch("draft")
    assert [item.text for item in report.retired] == ["another question"]
    assert await main.get_items() == turns
    with pytest.raises(InvalidInput, match="exists or existed"):
        await main.branch("draft")
    assert [(one.name, one.deleted_at is None) for one in await main.branches()] == [("draft", False)]


def test_what_one_of_two_branches_takes_out_the_other_still_shows(memory: Memory) -> None:
    main = open_session(memory)
    main.add_items(FIVE)
    twig = main.branch("one").branch("two")
    main.clear_session()
    assert main.get_items() == [] and twig.get_items() == FIVE
    assert twig.session_id == "t#two"
    assert memory.recall("line 3", scope=SCOPE).hits
    assert twig.pop_item() == FIVE[-1]
    assert main.branch("three").get_items() == []
    main.delete_branch("one")
    assert twig.get_items() == FIVE[:4]
    assert len(memory.entries("t", scope=SCOPE)) == 4
    twig.clear_session()
    assert memory.entries("t", scope=SCOPE) == []


class Keys:
    """A ring of keys: the first encrypts, all decrypt; the shape is LangGraph's `CipherProtocol`."""

    def __init__(self, **keys: bytes) -> None:
        self._keys = {name: Fernet(key) for name, key in keys.items()}

    def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
        name = next(iter(self._keys))
        return name, self._keys[name].encrypt(plaintext)

    def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
        return self._keys[ciphername].decrypt(ciphertext)


def test_openai_agents_sdk_P25_what_cannot_be_opened_is_counted_and_told(
    open_memory: Callable[..., Memory], store_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    clock = FrozenClock()
    memory = open_memory(store_url, clock=clock)
    old, new, wrong = Fernet.generate_key(), Fernet.generate_key(), Fernet.generate_key()
    plain, first, second = ({"role": "user", "content": text, "id": text} for text in ("open", "first", "second"))
    open_session(memory).add_items([plain])
    open_session(memory, seal=Sealing(Keys(k1=old))).add_items([first])
    clock.advance(timedelta(hours=2))
    rotated = Sealing(Keys(k2=new, k1=old), clock=clock)
    open_session(memory, seal=rotated).add_items([second, first])
    assert open_session(memory, seal=rotated).get_items() == [plain, first, second]

    def read(**options: Any) -> tuple[list[Any], list[str | None]]:
        session = open_session(memory, seal=Sealing(clock=clock, unreadable="skip", **options))
        found = session.get_items()
        return found, [item.reason for item in session.unreadable]

    wrong_key, unknown_key = "the key 'k1' does not open it (InvalidToken)", "the key 'k2' does not open it (KeyError)"
    assert read(cipher=Keys(k1=wrong)) == ([plain], [wrong_key, unknown_key])
    both = Keys(k2=new, k1=old)
    assert read(cipher=both, max_age=timedelta(hours=1)) == ([plain, second], ["it is older than `max_age`"])
    assert read(cipher=both, plain="refuse") == ([first, second], ["it was added without a seal"])
    assert "2 of 3 items" in caplog.text
    for seal in (None, Sealing(Keys(k1=wrong), clock=clock)):
        with pytest.raises(SealBroken, match="of 3 items of 't' cannot be read"):
            open_session(memory, seal=seal).get_items()
    assert not memory.recall("first", scope=SCOPE, recipe="lexical").hits
    assert open_session(memory, seal=rotated).pop_item() == second


def test_openai_agents_sdk_P26_the_same_suite_runs_on_sqlite_and_postgresql(memory: Memory) -> None:
    session = memory.session("t", scope=SCOPE)
    assert isinstance(session, agents.memory.Session)
    assert not hasattr(session, "run_compaction")  # declared missing: the SDK then never asks for it
    assert hasattr(memory.session("t", scope=SCOPE, compaction=ItemCompaction()), "run_compaction")
    rows = [test for name, test in globals().items() if name.startswith("test_openai_agents_sdk_P")]
    assert len(rows) >= 15  # each of them has both databases in turn, through one of these two
    assert all({"memory", "store_url"} & set(inspect.signature(test).parameters) for test in rows)
    assert "BaseStore" in str(inspect.getdoc(Memory.session))  # declared missing, too


EVERY_KIND = [
    {"role": "user", "content": "Where is it sunny?"},
    {"content": "Order of keys, too.", "role": "user"},
    {"role": "developer", "content": "Answer briefly."},
    {"type": "message", "role": "user", "content": [
        {"type": "input_text", "text": "Look:"},
        {"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,AAAA"},
        {"type": "input_file", "filename": "plan.pdf", "file_data": "JVBERi0="},
    ]},
    {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "Think."}]},
    CALL, OUTPUT,
    {"type": "function_call_output", "call_id": "c9", "output": [{"type": "input_text", "text": "part"}]},
    {"id": "ws_1", "type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "sun"}},
    {"id": "ci_1", "type": "code_interpreter_call", "code": "1+1", "container_id": "k", "outputs": None},
    {"id": "mcp_1", "type": "mcp_call", "name": "f", "arguments": "{}", "output": "ok", "error": None},
    {"type": "mcp_approval_response", "approval_request_id": "r", "approve": True},
    {"type": "local_shell_call_output", "id": "l", "output": "done"},
    {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [
        {"type": "output_text", "text": "In Porto.", "annotations": [], "logprobs": []}]},
    {"id": "msg_2", "type": "message", "role": "assistant", "status": "completed", "content": [
        {"type": "refusal", "refusal": "No."}]},
    {"type": "item_reference", "id": "msg_0"},
    {"id": "cmp_1", "type": "compaction", "encrypted_content": "zzz"},
    {"type": "of_tomorrow", "payload": {"n": 1, "x": None, "nul": "a\x00b", "half": "\ud800"}},
    {"role": "user", "content": "nul \x00 and half \ud83d"},
    {"role": "user", "content": ""},
    {"role": "user", "content": None},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": "y"}]},
]  # fmt: skip


async def test_items_of_every_kind_come_out_exactly_as_they_went_in(memory: Memory) -> None:
    session = memory.session("t", scope=SCOPE)
    await session.add_items(EVERY_KIND)
    assert await session.get_items() == EVERY_KIND
    assert [list(item) for item in await session.get_items()] == [list(item) for item in EVERY_KIND]
    for item in reversed(EVERY_KIND):
        assert await session.pop_item() == item


def test_items_of_every_kind_move_to_another_scope_by_export_and_ingest(memory: Memory, tmp_path: Path) -> None:
    open_session(memory).add_items(EVERY_KIND)
    memory.export(scope="acme", path=tmp_path / "out.jsonl")
    assert memory.ingest(tmp_path / "out.jsonl", scope="moved").refusals == ()
    assert memory.session("t", scope=("moved", "ana")).blocking.get_items() == EVERY_KIND


async def test_an_item_with_an_id_is_added_once_and_equal_ones_without_are_two(memory: Memory) -> None:
    session = memory.session("t", scope=SCOPE)
    answer, fake = ({"id": name, "role": "assistant", "content": "Yes."} for name in ("msg_1", "__fake_id__"))
    for _ in range(2):
        await session.add_items([FIVE[0], answer, fake, answer])
    assert await session.get_items() == [FIVE[0], answer, fake, FIVE[0], fake]
    await session.add_items([{**answer, "content": "No."}])  # nothing is lost where an id is given twice
    assert (await session.get_items())[-1]["content"] == "No."
    await session.clear_session()
    await session.add_items([answer])
    assert await session.get_items() == [answer]
    await session.add_items([answer])
    assert await session.get_items() == [answer]


async def test_an_agent_with_a_tool_goes_on_where_it_was_and_what_was_said_is_recalled(
    open_memory: Callable[..., Memory], store_url: str
) -> None:
    @function_tool
    def weather(city: str) -> str:
        """Tell the weather."""
        return f"snow in {city}"

    first = ScriptedModel(call("weather", "c1", city="Oslo"), message("Take a coat, it snows."))
    memory = open_memory(store_url)
    session = memory.session("monday", scope=SCOPE)
    await Runner.run(Agent(name="a", model=first, tools=[weather]), "I travel to Oslo.", session=session)
    memory.close()
    memory = open_memory(store_url)
    second = ScriptedModel(message("To Oslo."))
    session = memory.session("monday", scope=SCOPE)
    answer = await Runner.run(Agent(name="a", model=second, tools=[weather]), "Where do I travel?", session=session)
    assert answer.final_output == "To Oslo."
    kinds = [item.get("type") or item["role"] for item in second.asked[0]]
    assert kinds == ["user", "function_call", "function_call_output", "message", "user"]
    recalled = [(hit.speaker, hit.text) for hit in memory.recall("Oslo travel", scope=SCOPE).hits]
    assert ("user", "I travel to Oslo.") in recalled and ("assistant", "Take a coat, it snows.") in recalled
    assert not any("tool call" in text or text == "snow in Oslo" for _, text in recalled)
    tools = memory.recall("snow in Oslo", scope=SCOPE, roles=["tool"]).hits
    assert "snow in Oslo" in [hit.text for hit in tools]


async def test_what_is_cleared_is_forgotten_and_can_be_restored(memory: Memory) -> None:
    session = memory.session("t", scope=SCOPE)
    await session.add_items(FIVE)
    report = session.blocking.clear_session()
    assert len(report.retired) == 5 and await session.get_items() == []
    assert not memory.recall("line", scope=SCOPE).hits
    assert memory.restore(report.retired[2].id, scope=SCOPE).restored
    assert await session.get_items() == [FIVE[2]]
    assert [change.action for change in memory.history(report.retired[2].id)] == ["retired", "restored"]


def test_what_langgraph_recorded_is_given_as_messages(memory: Memory) -> None:
    memory.record([("user", "Hello"), ("assistant", "Hi"), CALL, OUTPUT], scope=SCOPE, thread_id="t")
    session = open_session(memory)
    said = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]
    assert session.get_items() == [*said, CALL, OUTPUT]
    session.add_items([CALL])
    assert len(session.get_items()) == 4


def test_nothing_that_a_session_held_survives_its_erasure(open_memory: Callable[..., Memory], folder: Any) -> None:
    memory = open_memory(folder)
    secret = [{"role": "user", "content": "The word is xyzzy."}, {"type": "new_kind", "payload": "xyzzy"}]
    open_session(memory).add_items(secret)
    open_session(memory).branch("twig").add_items([{"role": "user", "content": "xyzzy once more"}])
    memory.flush()
    memory.erase(scope="acme")
    assert open_session(memory).get_items() == [] and open_session(memory).branches() == []
    memory.flush()
    assert not [path for path in folder.rglob("*") if path.is_file() and b"xyzzy" in path.read_bytes()]


def test_a_thread_is_erased_also_where_branches_share_it(memory: Memory) -> None:
    main = open_session(memory)
    main.add_items(FIVE)
    twig = main.branch("twig", from_turn=4)
    twig.add_items([{"role": "user", "content": "own"}])
    memory.erase(scope=SCOPE, thread_id="t")
    assert twig.get_items() == [{"role": "user", "content": "own"}]
    main.add_items(FIVE)
    assert main.get_items() == FIVE and twig.branch("new").session_id == "t#twig#new"


def test_bad_names_are_refused_at_once(memory: Memory) -> None:
    for bad in ("", " ", 7, "x" * 3_000):
        with pytest.raises(InvalidInput):
            memory.session(bad, scope=SCOPE)  # type: ignore[arg-type]
    for bad in ("", "main", 3):
        with pytest.raises(InvalidInput):
            open_session(memory).branch(bad)
    with pytest.raises(InvalidInput):
        open_session(memory).add_items({"role": "user", "content": "x"})


async def test_no_verb_blocks_the_event_loop(open_memory: Callable[..., Memory], folder: Any) -> None:
    from blockbuster import blockbuster_ctx

    memory = open_memory(folder)
    with blockbuster_ctx("langgraph_memory"):
        session = memory.session("t", scope=SCOPE)
        await session.add_items(FIVE)
        await session.get_items()
        await session.branch("b")
        await session.pop_item()
        await session.clear_session()
