"""Words that a question is built with and an answer is not found by."""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# `will`, `may`, `us` and `don` are left out: they are names and months too, and frequency already makes them light.
STOP_WORDS = frozenset(
    _words("""
    a an the this that these those there here
    i me my mine myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves
    am is are was were be been being do does did doing done have has had having can could would should shall might must
    and or but nor if then than so as because while of at by for with about into to from in on off up down out over
    under again between during before after above below through against until
    not no too very just also only own same such both each few more most other some any all once
    who whom whose what when where why how which
    """)
)
"""English words dropped from a query as long as anything else is left. Stop words are still indexed."""

ASKING_WORDS = frozenset(_words("tell please know remember recall anything something everything ever kind many much"))
"""Words of the asking itself: searched for like any other, but never reported as not found."""

FUNCTION_CHARACTERS = frozenset(
    "的了吗呢吧啊嗎么麼是在和与與或也都就还還把被给給对對从從而之谁誰はがをにでとのもかへやねよ"
)
"""Single characters of Chinese and Japanese that mean little when they stand alone."""

ASKING_CHINESE = _words("""
    为什么 為什麼 什么时候 什麼時候 什么样 什么 什麼 甚么 哪里 哪裡 哪兒 哪儿 哪个 哪個 哪些 哪天 哪年 哪 谁 誰
    怎么样 怎麼樣 怎么 怎麼 怎样 怎樣 如何 何时 何時 几时 多少 多久 是否 有没有 有沒有 是不是 请问 請問
    吗 嗎 呢 吧 的 了 是 在
""")
KEPT_CHINESE = _words("""
    目的 的确 的士 现在 現在 正在 存在 实在 在线 在乎 在职 但是 可是 还是 還是 于是 就是 总是 是非 了解 为了 了不起
""")
"""Words that hold one of the characters above as a part of themselves."""

ASKING_JAPANESE = _words("どこ だれ いつ なに なぜ どう どの どれ どんな いくつ いくら 何時 何人 何歳 何 誰")
ASKING_KOREAN = _words("누구 누가 무엇 무슨 뭐 뭘 언제 어디 어느 어떤 어떻게 왜 얼마 몇")
ASKING_THAI = _words("อะไร ใคร ที่ไหน ไหน เมื่อไหร่ เมื่อไร ทำไม อย่างไร ยังไง เท่าไหร่ เท่าไร กี่")

KOREAN_PARTICLES = _words("에서 에게 으로 부터 까지 은 는 이 가 을 를 에 의 와 과 도 로")

ASKING_BIGRAMS = frozenset(
    word[i : i + 2]
    for word in (*ASKING_CHINESE, *ASKING_JAPANESE, *ASKING_KOREAN)
    for i in range(len(word) - 1)
    if word not in ("有没有", "有沒有", "是不是")  # their pairs say yes and no
)
"""Character pairs of question words, dropped from a query as long as anything else is left."""
