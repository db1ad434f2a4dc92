"""Rows of the OpenClaw acceptance list on search by words."""

from __future__ import annotations

import pytest

from langgraph_memory import Memory

LINES = {
    "apple": "我喜欢吃苹果，不喜欢梨。",
    "c++": "The engine is written in C++ and not in C#.",
    "c#": "The editor is written in C# only.",
    "quotes": 'She calls it "the big one" at home.',
    "emoji": "Party tonight 🎉 bring cake",
}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("苹果", {"apple"}),
        ("苹", {"apple"}),
        ("梨", {"apple"}),
        ("香蕉", set()),
        ("C++", {"c++"}),
        ("C#", {"c++", "c#"}),
        ('"the big one"', {"quotes"}),
        ('"big', {"quotes"}),
        ("🎉", {"emoji"}),
        ("🍰", set()),
        ('NEAR("cake" OR', {"emoji"}),
    ],
)
def test_openclaw_O20_words_of_every_script_and_signs_are_found_where_they_stand(
    memory: Memory, query: str, expected: set[str]
) -> None:
    for name, text in LINES.items():
        memory.record([("user", text)], scope="a", thread_id=name)  # one each: no line lifts another
    hits = memory.recall(query, scope="a", recipe="lexical").hits
    assert {hit.session_id for hit in hits} == expected
    assert all(hit.signals["lexical"] > 0 and hit.signals["raw_lexical"] > 0 for hit in hits)
