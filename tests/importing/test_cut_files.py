"""Of a file that was cut off, what is whole is imported, and nothing else; refusals name the line of the message."""

from __future__ import annotations

import gzip
import json
import random
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from langgraph_memory.errors import ImportFormatError
from langgraph_memory.importing import ImportedSession, ImportFile, read_file
from langgraph_memory.memory import Memory
from langgraph_memory.records import Message


def save(folder: Path, data: str | bytes, name: str = "chat.json") -> Path:
    path = folder / name
    path.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
    return path


def messages(file: ImportFile) -> list[Message]:
    return [message for session in file.sessions for message in session.messages]


def texts(file: ImportFile) -> list[str]:
    return [message.text for message in messages(file)]


# --- packed files ---------------------------------------------------------------------------------------


def noise(number: int) -> str:
    chance = random.Random(number)
    return " ".join(f"{chance.getrandbits(40):x}" for _ in range(chance.randint(1, 12)))


LINES = [json.dumps({"role": "user", "content": f"line {number} {noise(number)}"}) for number in range(2_000)]
PACKED = gzip.compress("\n".join(LINES).encode())


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
def test_a_packed_file_of_lines_that_was_cut_gives_every_whole_line(tmp_path: Path, part: float) -> None:
    cut = PACKED[: int(len(PACKED) * part)]
    unpacked = zlib.decompressobj(wbits=31).decompress(cut).decode()
    file = read_file(save(tmp_path, cut, "chat.jsonl.gz"))
    assert len(messages(file)) == unpacked.count("\n") > 0
    (refusal,) = file.refusals
    assert refusal.line == unpacked.count("\n") + 1
    assert refusal.reason.startswith("The gzip data is damaged or cut off")
    assert refusal.reason.endswith("What was whole before that is read.")


def test_a_packed_file_that_was_cut_is_recorded_as_far_as_it_goes(memory: Memory, tmp_path: Path) -> None:
    report = memory.ingest(save(tmp_path, PACKED[: len(PACKED) // 2], "chat.jsonl.gz"), scope="a")
    assert report.messages_added > 900 and len(report.refusals) == 1
    whole = memory.ingest(save(tmp_path, PACKED, "chat.jsonl.gz"), scope="a")
    assert (whole.messages_added, whole.messages_skipped) == (2_000 - report.messages_added, report.messages_added)


def test_a_packed_document_that_was_cut_or_damaged_gives_its_whole_items(tmp_path: Path) -> None:
    packed = gzip.compress(f"[{','.join(LINES)}]".encode())
    cut = read_file(save(tmp_path, packed[: len(packed) // 2], "chat.json.gz"))
    assert len(messages(cut)) > 900
    assert [("cut off" in refusal.reason, refusal.skipped) for refusal in cut.refusals] == [(True, False)] * 2
    checked = read_file(save(tmp_path, packed[:-8] + b"\0\0\0\0" + packed[-4:], "chat.json.gz"))
    assert len(messages(checked)) == 2_000
    assert "CRC check failed" in checked.refusals[0].reason
    middle = len(packed) // 2
    broken = read_file(save(tmp_path, packed[:middle] + b"\xff" * 400 + packed[middle + 400 :], "chat.json.gz"))
    assert len(messages(broken)) > 700 and broken.refusals


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
@pytest.mark.parametrize("name", ["chat.json", "chat.jsonl"])
def test_wide_text_that_was_cut_inside_a_character_gives_what_is_whole(
    tmp_path: Path, encoding: str, name: str
) -> None:
    rows = [json.dumps({"role": "user", "content": word}) for word in ("日本", "zażółć", "last")]
    text = "\n".join(rows) if name.endswith("l") else f"[{', '.join(rows)}]"
    data = text.encode(encoding)[:-7]
    assert texts(read_file(save(tmp_path, data, name))) == ["日本", "zażółć"]
    assert texts(read_file(save(tmp_path, gzip.compress(data)[:-9], f"{name}.gz")))[:1] == ["日本"]


# --- documents ------------------------------------------------------------------------------------------


def turn(number: int, speaker: str) -> dict[str, Any]:
    return {"speaker": speaker, "dia_id": f"D{number}", "text": f"turn {number} of {speaker}"}


LOCOMO = [
    {
        "qa": [{"question": "Who?", "answer": "Ann"}],
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bo",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [turn(1, "Ann"), turn(2, "Bo"), turn(3, "Ann")],
            "session_2_date_time": "2:00 pm on 9 May, 2023",
            "session_2": [turn(4, "Bo"), turn(5, "Ann")],
        },
        "sample_id": "conv-1",
    }
]
CHATGPT = [
    {
        "title": "Tea",
        "create_time": 1777629000,
        "mapping": {
            "root": {"id": "root", "message": None, "parent": None, "children": ["q"]},
            **{
                name: {
                    "id": name,
                    "message": {
                        "id": f"m-{name}",
                        "author": {"role": role},
                        "create_time": 1777629600 + place,
                        "content": {"content_type": "text", "parts": [f"{name} says", "more"]},
                        "recipient": "all",
                    },
                    "parent": parent,
                    "children": [],
                }
                for place, (name, parent, role) in enumerate(
                    [("q", "root", "user"), ("a", "q", "assistant"), ("r", "a", "user")]
                )
            },
        },
        "current_node": "r",
        "conversation_id": "c1",
    }
]
CLAUDE = [
    {
        "uuid": "u1",
        "name": "Tea",
        "chat_messages": [
            {
                "uuid": f"m{number}",
                "text": f"message {number}",
                "content": [{"type": "text", "text": f"message {number}"}],
                "sender": sender,
                "created_at": f"2026-05-01T10:0{number}:00Z",
            }
            for number, sender in enumerate(["human", "assistant", "human"])
        ],
    }
]
OPENAI = {
    "messages": [
        {"role": role, "content": [{"type": "text", "text": f"{role} says"}], "id": f"o{number}"}
        for number, role in enumerate(["system", "user", "assistant"])
    ],
    "id": "chat-7",
}
LANGGRAPH = [
    {
        "created_at": f"2026-05-0{3 - day}T10:00:00Z",
        "metadata": {"thread_id": "t1"},
        "values": {
            "messages": [
                {"type": kind, "content": f"{kind} {number}", "id": f"l{number}", "additional_kwargs": {"n": number}}
                for number, kind in enumerate(["human", "ai", "human", "ai"][: 4 - day])
            ]
        },
    }
    for day in range(2)
]
EXPORT = [
    {"type": "header", "format": "langgraph-memory", "version": 1},
    *({"role": "user", "text": f"said {number}", "id": f"e{number}", "extra": {"a": [1]}} for number in range(3)),
]
DOCUMENTS = {
    "locomo": [{"sample_id": sample["sample_id"], **sample} for sample in LOCOMO],
    "chatgpt": CHATGPT,
    "claude": CLAUDE,
    "openai": OPENAI,
    "langgraph": LANGGRAPH,
    "jsonl": EXPORT,
}


@pytest.mark.parametrize("format", DOCUMENTS)
def test_wherever_a_document_is_cut_its_whole_messages_are_read_and_no_others(tmp_path: Path, format: str) -> None:
    text = json.dumps(DOCUMENTS[format], ensure_ascii=False)
    whole = {message.id: message for message in messages(read_file(save(tmp_path, text), format))}
    counts = []
    for at in range(1, len(text)):
        try:
            file = read_file(save(tmp_path, text[:at]), format)
        except ImportFormatError as error:
            assert not counts or not counts[-1]
            assert "imported" not in str(error)
            continue
        found = messages(file)
        for message in found:  # a state may be cut off that tells an earlier date
            assert replace(message, observed_at=whole[message.id].observed_at) == whole[message.id], text[:at]
        assert len({message.id for message in found}) == len(found)
        assert any(not refusal.skipped for refusal in file.refusals)
        counts.append(len(found))
    assert counts == sorted(counts) and counts[-1] == len(whole)
    assert len(set(counts)) >= 3  # message by message, not all or nothing


def test_a_sample_cut_inside_gives_its_whole_turns_and_says_where_they_are(memory: Memory, tmp_path: Path) -> None:
    text = json.dumps(LOCOMO, indent=1)
    report = memory.ingest(save(tmp_path, text[: text.index("turn 5")], "locomo.json"), scope="lo")
    assert (report.sessions, report.messages_added) == (2, 4)
    cut, filed = report.refusals
    assert cut.reason.endswith("What was whole before that is read.") and "cut off inside it" in cut.reason
    assert "filed as 'locomo-1'" in filed.reason
    assert {session.scope.segments for session in memory.sessions(scope="lo")} == {("lo", "locomo-1")}


@pytest.mark.parametrize("format", ["locomo", "claude"])
def test_what_a_cut_file_gave_is_not_doubled_by_the_whole_one(memory: Memory, tmp_path: Path, format: str) -> None:
    text = json.dumps(DOCUMENTS[format])
    some = memory.ingest(save(tmp_path, text[: len(text) * 2 // 3]), scope="a")
    rest = memory.ingest(save(tmp_path, text), scope="a")
    assert some.messages_added == rest.messages_skipped > 0 and rest.messages_added > 0
    assert rest.sessions == len(memory.sessions(scope="a"))


def test_a_state_without_its_thread_and_time_is_left_out(tmp_path: Path) -> None:
    text = json.dumps([{"values": state["values"], **state} for state in LANGGRAPH])
    with pytest.raises(ImportFormatError):
        read_file(save(tmp_path, text[:20]))
    file = read_file(save(tmp_path, text[: text.index("human 2")]))
    assert messages(file) == []
    assert "Left out: 2 messages" in file.refusals[-1].reason


# --- lines ----------------------------------------------------------------------------------------------


def spoil(data: Any, *path: str | int) -> Any:
    copy = json.loads(json.dumps(data))
    inner = copy
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = "wizard"
    return copy


BAD: list[tuple[str, Any, int]] = [  # with the depth of the message
    ("claude", spoil(CLAUDE * 2, 1, "chat_messages", 1, "sender"), 3),
    ("chatgpt", spoil(CHATGPT * 2, 1, "mapping", "a", "message", "author", "role"), 4),
    ("openai", spoil([OPENAI, OPENAI], 1, "messages", 2, "role"), 3),
    ("openai", spoil(OPENAI, "messages", 2, "role"), 2),
    ("openai", spoil([OPENAI["messages"]] * 2, 1, 1, "role"), 2),
    ("langgraph", spoil(LANGGRAPH, 1, "values", "messages", 2, "type"), 4),
    ("locomo", spoil(LOCOMO * 2, 1, "conversation", "session_2", 1), 4),
]


@pytest.mark.parametrize(("format", "data", "depth"), BAD, ids=[f"{n}-{case[0]}" for n, case in enumerate(BAD)])
def test_a_refusal_names_the_line_of_the_message_itself(tmp_path: Path, format: str, data: Any, depth: int) -> None:
    text = json.dumps(data, indent=1)
    (refusal,) = [r for r in read_file(save(tmp_path, text), format).refusals if not r.skipped]
    rows = text.splitlines()
    bad = next(number for number, row in enumerate(rows, 1) if "wizard" in row)
    starts = [number for number in range(1, bad + 1) if len(rows[number - 1]) - len(rows[number - 1].lstrip()) == depth]
    assert "message" in refusal.where and refusal.line == starts[-1]
    (refusal,) = [r for r in read_file(save(tmp_path, f"\n\n{json.dumps(data)}\n"), format).refusals if not r.skipped]
    assert refusal.line == 3


def test_every_bad_message_of_a_long_conversation_has_its_line(tmp_path: Path) -> None:
    said = [{"role": "wizard", "content": str(number)} for number in range(3_000)]
    file = read_file(save(tmp_path, json.dumps({"messages": said}, indent=0)))
    assert [refusal.line for refusal in file.refusals] == [3 + 4 * number for number in range(3_000)]


def test_large_cut_documents_come_in_parts(tmp_path: Path) -> None:
    text = json.dumps([{"role": "user", "content": "x" * 50} for _ in range(5_000)])
    file = read_file(save(tmp_path, text[:-10]))
    assert sum(len(part.messages) for part in file if isinstance(part, ImportedSession)) == 4_999


@pytest.mark.parametrize(("last", "kept"), [("one", ["one"]), ("two", ["one", "two"])])
def test_a_message_that_is_whole_is_kept_though_its_node_was_cut(tmp_path: Path, last: str, kept: list[str]) -> None:
    def node(name: str, parent: str | None, text: str | None) -> dict[str, Any]:
        said = {"id": name, "author": {"role": "user"}, "content": {"content_type": "text", "parts": [text]}}
        return {"id": name, "message": said if text else None, "parent": parent, "children": []}

    mapping = {"r": node("r", None, None), "a": node("a", "r", "one"), "b": node("b", "a", "two")}
    whole = json.dumps([{"title": "t", "conversation_id": "c", "mapping": mapping, "current_node": "b"}])
    end = whole.index(f'["{last}"]') + len(f'["{last}"]}}}}')
    file = read_file(save(tmp_path, whole[:end]))
    assert texts(file) == kept
    assert len(file.refusals) == 1 and "What was whole before that is read." in file.refusals[0].reason
