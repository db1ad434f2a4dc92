from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory.knowledge.marked import LONGEST
from langgraph_memory.knowledge.names import MOST_NAMES, find_names, refusal
from langgraph_memory.knowledge.resolve import entity_key


def found(text: str) -> list[str]:
    return [name.text for name in find_names(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Alice moved to Oslo in May 2026.", ["Alice", "Oslo"]),
        ("Ana likes tea.", ["Ana"]),
        ("Caroline's dog is called Rex.", ["Caroline", "Rex"]),
        ("Hey Melanie! Thanks, Caroline!", ["Melanie", "Caroline"]),
        ("Yesterday Bob and Carol visited the Museum of Modern Art in New York City.",
         ["Bob", "Carol", "Museum of Modern Art", "New York City"]),
        ("Photos of Alice are on the wall.", ["Alice"]),
        ("Dr. Patel works with Mr. Smith and J. K. Rowling.", ["Patel", "Smith", "J. K. Rowling"]),
        ("We read books by J.K. Rowling.", ["J.K. Rowling"]),
        ("Ludwig van Beethoven was born in Bonn.", ["Ludwig van Beethoven", "Bonn"]),
        ("NASA launched Apollo 11.", ["NASA", "Apollo 11"]),
        ("The Beatles are from Liverpool. Los Angeles is big.", ["Beatles", "Liverpool", "Los Angeles"]),
        ("O'Neil and D'Angelo met Jean-Luc Picard.", ["O'Neil", "D'Angelo", "Jean-Luc Picard"]),
        ("User's wife Ingrid teaches in Bergen.", ["Ingrid", "Bergen"]),
        ("Priya, who works at Netflix, plays tennis.", ["Priya", "Netflix"]),
        ("I gave Bob 5 dollars.", ["Bob"]),
        ("Robert repairs old clocks. Zoe skis. Marta knitted it.", ["Robert", "Zoe", "Marta"]),
        ("Alice, Bob Jones, Carol White, Dan Brown", ["Alice", "Bob Jones", "Carol White", "Dan Brown"]),
    ],
)  # fmt: skip
def test_english_names(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "Dinner was great. Coffee helps. Whales sing. Gardening helps me relax.",
        "Woah, You've done it! Yup, They're here. Sooo, Hmm. Hahaha, I'm glad.",
        "1. **Prioritize Sleep**: rest well\n## Explore Barcelona\n- **Soup Salad** first",
        "Solar panels are cheap. Vegan recipes with rice. Tigers ran.",
        "I LOVE THIS SO MUCH!",
        "My Favourite Things To Do In Summer",
        "Good Morning! Happy Birthday",
        "On Monday we meet at 10 AM. In March 2024 it rained.",
        "I think You and We are pronouns.",
        "2024-05-01, 12:30, 3.14 and 42",
        "We work a lot. Work is hard, and Work never ends.",
        "Thank you. However, it rains. Unfortunately, it snows.",
        "",
        "   \n\t",
    ],
)
def test_what_is_no_name(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ich wohne mit meinem Hund in Berlin und arbeite bei Siemens.", ["Berlin", "Siemens"]),
        ("Anna Müller trinkt eine Tasse Kaffee im Garten. Anna wohnt in Hamburg und mag die Musik.",
         ["Anna Müller", "Anna", "Hamburg"]),
        ("Мы с Анной живём в Москве. Анна любит чай. Собака любит гулять.", ["Анной", "Москве", "Анна"]),
        ("María vive en Madrid y trabaja en Google. Me gusta el café. Trabajo en Barcelona.",
         ["María", "Madrid", "Google", "Barcelona"]),
        ("Marie habite à Paris. J'aime le vin de Bordeaux.", ["Marie", "Paris", "Bordeaux"]),
        ("Η Άννα μένει στην Αθήνα.", ["Άννα", "Αθήνα"]),
    ],
)  # fmt: skip
def test_names_of_other_scripts_with_capitals(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("张伟喜欢喝茶，王芳说她住在上海市。", ["张伟", "王芳", "上海市"]),
        ("我叫李小龙，我的同事高明在Google工作。", ["李小龙", "高明", "Google"]),
        ("我用iPhone 15和VS Code。", ["iPhone 15", "VS Code"]),
        ("王老师和李医生去了超市。张总很忙。周末我去爬山，谢谢你。", ["王老师", "李医生", "张总"]),
        ("我和张伟去了北京大学，他在杭州市西湖区工作。这个城市很大。", ["张伟", "北京大学", "杭州市", "西湖区"]),
        ("我最喜欢的书是《三体》，欧阳娜娜是歌手。", ["三体", "欧阳娜娜"]),
        ("林小姐认识何医生。我跟黄先生聊天。", ["林小姐", "何医生", "黄先生"]),
        ("我来自四川成都，搬到北京工作，住在学校附近。", ["四川成都", "北京"]),
        ("今天天气很好，我想去公园散步，买了一些水果。王国很大。高兴的一天。陈述事实。", []),
        ("明天有一个重要的会议，需要准备资料。网站的用户很多。孙女在上大学。", []),
        ("昨日田中さんとジョン・スミスさんに会った。コーヒーが好きです。お客さん、皆さん。",
         ["田中", "ジョン・スミス"]),
        ("アリスは東京大学の学生です。京都に住んでいます。", ["アリス", "東京大学", "京都"]),
        ("佐藤様と鈴木先生。私の名前は山田太郎です。お母さんと奥さん。", ["佐藤", "鈴木", "山田太郎"]),
        ("김철수 씨는 서울대학교에 다닙니다. 날씨가 좋아요. 아저씨, 선생님, 부모님.", ["김철수", "서울대학교"]),
        ("박지민님이 왔어요. 제 이름은 이영희입니다. 서울에 살아요. 근처에 살아요.", ["박지민", "이영희", "서울"]),
    ],
)  # fmt: skip
def test_chinese_japanese_and_korean_names(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("คุณสมชาย ทำงานที่ Google.", ["สมชาย", "Google"]),
        ("السيد أحمد يعيش في دبي ويقرأ «ألف ليلة»", ["أحمد", "ألف ليلة"]),
        ("מר כהן גר בתל אביב ומשתמש ב-langgraph.json", ["כהן", "langgraph.json"]),
    ],
)
def test_scripts_without_capitals_give_titles_quotations_and_identifiers(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The file langgraph.json sets user_id for gpt-4o.", ["langgraph.json", "user_id", "gpt-4o"]),
        ("we compare C++ with C#, F16 with A100 and COVID-19", ["C++", "C#", "F16", "A100", "COVID-19"]),
        ("mail bob.smith@example.com or see https://www.github.com/a/b?x=1",
         ["bob.smith@example.com", "github.com"]),
        ("ask @alice_b about #langgraph, not about #1", ["@alice_b", "#langgraph"]),
        ("call useState() and std::vector, or `foo.bar()`", ["useState", "std::vector", "foo.bar"]),
        ("e.g. this, i.e. that, at 3 p.m. v2 10k 2nd done.Then ok.thanks deadbeefdeadbeef", []),
        ("550e8400-e29b-41d4-a716-446655440000", []),
    ],
)  # fmt: skip
def test_identifiers(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    "quoted",
    ['"north star"', "“north star”", "„north star“", "«north star»", "‹north star›", "「north star」", "『north star』",
     "《north star》", "〈north star〉", "'north star'", "‘north star’"],
)  # fmt: skip
def test_every_style_of_quotation(quoted: str) -> None:
    assert found(f"we call it {quoted} here") == ["north star"]


@pytest.mark.parametrize(
    "text",
    ['she said "I am so happy, really."', 'a "" b', 'a "x" b', 'a "ab" b', 'a " spaced " b', "don't, it's a dog's life",
     f'"{"a" * (LONGEST + 1)}"', '"42"', '"one two three four five six seven"'],
)  # fmt: skip
def test_what_is_quoted_without_being_a_name(text: str) -> None:
    assert found(text) == []


def test_kinds_tell_which_rule_found_a_name() -> None:
    names = find_names('Alice reads "dark matter" in user_id of 《三体》.')
    assert {name.text: name.kind for name in names} == {
        "Alice": "PROPER", "dark matter": "QUOTED", "user_id": "IDENTIFIER", "三体": "PROPER",
    }  # fmt: skip


def test_a_name_is_given_once_however_it_is_written() -> None:
    assert found("Alice met ALICE and Alice's friend Alice.") == ["Alice"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "blank"), ("!!!", "blank"), ("a" * 101, "longer than 100"), ("x", "single character"), ("42", "number"),
        ("2024-05-01", "date"), ("Monday", "day or a month"), ("Mai", "day or a month"), ("she", "without naming"),
        ("The", "without naming"), ("他", "without naming"), ("**bold**", "formatting"), ("a\nb", "formatting"),
    ],
)  # fmt: skip
def test_what_is_refused_as_a_name_and_why(name: str, reason: str) -> None:
    assert reason in str(refusal(name))


@pytest.mark.parametrize("name", ["Alice", "爱", "C++", "iPhone 15", "self-care", "dinner with Ana", "김철수"])
def test_what_may_be_a_name(name: str) -> None:
    assert refusal(name) is None


ALPHABET = st.text(
    st.sampled_from(
        "AaBz .,!?'\"“”‘’«»「」《》()[]{}@#$%&*_-+=/\\|`~:;<>\n\t\0 0123456789"
        "éßЖжΩ张王李的在市さんアー・김씨ค\u200d\ud800İǅ"
    )
    | st.characters()
)


@given(ALPHABET)
def test_any_text_gives_names_that_may_be_names(text: str) -> None:
    names = find_names(text)
    assert len({entity_key(name.text) for name in names}) == len(names) <= MOST_NAMES
    for name in names:
        assert refusal(name.text) is None


@pytest.mark.parametrize(
    "piece",
    [
        "Alice moved to Oslo. 我用iPhone 15. ", "ab.", "A ", "“", '"', "aA", "李", "李 ", "ア・", "A.", "x_", "a@",
        "http://", "'a ", "第", "a.b.", "The of the of ", "`", "-", "王小", "서울에", "A-", "#", " ",
        "\n", "ha", "hA", "Ha", "# ", "* ", "**", "1. **", "„", "王小明先生", "在", "ー",
    ],
)  # fmt: skip
def test_a_large_text_of_anything_is_read(piece: str) -> None:
    find_names(piece * (100_000 // len(piece)))  # a rule that looks back or ahead without bound would take minutes
