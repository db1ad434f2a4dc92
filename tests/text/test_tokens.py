"""Token estimates and clipping."""

from __future__ import annotations

import math
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory.text.tokens import clip, estimate_tokens

ANY = st.text(
    st.characters(codec=None) | st.sampled_from("ab1 ,\n\r\t\u3000中ก้ำ한क्ष🚀\u200d👩👧🏽🇩🇪e\u0301\ud83d\ude00"),
    max_size=60,
)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" ", 1),
        ("a", 1),
        ("hello world", 5),  # 2 + 2 and a blank
        ("我喜欢茶", 4),
        ("привет", 3),
        ("🚀", 2),
        ("1234", 2),
        ("a\nb", 3),
        ("\ud800", 2),
    ],
)
def test_estimates(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.text(st.sampled_from("abZ019 \t\n\rx!-_`{[@\x00\x7f"), max_size=40))
def test_ascii_is_counted_run_by_run(text: str) -> None:
    runs = re.findall(r"[A-Za-z]{1,4}|[0-9]{1,2}|[^A-Za-z0-9 \t\r\f\v]", text)
    blanks = len(re.findall(r"[ \t\r\f\v]", text))
    assert estimate_tokens(text) == (max(1, math.ceil(len(runs) + blanks / 8)) if text else 0)


@given(ANY, ANY)
def test_estimate_is_monotone_and_never_more_than_the_parts(one: str, other: str) -> None:
    whole = estimate_tokens(one + other)
    assert max(estimate_tokens(one), estimate_tokens(other)) <= whole
    assert whole <= estimate_tokens(one) + estimate_tokens(other)
    assert (whole == 0) == (not one + other)


@given(ANY, st.integers(-1, 30))
def test_clip_fits_and_says_that_it_cut(text: str, tokens: int) -> None:
    cut = clip(text, tokens)
    assert estimate_tokens(cut) <= max(tokens, 0)
    if estimate_tokens(text) <= tokens:
        assert cut == text
    elif tokens > 0:
        assert cut.endswith("…")
        kept = cut.removesuffix("…").removesuffix(" ")
        assert text.startswith(kept)
        rest = text[len(kept) :]
        if kept and rest:
            assert not unicodedata.category(rest[0]).startswith("M")
            assert rest[0] not in "\u200d🏽" and kept[-1] != "\u200d"
            assert not ("\ud800" <= kept[-1] <= "\udbff" and "\udc00" <= rest[0] <= "\udfff")
    else:
        assert cut == ""


@pytest.mark.parametrize(
    ("text", "tokens", "cut"),
    [
        ("Yesterday I went to the agency with Caroline", 8, "Yesterday I went to …"),
        ("我昨天和李明一起去了杭州", 6, "我昨天和 …"),
        ("👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", 12, "👨‍👩‍👧 …"),
        ("👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", 5, "…"),
        ("🇩🇪🇩🇰🇫🇷", 6, "🇩🇪 …"),
        ("क्षक्षक्षक्ष", 4, "क्ष …"),
        ("short", 5, "short"),
        ("anything at all", 1, "…"),
        ("anything at all", 0, ""),
    ],
)
def test_clip(text: str, tokens: int, cut: str) -> None:
    assert clip(text, tokens) == cut


def test_clip_cuts_a_word_only_where_it_is_very_long() -> None:
    assert clip("see " + "x" * 500, 20).startswith("see xxx")
    assert clip("see " + "x" * 30, 5) == "see …"


def test_clip_looks_only_at_the_beginning() -> None:
    assert clip("word " * 2_000_000, 10).endswith("…")
