"""A recipe says how recall mixes its signals; recipes are data, so a new one needs no code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Recipe:
    """Weights and limits of one way to recall.

    The four channels are each scaled to 0..1 over the scope before they are weighted, and the weights of the
    channels that have anything to say are scaled to sum to 1.

    Attributes:
        dense: cosine of the query with the line.
        dense_window: mean cosine over the line and its two neighbours.
        lexical: BM25 of the line.
        lexical_window: BM25 of the line with its two neighbours.
        k1, b: BM25's parameters.
    """

    name: str
    dense: float
    dense_window: float
    lexical: float
    lexical_window: float
    k1: float = 1.2
    b: float = 0.75

    @property
    def is_dense(self) -> bool:
        """Whether it needs the question's vector."""
        return self.dense > 0 or self.dense_window > 0


HYBRID = Recipe(name="hybrid", dense=0.3, dense_window=0.2, lexical=0.25, lexical_window=0.25)
"""The default. Weights chosen on LoCoMo conversations 1 to 5 only; see the README for what they reach elsewhere."""

LEXICAL = Recipe(name="lexical", dense=0.0, dense_window=0.0, lexical=0.6, lexical_window=0.4)
DENSE = Recipe(name="dense", dense=0.7, dense_window=0.3, lexical=0.0, lexical_window=0.0)

RECIPES = {recipe.name: recipe for recipe in (HYBRID, LEXICAL, DENSE)}
