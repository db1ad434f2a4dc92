"""Gaps say what was asked and not found, so that an agent does not take silence for a no."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from langgraph_memory.records import Gap


def find_gaps(query: str, words: Sequence[tuple[str, tuple[str, ...]]], found_terms: Collection[str]) -> list[Gap]:
    """Return the telling words of the question that nothing recalled mentions.

    Args:
        query: the question, reported whole where nothing at all was found.
        words: its telling words with their terms (`text.tokenise.content_words`).
        found_terms: every term of the recalled lines; empty where there is no line.
    """
    if not found_terms:
        return [Gap(query, "nothing in this memory is related to it")]
    known = set(found_terms)
    return [Gap(surface, "no recalled line mentions it") for surface, terms in words if not known.intersection(terms)]
