"""One stem for the forms of a word, whatever script it is written in."""

from __future__ import annotations

import pytest

from langgraph_memory.memory import Memory
from langgraph_memory.text.stems import stem
from langgraph_memory.text.tokenise import index_terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("dogs", "dog"),
        ("собаку", "собаке"),
        ("москве", "москвы"),
        ("القهوة", "قهوة"),
        ("الرياض", "رياض"),
        ("ירושלים", "בירושלים"),
        ("عِلم", "علم"),
        ("הבית", "בית"),
        ("המכונית", "מכונית"),
        ("αθηνας", "αθηνα"),
        ("किताबों", "किताब"),
        ("நாய்கள்", "நாய்"),
    ],
)
def test_two_forms_have_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other) and stem(one)


@pytest.mark.parametrize("word", ["c++", "f#", "50", "r2d2", "straße", "ქართული", "🎸", "و", "של"])
def test_what_is_no_inflected_word_stays_as_it_is(word: str) -> None:
    assert stem(word) == word


def test_different_words_keep_different_stems() -> None:
    words = "قهوة شاي عربية רחוב קפה תה собака кошка дом чай αθηνα σπιτι किताब घर dog cat house"
    assert len({stem(word) for word in words.split()}) == words.count(" ") + 1


def test_a_stem_can_be_searched_for_in_text_as_it_is_written() -> None:
    assert set(index_terms("Я живу в Москве")) & set(index_terms("Москва"))
    assert set(index_terms("أحب القهوة العربية")) & set(index_terms("قهوة"))


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("أحب القهوة العربية", "قهوة"),
        ("אני גר בירושלים", "ירושלים"),
        ("Моя собака живёт в Москве", "Москва собаки"),
        ("Μένω στην Αθήνα", "Αθήνας"),
    ],
)
def test_a_form_that_was_said_is_found_and_no_gap(memory: Memory, line: str, question: str) -> None:
    memory.record(("user", line), scope="a", thread_id="t")
    answer = memory.recall(question, scope="a", recipe="lexical")
    assert [hit.text for hit in answer.hits] == [line] and answer.gaps == ()
