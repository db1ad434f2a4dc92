from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory.knowledge.resolve import SAME, NameIndex, choose, entity_key, may_be_same


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("The Beatles", "beatles"), ("Alice's", "alice"), ("Alice’s", "alice"), ("James'", "james"),
        ("  New \u00a0 York ", "new york"), ("ＧＰＴ-5", "gpt-5"), ("C++", "c++"), ("C#", "c#"), ("@Ana", "@ana"),
        ("“Dune”", "dune"), ("Yahoo!", "yahoo"), ("STRASSE", "strasse"), ("Straße", "strasse"), ("A Tribe", "tribe"),
        ("The The", "the"), ("《三体》", "三体"), ("!!!", ""),
    ],
)  # fmt: skip
def test_keys(name: str, key: str) -> None:
    assert entity_key(name) == key


@given(st.text(max_size=40))
def test_a_key_is_its_own_key(name: str) -> None:
    assert entity_key(entity_key(name)) == entity_key(name)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("bank of oslo", "oslo bank"), ("node.js", "nodejs"), ("café luna", "cafe luna"), ("北京", "北京市"),
        ("user_id", "user id"), ("facebook", "face book"), ("田中", "田中さん"), ("openai", "openai inc"),
        ("dr. patel", "patel"), ("김철수", "김철수씨"), ("iphone 15", "apple iphone 15"),
    ],
)  # fmt: skip
def test_words_that_may_mean_the_same(a: str, b: str) -> None:
    assert may_be_same(a, b) and may_be_same(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("gpt-4", "gpt-5"), ("iphone 14", "iphone 15"), ("iphone", "iphone 15"), ("oslo", "bergen"), ("anna", "anne"),
        ("张伟", "张伟明"), ("张伟", "李伟"), ("vitamin b", "vitamin c"), ("vitamin", "vitamin c"),
        ("rocky", "rocky ii"),
        ("c", "c++"), ("c#", "c++"), ("alice smith", "bob smith"), ("paris", "london"), ("北京", "上海"),
    ],
)  # fmt: skip
def test_words_that_rule_it_out_however_near_they_are(a: str, b: str) -> None:
    assert not may_be_same(a, b) and not may_be_same(b, a)


def test_the_nearest_wins_and_the_oldest_on_a_tie() -> None:
    assert choose({1: SAME, 2: 0.97}) == 2
    assert choose({3: 0.97, 2: 0.97}) == 2
    assert choose({1: SAME - 0.001}) is None
    assert choose({}) is None


WORDS = st.lists(
    st.sampled_from(["bank", "of", "oslo", "4", "5", "c", "node", "js", "张伟", "市", "ii"]), min_size=1, max_size=4
)


@given(st.lists(WORDS.map(" ".join).filter(bool), min_size=1, max_size=8))
def test_the_index_finds_exactly_what_comparing_all_would(keys: list[str]) -> None:
    numbered = dict(enumerate(keys))
    index = NameIndex(numbered)
    for seq, key in numbered.items():
        assert index.rivals(seq) == [other for other in numbered if other != seq and may_be_same(key, numbered[other])]
