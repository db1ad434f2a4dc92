"""Search terms: what finds what, in every script."""

from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory.text.tokenise import (
    MAX_WORD,
    content_words,
    index_terms,
    query_terms,
    tokenise,
    tokeniser_version,
)

ANY = st.text(
    st.characters(codec=None)
    | st.sampled_from("aZ09+#'’\"_-. \u0301\u3099\u200b\u200c\u200d\ufe0f\ud800中文かガ한กำำ🚀🇩🇪👨İßé़ि™ﷺ①")
)


def finds(query: str, text: str) -> bool:
    """The rule of the text index: every term of the query is among the terms of the text."""
    terms = query_terms(query)
    return bool(terms) and set(terms) <= set(index_terms(text))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("苹果", "我喜欢吃苹果和香蕉"),
        ("苹", "我喜欢吃苹果和香蕉"),
        ("吃苹果和", "我喜欢吃苹果和香蕉"),
        ("杭州", "我住在杭州西湖边"),
        ("東京", "去年東京に行った"),
        ("검색", "한국어검색엔진"),
        ("검", "한국어검색엔진"),
        ("𠮷", "𠮷野家で食べた"),
        ("กรุงเทพ", "ฉันอยู่ที่กรุงเทพมหานคร"),
        ("修改youer服务端", "请修改youer服务端代码"),
        ("youer", "请修改youer服务端代码"),
        ("C++", "I write C++ daily"),
        ("c++", "written in C++11"),
        ("C++", "我用C++写程序"),
        ("C#", "I moved to C#."),
        ("F#", "F#, mostly"),
        ("disney", "I watch Disney+"),
        ("chat-send", "the chat-send button"),
        ("chat", "the chat-send button"),
        ("P2.2", "see P2.2 of the plan"),
        ("it's", "it's raining"),
        ("it’s", "it's raining"),
        ("Caroline", "Caroline's sister"),
        ("Caroline’s", "I saw Caroline"),
        ("don't", "I do not know"),
        ('"hello', "hello there"),
        ("hello there", 'say "hello" there'),
        ("NEAR(", "near the lake"),
        ("AND", "salt and pepper"),
        ("foo*", "a foo"),
        ("^foo", "a foo"),
        ("🚀", "launch🚀🚀day"),
        ("👩", "👨‍👩‍👧 photo"),
        ("👨‍👩‍👧", "👨‍👩‍👧 photo"),
        ("👍", "👍🏽 great"),
        ("❤", "I ❤️ it"),
        ("🇩🇪", "from 🇩🇰🇩🇪"),
        ("café", "a cafe"),
        ("cafe", "un café"),
        ("cafe\u0301", "un café"),
        ("ＡＢＣ", "abc"),
        ("abc", "ＡＢＣ"),
        ("ガラス", "ｶﾞﾗｽ"),
        ("case name", "snake_case_name"),
        ("snake_case", "snake_case_name"),
        ("alice@example.com", "mail alice@example.com now"),
        ("example", "mail alice@example.com now"),
        ("adopting", "the adoption of a child, adopted"),
        ("Zurich", "Zürich"),
        ("oresund", "Øresund"),
        ("Αθηνα", "Αθήνα"),
        ("ΟΔΟΣ", "οδός"),
        ("2023", "٢٠٢٣"),
        ("خواهم", "می\u200cخواهم"),
        ("हिन्दी", "मैं हिन्दी बोलता हूँ"),
        ("Windows", "Windows™ 11"),
        ("100%", "it is 100 % wool"),
        ("100 percent", "100%ige Wolle"),
        ("percent", "涨了５％"),
    ],
)
def test_found(query: str, text: str) -> None:
    assert finds(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("苹果蕉", "我喜欢吃苹果和香蕉"),
        ("C", "I write C++ daily"),
        ("C", "I write C# daily"),
        ("C++", "I write C# daily"),
        ("C#", "I write C++ daily"),
        ("C#", "I write C daily"),
        ("🇩🇪", "from 🇩🇰🇪🇩"),
        ("иога", "йога"),
        ("कम", "काम"),
        ("ข้าว", "ขาว"),
        ("かき", "がき"),
        ("👩", "👨 alone"),
        ("100%", "100 cotton shirts"),
        ("percent", "a%20b of 5%2c"),
    ],
)
def test_not_found(query: str, text: str) -> None:
    assert not finds(query, text)


@pytest.mark.parametrize("query", ["*", "{}", "%", "", "_", "'", '"', "+", "#", " \n", "\u200b", "\ufe0f", "\ud800"])
def test_nothing_to_search_with(query: str) -> None:
    assert query_terms(query) == []
    assert index_terms(query) == []


def test_repetitions_are_indexed_and_asked_once() -> None:
    assert index_terms("run, Running runs") == ["run", "run", "run"]
    assert query_terms("run, Running runs") == ["run"]
    assert index_terms("苹果苹果").count("苹果") == 2


def test_three_kinds_of_terms() -> None:
    tokens = tokenise("吃 Apples 苹果")
    assert (tokens.words, tokens.unigrams, tokens.bigrams) == (("appl",), ("吃", "苹", "果"), ("苹果",))
    assert index_terms("吃 Apples 苹果") == ["appl", "吃", "苹", "果", "苹果"]


def test_marks_stay_with_their_letter() -> None:
    assert tokenise("กรุง").unigrams == ("ก", "รุ", "ง")


def test_query_drops_what_does_not_tell_unless_nothing_else_is_left() -> None:
    assert query_terms("Where does Alice live?") == ["alic", "live"]
    assert query_terms("What is it?") == ["what", "is", "it"]
    assert query_terms("的 苹果") == ["苹果"]
    assert query_terms("的") == ["的"]
    assert query_terms("苹") == ["苹"]
    assert query_terms("什么 茶叶") == ["茶叶"]
    assert query_terms("什么") == ["什么"]


@pytest.mark.parametrize(
    ("question", "surfaces"),
    [
        ("Where does Alice live?", ["Alice", "live"]),
        ("What did Caroline's sister say in May?", ["Caroline", "sister", "say", "May"]),
        ("Tell me about C++ and 🚀", ["C++", "🚀"]),
        ("Who is Zoë’s dentist in Zürich?", ["Zoë", "dentist", "Zürich"]),
        ("李明在哪里工作？", ["李明", "工作"]),
        ("我的目的是什么", ["目的"]),
        ("田中さんはどこに住んでいますか", ["田中", "住"]),
        ("민수는 어디에서 일하나요", ["민수", "일하"]),
        ("What is it?", []),
        ("谁？", []),
        ("누구", []),
        ("", []),
        ("tea, Tea and TEA", ["tea"]),
    ],
)
def test_content_words(question: str, surfaces: list[str]) -> None:
    assert [surface for surface, _ in content_words(question)] == surfaces


def test_content_words_bring_their_terms() -> None:
    assert dict(content_words("Zürich 茶叶店")) == {"Zürich": ("zurich",), "茶叶店": ("茶叶", "叶店")}


def test_long_words_are_cut_alike_on_both_sides() -> None:
    blob = "deadbeef" * 1000
    assert max(map(len, index_terms(blob))) == MAX_WORD
    assert finds(blob, f"the blob {blob} came")
    assert max(map(len, index_terms("é" * 999))) == MAX_WORD
    assert max(map(len, index_terms("e" + "\u0903" * 999))) == MAX_WORD


@given(ANY)
def test_terms_are_safe_to_join_and_quote(text: str) -> None:
    terms = index_terms(text)
    for term in terms:
        assert term and len(term) <= MAX_WORD
        assert not any(char.isspace() or char in "\"'`\\" for char in term)
        assert all(char in "+#" or char.isalnum() for char in term if char.isascii())
        assert unicodedata.category(term[0])[0] != "M"
        term.encode("utf-8")
    assert set(query_terms(text)) <= set(terms)
    assert bool(query_terms(text)) == bool(terms)
    assert all(surface and found for surface, found in content_words(text))


@given(ANY, ANY)
def test_any_text_finds_itself_within_more_text(text: str, more: str) -> None:
    if query_terms(text):
        assert finds(text, f"{more} \n {text} \n {more}")


@given(st.text(st.characters(codec="ascii") | st.sampled_from("aZ09+#'_-. ")))
def test_the_fast_way_for_ascii_gives_the_same_terms(text: str) -> None:
    assert index_terms(f"{text} \u2014") == index_terms(text)


@given(ANY)
def test_terms_do_not_depend_on_form_or_case(text: str) -> None:
    assert sorted(index_terms(unicodedata.normalize("NFD", text))) == sorted(
        index_terms(unicodedata.normalize("NFC", text))
    )


def test_stemming_from_many_threads_agrees() -> None:
    words = [f"{stem}{end}" for stem in ("walk", "adopt", "nation", "general") for end in ("ing", "ed", "s", "ization")]
    text = " ".join(word + tail for tail in ("", "ly", "ness", "ers") for word in words)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(index_terms, [text] * 64))
    assert all(result == results[0] for result in results)


def test_version_names_what_terms_depend_on() -> None:
    assert "snowball-" in tokeniser_version()
