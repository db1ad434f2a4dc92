"""Two texts that a reader would call the same get the same hash.

`normalise` decides what "the same" means, `content_hash` turns it into a key, and `clean` makes any string storable.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from langgraph_memory.text.characters import JOINERS, CharTable, is_invisible

_TAGS = "\U000e0020-\U000e007f"  # the letters of flags such as Scotland's: they keep two flags apart
_BLANKS = "\u2800\u1160\u115f\u3164\uffa0"  # letters and symbols that draw nothing
_ENDINGS = ".!…。।॥۔։።။។" + JOINERS + " "
"""Sentence ends that do not change what is said. A question mark does, so it stays."""

_SPACES = re.compile(r"\s+")
_LOOSE_JOINERS = re.compile(rf"(?:^|(?<=\s))[{JOINERS}]+|[{JOINERS}]+(?=\s|$)")
_LOOSE_TAGS = re.compile(rf"(?<![\U0001f3f4{_TAGS}])[{_TAGS}]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


def _visible(char: str) -> str:
    if char in _BLANKS:
        return " "
    if char in JOINERS or "\U000e0020" <= char <= "\U000e007f":
        return char
    return "" if is_invisible(char) else char


_VISIBLE = CharTable(_visible)


def clean(text: str) -> str:
    """Return the text with what SQLite and PostgreSQL refuse replaced by something that can be seen.

    A NUL becomes U+2400 (␀). A surrogate pair left by a broken decoder becomes the character it meant; half a pair
    becomes U+FFFD (�). Everything else is kept exactly; most texts come back as the same object.
    """
    if "\0" in text:
        text = text.replace("\0", "\u2400")
    if not text.isascii() and _SURROGATE.search(text):
        joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        text = _SURROGATE.sub("\ufffd", joined)
    return text


def clean_all(value: Any) -> Any:
    """Return a JSON value with every text in it cleaned, those of its keys too."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(key) if isinstance(key, str) else key: clean_all(part) for key, part in value.items()}
    return [clean_all(part) for part in value] if isinstance(value, list | tuple) else value


def normalise(text: str) -> str:
    """Return the text in the form in which equality is judged.

    `clean`, then NFKC and case folding (Unicode Standard, section 3.13), without invisible characters, with every run
    of white space as one space and without the full stop or exclamation mark at the end. ZWJ and ZWNJ stay inside
    words and emoji. The result is empty only where nothing in the text can be seen.
    """
    text = clean(text)
    if not text.isascii():
        text = _fold_case(text.translate(_VISIBLE)).translate(_VISIBLE)
        text = _LOOSE_JOINERS.sub("", _LOOSE_TAGS.sub("", text))
    else:
        text = text.lower().translate(_VISIBLE)
    text = _SPACES.sub(" ", text).strip()
    return text.rstrip(_ENDINGS) or text


def content_hash(text: str) -> str:
    """Return the md5 of the normalised text as 32 hex digits: the key of exact duplicates, not a seal."""
    return hashlib.md5(normalise(text).encode("utf-8"), usedforsecurity=False).hexdigest()


def _fold_case(text: str) -> str:
    # Folding can undo composition and composition can undo folding, so it is repeated until nothing moves (twice).
    while True:
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
        if folded == text:
            return text
        text = folded
