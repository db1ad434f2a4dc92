"""Half-broken files give what they still hold, and say line by line what they do not."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from langgraph_memory.errors import ImportFormatError
from langgraph_memory.importing import ImportedSession, ImportFile, Refusal, read_file

GOOD = '{"role": "user", "content": "%s"}'


def save(folder: Path, data: str | bytes, name: str = "chat.jsonl") -> Path:
    path = folder / name
    path.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
    return path


def texts(file: ImportFile) -> list[str]:
    return [message.text for session in file.sessions for message in session.messages]


def test_broken_lines_are_refused_by_number_and_the_rest_is_read(tmp_path: Path) -> None:
    rows: list[tuple[bytes, str | None]] = [
        (GOOD.encode() % b"one", None),
        (b"{nonsense", "It is no JSON: Expecting property name"),
        (b"", None),
        (b"[1, 2]", "A line is a JSON object, not list"),
        (b'{"role": "boss", "content": "x"}', "its role is 'boss'"),
        (b'{"speaker": "Ann"}', 'neither "text" nor "content"'),
        (b'{"role": "user", "text": "x", "observed_at": "32 May"}', "observed_at is not a date"),
        (b'{"role": "user", "text": "half \\ud83d"}', None),
        (b'{"role": "user", "text": "caf\xe9"}', "bytes that are no utf-8 text"),
        (b'{"role": "user", "text": "x", "n": ' + b"1" * 5000 + b"}", "size that cannot be read"),
        (b"[" * 100_000, "size that cannot be read|no JSON"),
        (b'{"type": "entry"}', 'neither "text" nor "content"'),
        (b'{"type": "riddle", "text": "x"}', "it has no role"),
        (b'{"role": "user", "text": "whole \\ud83d\\ude00 face"}', None),
        (b'{"role": "user", "content"', "Expecting ':'"),
    ]
    file = read_file(save(tmp_path, b"\r\n".join(row for row, _ in rows)))
    assert texts(file) == ["one", "half \ud83d", "whole 😀 face"]  # what `record` takes, a file may say
    expected = {number: reason for number, (_, reason) in enumerate(rows, 1) if reason}
    assert [refusal.line for refusal in file.refusals] == list(expected)
    for refusal in file.refusals:
        assert refusal.line is not None
        assert any(part in refusal.reason for part in expected[refusal.line].split("|")), refusal
        assert refusal.where == f"line {refusal.line}"


def test_a_file_of_lines_is_known_without_its_ending(tmp_path: Path) -> None:
    file = read_file(save(tmp_path, "\n".join([GOOD % "a", "{bad", GOOD % "b"]), "chat.txt"))
    assert (file.format, texts(file)) == ("jsonl", ["a", "b"])
    file = read_file(save(tmp_path, "\n".join(["{bad}", GOOD % "a", GOOD % "b"]), "chat.json"))
    assert texts(file) == ["a", "b"]
    assert [refusal.line for refusal in file.refusals] == [1]


def test_a_whole_document_is_known_in_spite_of_its_ending(tmp_path: Path) -> None:
    data = [json.loads(GOOD % "a"), json.loads(GOOD % "b")]
    for text in (json.dumps(data), json.dumps(data, indent=2), json.dumps({"messages": data}, indent=2)):
        assert texts(read_file(save(tmp_path, text))) == ["a", "b"]


def test_a_list_that_was_cut_off_gives_its_whole_items(tmp_path: Path) -> None:
    whole = json.dumps([json.loads(GOOD % word) for word in ("a", "b", "c")], indent=1)
    file = read_file(save(tmp_path, whole[: whole.index('"c"') + 2], "chat.json"))
    assert texts(file) == ["a", "b"]
    (refusal,) = file.refusals
    assert refusal.line == 12
    assert (refusal.where, "cut off inside it, at line 12" in refusal.reason) == ("item 3", True)
    file = read_file(save(tmp_path, whole[: whole.index('"b"') + 6], "chat.json"))
    assert texts(file) == ["a", "b"]
    assert "ends inside its list" in file.refusals[0].reason


def test_a_broken_item_does_not_take_the_others_along(tmp_path: Path) -> None:
    text = f"[{GOOD % 'a'},\n {{'role': 1}},\n {GOOD % 'b'}\n {GOOD % 'c'}]\ntrailing"
    file = read_file(save(tmp_path, text, "chat.json"))
    assert texts(file) == ["a", "b", "c"]
    assert [(refusal.line, refusal.where) for refusal in file.refusals] == [
        (2, "item 2"),
        (4, "after item 3"),
        (4, "line 4"),
    ]
    assert "line 2, column 3" in file.refusals[0].reason


def test_a_quote_that_is_missing_costs_only_its_item(tmp_path: Path) -> None:
    chats = [
        {"uuid": f"u{n}", "name": "n", "chat_messages": [{"uuid": f"m{n}", "sender": "human", "text": f"cello {n}"}]}
        for n in range(5)
    ]
    for indent in (1, None):
        broken = json.dumps(chats, indent=indent).replace('"cello 2"', '"cello 2')
        file = read_file(save(tmp_path, broken, "claude.json"))
        assert texts(file) == ["cello 0", "cello 1", "cello 3", "cello 4"]
        (refusal,) = file.refusals
        assert refusal.where == "item 3" and "The items after it are imported." in refusal.reason


def test_bad_bytes_in_a_whole_document_cost_only_their_item(tmp_path: Path) -> None:
    text = f"[{GOOD % 'a'},\n{GOOD % 'caf?'}]".encode().replace(b"?", b"\xe9")
    file = read_file(save(tmp_path, text, "chat.json"))
    assert texts(file) == ["a"]
    assert [(refusal.line, refusal.where) for refusal in file.refusals] == [(2, "item 2")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("layout", ["lines", "list"])
def test_marks_of_encodings_are_understood(tmp_path: Path, encoding: str, layout: str) -> None:
    rows = [GOOD % "zażółć", GOOD % "日本"]
    text = "\n".join(rows) if layout == "lines" else f"[{','.join(rows)}]"
    for name in ("chat.jsonl", "chat.json"):
        assert texts(read_file(save(tmp_path, text.encode(encoding), name))) == ["zażółć", "日本"]


def test_gzip_is_unpacked(tmp_path: Path) -> None:
    packed = gzip.compress("\n".join(GOOD % n for n in range(1000)).encode())
    file = read_file(save(tmp_path, packed, "chat.jsonl.gz"))
    assert len(texts(file)) == 1000
    assert file.sessions[0].session_id == "chat"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the file is empty"),
        (b" \n\n", "the file is empty"),
        (b"[]", "only an empty list"),
        (b"hello", "line 1, column 1"),
        (b'{"messages": [{"role": "user"', "cut off inside it, at line 1, column 30"),
        (b'{"messages":\n [{"role": user}]}', "line 2, column 12"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "no"),
        (b"PK\x03\x04rest", "zip archive"),
        (b"\x1f\x8bgarbage", "the gzip data is damaged or cut off"),
        (gzip.compress(b'{"role": "user", "content": "hi"}' * 9)[:20], "the gzip data is damaged or cut off"),
        (b"[", "line 1: The file ends inside its list"),
        (b"\xff\xfe[\x00\x00\xd8]\x00", "marked as utf-16"),
        (b'[{"a": 1}]', "Known formats: chatgpt (.*); jsonl (.*)"),
        (b'["a", "b"]', "It starts with text"),
        (b'{"type": "header", "format": "langgraph-memory", "version": 9}', "newer langgraph-memory-plugin"),
    ],
)
@pytest.mark.parametrize("name", ["chat.json", "chat"])
def test_files_of_which_nothing_can_be_read(tmp_path: Path, data: bytes, said: str, name: str) -> None:
    path = save(tmp_path, data, name)
    with pytest.raises(ImportFormatError) as caught:
        read_file(path)
    assert str(path) in str(caught.value)
    assert all(part in str(caught.value) for part in said.split("(.*)"))


def test_lines_of_which_nothing_can_be_read(tmp_path: Path) -> None:
    with pytest.raises(ImportFormatError, match=r"nothing in this file can be read as JSON. line 1: It is no JSON"):
        read_file(save(tmp_path, "a\nb\n"))


def test_paths_and_formats_that_do_not_exist(tmp_path: Path) -> None:
    with pytest.raises(ImportFormatError, match="there is no such file"):
        read_file(tmp_path / "none.json")
    with pytest.raises(ImportFormatError, match="this is a folder"):
        read_file(tmp_path)
    path = save(tmp_path, GOOD % "a")
    with pytest.raises(ImportFormatError, match=r"no format 'xml'. Known formats: chatgpt \("):
        read_file(path, "xml")
    with pytest.raises(ImportFormatError, match=r"not in the format claude: Claude.ai export.*keys 'role', 'content'"):
        read_file(path, "claude")
    assert read_file(str(path), "jsonl").format == "jsonl"


def test_a_long_file_of_lines_is_never_held_as_a_whole(tmp_path: Path) -> None:
    line = GOOD % ("x" * 1000)
    path = tmp_path / "long.jsonl"
    with path.open("w") as file:
        for _ in range(20_000):
            file.write(line + "\n")
    tracemalloc.start()
    count = sum(len(part.messages) for part in read_file(path) if isinstance(part, ImportedSession))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 20_000
    assert peak < path.stat().st_size / 3


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=200)
@given(data=st.data())
def test_any_damage_gives_an_error_or_a_report_never_a_crash(tmp_path: Path, data: st.DataObject) -> None:
    rows: list[Any] = [json.loads(GOOD % word) for word in ("a", "b", "c", "d")]
    in_lines = data.draw(st.booleans())
    whole = "\n".join(map(json.dumps, rows)) if in_lines else json.dumps(rows, indent=1)
    raw = bytearray(whole.encode())
    start = data.draw(st.integers(0, len(raw)))
    raw[start : start + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=4))
    before = [word for word in "abcd" if whole.index(f'"{word}"') + (5 if in_lines else 7) <= start]
    path = save(tmp_path, bytes(raw), data.draw(st.sampled_from(["x.json", "x.jsonl", "x"])))
    try:
        file = read_file(path)
        read = texts(file)
    except ImportFormatError as error:
        assert str(path) in str(error)
        assert not before
        return
    assert read[: len(before)] == before
    assert all(isinstance(refusal, Refusal) and refusal.reason for refusal in file.refusals)
