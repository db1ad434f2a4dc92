"""What kind of thing each character is: letter, digit, mark, unspaced script, emoji, or nothing to search for.

The facts come from Python's `unicodedata` (Unicode Character Database) and, where a script or a block decides, from
the block ranges below, so that characters younger than the running Python are still put in the right drawer.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

LETTER, DIGIT, MARK, UNSPACED, EMOJI, REGIONAL, IGNORED, OTHER = "l", "d", "m", "c", "e", "r", "z", " "
"""The kinds: one character each, so that a text's kinds are a string of the same length to run a regex over."""

JOINERS = "\u200c\u200d"
"""ZWNJ and ZWJ: invisible, but they carry meaning in Persian, in Indic scripts and in emoji sequences."""

Ranges = tuple[tuple[int, int], ...]

_HAN: Ranges = ((0x2E80, 0x2FDF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFD))
_UNSPACED: Ranges = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1100, 0x11FF),  # Hangul Jamo
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),  # 々 〆 〇
    (0x3021, 0x303C),  # Hangzhou numerals, 〻 〼
    (0x3041, 0x31BF),  # Hiragana, Katakana, Bopomofo, Hangul compatibility Jamo
    (0x31F0, 0x31FF),  # Katakana extensions
    (0xA960, 0xA97F),  # Hangul Jamo A
    (0xA9E0, 0xA9FF),  # Myanmar B
    (0xAA60, 0xAA7F),  # Myanmar A
    (0xAC00, 0xD7FF),  # Hangul syllables, Jamo B
    (0xFF66, 0xFFDC),  # halfwidth Katakana and Hangul
    (0x16FE0, 0x16FFF),  # old Chinese iteration marks
    (0x1AFF0, 0x1B16F),  # Kana supplements
)
_EMOJI: Ranges = ((0x1F000, 0x1F1E5), (0x1F200, 0x1F3FA), (0x1F400, 0x1FAFF))
_NO_EMOJI: Ranges = ((0x0000, 0x218F), (0x2500, 0x259F), (0x2800, 0x28FF))  # © °, box drawing, braille
_REGIONAL: Ranges = ((0x1F1E6, 0x1F1FF),)
_SKIN_TONES: Ranges = ((0x1F3FB, 0x1F3FF),)
_DIACRITICS: Ranges = ((0x0300, 0x036F),)

# Default_Ignorable_Code_Point of the UCD, where the general category does not say it already.
_IGNORABLE: Ranges = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2065, 0x2065),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0xE0000, 0xE0FFF),
)
# Category Cf, yet drawn: Prepended_Concatenation_Mark of the UCD.
_VISIBLE_FORMAT: Ranges = (
    (0x0600, 0x0605),
    (0x06DD, 0x06DD),
    (0x070F, 0x070F),
    (0x0890, 0x0891),
    (0x08E2, 0x08E2),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
)
# Letters that readers type without their stroke or ligature, and that Unicode does not decompose.
_LETTERS = {"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
_APOSTROPHES = "\u2018\u2019\u02bc\u2032\u055a"


def within(code: int, ranges: Ranges) -> bool:
    """Say whether the code point lies in one of the inclusive ranges."""
    return any(low <= code <= high for low, high in ranges)


def is_invisible(char: str) -> bool:
    """Say whether a character draws nothing and is no white space (controls, format characters, fillers, selectors)."""
    category = unicodedata.category(char)
    if category == "Cc":
        return not char.isspace()
    code = ord(char)
    if category == "Cf":
        return not within(code, _VISIBLE_FORMAT)
    return within(code, _IGNORABLE)


def is_extender(char: str) -> bool:
    """Say whether a character belongs to the one before it: a mark, a joiner, a selector or a skin tone."""
    code = ord(char)
    return unicodedata.category(char)[0] == "M" or is_invisible(char) or within(code, _SKIN_TONES)


def kind_of(char: str) -> str:
    """Return the kind of a character: one of the constants above, or the character itself for `+` and `#`."""
    if char in "+#":
        return char
    code, category = ord(char), unicodedata.category(char)
    if is_invisible(char) or within(code, _SKIN_TONES):
        return IGNORED
    if category[0] == "M":
        return MARK
    if within(code, _HAN):
        return UNSPACED
    if within(code, _UNSPACED):
        return DIGIT if category == "Nd" else UNSPACED if category[0] in "LN" else OTHER
    if within(code, _REGIONAL):
        return REGIONAL
    if within(code, _EMOJI) or category == "Co" or (category == "So" and not within(code, _NO_EMOJI)):
        return EMOJI
    return LETTER if category[0] == "L" else DIGIT if category[0] == "N" else OTHER


def fold(char: str) -> str:
    """Return a character as search sees it; empty for what search does not see.

    Diacritics go from Latin and Greek letters only: a Thai, Hindi or Arabic vowel sign, a dakuten or the breve of й
    makes another letter, an accent in café or Αθήνα does not. Digits of every script become 0-9. Loose combining
    diacritics (U+0300 to U+036F) go wherever they stand; after NFKC they are what no letter could absorb.
    """
    code, category = ord(char), unicodedata.category(char)
    if category == "Cc":
        return " "
    if is_invisible(char) or within(code, _SKIN_TONES) or within(code, _DIACRITICS) or category == "Me":
        return ""
    if char in _APOSTROPHES:
        return "'"
    if category == "Nd":
        return str(unicodedata.digit(char))
    base = unicodedata.normalize("NFD", char)[0]
    if base != char and unicodedata.name(base, "").startswith(("LATIN", "GREEK")):
        char = base
    return _LETTERS.get(char, char)


class CharTable(dict[int, str]):
    """A table for `str.translate` that is filled as characters turn up."""

    def __init__(self, rule: Callable[[str], str]) -> None:
        super().__init__()
        self._rule = rule

    def __missing__(self, code: int) -> str:
        value = self[code] = self._rule(chr(code))
        return value


KIND = CharTable(kind_of)
"""`text.translate(KIND)` gives the kinds of a text, character by character."""

FOLD = CharTable(fold)
"""`text.translate(FOLD)` folds a text that is in NFKC and casefolded."""
