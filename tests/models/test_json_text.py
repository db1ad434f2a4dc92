from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory.models.json_text import (
    BROKEN,
    CUT,
    DEEP,
    GUESSED,
    MOST_DEPTH,
    NONE,
    SEVERAL,
    THINKING,
    UNREAL,
    read_damaged,
    read_json,
)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": [1, "b"]}',
        '```json\n{"a": [1, "b"]}\n```',
        'Sure! Here it is:\n```\n{"a": [1, "b"]}\n```\nI hope it helps.',
        'It says "yes", and that is {"a": [1, "b"]}, isn\'t it?',
        '<think>perhaps {"a": 2}, or [3, 4, 5, 6]</think>{"a": [1, "b"]}',
        '<THINKING>no</THINKING> {"a": [1, "b"]}',
        'perhaps {"a": 2, "c": 3, "d": 4}</think>{"a": [1, "b"]}',
        'As said in [1]: {"a": [1, "b"]}',
        '{"a": [1, "b",],}',
        '{"a": [1 "b"]}',
        '{"a": [1,, "b"],, }',
        '{"a": [1, "b",, ]}',
        "{'a': [1, 'b']}",
        "{a: [1, 'b']}",
        "{“a”: [1, “b”]}",
        '{"a": [1, // one\n"b" /* two */]} # done',
        '"{\\"a\\": [1, \\"b\\"]}"',
        '\ufeff{"a":\u200b [1, "b"]}',
        '{{"a": [1, "b"]}}',
        '{"a": [1, "b"]}}}',
    ],
)
def test_the_value_is_found_and_nothing_was_odd(text: str) -> None:
    assert read_json(text) == ({"a": [1, "b"]}, None)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('["whole", "hal', ["whole"]),
        ('["whole", "hal\\', ["whole"]),
        ('["whole", "hal\\u00', ["whole"]),
        ('["whole"', ["whole"]),
        ('["whole",', ["whole"]),
        ("[1, 23", [1]),
        ("[true, fal", [True]),
        ('[{"a": 1}, {"a": 2', [{"a": 1}]),
        ('{"a": 1, "b', {"a": 1}),
        ('{"a": 1, "b"', {"a": 1}),
        ('{"a": 1, "b":', {"a": 1}),
        ('{"a": 1, "b": "hal', {"a": 1}),
        ('{"a": 1, "b": 2', {"a": 1}),
        ('{"a": [{"b": 1}, {"b": "hal', {"a": [{"b": 1}]}),
        ('```json\n{"a": [1, 2], "b": {', {"a": [1, 2], "b": {}}),
        ("{", {}),
    ],
)
def test_of_a_value_that_is_cut_off_what_is_whole_is_kept(text: str, value: Any) -> None:
    assert read_json(text) == (value, CUT)


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ('["whole", "hal', '"hal'),
        ('["whole", "hal\\', '"hal\\'),
        ('["whole"', None),
        ('["whole",', None),
        ("[1, 23", "23"),
        ('[{"a": 1}, {"a": [2, 3', '{"a": [2, 3'),
        ('{"a": [{"b": 1}, {"b": "hal', '{"b": "hal'),
        ('{"a": 1, "b": "hal', None),
        ('{"a": [1, 2], "b": {', None),
        ('{"a": ["whole"], "b": [{nonsense}, {"c": 1}]} And so on.', '{nonsense}, {"c": 1}]} And so on.'),
        ("[1, [2, 3]", None),
        ('{"a": [{"b": 1}]}', None),
        ("no JSON", None),
    ],
)
def test_the_item_that_is_left_out_is_told_as_it_stands(text: str, lost: str | None) -> None:
    assert read_damaged(text).lost == lost


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "he said "hi" to me"}', {"a": 'he said "hi" to me'}),
        ('{"a": "a "b", c"}', {"a": 'a "b", c'}),
        ("{'a': 'it's'}", {"a": "it's"}),
        ('[{"a": 1]', [{"a": 1}]),
        ('{"a": [1, {"b": 2}}', {"a": [1, {"b": 2}]}),
    ],
)
def test_what_was_guessed_is_told(text: str, value: Any) -> None:
    read, problem = read_json(text)
    assert read == value
    assert problem is not None and GUESSED in problem


def test_quotes_of_the_other_kind_and_line_ends_stand_in_a_text() -> None:
    assert read_json("""{'a': "it's", "b": 'say "no"', "c": "x\ny", "d": "C:\\dir\\n"}""") == (
        {"a": "it's", "b": 'say "no"', "c": "x\ny", "d": "C:\\dir\n"},
        None,
    )


def test_python_words_are_understood() -> None:
    assert read_json("{'a': True, 'b': False, 'c': None, 'd': undefined}") == (
        {"a": True, "b": False, "c": None, "d": None},
        None,
    )


def test_numbers_are_read_as_people_write_them() -> None:
    assert read_json("[007, .5, 5., +1, -2e3]") == ([7, 0.5, 5.0, 1, -2000.0], None)


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "inf", "1e999", "9" * 5000])
def test_a_number_that_json_cannot_hold_becomes_null(number: str) -> None:
    assert read_json(f'{{"a": {number}, "b": 1}}') == ({"a": None, "b": 1}, UNREAL)


@pytest.mark.parametrize("text", ["", "  ", "null", "42", '"x"', "No, sorry.", "it's", "}]", "<b>"])
def test_where_there_is_none_it_says_so(text: str) -> None:
    assert read_json(text) == (None, NONE)


def test_an_unfinished_thought_is_no_answer() -> None:
    assert read_json('<think>perhaps {"a": 1}') == (None, THINKING)


def test_tags_in_a_text_are_text() -> None:
    assert read_json('{"a": "</think> {b} <think>"}') == ({"a": "</think> {b} <think>"}, None)


def test_of_several_values_the_largest_is_taken_and_that_is_told() -> None:
    assert read_json('{"a": 1} or {"a": "longer"}') == ({"a": "longer"}, SEVERAL)


def test_what_follows_a_break_is_left_out() -> None:
    assert read_json('{"a": 1, "b": {2}, "c": 3}') == ({"a": 1, "b": {}}, BROKEN)


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":', "{a:["])
def test_huge_depth_is_refused_in_words(opening: str) -> None:
    assert read_json(opening * 50_000) == (None, DEEP)
    assert read_json("[" * 2000 + "]" * 2000) == (None, DEEP)


def test_the_deepest_allowed_is_read() -> None:
    assert read_json("[" * MOST_DEPTH + "]" * MOST_DEPTH)[1] is None
    assert read_json("[" * (MOST_DEPTH + 1) + "]" * (MOST_DEPTH + 1)) == (None, DEEP)


def test_half_a_surrogate_pair_is_replaced() -> None:
    value, _ = read_json('\ud800 {"a": "\ud800", "b": "\\ud800", "c": "\\ud83d\\ude00"}')
    assert value == {"a": "\ufffd", "b": "\ufffd", "c": "😀"}


@pytest.mark.parametrize("piece", ["[", "{", '{"a', "'", '["', "</think>{", "<think>", '{"a":1} ', "\\", "[1,", "/*{"])
def test_the_time_is_linear_in_the_length(piece: str) -> None:
    begun = time.perf_counter()
    read_json(piece * 20_000)
    read_json('{"a": "' + piece * 20_000)
    assert time.perf_counter() - begun < 10


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
CONTAINERS = st.lists(VALUES, max_size=4) | st.dictionaries(st.text(), VALUES, max_size=4)
WORDS = st.text(max_size=30).map(lambda text: re.sub(r"[\[\]{}<>]", "", text))
PIECES = r"""{ } [ ] " ' : , \ \u12 \ud800 1 - . e true None NaN a // /* # “ ” ``` <think> </think> "a": 的"""
SCRAPS = st.lists(st.sampled_from([*PIECES.split(), "\n", " ", "\ud800", "\0"]), max_size=40).map("".join)


@given(CONTAINERS, WORDS, WORDS, st.booleans())
def test_whatever_json_writes_is_read_back_out_of_any_prose(value: Any, before: str, after: str, plain: bool) -> None:
    assert read_json(f"{before}\n{json.dumps(value, ensure_ascii=plain)}\n{after}") == (value, None)


@given(st.dictionaries(st.text(), VALUES, min_size=1, max_size=4), st.data())
def test_of_whatever_is_cut_off_a_part_comes_back(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value)
    read, problem = read_json(text[: data.draw(st.integers(1, len(text) - 1))])
    assert isinstance(read, dict)
    assert list(read) == list(value)[: len(read)]
    assert problem is not None


@given(st.text() | SCRAPS)
def test_no_text_raises_and_what_comes_back_can_be_stored(text: str) -> None:
    value, problem = read_json(text)
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    assert value is not None or problem
