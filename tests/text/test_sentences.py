from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory.text.sentences import split_sentences


def one(text: str) -> bool:
    return split_sentences(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Smith met Mrs. Jones at 5 p.m. on Monday.",
        "I met Prof. Dr. Müller.",
        "J. R. R. Tolkien wrote it.",
        "It is e.g. a cat, i.e. an animal.",
        "I live in the U.S. and work there.",
        "Pi is 3.14 and version 2.0.1 is out.",
        "He lives at No. 5 now.",
        "Visit example.com soon.",
        "Wait... what happened?",
        'She said "Stop. Now!" and left.',
        "She said “Stop. Now!” and left.",
        "Ich mag z.B. Tee und z. B. Kaffee.",
        "z. B. Tee",
        "Am 3. Oktober zog ich um.",
        "Ich wohne im 2. Stock.",
        "Der 1. FC Köln gewann.",
        "M. Dupont habite à Paris.",
        "Я живу в г. Москве.",
        "「はい。そうです」と彼は言った。",
        "「はい。」と彼は言った。",
        "“好。”，他说。",
    ],
)
def test_nothing_ends_within_a_sentence(text: str) -> None:
    assert one(text)


@pytest.mark.parametrize(
    "text",
    [
        "We met at 5 p.m.|She left.",
        "She works at Acme Inc.|It is big.",
        "I am 30.|You are 40.",
        "I am 5.|You are 6.",
        "I have 3 cats.|2 dogs too.",
        "I left...|Then I came.",
        "Hello!!|I'm here!",
        "(I like it.)|He does.",
        "It was Ana and I.|He left.",
        "I like it :)|It is nice",
        "I love it 🎉|Next week I go",
        "Ich mag Tee.|Und Kaffee.",
        "Quote “one. two” here.|Then “three. four” there.",
        "मैं दिल्ली में रहता हूँ।|मुझे चाय पसंद है।",
        "أعيش في القاهرة.|هل تحب الشاي؟|نعم.",
        "ฉันอาศัยอยู่ที่กรุงเทพ|ฉันชอบกินข้าวผัด",
        "Use ```inline``` code.|Yes.",
        "```inline``` is code.|I like it.",
    ],
)
def test_a_sentence_ends_before_a_blank(text: str) -> None:
    assert split_sentences(text.replace("|", " ")) == text.split("|")


@pytest.mark.parametrize(
    "text",
    [
        "我住在北京。|我喜欢茶！|你呢？|好",
        "他说：“我来了。你呢？”|然后走了。",
        "東京に住んでいます。|猫が好きです。",
        "I'm here!|Great to see you",
    ],
)
def test_a_sentence_ends_without_a_blank(text: str) -> None:
    assert split_sentences(text.replace("|", "")) == text.split("|")


def test_marks_of_lists_and_headings_are_left_off() -> None:
    text = "# Title\n- one\n* two\n1. three\n2) four\n(b) five\n• six\n- [ ] seven\n- [x] eight\n3、九\n①十\n"
    assert " ".join(split_sentences(text)) == "Title one two three four five six seven eight 九 十"


@pytest.mark.parametrize(
    "code",
    [
        "```py\nx = 1. y = 2.\n```",
        "~~~\nx\n```\ny\n~~~",
        "````\n```\nx.\n````",
        "```\n```python\nx.\n```",
        "> quoted. line\n> and more",
        "＞引用。",
    ],
)
def test_code_and_quoted_lines_are_left_out_and_nothing_after_them(code: str) -> None:
    assert split_sentences(f"Before.\n{code}\nI live in Oslo.") == ["Before.", "I live in Oslo."]


def test_what_a_mail_program_wrapped_is_one_sentence() -> None:
    line = "I have been living in this small town near the coast for more than"
    assert split_sentences(f"{line}\nten years now. And so on.") == [f"{line}\nten years now.", "And so on."]
    assert split_sentences(f"{line}\nTen years passed.") == [line, "Ten years passed."]
    assert split_sentences("short line\ngoes on") == ["short line", "goes on"]


def test_of_blanks_nothing_comes() -> None:
    assert [split_sentences(text) for text in ("", " \n\t\n", "- ", "```\n```")] == [[]] * 4


@pytest.mark.parametrize(
    "piece", ["!", '"', "“", "a", "Mr. ", ". ", "。!", "Yes. ", '"No. Yes." ', " ", "`", "go on " * 20 + "\n"]
)
def test_the_time_is_linear_in_the_length(piece: str) -> None:
    begun = time.perf_counter()
    split_sentences(piece * 30_000)
    assert time.perf_counter() - begun < 10  # a second on a slow machine; minutes where it is quadratic


PROSE = st.text(st.sampled_from("aBc1.!?…。！？：:;)('\"“”「」«» \n\r\t的はกखم🎉é"), max_size=120)


def squeezed(text: str) -> str:
    return "".join(text.split())


@given(st.one_of(st.text(), st.text(st.sampled_from('`~> -*1.)#\n.!?。“”"「」aA的ก\ud800\0\u2028'), max_size=80)))
def test_of_any_text_each_sentence_is_a_slice_in_order(text: str) -> None:
    place = 0
    for sentence in split_sentences(text):
        place = text.index(sentence, place) + len(sentence)
        assert sentence and sentence == sentence.strip()


@given(PROSE)
def test_of_prose_nothing_is_lost_but_blanks(text: str) -> None:
    text = "\n".join(f"Xx{line}" for line in text.splitlines())  # no line begins with a mark
    assert squeezed("".join(split_sentences(text))) == squeezed(text)


@given(st.lists(st.sampled_from(["I live in Oslo.", "He came at 5.", "我住在北京。", "Is it so?", "Yes!"])))
def test_whole_sentences_in_whole_lines_come_back(sentences: list[str]) -> None:
    assert split_sentences("\n".join(sentences)) == sentences
    assert split_sentences("\n\n- ".join(["", *sentences])) == sentences
