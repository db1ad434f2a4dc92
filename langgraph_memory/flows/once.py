"""What was said twice in the same words is found once: a replayed turn must not crowd out what else there is."""

from __future__ import annotations

from langgraph_memory.flows.hits import Ranked


def said_once(ranked: Ranked, limit: int) -> Ranked:
    """Return the best rows of several searches, of lines that say the same in the same words only the best."""
    seen: set[int] = set()
    places: list[int] = []
    for place, wording in enumerate(ranked.wordings):
        if not wording or wording not in seen:
            places.append(place)
        seen.add(wording)
    kept = places[:limit]
    return Ranked(
        seqs=[ranked.seqs[place] for place in kept],
        scores=[ranked.scores[place] for place in kept],
        signals=[ranked.signals[place] for place in kept],
        before=[ranked.before[place] for place in kept],
        after=[ranked.after[place] for place in kept],
        wordings=[ranked.wordings[place] for place in kept],
    )
