from __future__ import annotations

import pytest

from langgraph_memory.memory import Memory
from langgraph_memory.scope import Scope
from langgraph_memory.storage import text_index
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.scopes import intern
from langgraph_memory.storage.text_index import IndexedText
from langgraph_memory.text.tokenise import index_terms, query_terms

LINES = {
    1: "My sister Maria moved to Lisbon in the spring.",
    2: "我昨天在上海买了一只猫",
    3: "我喜欢喝茶",
    4: "東京タワーはとても高いです",
    5: "ฉันชอบกินข้าวผัดกุ้ง",
    6: "أحب القهوة في الصباح",
    7: "मुझे हिंदी बोलना पसंद है",
    8: "We had pizza 🍕 and cake 🎂",
    9: "I write C++ all day",
    10: "I write C# all day",
    11: 'He said "never again" and NEAR( the door AND left',
    12: "The file is C:\\temp\\notes it's 50% full * ^ : - { }",
    13: "z" * 3_000,
    14: "",
    15: "한국어를 배우고 있어요",
    16: "Привет, как дела?",
}

QUESTIONS = [
    ("Where did Maria move?", {1}),
    ("MARIA", {1}),
    ("moving", {1}),
    ("猫", {2}),
    ("上海", {2}),
    ("茶", {3}),
    ("喝茶", {3}),
    ("東京", {4}),
    ("タワー", {4}),
    ("ข้าวผัด", {5}),
    ("القهوة", {6}),
    ("हिंदी", {7}),
    ("🍕", {8}),
    ("C++", {9}),
    ("C#", {10}),
    ('"never', {11}),
    ("NEAR(", {11}),
    ("door AND", {11}),
    ("temp\\", {12}),
    ("50%", {12}),
    ("z" * 3_000, {13}),
    ("한국어", {15}),
    ("привет", {16}),
    ("*", set()),
    ('"', set()),
    ('""', set()),
    ("\\", set()),
    ("'", set()),
    ("", set()),
    ("   ", set()),
    ("^ : - { } ( )", set()),
    ("'); DROP TABLE entries; --", set()),
]


@pytest.fixture
def filled(database: Database) -> tuple[Database, int]:
    with database.write() as connection:
        lineage = intern(connection, Scope(("a", "b")))
        other = intern(connection, Scope(("ab",)))
        text_index.put(connection, [IndexedText(seq, lineage, index_terms(text)) for seq, text in LINES.items()])
        text_index.put(connection, [IndexedText(100 + seq, other, index_terms(text)) for seq, text in LINES.items()])
    return database, lineage[-1]


@pytest.mark.parametrize(("question", "expected"), QUESTIONS)
def test_words_of_every_script_are_found_and_no_sign_is_grammar(
    filled: tuple[Database, int], question: str, expected: set[int]
) -> None:
    database, scope_id = filled
    with database.read() as connection:
        assert set(text_index.search(connection, scope_id, query_terms(question), 100)) == expected


def test_raw_terms_are_never_grammar_either(filled: tuple[Database, int]) -> None:
    database, scope_id = filled
    nasty = ['"', "'", "\\", "NEAR(", "AND", "OR", "*", "a*", "scopes", ":", "(", "|", "&", "!", "<->", "--", "a:b"]
    with database.read() as connection:
        for term in nasty:
            # Lines 8 and 11 hold the words and, near; SQLite strips the signs around them.
            assert set(text_index.search(connection, scope_id, [term], 10)) <= {8, 11}
            assert text_index.frequency(connection, scope_id, term) <= 2
        assert 1 in text_index.search(connection, scope_id, [*nasty, "lisbon"], 10)


def test_a_term_is_counted_in_its_scope_only(filled: tuple[Database, int]) -> None:
    database, scope_id = filled
    with database.read() as connection:
        assert text_index.frequency(connection, scope_id, "write") == 2
        assert text_index.frequency(connection, scope_id, "c++") == 1
        assert text_index.frequency(connection, scope_id, "猫") == 1


def test_what_was_indexed_can_be_read_back_with_repetitions(filled: tuple[Database, int]) -> None:
    database, _ = filled
    with database.read() as connection:
        read = text_index.terms_of(connection, [*LINES, 999])
    assert read == {seq: index_terms(text) for seq, text in LINES.items()}


def test_the_line_with_more_of_the_words_comes_first(filled: tuple[Database, int]) -> None:
    database, scope_id = filled
    with database.read() as connection:
        assert text_index.search(connection, scope_id, ["write", "c#"], 1) == [10]
        assert text_index.search(connection, scope_id, ["write", "c#"], 10)[0] == 10


def test_a_very_long_question_is_searched_whole(filled: tuple[Database, int]) -> None:
    database, scope_id = filled
    terms = [f"word{number}" for number in range(3_000)] + ["lisbon"]
    with database.read() as connection:
        assert text_index.search(connection, scope_id, terms, 10) == [1]


def test_dropped_lines_are_not_found(filled: tuple[Database, int]) -> None:
    database, scope_id = filled
    with database.write() as connection:
        text_index.drop(connection, [9, 2])
    with database.read() as connection:
        assert text_index.search(connection, scope_id, ["write"], 10) == [10]
        assert text_index.search(connection, scope_id, ["猫"], 10) == []
        assert text_index.terms_of(connection, [9]) == {}


def test_a_message_of_a_megabyte_of_different_words_is_recorded(memory: Memory) -> None:
    text = " ".join(f"w{number:07d}" for number in range(200_000))
    assert len(memory.record([text], scope="a", thread_id="t").added) == 1
    assert memory.entries("t", scope="a")[0].text == text
    assert memory.recall("w0000001", scope="a", recipe="lexical").hits[0].text == text
