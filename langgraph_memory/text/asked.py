"""Tells what a question is about from how it asks, in the language it is asked in.

Which language that is, its function words say: the one that has most of them. A word is left out only as a function
word of that language, so `war` is one in "Wo war Anna?" and none in "When did the war end?".
"""

from __future__ import annotations

from langgraph_memory.text.function_words import CONTENT_IN_ENGLISH, FUNCTION_WORDS, LATIN, folded
from langgraph_memory.text.stopwords import STOP_WORDS
from langgraph_memory.text.tokenise import content_words, written_words

_ZWNJ = "\u200c"


def asked_words(question: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the words that say what a question is about, as written, each with the terms that would find it.

    Args:
        question: in any language; without function words of those in `FUNCTION_WORDS`, all of its words count.

    Returns:
        what `content_words` returns, without the question's function words; of a Persian word with parts (`خانه‌اش`)
        the telling ones.
    """
    function = _function_words(question)
    found: dict[tuple[str, ...], str] = {}
    for surface, terms in content_words(question):
        if _ZWNJ in surface:
            telling = [part for part in surface.split(_ZWNJ) if part and folded(part) not in function]
            terms = tuple(term for part in telling for _, terms in content_words(part) for term in terms)
        elif folded(surface) in function:
            continue
        if terms:
            found.setdefault(terms, surface)
    return [(surface, terms) for terms, surface in found.items()]


def _function_words(question: str) -> frozenset[str]:
    """Return the function words of the languages that the question may be in, one script at a time."""
    words = [folded(part) for word in written_words(question) for part in word.split(_ZWNJ)]
    written = frozenset(words)
    chosen: set[str] = set()
    for script, languages in FUNCTION_WORDS.items():
        counts = {language: len(written & listed) for language, listed in languages.items()}
        if script == LATIN:
            # One doubtful word alone makes a language only where it opens a question: Dove vive Anna?
            opens = words[0] if words and "?" in question else ""
            sure = {opens} | (written - CONTENT_IN_ENGLISH)
            counts = {language: count for language, count in counts.items() if languages[language] & sure}
        most = max(counts.values(), default=0)
        # English, whose words are left out anyway, wins where it says as much: Did Bob die?
        if most > (len(written & STOP_WORDS) if script == LATIN else 0):
            chosen.update(*(languages[language] for language, count in counts.items() if count == most))
    return frozenset(chosen)
