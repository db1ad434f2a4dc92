"""Decides which known entities a question is about: those it names, and those whose name is near to one it gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.knowledge.names import NameFinder, find_names
from langgraph_memory.knowledge.resolve import entity_key, numbers
from langgraph_memory.retrieval.entity import EntityView, Match, spans
from langgraph_memory.text.normalise import normalise

MOST_ASKED = 8
"""Names of one question that are looked up (mem0's number)."""

EmbedNames = Callable[[Sequence[str]], NDArray[np.float32]]
"""Returns one unit-length row per name."""


def asked_entities(
    query: str,
    view: EntityView,
    *,
    floor: float,
    embed: EmbedNames | None,
    vector: NDArray[np.float32] | None = None,
    find: NameFinder = find_names,
) -> list[Match]:
    """Return the entities that a question is about.

    A known name that stands in the question counts in any spelling ("alice"), and so does every name that `find`
    sees; names that nothing is known by are compared by meaning, all in one call of `embed`.

    Args:
        floor: the least cosine of two names that counts.
        embed: None where names cannot be compared by meaning.
        vector: the question's own, which spares the call where the question is but a name.
    """
    keys = view.standing_in(normalise(query))
    found = {entity_key(name.text): name.text for name in find(query)}
    known = [key for key in found if view.named(key)]
    asked = list(dict.fromkeys([*known, *keys]))[:MOST_ASKED]
    similar: dict[int, float] = {root: 1.0 for key in asked for root in view.named(key)}
    strange = [key for key in found if key not in known and not any(key in longer for longer in asked)]
    strange = strange[: MOST_ASKED - len(asked)]
    if strange and embed is not None and view.has_vectors:
        is_name = vector is not None and strange == [entity_key(query)]
        vectors = [vector] if is_name else embed([found[key] for key in strange])
        for key, own in zip(strange, vectors, strict=True):
            for name, root, cosine in view.nearest(own, floor):
                if numbers(name) == numbers(key):  # GPT-5 is not about GPT-4, however near
                    similar[root] = max(similar.get(root, 0.0), cosine)
    return [Match(root, similarity) for root, similarity in similar.items()]


def possible_keys(query: str, find: NameFinder = find_names) -> list[str]:
    """Return every key under which a question may name an entity, for a scope whose names are not held in memory."""
    text = normalise(query)
    keys = [entity_key(name.text) for name in find(query)]
    return list(dict.fromkeys([*keys, *(text[start:stop] for start, stop in spans(text))]))
