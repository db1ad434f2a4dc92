"""Gaps say what was asked and not found, so that an agent does not take silence for a no."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache

from langgraph_memory.records import Gap
from langgraph_memory.text.tokenise import query_terms
from langgraph_memory.text.verbs import IRREGULAR_VERBS, LIGHT_VERBS

_MOST_PAIRS = 0.7


def find_gaps(query: str, words: Sequence[tuple[str, tuple[str, ...]]], found_terms: Collection[str]) -> list[Gap]:
    """Return the telling words of the question that nothing recalled mentions, in whatever form.

    Everyday verbs (`go`, `get`, `say`) are none: what is asked for is what they are about.

    Args:
        query: the question, reported whole where nothing at all was found.
        words: its telling words with their terms (`text.asked.asked_words`).
        found_terms: every term of the recalled lines; empty where there is no line.
    """
    if not found_terms:
        return [Gap(query, "nothing in this memory is related to it")]
    known = set(found_terms)
    return [
        Gap(surface, "no recalled line mentions it")
        for surface, terms in words
        if surface.casefold() not in LIGHT_VERBS and not _mentioned(terms, known)
    ]


def _mentioned(terms: Sequence[str], known: Collection[str]) -> bool:
    if all(_is_letter_pair(term) for term in terms):
        # Two neighbouring letters say little: most of a word's pairs must be there.
        return sum(term in known for term in terms) >= _MOST_PAIRS * len(terms)
    return not _forms_of(terms).isdisjoint(known)


def _is_letter_pair(term: str) -> bool:
    """Say whether the term is of an alphabet written without blanks: Thai, Lao, Myanmar, Khmer."""
    return "\u0e00" <= term[0] <= "\u109f" or "\u1780" <= term[0] <= "\u17ff"


def _forms_of(terms: Sequence[str]) -> set[str]:
    forms = _irregular_forms()
    return {form for term in terms for form in forms.get(term, (term,))}


@cache
def _irregular_forms() -> Mapping[str, frozenset[str]]:
    """Return for each stem of an irregular verb the stems of all its forms."""
    found: dict[str, frozenset[str]] = {}
    for verb in IRREGULAR_VERBS:
        stems = frozenset(term for form in verb for term in query_terms(form))
        for stem in stems:
            found[stem] = found.get(stem, frozenset()) | stems
    return found
