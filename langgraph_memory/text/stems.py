"""Brings the forms of a word to one stem, by the script it is written in.

Each script gets one Snowball stemmer (snowballstem.org): that of the language most written in it. Words of its other
languages are cut by the same rules on both sides of a search, so they still find themselves. Hebrew, for which
Snowball has none, loses the letters that are written together with the next word.
"""

from __future__ import annotations

import re
import threading
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

_SCRIPTS = (
    ("a", "z", "english"),
    ("\u0370", "\u03ff", "greek"),
    ("\u0400", "\u052f", "russian"),
    ("\u0530", "\u058f", "armenian"),
    ("\u0600", "\u06ff", "arabic"),
    ("\u0900", "\u097f", "hindi"),
    ("\u0b80", "\u0bff", "tamil"),
)
"""The first and last character of each script, and its stemmer."""

_NO_WORD = re.compile(r"[\d+#]")
# And, the, in, to, from, that, as. Three letters, the shortest root, always stay.
_HEBREW_PREFIXES = re.compile("^[והבלמשכ]+(?=[א-ת]{3})")

_lock = threading.Lock()  # a stemmer keeps its work in itself


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the stem of a folded word; what holds a digit, and words of other scripts, stay as they are."""
    if _NO_WORD.search(word):
        return word
    first = word[0]
    if "א" <= first <= "ת":
        return _HEBREW_PREFIXES.sub("", word)
    language = next((name for low, high, name in _SCRIPTS if low <= first <= high), None)
    if language is None or (language == "english" and not word.isascii()):
        return word
    with _lock:
        return _stemmer(language).stemWord(word) or word


@cache
def _stemmer(language: str) -> Any:
    # By its class: the library's own chooser takes PyStemmer where that is installed, whose rules may be others.
    module = import_module(f"snowballstemmer.{language}_stemmer")
    return getattr(module, f"{language.capitalize()}Stemmer")()
