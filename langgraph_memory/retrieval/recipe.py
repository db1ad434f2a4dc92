"""A recipe says how recall mixes its signals; recipes are data, so a new one needs no code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from langgraph_memory.errors import InvalidInput
from langgraph_memory.retrieval import composite, generative_agents
from langgraph_memory.retrieval.composite import HALF_LIFE_DAYS
from langgraph_memory.retrieval.generative_agents import DECAY
from langgraph_memory.retrieval.ranks import CUSTOMARY_K

Formula = Literal["convex", "mem0", "rrf", "composite", "generative_agents"]
FORMULAE = get_args(Formula)

MOST = 1_000_000.0
"""The greatest number that a recipe takes; scores stay finite far beyond it."""

_NUMBERS = (
    *("dense", "dense_window", "lexical", "lexical_window", "kindred", "k1", "b", "brevity", "verbosity"),
    *("entity", "entity_floor", "recency", "importance", "half_life_days", "decay", "rrf_k", "rerank"),
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """Weights and limits of one way to recall.

    `convex`: the channels are each scaled to 0..1 over the scope before they are weighted, and the weights of
    the channels that have anything to say are scaled to sum to 1. Where the question names a known entity, each
    memory that mentions it gains up to `entity`, and everything is divided by 1 + `entity`.
    `mem0`: the formula of `retrieval/mem0.py`; of the weights only whether they are 0 counts.
    `rrf`: `weight / (rrf_k + place)` added over the channels, places counted from 0 (`retrieval/ranks.py`).
    `composite`: similarity, recency and importance (`retrieval/composite.py`), weighted by `dense`, `recency` and
    `importance`.
    `generative_agents`: the same three, each stretched to 0..1 over all lines (`retrieval/generative_agents.py`).

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
        recency, importance: weights of the two published formulae.
        half_life_days: days in which `composite`'s recency halves.
        decay: of `generative_agents`' recency from one place in time to the next.
        oldest_first: count these places from the oldest, which the published code does and its paper does not.
        renewed: a line is as new as its last recall; else as what was said. Recalls are counted where
            `settings.track_recalls` is set.
        related: of `composite`, only rank lines that are nearer to the question than the model's floor.
        rrf_k: how slowly the weight of a place falls, 1 or more.
        diversity: re-rank by maximal marginal relevance with this weight of relevance, 1 for relevance alone and 0 for
            difference alone; None for no re-ranking.
        rerank: weight of the reranker in the new scores of the lines that it is shown, 0 for not asking it and 1 for
            its order alone (`retrieval/rerank.py`); it says nothing where the memory has none.
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
    formula: Formula = "convex"
    recency: float = 0.0
    importance: float = 0.0
    half_life_days: float = HALF_LIFE_DAYS
    decay: float = DECAY
    oldest_first: bool = False
    renewed: bool = True
    related: bool = True
    rrf_k: int = CUSTOMARY_K
    diversity: float | None = None
    rerank: float = 0.5

    def __post_init__(self) -> None:
        for name in _NUMBERS:
            value = getattr(self, name)
            if not (_is_number(value) and 0 <= value <= MOST):
                raise InvalidInput(f"Recipe.{name} is a number between 0 and {MOST:,.0f}, not {value!r}.")
        if self.formula not in FORMULAE:
            raise InvalidInput(f"There is no formula {self.formula!r}. There are {', '.join(FORMULAE)}.")
        for name in ("decay", "rerank", "diversity"):
            value = getattr(self, name)
            if value is not None and not (_is_number(value) and 0 <= value <= 1):
                raise InvalidInput(f"Recipe.{name} lies between 0 and 1, not {value!r}.")
        if self.rrf_k < 1:
            raise InvalidInput(f"Recipe.rrf_k is 1 or more, not {self.rrf_k}.")
        if not self.half_life_days > 0:
            raise InvalidInput(f"Recipe.half_life_days is more than 0, not {self.half_life_days}.")

    @property
    def is_dense(self) -> bool:
        """Whether it needs the question's vector."""
        return self.dense > 0 or self.dense_window > 0


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


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
    entity=0.1,
    entity_floor=0.7,
)
"""The default. Chosen on LoCoMo conversations 1 to 5 and half of the LongMemEval questions; see the README for what it
reaches elsewhere.

The entity boost is mem0's, a fifth as strong: a memory that only names a person must not come before what answers, and
messages, which no entity links to, must not fall behind. Its floor is higher than mem0's .5, because names of different
things come that near with the bundled embedder (Paris and London .57, Oslo and Bergen .59, Anna and Anne .68), while
other spellings of one thing lie above .8 (Alice and Alice Smith .82, OpenAI and OpenAI Inc. .83, Anna and Анна .80)."""

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

RRF = Recipe(name="rrf", dense=1.0, dense_window=0.0, lexical=1.0, lexical_window=0.0, formula="rrf")
"""Meaning and words mixed by place alone."""

COMPOSITE = Recipe(
    name="composite",
    dense=composite.SEMANTIC,
    dense_window=0.0,
    lexical=0.0,
    lexical_window=0.0,
    recency=composite.RECENCY,
    importance=composite.IMPORTANCE,
    formula="composite",
)
"""CrewAI's published scoring: .5 similarity + .3 recency + .2 importance."""

GENERATIVE_AGENTS = Recipe(
    name="generative_agents",
    dense=generative_agents.RELEVANCE,
    dense_window=0.0,
    lexical=0.0,
    lexical_window=0.0,
    recency=generative_agents.RECENCY,
    importance=generative_agents.IMPORTANCE,
    related=False,
    formula="generative_agents",
)
"""The published scoring of Generative Agents, which ranks everything: .5 recency + 3 relevance + 2 importance."""

RECIPES = {recipe.name: recipe for recipe in (HYBRID, LEXICAL, DENSE, MEM0, RRF, COMPOSITE, GENERATIVE_AGENTS)}
