"""A recipe says how recall mixes its signals; recipes are data, so a new one needs no code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Recipe:
    """Weights and limits of one way to recall.

    `convex`: the channels are each scaled to 0..1 over the scope before they are weighted, and the weights of
    the channels that have anything to say are scaled to sum to 1. Where the question names a known entity, each
    memory that mentions it gains up to `entity`, and everything is divided by 1 + `entity`.
    `mem0`: the formula of `retrieval/mem0.py`; of the weights only whether they are 0 counts.

    Attributes:
        dense: cosine of the query with the line.
        dense_window: cosine with the line and what stands around it, the nearer the more (`retrieval.region`).
        lexical: BM25 of the line.
        lexical_window: BM25 of the line and what stands around it.
        kindred: how near the best lines come to the question's words, one by one (`retrieval.kindred`).
        k1, b: BM25's parameters.
        brevity: power of the discount for messages with fewer than `SHORT` terms of their own; 0 for none.
        verbosity: power of the discount for an assistant's messages with more than `LONG` terms; 0 for none.
        entity: the most that a memory gains for mentioning an entity of the question; 0 for nothing.
        entity_floor: the least cosine of two names at which one stands for the other.
        formula: how the channels become one number.
    """

    name: str
    dense: float
    dense_window: float
    lexical: float
    lexical_window: float
    kindred: float = 0.0
    k1: float = 1.2
    b: float = 0.75
    brevity: float = 0.0
    verbosity: float = 0.0
    entity: float = 0.0
    entity_floor: float = 0.5
    formula: Literal["convex", "mem0"] = "convex"

    @property
    def is_dense(self) -> bool:
        """Whether it needs the question's vector."""
        return self.dense > 0 or self.dense_window > 0


SHORT = 20.0
"""Terms of a message below which it says little: "Great!" shares a word with many questions and answers none."""

HYBRID = Recipe(
    name="hybrid",
    dense=0.0,
    dense_window=0.3,
    lexical=0.0,
    lexical_window=0.45,
    kindred=0.25,
    b=1.0,
    brevity=0.25,
    verbosity=0.2,
    entity=0.5,
    entity_floor=0.7,
)
"""The default. Chosen on LoCoMo conversations 1 to 5 and half of the LongMemEval questions; see the README for what it
reaches elsewhere.

The entity boost is mem0's. Its floor is higher than mem0's .5, because names of different things come that near with
the bundled embedder (Paris and London .57, Oslo and Bergen .59, Anna and Anne .68), while other spellings of one thing
lie above .8 (Alice and Alice Smith .82, OpenAI and OpenAI Inc. .83, Anna and Анна .80)."""

LEXICAL = Recipe(name="lexical", dense=0.0, dense_window=0.0, lexical=0.6, lexical_window=0.4)
DENSE = Recipe(name="dense", dense=0.7, dense_window=0.3, lexical=0.0, lexical_window=0.0)

MEM0 = Recipe(
    name="mem0",
    dense=1.0,
    dense_window=0.0,
    lexical=1.0,
    lexical_window=0.0,
    entity=0.5,
    entity_floor=0.5,
    formula="mem0",
)
"""mem0's published scoring, so that two systems can be compared on one store."""

RECIPES = {recipe.name: recipe for recipe in (HYBRID, LEXICAL, DENSE, MEM0)}
