"""Gaps name what a question is about, not how it is asked."""

from __future__ import annotations

from collections import Counter

import pytest

from langgraph_memory.memory import Memory
from langgraph_memory.retrieval.gaps import find_gaps
from langgraph_memory.text.asked import asked_words
from langgraph_memory.text.stopwords import STOP_WORDS
from langgraph_memory.text.tokenise import index_terms
from langgraph_memory.text.verbs import IRREGULAR_VERBS, LIGHT_VERBS


def gaps(question: str, *lines: str) -> list[str]:
    found = {term for line in lines for term in index_terms(line)}
    return [gap.asked for gap in find_gaps(question, asked_words(question), found)]


@pytest.mark.parametrize(
    ("question", "line", "missing"),
    [
        ("When did Caroline go to the LGBTQ support group?", "Caroline: I went to a LGBTQ support group", []),
        ("When did Caroline GO to the zoo?", "Caroline: I went to a LGBTQ support group", ["zoo"]),
        ("What did Ana say she wants to get?", "Ana: a bicycle, please", []),
        ("Which book did Bob give to Ana?", "Ana: Bob, thank you for the book", []),
        ("What has Ana been looking for?", "Ana: where are my keys?", []),
        ("When did Ana buy the car?", "Ana: I bought a car", []),
        ("When was the car bought?", "Ana: let's buy a car", []),
        ("What had Ana written?", "Ana: I write poems", []),
        ("Has Ana bought the car or sold it?", "Ana: I bought a car", ["sold"]),
        ("Did Ana sell the car?", "Ana: I bought a car", ["sell"]),
        ("When did Ana stop smoking?", "Ana: I smoke", ["stop"]),
        ("Who is Ana's dentist?", "Ana: I went to the doctor", ["dentist"]),
        ("李明去哪里买茶？", "李明: 我去买茶", []),
    ],
)
def test_everyday_verbs_and_other_forms_of_a_verb_are_no_gaps(question: str, line: str, missing: list[str]) -> None:
    assert gaps(question, line) == missing


def test_a_question_of_light_words_only_misses_nothing_where_something_was_found() -> None:
    assert gaps("What did she say?", "hello") == []
    assert gaps("What did she say?") == ["What did she say?"]


def test_no_verb_is_listed_twice() -> None:
    forms = [form for verb in IRREGULAR_VERBS for form in verb]
    assert [form for form, count in Counter(forms).items() if count > 1] == []
    assert not set(forms) & LIGHT_VERBS and not LIGHT_VERBS & STOP_WORDS


def test_recall_reports_what_is_missing_and_no_verb(memory: Memory) -> None:
    said = {"role": "user", "content": "I went to a LGBTQ support group yesterday", "name": "Caroline"}
    memory.record([said], scope="a", thread_id="t")
    answer = memory.recall("When did Caroline go to the LGBTQ support group?", scope="a")
    assert answer.hits and answer.gaps == ()
    answer = memory.recall("When did Caroline take her dog to the support group?", scope="a")
    assert [gap.asked for gap in answer.gaps] == ["dog"]
