"""The telling parts of a run of Chinese, Japanese, Korean or Thai, found without a dictionary.

Only the report of what was asked and not found uses this. It is a rule of thumb: it cuts at question words and at the
commonest function characters, so a rare word may come out in two pieces. Search itself does not depend on it.
"""

from __future__ import annotations

import re

from langgraph_memory.text.stopwords import (
    ASKING_CHINESE,
    ASKING_JAPANESE,
    ASKING_KOREAN,
    ASKING_THAI,
    KEPT_CHINESE,
    KOREAN_PARTICLES,
)

_KANA = re.compile("[\u3041-\u30ff\uff66-\uff9f]")
_HANGUL = re.compile("[\u1100-\u11ff\u3131-\u318e\uac00-\ud7ff]")
# Every alternative is one letter class, so the split is linear.
_NOT_HIRAGANA = re.compile("[^\u3041-\u309f]+")


def _one_of(words: tuple[str, ...]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_JAPANESE = re.compile(_one_of(ASKING_JAPANESE))
_OTHERS = re.compile(f"({_one_of(KEPT_CHINESE)})|(?:{_one_of(ASKING_CHINESE + ASKING_THAI)})")


def telling_parts(run: str) -> list[str]:
    """Return the parts of a run worth naming in a report, in order; none where it only asks.

    Args:
        run: characters of scripts written without spaces, as the user wrote them.
    """
    if _HANGUL.search(run):
        return _korean(run)
    if _KANA.search(run):
        parts = _JAPANESE.sub("\n", run).split("\n")
        telling = [piece for part in parts for piece in _NOT_HIRAGANA.findall(part)]
        return telling or [part for part in parts if len(part) > 2]
    # A kept word is glued to its neighbours, a question word becomes a cut.
    cut = _OTHERS.sub(lambda found: found[1] or "\n", run)
    return [part for part in cut.split("\n") if part]


def _korean(run: str) -> list[str]:
    if run.startswith(ASKING_KOREAN):
        return []
    for particle in KOREAN_PARTICLES:
        if run.endswith(particle) and len(run) - len(particle) >= 2:
            return [run.removesuffix(particle)]
    return [run]
