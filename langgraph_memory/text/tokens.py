"""A deterministic estimate of how many model tokens a text takes, made to err on the high side."""

from __future__ import annotations

import re
import unicodedata

from langgraph_memory.text.characters import (
    EMOJI,
    JOINERS,
    LETTER,
    MARK,
    REGIONAL,
    UNSPACED,
    CharTable,
    is_extender,
    kind_of,
)

ELLIPSIS = " …"
"""What `clip` puts where it cut."""

_UNITS = 8  # of which a token is made, so that all sums are whole numbers
_CHARS_PER_TOKEN = 8  # the cheapest text is blanks: 1/8 token each

_BLANKS = " \t\r\f\v"
_CLASSES = "".join(
    " " if char in _BLANKS else "a" if char.isalpha() else "0" if char.isdigit() else "x"
    for char in map(chr, range(128))
)
_RUNS = ("aaaa", "aaa", "aa", "a", "00", "0")  # of ASCII, each one token, as is an x; replacing is faster than matching
_BEYOND = re.compile(r"[^\x00-\x7f]+")
_MAX_WORD = 48  # a longer word is cut in the middle


def _cost(char: str) -> int:
    """Return the units of one character beyond ASCII."""
    code, kind = ord(char), kind_of(char)
    if char.isspace():
        return _UNITS if char in "\x85\u2028\u2029" else 1
    if kind in (EMOJI, REGIONAL) or unicodedata.category(char) in ("Cs", "Cn"):
        return 2 * _UNITS
    if kind == UNSPACED:
        return _UNITS if code < 0x20000 else 3 * _UNITS
    return _UNITS // 2 if kind in (LETTER, MARK) else _UNITS


_COSTS = CharTable(lambda char: chr(_cost(char)))


def estimate_tokens(text: str) -> int:
    """Return the estimated number of tokens: 0 for the empty text, else at least 1.

    The rule, an upper-leaning reading of today's byte-pair vocabularies for lack of a common one: a run of ASCII
    letters takes one token for each 4 begun, a run of digits one for each 2 begun, every other ASCII sign and every
    line break one, a blank 1/8; a Chinese, Japanese, Korean or Thai character takes 1 (3 outside the basic plane), a
    letter or mark of another script 1/2, an emoji 2, anything else 1. The sum is rounded up.

    Joining texts never takes fewer tokens than one of them and never more than their sum.
    """
    if not text:
        return 0
    units = 0
    if not text.isascii():
        units = sum(map(ord, "".join(_BEYOND.findall(text)).translate(_COSTS)))
        text = _BEYOND.sub("\x80", text)  # what it parts stays apart
    plain = text.translate(_CLASSES)
    for run in _RUNS:
        plain = plain.replace(run, "x")
    units += _UNITS * plain.count("x") + plain.count(" ")
    return max(1, -(-units // _UNITS))


_MOST_A_CHARACTER = 3


def clip(text: str, tokens: int) -> str:
    """Return the text, or its longest beginning that fits and " …", within so many estimated tokens.

    It cuts between words, inside a word only where the word is very long, and never inside what a reader sees as one
    character (combining marks, emoji sequences, flags, conjuncts). Empty where not even `…` fits.

    Args:
        text: any text.
        tokens: the budget, in tokens of `estimate_tokens`.
    """
    if tokens <= 0:
        return ""
    if _MOST_A_CHARACTER * len(text) <= tokens:
        return text
    head = text[: _CHARS_PER_TOKEN * tokens + 1]
    if len(head) == len(text) and estimate_tokens(text) <= tokens:
        return text
    low, high = 0, len(head)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(head[:middle] + ELLIPSIS) <= tokens:
            low = middle
        else:
            high = middle - 1
    kept = text[: _boundary(text, low)].rstrip()
    return kept + ELLIPSIS if kept else ELLIPSIS.strip()


def _boundary(text: str, place: int) -> int:
    """Return the last place up to `place` where a cut splits no word, or failing that no visible character."""
    at = place
    while at > 0 and place - at < _MAX_WORD and _inside_word(text, at):
        at -= 1
    if at == 0 or _inside_word(text, at):
        at = place
    while at > 0 and _inside_character(text, at):
        at -= 1
    return at


def _inside_word(text: str, at: int) -> bool:
    if at >= len(text):
        return False
    return _inside_character(text, at) or (_spells(text[at - 1]) and _spells(text[at]))


def _spells(char: str) -> bool:
    return kind_of(char) in "ldmz+#" or char in "'’-_"


def _inside_character(text: str, at: int) -> bool:
    """Say whether a cut before `text[at]` splits a user-perceived character (UAX 29, the rules that matter here)."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if is_extender(after) or after in "\u0e33\u0eb3" or before in JOINERS or before + after == "\r\n":
        return True
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return True
    if unicodedata.combining(before) == 9 and after.isalpha():  # virama: the next consonant joins it
        return True
    if "\u1100" <= before <= "\u11ff" and "\u1160" <= after <= "\u11ff":  # decomposed Hangul
        return True
    if kind_of(before) == REGIONAL and kind_of(after) == REGIONAL:
        flags = at
        while flags > 0 and kind_of(text[flags - 1]) == REGIONAL:
            flags -= 1
        return (at - flags) % 2 == 1
    return False
