from __future__ import annotations

import pytest

from langgraph_memory.models.language import MAX_CHARS, Reader, readable, reader_for
from langgraph_memory.models.minilm import english_words

WORDS = english_words()


@pytest.mark.parametrize(
    "text",
    [
        "Where does Alice live?",
        "Caroline (2023-05-08): Go get 'em, Jon!",
        "Alice's Chinese name is 王小明",
        "user: I love 披萨",
        "Budget 500",
        "2026-05-01",
        "C++",
        "Müller said that he will call us from the café",
        "ok",
        "",
        "Η κόρη μου παίζει βιολί",  # neither model learnt Greek; the English one spells it
    ],
)
def test_texts_for_the_english_model(text: str) -> None:
    assert reader_for(readable(text), WORDS) is Reader.ENGLISH


@pytest.mark.parametrize(
    "text",
    [
        "爱丽丝住在奥斯陆。",
        "Alexander Smith: 好的",
        "我用 LangGraph 写 agent memory",
        "娘がバイオリンを習い始めました",
        "내 딸이 바이올린을 배우기 시작했다",
        "ลูกสาวของฉันเริ่มเรียนไวโอลิน",
        "Моя дочь играет на скрипке",
        "بدأت ابنتي تتعلم الكمان",
        "Je t'aime",
        "¿Tenemos mascotas?",
        "Bob arbeitet als Krankenpfleger in einer Kinderklinik.",
        "Anna (2024-01-02): Ich liebe dich",
        "Was studiert sie?",
    ],
)
def test_texts_for_the_multilingual_model(text: str) -> None:
    assert reader_for(readable(text), WORDS) is Reader.MULTILINGUAL


def test_readable_cuts_and_cleans() -> None:
    assert readable(" \x00a\ud800b\n ") == "a b"
    assert readable("e\u0301") == "é"
    assert len(readable("x" * 100_000)) == MAX_CHARS
    assert readable("\u200b \t") == ""
