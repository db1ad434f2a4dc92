"""The telling parts of a run of Chinese, Japanese, Korean or Thai, found without a dictionary.

Only the report of what was asked and not found uses this. It is a rule of thumb: it cuts at question words and at the
commonest function characters, so a rare word may come out in two pieces. Search itself does not depend on it.
"""

from __future__ import annotations

import re

from langgraph_memory.text.edges import cuts, trimmed, trimmed_hiragana
from langgraph_memory.text.stopwords import ASKING_JAPANESE, ASKING_KOREAN, KOREAN_PARTICLES

_KANA = re.compile("[\u3041-\u30ff\uff66-\uff9f]")
_HANGUL = re.compile("[\u1100-\u11ff\u3131-\u318e\uac00-\ud7ff]")
# Every alternative is one letter class, so the split is linear.
_NOT_HIRAGANA = re.compile("[^\u3041-\u309f]+")

_JAPANESE = re.compile("|".join(sorted(ASKING_JAPANESE, key=len, reverse=True)))
_WORDS = """
私 僕 俺 彼 彼女 君 貴方
나 내 나의 저 제 저의 우리 저희 너 네 너의 그 그녀 이 것 나는 저는 내가 제가 나를 저를 우리는 있어 있어요 있나 있나요
있니 있습니까 인가요 인가 입니까 이야 이에요 예요 해 해요 하나 하나요 하니 합니까
"""
_FUNCTION = frozenset(_WORDS.split())
"""Pronouns of Japanese, and pronouns and auxiliaries of Korean."""

_KOREAN_ENDINGS = re.compile("(?:나요|는가요|은가요|습니까|니까|을까요|까요|는지|지요)$")
_AFTER_ANY = ("은", "는", "을", "를")
"""Particles that also tell a noun of one syllable from the end of a longer one: 개는."""

_BATCHIM = 28  # Hangul syllables come in rows of 28, the first of each without a final consonant


def telling_parts(run: str) -> list[str]:
    """Return the parts of a run worth naming in a report, in order; none where it only asks.

    Args:
        run: characters of scripts written without spaces, as the user wrote them.
    """
    if _HANGUL.search(run):
        return _korean(run)
    if _KANA.search(run):
        parts = _JAPANESE.sub("\n", run).split("\n")
        telling = [piece for part in parts for piece in _NOT_HIRAGANA.findall(part) if piece not in _FUNCTION]
        return telling or [part for part in map(trimmed_hiragana, parts) if len(part) > 1]
    return [part for part in map(trimmed, cuts(run)) if part]


def _korean(run: str) -> list[str]:
    if run.startswith(ASKING_KOREAN) or run in _FUNCTION:
        return []
    for particle in KOREAN_PARTICLES:
        bare = run.removesuffix(particle)
        if bare != run and (len(bare) > 1 or (bare and particle in _AFTER_ANY and _fits(bare, particle))):
            return [] if bare in _FUNCTION else [bare]
    bare = _KOREAN_ENDINGS.sub("", run)
    if bare != run and len(run) > 2:
        # What is left of a verb in one syllable (사나요: live) looks like too many other words.
        return [bare] if len(bare) > 1 else []
    return [run]


def _fits(noun: str, particle: str) -> bool:
    """Say whether the particle is the one that goes with the noun's last sound."""
    closed = (ord(noun[-1]) - ord("가")) % _BATCHIM > 0
    return closed == (particle in "은을")
