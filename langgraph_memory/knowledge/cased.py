"""Finds names by their capital letters, in every script that has some: Latin, Cyrillic, Greek, Armenian.

A capital inside a sentence says a lot, at its beginning nothing. So a sentence's first word counts only with evidence:
it stands inside a sentence elsewhere in the text, or what a person does follows it, or its possessive, a comma, or
another name joined by "and". German writes every noun with a capital; there a single word counts only after a title or
a preposition without an article. Headings and shouting say nothing at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from langgraph_memory.knowledge import words
from langgraph_memory.knowledge.spans import Span

CASED = "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0300-\u036f\u0370-\u058f\u1e00-\u1fff"
"""The letters of the cased scripts, for use inside a character class."""

LONGEST_NAME = 8
"""Words of one name; a longer row of capitals is a heading or a list."""

_TOKEN = re.compile(rf"[{CASED}][{CASED}0-9]*(?:['’‐-][{CASED}0-9]+)*|[0-9]+(?:\.[0-9]+)*")
_BREAK = re.compile(r"[.!?…。！？\n\r\u2028\u2029•·\"“”«»„]")
_POSSESSIVE = re.compile(r"['’]s?$", re.IGNORECASE)
_JOINERS = frozenset({" ", "  ", "\u00a0", " & "})
_EXCLAIMED = re.compile(r"(.)\1\1|^[ah]+$|^[bcdfghj-np-tv-xz]{2,}$")  # "sooo", "haha", "hmm": no names
_HEADING = re.compile(
    r"^[ \t]{0,20}(?:#{1,6}[ \t].*|(?:(?:[-*+•]|\d{1,3}[.)])[ \t]{1,8})?(?:\*\*|__)[^*\n]{1,200}(?:\*\*|__))",
    re.MULTILINE,
)
_CONTRACTED = re.compile(r"['’](?:ve|re|ll|d|m)$")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d$")
_GERMAN_LEAD = 2  # function words by which German must lead over English and others


@dataclass(slots=True)
class _Word:
    start: int
    end: int
    text: str
    folded: str
    gap: str  # what stands between the word before and this one
    initial: bool = False  # begins a sentence
    silent: bool = False  # its sentence is a heading or shouted: capitals say nothing

    @property
    def is_number(self) -> bool:
        return self.text[0].isdigit()

    @property
    def is_capital(self) -> bool:
        return self.text[0].isupper() or self.is_mixed

    @property
    def is_mixed(self) -> bool:
        """`iPhone`, `eBay`, `LangGraph`."""
        return any(map(str.isupper, self.text[1:])) and not self.text.isupper()

    @property
    def is_all_capitals(self) -> bool:
        return len(self.text) > 1 and self.text.isupper()


def cased_names(text: str) -> list[Span]:
    """Return the capitalised names of a text; linear in its length."""
    found = _words_of(text)
    if not any(word.is_capital for word in found):
        return []
    return _Reader(text, found).names()


class _Reader:
    """Reads the words of one text from left to right."""

    def __init__(self, text: str, found: list[_Word]) -> None:
        self.text = text
        self.found = found
        lower = [word.folded for word in found if not word.is_capital]
        self.lower = set(lower)
        english, german, other = (
            sum(word in some for word in lower)
            for some in (words.ENGLISH_FUNCTION, words.GERMAN_FUNCTION, words.FOREIGN_FUNCTION)
        )
        self.is_german = german >= _GERMAN_LEAD and german > english and german > other
        self.is_english = english >= other and not self.is_german

    def names(self) -> list[Span]:
        certain: list[tuple[int, int]] = []
        doubtful: list[tuple[int, int]] = []
        at = 0
        while at < len(self.found):
            until = self._until(at)
            if until > at:
                first = at if at == 0 or self.found[at - 1].folded not in words.TITLES else at - 1
                single = until - at == 1
                (doubtful if single and self.found[first].initial and first == at else certain).append((at, until))
            at = max(until, at + 1)
        known = {self.found[start].folded for start, until in certain if until - start == 1}
        certain += [span for span in doubtful if self._is_evident(span[0], known)]
        return [self._span(start, until) for start, until in sorted(certain)]

    def _until(self, at: int) -> int:
        """Return where the name that begins at this word ends; `at` itself where none begins."""
        if not self._may_begin(at):
            return at
        until = at + 1
        while until < len(self.found) and until - at < LONGEST_NAME and not _has_possessive(self.found[until - 1]):
            step = self._step(until)
            if not step:
                break
            until += step
        if until - at == 1:
            return until if self._may_stand_alone(at) else at
        meant = [w for w in self.found[at:until] if w.is_capital]
        if all(w.folded in words.COMMON or w.folded in words.LEADING_ARTICLES for w in meant):
            return at
        return until if not self.is_german or self._may_be_german(at, until) else at

    def _step(self, at: int) -> int:
        """Return how many words carry the name on from here: a capital, a number, or connectors and a capital."""
        word = self.found[at]
        before = self.found[at - 1]
        if word.silent or word.initial:
            return 0
        if word.is_number:
            fits = word.gap == " " and len(word.text) <= 6 and not _YEAR.match(word.text)
            return int(fits and (before.is_mixed or before.folded in words.PRODUCTS))
        if word.gap not in _JOINERS and not (word.gap in (". ", ".") and _is_abbreviation(before)):
            return 0
        if word.is_capital:
            return int(word.folded not in _NEVER)
        if word.folded not in words.CONNECTORS or before.folded in words.CAPITALS:
            return 0
        for ahead in range(1, 3):
            if at + ahead >= len(self.found):
                return 0
            following = self.found[at + ahead]
            if following.gap != " " or following.is_number:
                return 0
            if following.is_capital:
                return 0 if following.folded in _NEVER or following.silent else ahead + 1
            if following.folded not in words.INNER_ARTICLES | words.CONNECTORS:
                return 0
        return 0

    def _may_begin(self, at: int) -> bool:
        word = self.found[at]
        if word.is_number or not word.is_capital or word.silent:
            return False
        folded = _POSSESSIVE.sub("", word.folded)
        if folded in _NEVER or folded in words.TITLES:
            return False
        following = self.found[at + 1] if at + 1 < len(self.found) else None
        goes_on = following is not None and following.is_capital and following.gap == " " and not following.silent
        if folded in words.LEADING_ARTICLES:
            return goes_on and (not word.initial or (self.is_english and folded != "the"))
        if word.initial:
            return not self._is_common(word, folded)
        return goes_on or not self._is_common(word, folded, emphasis=True)

    def _is_common(self, word: _Word, folded: str, *, emphasis: bool = False) -> bool:
        """Say whether a capital means nothing here: a common word, or one that the text also writes small."""
        if word.is_mixed:
            return False
        if folded in words.COMMON or folded in self.lower or _CONTRACTED.search(folded):
            return True
        if not word.is_all_capitals and _EXCLAIMED.search(folded):
            return True
        if emphasis:
            return False
        if folded in words.FOREIGN_COMMON:
            return True
        ending = len(folded) > 5 and folded.endswith(words.COMMON_ENDINGS)
        return ending and folded not in words.NAMES_IN_LY

    def _may_stand_alone(self, at: int) -> bool:
        word = self.found[at]
        folded = _POSSESSIVE.sub("", word.folded)
        if len(folded) < 2:
            return False
        if word.is_all_capitals:
            return folded not in words.CAPITALS
        before = self.found[at - 1] if at else None
        if (
            before is not None
            and before.folded in words.TITLES
            and before.text[0].isupper()
            and word.gap in (" ", ". ")
        ):
            return True
        if self._is_common(word, folded, emphasis=not word.initial):
            return False
        if self.is_german and not word.initial and not word.is_mixed:
            called = before is not None and before.folded in words.GERMAN_BEFORE_NAMES and word.gap == " "
            return called and not _is_german_noun(folded)
        return True

    def _may_be_german(self, at: int, until: int) -> bool:
        before = self.found[at - 1] if at else None
        if before is not None and before.folded in words.GERMAN_DETERMINERS and not self.found[at].initial:
            return False
        meant = [w.folded for w in self.found[at:until] if w.is_capital]
        return not any(map(_is_german_noun, meant))

    def _is_evident(self, at: int, known: set[str]) -> bool:
        """Say whether a sentence's first word is a name after all."""
        word = self.found[at]
        folded = _POSSESSIVE.sub("", word.folded)
        if word.is_mixed or word.is_all_capitals or folded in known:
            return True
        if self.is_german and _is_german_noun(folded):
            return False
        following = self.found[at + 1] if at + 1 < len(self.found) else None
        if _has_possessive(word) and folded != word.folded:
            return following is not None and not following.initial
        if self.text.startswith(",", word.end) and following is not None:
            return following.folded in ("who", "whose") or (
                following.is_capital and not self._is_common(following, following.folded)
            )
        if following is None or following.gap != " ":
            return False
        plural = folded.endswith("s") and not folded.endswith(("ss", "us", "is", "os", "as"))
        if following.folded in ("and", "or", "und", "y", "et", "и") and at + 2 < len(self.found):
            other = self.found[at + 2]
            return not plural and other.is_capital and not self._is_common(other, other.folded)
        if following.folded not in words.SUBJECT_VERBS:
            return not plural and self.is_english and self._looks_like_verb(at + 1)
        return not plural or following.folded in ("is", "was", "has", "does", "isn't", "wasn't", "hasn't", "doesn't")

    def _looks_like_verb(self, at: int) -> bool:
        """Say whether an English word ends like a verb, and what follows does not make it a plural."""
        word = self.found[at]
        if word.is_capital or len(word.folded) < 4:
            return False
        if word.folded.endswith("ed"):
            return True
        following = self.found[at + 1] if at + 1 < len(self.found) else None
        is_last = following is None or following.initial
        ending = word.folded.endswith("s") and not word.folded.endswith(("ss", "us", "this"))
        return ending and (is_last or (following is not None and following.folded not in words.AFTER_PLURALS))

    def _span(self, start: int, until: int) -> Span:
        first, last = self.found[start], self.found[until - 1]
        end = first.start + len(_POSSESSIVE.sub("", self.text[first.start : last.end]))
        return Span(first.start, end, " ".join(self.text[first.start : end].split()), "PROPER")


_NEVER = words.CALENDAR | words.PERSONS


def _has_possessive(word: _Word) -> bool:
    return word.folded.endswith(("'s", "’s"))


def _is_abbreviation(word: _Word) -> bool:
    return len(word.text) == 1 or word.folded in words.TITLES or word.folded in ("st", "mt", "ft", "jr")


def _is_german_noun(folded: str) -> bool:
    return folded in words.GERMAN_NOUNS or (len(folded) > 5 and folded.endswith(words.GERMAN_NOUN_ENDINGS))


def _words_of(text: str) -> list[_Word]:
    found: list[_Word] = []
    headings = _HEADING.finditer(text)
    heading = next(headings, None)
    end = 0
    for match in _TOKEN.finditer(text):
        gap = text[end : match.start()]
        word = _Word(match.start(), match.end(), match[0], match[0].casefold(), gap if len(gap) < 4 else gap[:4])
        word.initial = _begins(gap, found[-1] if found else None)
        while heading is not None and heading.end() <= word.start:
            heading = next(headings, None)
        word.silent = heading is not None and heading.start() <= word.start
        found.append(word)
        end = match.end()
    for sentence in _sentences(found):
        if _says_nothing(sentence):
            for word in sentence:
                word.silent = True
    return found


def _begins(gap: str, before: _Word | None) -> bool:
    """Say whether a sentence begins behind this gap; letters of an uncased script in it are words of the sentence."""
    if before is not None:
        if not _BREAK.search(gap):
            return False
        if gap in (". ", ".") and _is_abbreviation(before) and before.text[0].isupper():
            return False
    return not any(map(str.isalpha, _BREAK.split(gap)[-1]))


def _sentences(found: Sequence[_Word]) -> Iterator[Sequence[_Word]]:
    start = 0
    for at in range(1, len(found) + 1):
        if at == len(found) or found[at].initial:
            yield found[start:at]
            start = at


def _says_nothing(sentence: Sequence[_Word]) -> bool:
    """Say whether a sentence is a heading in title case or is shouted."""
    spoken = [word for word in sentence if not word.is_number]
    if len(spoken) < 4 or any(any(map(str.isalpha, word.gap)) for word in sentence):  # Latin names in Chinese
        return False
    if sum(word.is_all_capitals for word in spoken) > 0.6 * len(spoken):
        return True
    capitals = sum(word.is_capital for word in spoken)
    return len(spoken) >= 5 and capitals >= 0.8 * len(spoken) and not any("," in word.gap for word in spoken)
