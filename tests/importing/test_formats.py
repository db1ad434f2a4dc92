"""Each format that people have conversations in is recognised and read."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langchain_core.load import dumpd
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, messages_to_dict

from langgraph_memory.importing import FORMATS, ImportedMemory, ImportedSession, ImportFile, read_file
from langgraph_memory.importing import jsonl as jsonl_format
from langgraph_memory.importing.locomo import parse_date


def save(folder: Path, data: Any, name: str = "chat.json") -> Path:
    path = folder / name
    path.write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")
    return path


def lines(folder: Path, *rows: Any, name: str = "chat.jsonl") -> Path:
    return save(folder, "".join(json.dumps(row) + "\n" for row in rows), name)


def texts(file: ImportFile) -> list[tuple[str, list[str]]]:
    return [(session.session_id, [message.text for message in session.messages]) for session in file.sessions]


# --- jsonl --------------------------------------------------------------------------------------------


def test_our_own_lines_come_back_as_they_were_exported(tmp_path: Path) -> None:
    call = {"type": "tool_call", "name": "f", "args": {"a": 1}, "id": "c"}
    path = lines(
        tmp_path,
        {"type": "header", "format": "langgraph-memory", "version": 1, "scope": ["acme"]},
        {
            "type": "entry",
            "scope": ["acme", "alice"],
            "session": "t1",
            "id": "m1",
            "role": "assistant",
            "speaker": "Bot",
            "text": "shown",
            "content": None,
            "observed_at": "2026-05-01T10:00:00+00:00",
            "recorded_at": "2026-06-01T10:00:00+00:00",
            "extra": {"tool_calls": [call]},
        },
        {"type": "memory", "scope": ["acme", "alice"], "id": "x", "text": "Alice likes tea."},
    )
    file = read_file(path)
    assert (file.format, file.refusals) == ("jsonl", ())
    (session,) = file.sessions
    assert (session.session_id, session.scope_suffix) == ("t1", ("alice",))
    (message,) = session.messages
    assert (message.id, message.speaker, message.text, message.content) == ("m1", "Bot", "shown", None)
    assert message.observed_at == datetime(2026, 5, 1, 10, tzinfo=UTC)
    assert message.extra == {"tool_calls": [call]}
    memory = {"scope": ["acme", "alice"], "id": "x", "text": "Alice likes tea."}
    assert file.memories == (ImportedMemory(3, memory, ("alice",)),)


def test_lines_written_by_hand(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        {"role": "user", "content": "hi"},
        {"session": 7, "speaker": "Alice", "text": "ho", "timestamp": "2026-05-01"},
        {"session": "7", "speaker": "Bob", "text": "hey", "timestamp": "once"},
        {"type": "human", "content": "from langchain"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "responses"}]},
    )
    file = read_file(path)
    assert texts(file) == [("chat", ["hi", "from langchain", "responses"]), ("7", ["ho", "hey"])]
    alice, bob = file.sessions[1].messages
    assert (alice.role, alice.speaker, alice.observed_at) == ("user", "Alice", datetime(2026, 5, 1, tzinfo=UTC))
    assert (bob.observed_at, bob.extra) == (None, {"timestamp": "once"})


def test_a_single_line_is_enough(tmp_path: Path) -> None:
    assert texts(read_file(lines(tmp_path, {"role": "user", "content": "hi"}))) == [("chat", ["hi"])]
    assert texts(read_file(save(tmp_path, {"role": "user", "content": "hi"}))) == [("chat", ["hi"])]


def test_a_scope_outside_the_exported_one_is_refused(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        {"type": "header", "format": "langgraph-memory", "version": 1, "scope": ["acme"]},
        {"type": "entry", "scope": ["acmeX"], "role": "user", "text": "a"},
        {"type": "entry", "scope": [" "], "role": "user", "text": "b"},
        {"type": "entry", "scope": ["acme"], "role": "user", "text": "c"},
    )
    file = read_file(path)
    assert texts(file) == [("chat", ["c"])]
    assert [(refusal.line, refusal.where) for refusal in file.refusals] == [(2, "line 2"), (3, "line 3")]
    assert "acmeX is not inside the exported scope acme" in file.refusals[0].reason


def test_long_conversations_come_in_chunks_and_streaming_repeats(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl_format, "CHUNK", 2)
    rows = [{"session": name, "role": "user", "text": str(n)} for n, name in enumerate("aaabbc")]
    file = read_file(lines(tmp_path, *rows))
    parts = [part for part in file if isinstance(part, ImportedSession)]
    assert [(part.session_id, len(part.messages)) for part in parts] == [("a", 2), ("a", 1), ("b", 2), ("c", 1)]
    assert [part for part in file if isinstance(part, ImportedSession)] == parts
    assert texts(file) == [("a", ["0", "1", "2"]), ("b", ["3", "4"]), ("c", ["5"])]


# --- openai -------------------------------------------------------------------------------------------


def test_openai_list_object_and_fine_tuning_lines(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]
    for data in (messages, {"messages": messages}):
        file = read_file(save(tmp_path, data))
        assert (file.format, texts(file), file.refusals) == ("openai", [("chat", ["hi", "ho"])], ())
    file = read_file(lines(tmp_path, {"messages": messages}, {"messages": messages, "id": "own"}))
    assert file.format == "openai"
    assert texts(file) == [("chat-1", ["hi", "ho"]), ("own", ["hi", "ho"])]
    file = read_file(save(tmp_path, [{"messages": messages}, messages]))
    assert texts(file) == [("chat-1", ["hi", "ho"]), ("chat-2", ["hi", "ho"])]


def test_openai_tool_names_and_bad_items(tmp_path: Path) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    data = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "wizard", "content": "x"},
        {"role": "tool", "tool_call_id": "c", "content": "done"},
    ]
    path = save(tmp_path, json.dumps(data, indent=1))
    file = read_file(path)
    (refusal,) = file.refusals
    assert refusal.where == "item 2"
    assert path.read_text().splitlines()[(refusal.line or 0) - 1].strip() == "{"
    assert "wizard" in refusal.reason
    assert [message.speaker for message in file.sessions[0].messages] == ["assistant", "f"]
    (refusal,) = read_file(save(tmp_path, {"messages": data})).refusals
    assert refusal.where == "conversation 1, message 2"


# --- chatgpt ------------------------------------------------------------------------------------------


def node(id: str, parent: str | None, role: str | None = None, content: Any = None, **more: Any) -> dict[str, Any]:
    said = content if isinstance(content, dict) else {"content_type": "text", "parts": [content]}
    message = {"id": id, "author": {"role": role, "name": more.pop("name", None)}, "content": said, "recipient": "all"}
    return {"id": id, "parent": parent, "children": [], "message": {**message, **more} if role else None}


def chatgpt(*nodes: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    return [{"title": "Tea", "conversation_id": "c1", "mapping": {n["id"]: n for n in nodes}, **more}]


def test_chatgpt_follows_the_branch_that_was_seen_last(tmp_path: Path) -> None:
    data = chatgpt(
        node("root", None),
        node("s", "root", "system", "", create_time=None),
        node("q", "s", "user", "Which tea?", create_time=1777629600.5),
        node("a1", "q", "assistant", "Green.", create_time=1777629610),
        node("a2", "q", "assistant", "Black.", create_time=1777629620, metadata={"model_slug": "gpt"}),
        current_node="a2",
        create_time=1777629000,
    )
    file = read_file(save(tmp_path, data))
    assert file.format == "chatgpt"
    assert texts(file) == [("c1", ["Which tea?", "Black."])]
    question, answer = file.sessions[0].messages
    assert question.observed_at == datetime(2026, 5, 1, 10, 0, 0, 500000, tzinfo=UTC)
    assert question.content == {"content_type": "text", "parts": ["Which tea?"]}
    assert answer.extra == {"source": "chatgpt", "title": "Tea", "model": "gpt", "content_type": "text"}
    (left_out,) = file.refusals
    assert left_out.skipped
    assert "1 messages without content" in left_out.reason
    assert "1 messages on other branches" in left_out.reason


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"content_type": "code", "language": "python", "text": "1+1"}, "1+1"),
        ({"content_type": "execution_output", "text": "2"}, "2"),
        ({"content_type": "tether_quote", "title": "Page", "text": "quote", "url": "u"}, "quote\nPage"),
        ({"content_type": "system_error", "name": "x", "text": "failed"}, "failed"),
        ({"content_type": "user_editable_context", "user_profile": "I am Ann."}, "I am Ann."),
        ({"content_type": "thoughts", "thoughts": [{"content": "hm"}]}, ""),
        ({"content_type": "new_thing", "x": 1}, "[new_thing]"),
        (
            {
                "content_type": "multimodal_text",
                "parts": [
                    {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"},
                    {"content_type": "audio_transcription", "text": "spoken"},
                    "look",
                ],
            },
            "[image]\nspoken\nlook",
        ),
    ],
)
def test_chatgpt_content_types(tmp_path: Path, content: dict[str, Any], text: str) -> None:
    data = chatgpt(node("r", None), node("m", "r", "assistant", content), current_node="m", create_time=0)
    file = read_file(save(tmp_path, data))
    (message,) = file.sessions[0].messages
    assert (message.text, message.content) == (text, content)
    assert file.refusals == ()


def test_chatgpt_tools_files_and_odd_trees(tmp_path: Path) -> None:
    data = chatgpt(
        node("a", "b", "user", "x", metadata={"attachments": [{"name": "plan.pdf"}]}, create_time=1),
        node("b", "gone", "tool", "y", name="python", create_time=0),
        node("c", "a", "assistant", "z", create_time=1e300),
    )
    data.append({"title": "no mapping"})
    file = read_file(save(tmp_path, data))
    first, second = file.sessions[0].messages
    assert (first.role, first.speaker, first.text) == ("tool", "python", "y")
    assert second.text == "x\n[file: plan.pdf]"
    reasons = [refusal.reason for refusal in file.refusals]
    assert any("observed_at is 1e+300" in reason for reason in reasons)
    assert any("tree is broken" in reason for reason in reasons)
    assert any('no "mapping"' in reason for reason in reasons)


# --- claude -------------------------------------------------------------------------------------------


def test_claude_export(tmp_path: Path) -> None:
    data = [
        {
            "uuid": "u1",
            "name": "Tea",
            "chat_messages": [
                {
                    "uuid": "m1",
                    "sender": "human",
                    "text": "Which tea?",
                    "content": [{"type": "text", "text": "Which tea?"}],
                    "created_at": "2026-05-01T10:00:00.123456Z",
                    "attachments": [{"file_name": "list.txt", "extracted_content": "green, black"}],
                    "files": [{"file_name": "cup.png"}],
                },
                {"uuid": "m2", "sender": "assistant", "text": "Green.", "created_at": "2026-05-01T10:01:00Z"},
                {"uuid": "m3", "sender": "assistant", "text": "", "content": []},
                {"uuid": "m4", "sender": "ghost", "text": "boo"},
                "nonsense",
            ],
        },
        {"uuid": "u2", "name": "", "chat_messages": []},
        {"uuid": "u3"},
    ]
    file = read_file(save(tmp_path, data))
    assert file.format == "claude"
    (session,) = file.sessions
    human, assistant = session.messages
    assert (session.session_id, human.id, human.role, assistant.role) == ("u1", "m1", "user", "assistant")
    assert human.text == "Which tea?\n[file: list.txt]\n[file: cup.png]"
    assert human.extra["attachments"][0]["extracted_content"] == "green, black"
    assert human.observed_at == datetime(2026, 5, 1, 10, 0, 0, 123456, tzinfo=UTC)
    assert [(refusal.where, refusal.skipped) for refusal in file.refusals] == [
        ("conversation 1, message 4", False),
        ("conversation 1, message 5", False),
        ("conversation 1", True),
        ("conversation 2", True),
        ("conversation 3", False),
    ]


# --- langgraph ----------------------------------------------------------------------------------------

HUMAN = HumanMessage("hi", id="h")
AI = AIMessage("ho", id="a")


def state(messages: list[Any], at: str, thread: str = "t1") -> dict[str, Any]:
    return {
        "values": {"messages": messages},
        "next": [],
        "checkpoint": {"thread_id": thread, "checkpoint_id": "x"},
        "metadata": {"step": 1},
        "created_at": at,
    }


def test_langgraph_thread_state(tmp_path: Path) -> None:
    file = read_file(save(tmp_path, state([HUMAN.model_dump(), AI.model_dump()], "2026-05-01T10:00:00+00:00")))
    assert (file.format, texts(file), file.refusals) == ("langgraph", [("t1", ["hi", "ho"])], ())
    message = file.sessions[0].messages[0]
    assert message.observed_at == datetime(2026, 5, 1, 10, tzinfo=UTC)
    assert message.extra == {"observed_from": "checkpoint"}


def test_langgraph_history_keeps_every_message_that_any_state_held(tmp_path: Path) -> None:
    human, ai = HUMAN.model_dump(), AI.model_dump()
    changed = {**ai, "content": "changed"}
    history = [
        state([changed], "2026-05-03T00:00:00+00:00"),
        state([human, ai], "2026-05-02T00:00:00+00:00"),
        state([human], "2026-05-01T00:00:00+00:00"),
        {**state([], "2026-04-30T00:00:00+00:00"), "values": {}},
        state([human], "2026-05-01T00:00:00+00:00", "t2"),
    ]
    file = read_file(save(tmp_path, history))
    assert texts(file) == [("t1", ["hi", "ho", "changed"]), ("t2", ["hi"])]
    days = [message.observed_at.day for message in file.sessions[0].messages if message.observed_at]
    assert days == [1, 2, 3]
    (refusal,) = file.refusals
    assert refusal.skipped
    undated = [{**item, "created_at": None} for item in history[:3]]
    assert texts(read_file(save(tmp_path, undated))) == [("t1", ["hi", "ho", "changed"])]


def test_langgraph_serialised_messages(tmp_path: Path) -> None:
    for messages in (messages_to_dict([HUMAN, AI]), [dumpd(HUMAN), dumpd(AI)]):
        for data in (messages, {"messages": messages}, {"channel_values": {"messages": messages}}):
            file = read_file(save(tmp_path, data))
            assert (file.format, texts(file)) == ("langgraph", [("chat", ["hi", "ho"])])


def test_langgraph_refuses_a_broken_message_once(tmp_path: Path) -> None:
    messages = [HUMAN.model_dump(), RemoveMessage(id="x").model_dump()]
    history = [state([*messages, AI.model_dump()], "2026-05-02"), state(messages, "2026-05-01")]
    file = read_file(save(tmp_path, history))
    assert texts(file) == [("t1", ["hi", "ho"])]
    (refusal,) = file.refusals
    assert (refusal.where, "RemoveMessage" in refusal.reason) == ("thread t1, message 2", True)


# --- locomo -------------------------------------------------------------------------------------------


def test_locomo(tmp_path: Path) -> None:
    turn = {"speaker": "Ann", "dia_id": "D1:1", "text": "Hey Bo!"}
    picture = {
        "speaker": "Bo",
        "dia_id": "D1:2",
        "text": "Look.",
        "img_url": ["https://x/y.jpg"],
        "blip_caption": "a dog",
    }
    data = [
        {
            "sample_id": "conv-1",
            "conversation": {
                "speaker_a": "Ann",
                "speaker_b": "Bo",
                "session_10": [{**turn, "dia_id": "D10:1"}],
                "session_10_date_time": "12:05 am on 1 January, 2024",
                "session_1": [turn, picture, {"speaker": "Ann"}],
                "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_2": [turn],
                "session_2_date_time": "soon",
                "session_3_date_time": "1:56 pm on 8 June, 2023",
            },
        }
    ]
    file = read_file(save(tmp_path, data))
    assert file.format == "locomo"
    assert [(session.session_id, session.scope_suffix) for session in file.sessions] == [
        ("D1", ("conv-1",)),
        ("D10", ("conv-1",)),
    ]
    ann, bo = file.sessions[0].messages
    assert (ann.id, ann.role, ann.speaker, ann.observed_at) == (
        "D1:1",
        "user",
        "Ann",
        datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
    )
    assert (bo.text, bo.content, bo.extra["img_url"]) == ("Look. [image: a dog]", "Look.", ["https://x/y.jpg"])
    assert file.sessions[1].messages[0].observed_at == datetime(2024, 1, 1, 0, 5, tzinfo=UTC)
    assert [refusal.where for refusal in file.refusals] == [
        "sample conv-1, session 1, message 3",
        "sample conv-1, session 2",
    ]


@pytest.mark.parametrize("text", ["", None, "13:00 pm on 8 May, 2023", "1:56 pm on 31 June, 2023", "8 May 2023"])
def test_locomo_dates_that_are_none(text: Any) -> None:
    assert parse_date(text) is None


def test_every_format_says_what_it_looks_like() -> None:
    assert list(FORMATS) == ["chatgpt", "claude", "locomo", "langgraph", "openai", "jsonl"]
    assert all(entry.shape for entry in FORMATS.values())
