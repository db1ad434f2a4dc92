"""Says which of the two bundled models reads a text better: the English one or the multilingual one.

A fixed rule over scripts, function words and a word list, so that one text always goes to one model.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Set
from enum import Enum

MAX_CHARS = 2_000
"""Characters of a text that are read; about twice the 256 tokens at which the English model stops."""

_KNOWN_SHARE = 0.75
"""Share of words an English word list must know where function words do not decide.

Measured on 2,000 WordNet examples (0.3 % of them not taken as English) and 180 French, Spanish and German sentences
(2 % taken as English); any value from .6 to .9 does about as well.
"""

_LATIN = r"A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1e00-\u1eff"
_IDEOGRAPHS = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_THAI = r"\u0e00-\u0e7f"
_CYRILLIC_ARABIC = r"\u0400-\u052f\u0600-\u06ff\u0750-\u077f"
_latin_words = re.compile(rf"[{_LATIN}]+")
_ideographs = re.compile(rf"[{_IDEOGRAPHS}]")
_thai = re.compile(rf"[{_THAI}]")
_cyrillic_arabic_words = re.compile(rf"[{_CYRILLIC_ARABIC}]+")
_other_words = re.compile(rf"[^\W\d_{_LATIN}{_IDEOGRAPHS}{_THAI}{_CYRILLIC_ARABIC}]+")
_unreadable = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b\u2060\ud800-\udfff\ufeff]+")

# Words that English and a neighbour write alike (in, an, am, as, was, me, no, do, on, die) decide nothing: left out.
_ENGLISH_WORDS = """
    the of and to is i you it that for with he she they we my his her their our your be are have has had does did not
    this at from by but what when where who which how why will would can could should about him them there been were if
    or so just its don didn isn ll ve re
"""
_FOREIGN_WORDS = """
    le la les de des du un une et est à au aux en pour qui que dans sur avec ne pas je tu il elle nous vous ils mon ma
    mes son sa ses quel quelle quels où quand comment l j qu el los las y es por con para se lo su mi cuál qué quién
    cuándo dónde cómo der das und ist ich du er sie wir ein eine einen einem mit auf zu im den dem nicht von für wo wann
    wer wie welche welcher welches ihr sind o os da dos um uma não com il gli che di per non sono è het een van ik niet
    och att jag inte har som på är og jeg ikke
"""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_FOREIGN = frozenset(_FOREIGN_WORDS.split())


class Reader(Enum):
    """A bundled model, named by what it reads."""

    ENGLISH = "english"
    MULTILINGUAL = "multilingual"


def readable(text: str) -> str:
    """Return the part of `text` that a model sees: `MAX_CHARS` characters, composed, no control characters.

    Lone surrogates and control characters become spaces, because tokenizers refuse them; a blank text gives "".
    """
    head = _unreadable.sub(" ", text.strip()[:MAX_CHARS])
    return unicodedata.normalize("NFC", head).strip()


def reader_for(text: str, english_words: Set[str]) -> Reader:
    """Return the model for `text`, which may carry a header such as `Alice (2026-05-01): `.

    Args:
        text: as returned by `readable`.
        english_words: lower-case words that an English reader knows.

    Returns:
        `MULTILINGUAL` for text mostly in its scripts (Han, kana, Hangul, Thai, Cyrillic, Arabic) and for Latin text
        that is not English; `ENGLISH` for the rest, including scripts neither model was trained on, which the
        English tokenizer at least spells letter by letter.
    """
    words = [word.lower() for word in _latin_words.findall(text)]
    # Scripts without spaces: about two ideographs, or four Thai letters, carry what one spaced word does.
    theirs = (
        len(_ideographs.findall(text)) / 2 + len(_thai.findall(text)) / 4 + len(_cyrillic_arabic_words.findall(text))
    )
    unknown_script = len(_other_words.findall(text))
    # Half, not all: Chinese engineers write half their nouns in Latin letters, and headers add names.
    if theirs and theirs >= max(len(words) / 2, unknown_script):
        return Reader.MULTILINGUAL
    if unknown_script > len(words) or not words or _looks_english(words, english_words):
        return Reader.ENGLISH
    return Reader.MULTILINGUAL


def _looks_english(words: list[str], english_words: Set[str]) -> bool:
    english = sum(word in _ENGLISH for word in words)
    foreign = sum(word in _FOREIGN or not word.isascii() for word in words)
    if english != foreign:
        return english > foreign
    return sum(word in english_words for word in words) >= _KNOWN_SHARE * len(words)
