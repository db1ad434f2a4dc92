"""What was said twice in the same words is found once: a replayed turn must not crowd out what else there is."""

from __future__ import annotations

from collections.abc import Callable

from langgraph_memory.flows.hits import Ranked
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.lines import wording

SPARE = 16
"""Rows ranked beyond the limit, so that leaving out repetitions mostly still fills it."""


def said_once(rank: Callable[[int], Ranked], database: Database, limit: int) -> Ranked:
    """Return the best rows, of lines that one speaker said in the same words in one session only the best.

    Args:
        rank: returns at most so many rows, best first.
        database: where the rows are.
        limit: rows to return; fewer only where there are no more.
    """
    asked = limit + SPARE
    while True:
        ranked = rank(asked)
        with database.read() as connection:
            words = wording(connection, ranked.seqs)
        seen: set[tuple[int, str, str]] = set()
        kept: list[int] = []
        for place, seq in enumerate(ranked.seqs):
            said = words.get(seq)
            if said is None or said not in seen:
                kept.append(place)
            if said is not None:
                seen.add(said)
        if len(kept) >= limit or len(ranked.seqs) < asked:
            return _only(ranked, kept[:limit])
        asked *= 4


def _only(ranked: Ranked, places: list[int]) -> Ranked:
    return Ranked(
        seqs=[ranked.seqs[place] for place in places],
        scores=[ranked.scores[place] for place in places],
        signals=[ranked.signals[place] for place in places],
        before=[ranked.before[place] for place in places],
        after=[ranked.after[place] for place in places],
    )
