"""Equality of texts: what hashes alike, what does not, and what storage accepts."""

from __future__ import annotations

import re
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory.text.characters import is_invisible
from langgraph_memory.text.normalise import clean, content_hash, normalise

ANY = st.text(
    st.characters(codec=None) | st.sampled_from(" .!…。\u200b\u200c\u200d\ufeff\u0301\ud83d\ude00\U000e0067🏴İßﬁ")
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice likes tea.", "alice  LIKES\n\ttea"),
        ("Alice likes tea!", "Alice likes tea"),
        ("我喜欢茶。", "我喜欢茶"),
        ("ＡＢＣ１２３", "abc123"),
        ("Straße", "STRASSE"),
        ("cafe\u0301", "café"),
        ("t\u200be\u2060a\ufeff", "tea"),
        ("\u202etea\u202c", "tea"),
        ("tea\u00a0time\u3000now", "tea time now"),
        ("ｶﾞﾗｽ", "ガラス"),
        ("wait…", "wait..."),
        ("चाय।", "चाय"),
    ],
)
def test_same(one: str, other: str) -> None:
    assert content_hash(one) == content_hash(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice likes tea?", "Alice likes tea."),
        ("cafe", "café"),
        ("می\u200cخواهم", "میخواهم"),
        ("👨\u200d👩\u200d👧", "👨👩👧"),
        (
            "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
            "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        ),
        ("C++", "C#"),
        ("1.5", "15"),
        ("???", "!!!"),
    ],
)
def test_different(one: str, other: str) -> None:
    assert content_hash(one) != content_hash(other)


@pytest.mark.parametrize("text", ["🚀", "???", "...", "。", "!", "+", "%", "…", "“”", "\ud800", "👨‍👩‍👧", "\0"])
def test_visible_text_never_becomes_empty(text: str) -> None:
    assert normalise(text)


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u200b", "\ufeff \u200d", "\u3164", "\u2800", "\U000e0041", "\x01"])
def test_what_cannot_be_seen_is_empty(text: str) -> None:
    assert normalise(text) == ""


@given(ANY)
def test_normalise_is_idempotent_and_keeps_what_is_visible(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert once == once.strip() and not re.search(r"\s\s", once)
    if any(not char.isspace() and not is_invisible(char) and char != "\u2800" for char in text):
        assert once


@given(ANY)
def test_hash_is_hex_and_the_same_before_and_after_cleaning(text: str) -> None:
    assert re.fullmatch("[0-9a-f]{32}", content_hash(text))
    assert content_hash(text) == content_hash(clean(text))


@given(ANY)
def test_cleaned_text_is_stored_and_read_back(text: str) -> None:
    cleaned = clean(text)
    database = sqlite3.connect(":memory:")
    assert database.execute("SELECT ?, length(?)", (cleaned, cleaned)).fetchone() == (cleaned, len(cleaned))
    database.close()
    assert "\0" not in cleaned
    cleaned.encode("utf-8")
    assert clean(cleaned) == cleaned


def test_clean_keeps_good_text_and_shows_what_it_replaced() -> None:
    good = "x\u200b 👨‍👩‍👧\r\n "
    assert clean(good) is good
    assert clean("a\0b") == "a␀b"
    assert clean("a\ud83d\ude00b") == "a😀b"
    assert clean("a\ud83db\ude00") == "a�b�"
