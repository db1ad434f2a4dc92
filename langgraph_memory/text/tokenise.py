"""Cuts text of any script into search terms, the same way for what is stored and for what is asked.

Scripts that put spaces between words give words, brought to their stem (see `stems`). Scripts that do not (Chinese,
Japanese, Korean, Thai, Lao, Khmer, Myanmar) give single characters and pairs of neighbours. An emoji is a term of its
own. No term holds white space or a quote or is long, so terms can be joined by spaces, quoted for FTS5 or stored as
`tsvector` lexemes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from itertools import pairwise

from langgraph_memory.text.characters import FOLD, KIND, MARK, UNSPACED
from langgraph_memory.text.phrases import telling_parts
from langgraph_memory.text.stems import stem
from langgraph_memory.text.stopwords import ASKING_BIGRAMS, ASKING_WORDS, FUNCTION_CHARACTERS, STOP_WORDS

MAX_WORD = 64
"""Characters of a word. What is longer (base64, hashes) becomes several; PostgreSQL refuses lexemes over 2 kB."""

_RULES = 3  # raise it when the same text gives other terms than before


# C++, C#, F#, g++, A+: a sign after one or two letters belongs to the name. After more (Disney+, notepad++) or after
# digits (50+) it is left out, so that the bare word finds it.
def _named(letter: str, alnum: str) -> str:
    return rf"[{letter}]{{1,2}}(?:\+\+(?![{letter}+#])|#(?![{alnum}+#]))|[{letter}]\+(?![{alnum}+#])"


_ASCII_WORD = re.compile(rf"{_named('a-z', 'a-z0-9')}|[a-z0-9]{{1,{MAX_WORD}}}")
# The other two run over a text's kinds (see `characters`), one character each.
_PIECE = re.compile(rf"c[cm]*|{_named('l', 'ld')}|[ld][ldm]{{0,{MAX_WORD - 1}}}|rr|[re]")
_WRITTEN_PIECE = re.compile(rf"c[cmz]*|{_named('l', 'ld')}|[ld][ldmz]*|(?:rr|[re])[zme]*")
_CLUSTER = re.compile("cm{0,8}")
# Caroline's -> caroline, we'll -> we. The rest of an apostrophe splits: o'clock -> o, clock.
_CLITIC = re.compile(r"(?<=[^\W_])['’](?:s|re|ve|ll|d|m)(?![^\W_])", re.IGNORECASE)
# 100% is one hundred percent, which a bare 100 is not; no percent is the sign in %20 of an address, or alone.
_PERCENT = re.compile(r"(?<=\d) ?%(?![0-9a-f]{2})")
_PERSIAN_ZWNJ = re.compile("(?<=[\u0600-\u06ff])\u200c")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The terms of a text, with repetitions, in order of appearance.

    Attributes:
        words: stemmed words of spaced scripts, numbers and emoji.
        unigrams: characters of unspaced scripts, each with its marks.
        bigrams: neighbouring pairs of those characters.
    """

    words: tuple[str, ...]
    unigrams: tuple[str, ...]
    bigrams: tuple[str, ...]


@cache
def tokeniser_version() -> str:
    """Return what an index of terms depends on; an index made under another version is to be rebuilt."""
    return f"{_RULES}/snowball-{version('snowballstemmer')}"


def tokenise(text: str) -> Tokens:
    """Cut a text into terms. Any string is accepted, lone surrogates included."""
    words: list[str] = []
    unigrams: list[str] = []
    bigrams: list[str] = []
    for piece in _pieces(text):
        if isinstance(piece, str):
            words.append(stem(piece))
        else:
            unigrams += piece
            bigrams += _pairs(piece)
    return Tokens(tuple(words), tuple(unigrams), tuple(bigrams))


def index_terms(text: str) -> list[str]:
    """Return every term to index, as often as it occurs: words, then single characters, then pairs."""
    if text.isascii():
        return [stem(word) for word in _ascii_words(text)]
    tokens = tokenise(text)
    return [*tokens.words, *tokens.unigrams, *tokens.bigrams]


def query_terms(text: str) -> list[str]:
    """Return the distinct terms to search with, in order of appearance.

    Stop words, question words and lone function characters are left out, unless nothing else is left. A run of an
    unspaced script is asked for by its pairs; by its character where it is a single one. Empty where the text holds
    nothing that is indexed, such as `*` or `""`.
    """
    strong: dict[str, None] = {}
    every: dict[str, None] = {}
    for piece in _pieces(text):
        if isinstance(piece, str):
            terms, weak = [stem(piece)], piece in STOP_WORDS
        elif len(piece) == 1:
            terms, weak = piece, piece[0] in FUNCTION_CHARACTERS
        else:
            terms, weak = _pairs(piece), False
        every.update(dict.fromkeys(terms))
        if not weak:
            strong.update(dict.fromkeys(term for term in terms if term not in ASKING_BIGRAMS))
    return list(strong or every)


def content_words(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the telling words of a question as written, each with the terms that would find it.

    For the report of what was asked and not found. Stop words, question words and the words of asking (`tell me`)
    are left out; unspaced scripts give the stretches between their question words (see `phrases`).

    Returns:
        pairs of the word as the user wrote it and its terms, each set of terms once; empty where nothing tells.
    """
    found: dict[tuple[str, ...], str] = {}
    for surface in written_words(text):
        folded = surface.casefold()
        if folded in STOP_WORDS or folded in ASKING_WORDS:
            continue
        for part in telling_parts(surface) if KIND[ord(surface[0])] == UNSPACED else [surface]:
            terms = _terms_of(part)
            if terms and not (len(part) == 1 and part in FUNCTION_CHARACTERS):
                found.setdefault(terms, part)
    return [(surface, terms) for terms, surface in found.items()]


def written_words(text: str) -> list[str]:
    """Return the words of a text as written, and the runs of unspaced scripts, in order."""
    text = _CLITIC.sub(" ", _unshorten(text))
    return [text[match.start() : match.end()] for match in _WRITTEN_PIECE.finditer(text.translate(KIND))]


@lru_cache(maxsize=1 << 14)
def _terms_of(word: str) -> tuple[str, ...]:
    return tuple(query_terms(word))


def _pieces(text: str) -> Iterable[str | list[str]]:
    """Return the words (not yet stemmed) and the runs (as lists of characters) of a text, in order."""
    if text.isascii():
        return _ascii_words(text)
    text = text.replace("™", " ").replace("℠", " ")  # NFKC would glue "tm" to the name
    text = unicodedata.normalize("NFKC", text).casefold()
    if "\u200c" in text:
        text = _PERSIAN_ZWNJ.sub(" ", text)
    text = _shorten(text.translate(FOLD))
    kinds = text.translate(KIND)
    pieces: list[str | list[str]] = []
    for match in _PIECE.finditer(kinds):
        start, end = match.span()
        if kinds[start] != UNSPACED:
            pieces.append(text[start:end])
        elif MARK in match[0]:
            pieces.append([text[start + at.start() : start + at.end()] for at in _CLUSTER.finditer(match[0])])
        else:
            pieces.append(list(text[start:end]))
    return pieces


def _ascii_words(text: str) -> list[str]:
    return _ASCII_WORD.findall(_shorten(text.lower()))


def _shorten(text: str) -> str:
    if "%" in text:
        text = _PERCENT.sub(" percent ", text)
    return _CLITIC.sub(" ", _unshorten(text)) if "'" in text else text


def _unshorten(text: str) -> str:
    # don't is do not; can't and won't hide the verb.
    if "n't" not in text:
        return text
    return text.replace("can't", "can not").replace("won't", "will not").replace("n't", " not")


def _pairs(run: list[str]) -> list[str]:
    return [left + right for left, right in pairwise(run)]
