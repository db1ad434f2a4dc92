"""Every shape of message becomes one of ours, with nothing lost and nothing invented."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.load import dumpd
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    HumanMessageChunk,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    messages_to_dict,
)
from pydantic import BaseModel

from langgraph_memory.errors import MessageError
from langgraph_memory.records import Message
from langgraph_memory.sessions.messages import each_message, message_digest, to_messages, tool_calls
from langgraph_memory.sessions.plain import plain


def one(value: Any) -> Message:
    (message,) = to_messages(value)
    return message


# --- shapes -------------------------------------------------------------------------------------------


def test_plain_text_is_said_by_the_user() -> None:
    assert one("hi") == Message("user", "hi", "hi", speaker="user")
    assert [m.text for m in to_messages(["a", "b"])] == ["a", "b"]
    assert to_messages([]) == []


def test_pairs_are_one_message_as_a_tuple_and_two_texts_as_a_list() -> None:
    assert one(("human", "hi")).role == "user"
    assert [m.role for m in to_messages([("user", "hi"), ["ai", "ho"]])] == ["user", "assistant"]
    assert [m.text for m in to_messages(["user", "hi"])] == ["user", "hi"]
    with pytest.raises(MessageError, match="'usr'"):
        to_messages(("usr", "hi"))


@pytest.mark.parametrize(
    ("given_role", "role"),
    [
        ("user", "user"),
        ("human", "user"),
        ("assistant", "assistant"),
        ("ai", "assistant"),
        ("AI", "assistant"),
        ("system", "system"),
        ("developer", "system"),
        ("tool", "tool"),
        ("function", "tool"),
    ],
)
def test_every_role_name_is_one_of_four(given_role: str, role: str) -> None:
    message = one({"role": given_role, "content": "x"})
    assert (message.role, message.speaker) == (role, role)
    assert message.extra.get("given_role") == (given_role if given_role in ("developer", "function") else None)


def test_langchain_messages_in_all_four_forms_are_the_same_message() -> None:
    original = [
        HumanMessage("hi", id="h1", name="Alice"),
        AIMessage("", tool_calls=[{"name": "search", "args": {"q": "x"}, "id": "c1"}], id="a1"),
        ToolMessage("found", tool_call_id="c1", name="search", status="error", id="t1"),
        SystemMessage("be kind"),
        FunctionMessage("f", name="fn"),
    ]
    expected = to_messages(original)
    assert [(m.role, m.speaker, m.id) for m in expected] == [
        ("user", "Alice", "h1"),
        ("assistant", "assistant", "a1"),
        ("tool", "search", "t1"),
        ("system", "system", None),
        ("tool", "fn", None),
    ]
    assert expected[1].text == '[tool call: search {"q": "x"}]'
    assert expected[1].content == ""
    assert expected[2].extra == {"tool_call_id": "c1", "status": "error"}
    assert to_messages(messages_to_dict(original)) == expected
    assert to_messages([dumpd(message) for message in original]) == expected
    assert to_messages([message.model_dump() for message in original]) == expected


def test_langchain_chunks_and_chat_messages() -> None:
    assert one(AIMessageChunk(content="a")).role == "assistant"
    assert one(HumanMessageChunk(content="a")).role == "user"
    assert one(dumpd(HumanMessageChunk(content="a"))).text == "a"
    assert one(ChatMessage(content="a", role="assistant")).role == "assistant"
    with pytest.raises(MessageError, match="'critic'"):
        to_messages(ChatMessage(content="a", role="critic"))


def test_langchain_extras_are_kept_and_defaults_are_not() -> None:
    message = one(
        AIMessage(
            "x",
            additional_kwargs={"k": 1, "speaker": "Bob", "observed_at": "2026-05-01"},
            response_metadata={"model_name": "m"},
            usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
        )
    )
    assert set(message.extra) == {"additional_kwargs", "response_metadata", "usage_metadata"}
    assert message.speaker == "Bob"
    assert message.observed_at == datetime(2026, 5, 1, tzinfo=UTC)
    assert one(HumanMessage("x", additional_kwargs={"observed_at": "soon"})).observed_at is None
    assert one(HumanMessage("x")).extra == {}


@pytest.mark.parametrize("form", [lambda m: m, dumpd, lambda m: m.model_dump(), lambda m: messages_to_dict([m])[0]])
def test_a_request_to_remove_is_no_message(form: Any) -> None:
    with pytest.raises(MessageError, match="RemoveMessage, which asks LangGraph to delete"):
        to_messages([form(RemoveMessage(id="m1"))])


def test_openai_tool_calls_are_normalised_and_kept() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"q":  "é"}'}}
    ai, tool = to_messages(
        [
            {"role": "assistant", "content": None, "tool_calls": [call], "refusal": None},
            {"role": "tool", "tool_call_id": "c1", "content": "18 degrees"},
        ]
    )
    assert (ai.text, ai.content) == ('[tool call: search {"q": "é"}]', None)
    assert tool_calls(ai) == [
        {"type": "tool_call", "name": "search", "args": {"q": "é"}, "id": "c1", "arguments": '{"q":  "é"}'}
    ]
    assert (tool.role, tool.speaker, tool.text, tool.extra["tool_call_id"]) == ("tool", "search", "18 degrees", "c1")


def test_openai_legacy_function_call_refusal_and_audio() -> None:
    old = one({"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "not json"}})
    assert old.text == "[tool call: f not json]"
    assert tool_calls(old)[0]["args"] == "not json"
    refused = one({"role": "assistant", "content": None, "refusal": "I cannot."})
    assert (refused.text, refused.extra) == ("I cannot.", {"refusal": "I cannot."})
    spoken = one({"role": "assistant", "content": None, "audio": {"id": "a", "transcript": "Hello."}})
    assert spoken.text == "[audio: Hello.]"


def test_openai_responses_items() -> None:
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "search", "arguments": '{"q": 1}'},
        {"type": "function_call_output", "call_id": "c1", "output": "found"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {"type": "message", "role": "assistant", "id": "m", "content": [{"type": "output_text", "text": "ho"}]},
    ]
    user, thought, call, output, web, said = to_messages(items)
    assert (user.role, user.text) == ("user", "hi")
    assert (thought.role, thought.text, thought.content, thought.id) == ("assistant", "", [items[1]], "rs_1")
    assert (call.role, call.text, call.id) == ("assistant", '[tool call: search {"q": 1}]', "fc_1")
    assert tool_calls(call)[0]["id"] == "c1"
    assert (output.role, output.speaker, output.text) == ("tool", "search", "found")
    assert output.extra["tool_call_id"] == "c1"
    assert web.text == "[tool call: web_search]"
    assert (said.role, said.text, said.id) == ("assistant", "ho", "m")


def test_anthropic_blocks() -> None:
    ai, result = to_messages(
        [
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "secret", "signature": "s"},
                    {"type": "text", "text": "Let me look."},
                    {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Oslo"}},
                ],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "18"}]},
        ]
    )
    assert ai.text == 'Let me look.\n[tool call: weather {"city": "Oslo"}]'
    assert ai.content[0]["thinking"] == "secret"
    assert tool_calls(ai) == [{"type": "tool_call", "name": "weather", "args": {"city": "Oslo"}, "id": "t1"}]
    assert (result.role, result.speaker, result.text) == ("tool", "weather", "18")
    assert result.extra == {"tool_call_id": "t1", "given_role": "user"}
    mixed = one({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "18"}, "Thanks"]})
    assert (mixed.role, mixed.text) == ("user", "[tool result] 18\nThanks")


def test_a_call_that_is_both_block_and_field_is_shown_once() -> None:
    message = one(
        AIMessage(
            [{"type": "tool_use", "id": "t1", "name": "s", "input": {}}],
            tool_calls=[{"name": "s", "args": {}, "id": "t1"}],
        )
    )
    assert message.text == "[tool call: s]"
    assert len(tool_calls(message)) == 1


def test_own_fields_in_dicts() -> None:
    message = one(
        {
            "role": "user",
            "content": "x",
            "name": "alice",
            "speaker": "Alice",
            "observed_at": "2026-05-01T12:00:00+02:00",
            "id": 7,
            "text": "shown",
            "extra": {"a": 1},
            "mood": "good",
            "nothing": None,
        }
    )
    assert (message.speaker, message.id, message.text, message.content) == ("Alice", "7", "shown", "x")
    assert message.observed_at == datetime(2026, 5, 1, 10, tzinfo=UTC)
    assert message.extra == {"a": 1, "mood": "good", "name": "alice"}
    local = datetime(2026, 5, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    assert one({"role": "user", "content": "x", "observed_at": local}).observed_at == message.observed_at


def test_our_own_message_passes_through() -> None:
    message = Message("user", "hi", "hi", id="m", speaker="Alice", observed_at=datetime(2026, 5, 1, tzinfo=UTC))
    assert one(message) == message
    assert one(Message("assistant", "x", b"y")) == Message("assistant", "x", {"base64": "eQ=="}, speaker="assistant")


def test_message_objects_of_other_libraries() -> None:
    class ChatCompletionMessage(BaseModel):
        role: str
        content: str | None
        refusal: str | None = None

    assert one(ChatCompletionMessage(role="assistant", content="hi")) == one({"role": "assistant", "content": "hi"})


def test_iterators_are_read_once() -> None:
    assert len(to_messages(m for m in ("a", "b"))) == 2


# --- what is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "Expected messages, but got None"),
        (5, "Expected messages, but got 5"),
        (b"hi", "Message 0 is an object of type bytes"),
        (["ok", None], "Message 1 is None"),
        ([["a", "b", "c"]], "must be a pair"),
        ({}, "an empty dict: it has no role"),
        ({"messages": []}, 'pass the list under its "messages"'),
        ({"role": "user"}, "it has no content"),
        ({"role": "boss", "content": "x"}, "its role is 'boss'; known roles are user, human"),
        ({"role": "user", "content": "x", "id": []}, "its id is a list of 0"),
        ({"role": "user", "content": "x", "name": 5}, "its name is 5"),
        ({"role": "user", "content": "x", "observed_at": "yesterday"}, "'yesterday'"),
        ({"role": "user", "content": "x", "observed_at": 5}, "neither a datetime nor ISO"),
        ({"role": "user", "content": "x", "observed_at": "0001-01-01T00:00:00+14:00"}, "cannot be|not a date"),
        ({"role": "user", "content": "x", "extra": 5}, "its extra is 5"),
        ({"role": "user", "content": "x", "text": 5}, "its text is 5"),
        ({"role": "assistant", "content": "x", "tool_calls": "c"}, "tool_calls are not a list"),
        ({"type": "text", "text": "x"}, "it has no role"),
        ({"type": "function", "function": {}}, "it has no content"),
        ({"lc": 1, "type": "constructor", "id": ["a", "Prompt"], "kwargs": {}}, "serialised Prompt"),
        (Message("boss", "x", "x"), "needs a role"),  # type: ignore[arg-type]
        (Message("user", "x", "x", observed_at="soon"), "'soon'"),  # type: ignore[arg-type]
    ],
)
def test_wrong_input_is_named_with_its_place_and_what_is_accepted(value: Any, said: str) -> None:
    with pytest.raises(MessageError, match=said) as caught:
        to_messages(value)
    assert "Accepted: LangChain messages" in str(caught.value)


def test_errors_do_not_quote_what_was_said() -> None:
    with pytest.raises(MessageError) as caught:
        to_messages({"content": "my secret"})
    assert "secret" not in str(caught.value)


def test_each_message_goes_on_after_an_error() -> None:
    outcomes = list(each_message(["a", None, "b"]))
    assert [isinstance(outcome, Message) for outcome in outcomes] == [True, False, True]


def test_content_that_contains_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(MessageError, match=r"Message 0 cannot be read.*100 levels"):
        to_messages({"role": "user", "content": endless})


# --- content blocks -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ([], ""),
        ("", ""),
        (["a", ["b", [{"type": "text", "text": "c"}]]], "a\nb\nc"),
        ({"type": "text", "text": "a"}, "a"),
        ([{"type": "text", "text": {"value": "a", "annotations": []}}], "a"),
        ([{"text": "bedrock"}, {"image": {"format": "png"}}], "bedrock\n[image]"),
        ([{"toolUse": {"toolUseId": "t", "name": "f", "input": {"a": 1}}}], '[tool call: f {"a": 1}]'),
        ([{"type": "image", "source": {"type": "base64", "data": "xx"}}], "[image]"),
        ([{"type": "image_url", "image_url": {"url": "https://x"}}], "[image]"),
        ([{"type": "input_image", "image_url": "x"}], "[image]"),
        ([{"type": "image", "caption": "a dog"}], "[image: a dog]"),
        ([{"type": "file", "file": {"filename": "plan.pdf"}}], "[file: plan.pdf]"),
        ([{"type": "input_file", "filename": "a\nb.pdf"}], "[file: a b.pdf]"),
        ([{"type": "input_audio", "input_audio": {}}], "[audio]"),
        ([{"type": "video", "url": "x"}], "[video]"),
        ([{"type": "document", "title": "Rules", "source": {}}], "[document: Rules]"),
        ([{"type": "text-plain", "text": "long"}], "long"),
        ([{"type": "refusal", "refusal": "No."}], "No."),
        ([{"type": "reasoning", "reasoning": "hm"}, {"type": "redacted_thinking", "data": "x"}], ""),
        ([{"type": "hologram", "x": 1}], "[hologram]"),
        ([{"type": "hologram", "text": "caption"}], "[hologram] caption"),
        ([{"type": "non_standard", "value": {"type": "text", "text": "in"}}], "in"),
        ([{"type": "non_standard", "value": {}}], "[non_standard]"),
        ([{}], "[block]"),
        ([5, True], "5\ntrue"),
        (
            [
                {"type": "text", "text": "Grass is "},
                {"type": "text", "text": "green", "citations": [{"cited_text": "x"}]},
                {"type": "text", "text": "."},
                {"type": "text", "text": "New"},
            ],
            "Grass is green.\nNew",
        ),
    ],
)
def test_text_is_what_a_person_would_read_and_content_is_verbatim(content: Any, text: str) -> None:
    message = one({"role": "user", "content": content})
    assert message.text == text
    assert message.content == content


def test_a_long_call_is_cut_in_the_text_only() -> None:
    message = one(AIMessage("", tool_calls=[{"name": "write", "args": {"body": "x" * 5000}, "id": "1"}]))
    assert len(message.text) < 260
    assert message.text.endswith("…]")
    assert tool_calls(message)[0]["args"]["body"] == "x" * 5000


def test_half_characters_and_nul_are_left_alone() -> None:
    message = one({"role": "user", "content": "a\ud83d\x00b"})
    assert message.text == message.content == "a\ud83d\x00b"
    assert len(message_digest(message)) == 32


# --- JSON-plain ---------------------------------------------------------------------------------------


def test_what_json_cannot_hold_is_written_in_a_documented_way() -> None:
    class Color(Enum):
        RED = "red"

    @dataclasses.dataclass
    class Point:
        x: int

    class Model(BaseModel):
        when: datetime

    class Opaque:
        pass

    assert plain([float("nan"), float("inf"), -float("inf")]) == ["NaN", "Infinity", "-Infinity"]
    assert plain(b"hi") == {"base64": "aGk="}
    assert plain({1: "a", "1": "b", None: "c", Color.RED: "d"}) == {"1": "a", "1'": "b", "null": "c", "red": "d"}
    assert plain([Decimal("1.10"), UUID(int=0), Path("a/b")]) == ["1.10", str(UUID(int=0)), "a/b"]
    assert plain([date(2026, 5, 1), timedelta(minutes=1)]) == ["2026-05-01", 60.0]
    assert plain({"b", "a"}) == ["a", "b"]
    assert plain(Point(1)) == {"x": 1}
    assert plain(Model(when=datetime(2026, 5, 1))) == {"when": "2026-05-01T00:00:00"}
    assert "0x" not in plain(Opaque())
    assert plain(10**5000).startswith("0x")
    assert plain(range(2)) == [0, 1]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
TYPES = st.sampled_from(
    ("text", "image", "image_url", "file", "tool_use", "tool_call", "tool_result", "thinking", "refusal", "weird")
)
KEYS = st.sampled_from(
    ("text", "id", "name", "input", "args", "arguments", "content", "output", "value", "citations", "function")
)
BLOCK = st.builds(lambda kind, rest: {"type": kind, **rest}, TYPES | JSON, st.dictionaries(KEYS, JSON, max_size=4))
CONTENT = JSON | st.lists(BLOCK | JSON, max_size=5)


@given(content=CONTENT, role=st.sampled_from(["user", "assistant", "tool"]), calls=st.lists(BLOCK, max_size=2))
def test_any_content_is_read_kept_and_printable(content: Any, role: str, calls: list[dict[str, Any]]) -> None:
    message = one({"role": role, "content": content, "tool_calls": calls})
    assert isinstance(message.text, str)
    json.dumps([message.content, dict(message.extra)], allow_nan=False)
    assert message.content == plain(content)
    assert plain(message.content) == message.content
    assert message_digest(message) == message_digest(one(message))
    again = json.loads(json.dumps({**dataclasses.asdict(message), "observed_at": None}))
    assert one(again) == message
    assert message_digest(one(again)) == message_digest(message)


@given(text=st.text(st.characters(exclude_categories=())))
def test_text_is_never_altered(text: str) -> None:
    for value in (text, ("user", text), {"role": "user", "content": [{"type": "text", "text": text}]}):
        assert one(value).text == text


# --- digest -------------------------------------------------------------------------------------------


def test_the_digest_tells_messages_apart() -> None:
    base = {"role": "user", "content": "x"}
    variants = [
        base,
        {**base, "role": "assistant"},
        {**base, "name": "Alice"},
        {**base, "content": "y"},
        {**base, "content": [{"type": "text", "text": "x"}]},
        {**base, "role": "assistant", "tool_calls": [{"name": "f", "args": {}, "id": "1"}]},
        {**base, "role": "assistant", "tool_calls": [{"name": "f", "args": {}, "id": "2"}]},
        {**base, "role": "tool", "tool_call_id": "1"},
        {**base, "role": "tool", "tool_call_id": "2"},
    ]
    assert len({message_digest(one(variant)) for variant in variants}) == len(variants)


def test_the_digest_ignores_what_is_not_said() -> None:
    base = message_digest(one({"role": "user", "content": {"a": 1, "b": 2}}))
    assert base == message_digest(one({"content": {"b": 2, "a": 1}, "role": "human", "id": "m", "mood": "good"}))
    _, result = to_messages(
        [
            {"role": "assistant", "content": "", "tool_calls": [{"name": "f", "args": {}, "id": "1"}]},
            {"role": "tool", "content": "x", "tool_call_id": "1"},
        ]
    )
    alone = one({"role": "tool", "content": "x", "tool_call_id": "1"})
    assert (result.speaker, alone.speaker) == ("f", "tool")
    assert message_digest(result) == message_digest(alone)
    assert message_digest(Message("user", "a", None)) != message_digest(Message("user", "b", None))


def test_reading_messages_does_not_import_langchain() -> None:
    code = (
        "import sys; from langgraph_memory.sessions.messages import to_messages; to_messages('x'); "
        "assert not {'langchain', 'langchain_core.messages', 'langgraph', 'chromadb'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
