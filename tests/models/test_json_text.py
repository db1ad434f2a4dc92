"""JSON is read out of whatever a model wrote around it, and as far as it goes where it was cut."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory.models import json_text
from langgraph_memory.models.json_text import read_json

WHOLE = {"memories": [{"text": "Ana sails.", "n": 1}]}
SAID = json.dumps(WHOLE)


@pytest.mark.parametrize(
    "text",
    [
        SAID,
        f"```json\n{SAID}\n```",
        f"Sure! Here it is:\n{SAID}\nAnything else?",
        f'<think>maybe {{"memories": []}}?</think>{SAID}',
        f"\ufeff{SAID}",
    ],
)
def test_what_stands_around_it_is_left_out(text: str) -> None:
    assert read_json(text) == (WHOLE, None)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2,],}', {"a": [1, 2]}),
        ("{'a': 'it''s', 'b': None, 'c': True}", None),
        ("{'a': 'x', 'b': None, 'c': True}", {"a": "x", "b": None, "c": True}),
        ('{a: 1, "b": 2 // two\n}', {"a": 1, "b": 2}),
        ('{"a": "line\nbreak"}', {"a": "line\nbreak"}),
        ('{"a": "She said "hi" to me"}', {"a": 'She said "hi" to me'}),
    ],
)
def test_the_usual_slips_are_understood(text: str, value: Any) -> None:
    read, _ = read_json(text)
    if value is not None:
        assert read == value


def test_a_number_that_json_cannot_hold_is_null_and_told() -> None:
    assert read_json('{"a": NaN, "b": 1}') == ({"a": None, "b": 1}, json_text.UNREAL)


def test_of_a_cut_answer_the_whole_items_are_kept() -> None:
    text = '{"memories": [{"text": "one"}, {"text": "tw'
    assert read_json(text) == ({"memories": [{"text": "one"}]}, json_text.CUT)
    for end in range(1, len(text)):
        read, problem = read_json(text[:end])
        assert problem is not None
        assert read is None or read.get("memories", []) in ([], [{"text": "one"}])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("I have nothing to add.", json_text.NONE),
        ("", json_text.NONE),
        ("<think>still thinking {", json_text.THINKING),
        ('{"a": 1} and {"a": 1, "b": 2}', json_text.SEVERAL),
    ],
)
def test_what_was_odd_is_told(text: str, problem: str) -> None:
    assert read_json(text)[1] == problem


def test_endless_nesting_neither_raises_nor_hangs() -> None:
    for text in ("[" * 100_000, '{"a":' * 100_000, "[" * 50_000 + "]" * 50_000, '"' * 100_000, "{" + "'" * 99_999):
        read_json(text)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(min_size=1, max_size=8), inner, max_size=4),
    max_leaves=12,
)
prose = st.text(alphabet=st.characters(blacklist_characters="{}[]<>`\"'“”", blacklist_categories=("Cs",)), max_size=30)


@given(st.dictionaries(st.text(min_size=1, max_size=8), values, min_size=1, max_size=4), prose, prose)
def test_whatever_was_dumped_is_read_back_from_any_prose(value: dict[str, Any], before: str, after: str) -> None:
    assert read_json(f"{before} {json.dumps(value)} {after}") == (value, None)


@given(st.text() | st.text(alphabet="{}[]\",:\\'a1 \n"))
def test_no_text_raises(text: str) -> None:
    value, problem = read_json(text)
    assert value is None or isinstance(value, dict | list)
    assert value is not None or problem
