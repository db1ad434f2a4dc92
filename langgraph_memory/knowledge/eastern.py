"""Finds names in Chinese, Japanese and Korean by surnames, titles, place endings and Katakana, without a dictionary.

Without spaces a name has no visible end, so every rule asks for something certain on both sides: a surname and what may
follow a name, a title, a place ending, an introduction ("我叫…", "名前は…です", "이름은 …"). What is uncertain is
left out. Thai, Lao, Khmer, Burmese, Arabic and Hebrew have neither capitals nor such signs: there only titles ("คุณ",
"السيد", "מר"), quoted names and identifiers are found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from langgraph_memory.knowledge import eastern_words as words
from langgraph_memory.knowledge.spans import Span

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々"
_KATAKANA = "ァ-ヺー"
_HANGUL = "가-힣"
_ANY = re.compile(f"[{_HAN}{_KATAKANA}{_HANGUL}\u0590-\u06ff\u0e00-\u0e7f]")


def _one_of(some: frozenset[str]) -> str:
    return "|".join(sorted(map(re.escape, some), key=lambda word: (-len(word), word)))


_SURNAME = f"(?:{_one_of(words.COMPOUND_SURNAMES)}|[{''.join(sorted(words.SURNAMES))}])"
_DOUBTFUL = f"[{''.join(sorted(words.DOUBTFUL_SURNAMES))}]"
_GIVEN = f"(?:(?![{''.join(sorted(words.NOT_GIVEN))}])[{_HAN}])"
_EDGE = rf"(?:(?![{_HAN}])|(?=[{''.join(sorted(words.AFTER_NAMES))}]))"  # what may stand behind a name
_TITLE = f"(?:{_one_of(words.CHINESE_TITLES)})"

_INTRODUCED = re.compile(
    rf"(?:{_one_of(words.BEFORE_NAMES)})[:：]?(?P<name>(?:{_SURNAME}|{_DOUBTFUL}){_GIVEN}{{1,2}}){_EDGE}"
)
_PERSON = re.compile(
    rf"(?:(?<![{_HAN}])|(?<=[{''.join(sorted(words.LINKS))}]))(?P<name>{_SURNAME}{_GIVEN}{{1,2}}){_EDGE}"
)
_TITLED = re.compile(rf"(?P<name>(?:{_SURNAME}|{_DOUBTFUL})(?P<given>{_GIVEN}{{0,2}}?))(?P<title>{_TITLE})")
_NICKNAME = re.compile(
    rf"(?<![{_HAN}])(?P<name>[小老阿]{_SURNAME}){_EDGE}|(?<=[和跟叫找])(?P<other>[小老阿]{_SURNAME}){_EDGE}"
)
_ANY_INTRODUCED = re.compile(
    rf"(?:我叫|名叫|名字叫|名字是|名前は|申しますのは|이름은)\s?(?P<name>[{_HAN}{_KATAKANA}ぁ-ゖ・{_HANGUL}]{{2,8}}?)"
    rf"(?=です|だ|と(?:いい|申し)|이에요|예요|입니다|이고|이야|야(?![{_HANGUL}])|[,.，。、!！?？\s]|$)"
)

_JAPANESE = re.compile(
    rf"(?P<name>[{_HAN}]{{1,6}}|[{_KATAKANA}・]{{2,15}})(?P<title>{_one_of(words.JAPANESE_TITLES)})(?![{_HAN}])"
)
_KATAKANA_RUN = re.compile(rf"[{_KATAKANA}・＝]{{3,30}}")

_NOT_IN_PLACES = "在住去从從到来來于於由往至是自离離的了過过和与與有这這那每某该該我你他她们們个個一所家哪些后後新"
_PLACE = re.compile(
    rf"(?:(?<![{_HAN}])|(?<=[{_NOT_IN_PLACES}市省县縣区區県府]))"
    rf"(?P<name>(?:(?![{_NOT_IN_PLACES}])[{_HAN}]){{1,6}}?(?:{_one_of(words.PLACE_ENDINGS)}))"
)
_HOME = re.compile(
    rf"(?:住在|来自|來自|出生于|出生於|出生在|搬到|搬去|老家在|老家是|家在|飞往|前往|抵达)(?P<chinese>(?:(?![{_NOT_IN_PLACES}])[{_HAN}]){{2,4}}?)"
    rf"(?=[工上读讀的和了已生做]|(?![{_HAN}])|$)"
    rf"|(?<![{_HAN}])(?P<japanese>[{_HAN}]{{2,4}})(?=に住|在住|出身|に引っ越|へ引っ越|生まれ)"
    rf"|(?<![{_HANGUL}])(?P<korean>[{_HANGUL}]{{2,4}}?)(?=에(?:서)? (?:살|산다|사는|거주|태어))"
)
_KOREAN = re.compile(rf"(?<![{_HANGUL}])(?P<name>[{_HANGUL}]{{2,4}}?)(?P<title>\s?씨|{_one_of(words.KOREAN_TITLES)})"
                     rf"(?![{_HANGUL}]{{3}})")  # fmt: skip
_KOREAN_PLACE = re.compile(rf"(?<![{_HANGUL}])(?P<name>(?P<own>[{_HANGUL}]{{2,6}}?)(?:{_one_of(words.KOREAN_PLACES)}))")
_KOREAN_TAIL = re.compile(r"(?:은|는|이|가|을|를|의|와|과|도|께|께서|에게|한테|랑|이랑|만|부터)?(?![가-힣])")

_OTHER_TITLED = re.compile(
    r"(?:คุณ|นาย|นาง(?:สาว)?|ดร\.|พี่|น้อง)\s?(?P<thai>[\u0e01-\u0e2e][\u0e00-\u0e4e]{1,14})(?![\u0e00-\u0e4e])"
    r"|(?<!\w)(?:السيد|السيدة|الدكتور|الدكتورة|د\.|الأستاذ|الأستاذة|الشيخ)\s(?P<arabic>[\u0621-\u064a]{2,20})"
    r"|(?<!\w)(?:מר|גברת|גב'|ד\"ר|ד״ר|פרופ'|פרופ׳)\s(?P<hebrew>[\u05d0-\u05ea]{2,20})"
)


_NOT_HOMES = tuple(sorted(words.NOT_HOMES))


def eastern_names(text: str) -> list[Span]:
    """Return the names that these rules find in a text; linear in its length."""
    if text.isascii() or not _ANY.search(text):
        return []
    return [*_people(text), *_japanese(text), *_places(text), *_korean(text), *_others(text)]


def _people(text: str) -> Iterator[Span]:
    for pattern in (_INTRODUCED, _PERSON):
        for match in pattern.finditer(text):
            if not _begins_word(match["name"]):
                yield _span(match)
    for match in _TITLED.finditer(text):
        if match["title"] in ("总", "總", "哥", "姐") and match["given"]:
            continue  # 张总 is a person, 马上总 is not
        if match["given"]:
            if not _begins_word(match["name"]):
                yield _span(match)
        elif match["title"] not in ("博士", "同学", "同學") or match["name"] in words.SURNAMES:
            yield Span(match.start(), match.end(), match[0], "PROPER")  # a surname alone is too little
    for match in _NICKNAME.finditer(text):
        group = "name" if match["name"] else "other"
        yield Span(match.start(group), match.end(group), match[group], "PROPER")
    for match in _ANY_INTRODUCED.finditer(text):
        yield _span(match)


def _begins_word(name: str) -> bool:
    return name in words.NOT_PEOPLE or name[:2] in words.NOT_PEOPLE


def _japanese(text: str) -> Iterator[Span]:
    for match in _JAPANESE.finditer(text):
        name, start = match["name"].strip("・"), match.start("name")
        lead = next((lead for lead in words.JAPANESE_LEADS if name.startswith(lead) and name != lead), "")
        name, start = name.removeprefix(lead), start + len(lead)
        if name and not _is_nobody(name, match["title"], text[start - 1 : start]):
            yield Span(start, match.end("name"), name, "PROPER")
    for match in _KATAKANA_RUN.finditer(text):
        name = match[0].strip("・＝")
        if len(name) >= 3 and name not in words.KATAKANA_WORDS:
            start = match.start() + match[0].index(name)
            yield Span(start, start + len(name), name, "PROPER")


def _is_nobody(name: str, title: str, before: str) -> bool:
    """Say whether what stands before a Japanese title is no name: a relative, a trade, a Chinese teacher, a clause."""
    if name in words.NOT_JAPANESE_PEOPLE or name in words.KATAKANA_WORDS:
        return True
    if title in ("先生", "教授") and name[0] in words.SURNAMES | words.DOUBTFUL_SURNAMES:
        return True  # Chinese has its own rule
    if len(name) == 1:
        return before in ("お", "ご")
    return len(name) > 4 and name[0] > "ヺ"  # a run of Kanji this long is more than a name


def _places(text: str) -> Iterator[Span]:
    for match in _PLACE.finditer(text):
        name = match["name"]
        if len(name) > 2 and name not in words.NOT_PLACES and name[-2:] not in words.NOT_PLACES:
            yield _span(match)
    for match in _HOME.finditer(text):
        group = match.lastgroup or ""
        if match[group] not in words.NOT_PLACES and not match[group].startswith(_NOT_HOMES):
            yield Span(match.start(group), match.end(group), match[group], "PROPER")


def _korean(text: str) -> Iterator[Span]:
    for match in _KOREAN.finditer(text):
        if match["name"] not in words.NOT_KOREAN_PEOPLE and _KOREAN_TAIL.match(text, match.end()):
            yield _span(match)
    for match in _KOREAN_PLACE.finditer(text):
        if match["own"] not in words.NOT_KOREAN_PLACES:
            yield _span(match)


def _others(text: str) -> Iterator[Span]:
    for match in _OTHER_TITLED.finditer(text):
        group = match.lastgroup or ""
        yield Span(match.start(group), match.end(group), match[group], "PROPER")


def _span(match: re.Match[str]) -> Span:
    return Span(match.start("name"), match.end("name"), match["name"], "PROPER")
