"""What stands between the thing asked for and the question word, in scripts that write no blanks between words.

A question word or function word that is never part of another word cuts a run wherever it stands (`cuts`). Most are
syllables of other words as well: these are taken off the ends of a stretch only (`trimmed`), and not where the stretch
ends in a word that merely looks so (小吃, หมา). Lists, not a dictionary: a name that begins like a pronoun loses it.
"""

from __future__ import annotations

import re

from langgraph_memory.text.stopwords import ASKING_CHINESE, ASKING_THAI, KEPT_CHINESE


def _one_of(text: str) -> str:
    return "|".join(sorted(map(re.escape, text.split()), key=len, reverse=True))


_CHINESE_CUTS = "叫什么名字 叫什麼名字 什么名字 什麼名字 多大 多高 多远 多遠 多长 多長 几岁 幾歲 几点 幾點 几号 幾號"
_MEASURES = "[个個只隻本条條位年天次家种種张張辆輛]"
_CHINESE_COUNTED = f"哪{_MEASURES}|[几幾](?:{_MEASURES}|(?=[\u4e00-\u9fff])(?![乎何率]))"
_CHINESE_KEPT = "茶几 几乎 几何 几率"

_THAI_CUTS = "ของ คือ ฉัน ดิฉัน ชื่อ อยู่ เป็น และ ครับ ค่ะ"
_THAI_KEPT = """
    ของขวัญ ของเล่น ของฝาก ของหวาน ของชำ เจ้าของ สิ่งของ ที่อยู่อาศัย ที่อยู่ รายชื่อ ชื่อเสียง ผ้าไหม ความเป็นอยู่
"""

_CUT = re.compile(
    f"({_one_of(' '.join(KEPT_CHINESE))}|{_one_of(_CHINESE_KEPT)}|{_one_of(_THAI_KEPT)})"
    f"|(?:{_one_of(_CHINESE_CUTS)}|{_CHINESE_COUNTED}|{_one_of(' '.join(ASKING_CHINESE + ASKING_THAI))}"
    f"|{_one_of(_THAI_CUTS)})"
)
"""Group 1 is a word that is kept whole."""

_CHINESE_HEAD = re.compile(
    "^(?:我们|我們|咱们|咱們|你们|你們|您|他们|他們|她们|她們|[我你他她它最很]|喜欢|喜歡|现在|現在|目前|[住叫去有养養](?=.)"
    "|[个個]$)+"
)
_CHINESE_TAIL = re.compile(
    "(?:(?<!小)[吃]过?|(?<!过)(?<!過)(?<!回)[去]过?|(?<!未)(?<!原)[来來]过?|(?<!百)姓|[住叫做喝买買给給]过?|(?<![营營保修培])[养養]"
    "|(?<![所没沒私])有|喜欢|喜歡|觉得|覺得|现在|現在|目前|最|(?<![反不])[对對]|[和跟也都就还還])+$"
)
_THAI_HEAD = re.compile(
    "^(?:มี(?!ด)|ไป(?!รษ)|ใน|จะ(?!เข้)|จาก|ให้|ไม่|เคย|ชอบ|ผม(?!ร่วง|ยาว|สั้น)|เรา(?!เตอร์)|เขา(?!ใหญ่)|เธอ|ว่า(?!ว)"
    "|คุณ(?!ภาพ|ค่า|สมบัติ|ยาย|ตา|ปู่|ย่า|พ่อ|แม่|ครู|หมอ)|ที่(?!ดิน|นอน|จอด|พัก|อยู่|ปรึกษา|ทำงาน)|กับ(?!ข้าว|ดัก))+"
)
_THAI_TAIL = re.compile(
    "(?:(?<!ส)มี|ไป|(?<!ห)มา|ใน|จาก|ให้|ไม่|เคย|ชอบ|กิน|(?<!เส้น)ผม|(?<!ภู)เขา|เธอ|ที่|กับ|แล้ว|บ้าง|(?<!ห)นี้|นั้น|ได้|คะ)+$"
)
_JAPANESE_HEAD = re.compile("^(?:うちの|わたしの|ぼくの|あなたの|[はがをにでともの])+")
# No alternative is made of others, so there is one way only to read a text.
_JAPANESE_TAIL = re.compile(
    "(?:[はがをにでともの]|です|でしょう|でした|だった|だ|か|います|あります|ます|ました|いる|ある)+$"
)
_LONGEST_TAIL = 24


def cuts(run: str) -> list[str]:
    """Return the stretches of a run of Chinese or Thai between its question and function words."""
    # A kept word is glued to its neighbours, a question word becomes a cut.
    return _CUT.sub(lambda found: found[1] or "\n", run).split("\n")


def trimmed(stretch: str) -> str:
    """Return a stretch of Chinese or Thai without pronouns and everyday verbs at its ends; perhaps nothing."""
    thai = "\u0e00" <= stretch[:1] <= "\u0e7f"
    head, tail = (_THAI_HEAD, _THAI_TAIL) if thai else (_CHINESE_HEAD, _CHINESE_TAIL)
    return _without(tail, head.sub("", stretch))


def trimmed_hiragana(stretch: str) -> str:
    """Return a stretch of Hiragana without particles and the ends of verbs; perhaps nothing."""
    return _without(_JAPANESE_TAIL, _JAPANESE_HEAD.sub("", stretch))


def _without(tail: re.Pattern[str], stretch: str) -> str:
    # Looked for near the end only: from every place of a long text it would take quadratic time.
    return stretch[:-_LONGEST_TAIL] + tail.sub("", stretch[-_LONGEST_TAIL:])
