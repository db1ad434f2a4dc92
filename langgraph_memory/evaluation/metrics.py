"""The measures of a ranked answer, as the literature defines them; pure arithmetic on ids.

In all of them `ranked` is what was returned, best first, each id once; `gold` is what the data set names as evidence,
never empty. Relevance is binary. Every measure lies between 0 and 1, and more is better.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence


def recall_at(ranked: Sequence[str], gold: frozenset[str], k: int) -> float:
    """Return the share of the evidence among the first `k`: `|gold ∩ top k| / |gold|`.

    Source: Manning, Raghavan and Schütze, Introduction to Information Retrieval (2008), 8.3 and 8.4; LoCoMo reports it
    of evidence turns (Maharana et al. 2024).
    """
    return len(gold.intersection(ranked[:k])) / len(gold)


def hit_at(ranked: Sequence[str], gold: frozenset[str], k: int) -> float:
    """Return 1 if any evidence is among the first `k`, else 0.

    Also called success@k or hit rate; LongMemEval (Wu et al. 2024) calls it `recall_any`.
    """
    return float(not gold.isdisjoint(ranked[:k]))


def all_at(ranked: Sequence[str], gold: frozenset[str], k: int) -> float:
    """Return 1 if all of the evidence is among the first `k`, else 0.

    LongMemEval (Wu et al. 2024) calls it `recall_all`; it is what a question that needs every piece asks for.
    """
    return float(gold <= set(ranked[:k]))


def reciprocal_rank(ranked: Sequence[str], gold: frozenset[str]) -> float:
    """Return `1 / rank` of the first evidence, 0 where none was returned; its mean over questions is MRR.

    Source: Voorhees, The TREC-8 Question Answering Track Report (1999).
    """
    return next((1 / rank for rank, found in enumerate(ranked, 1) if found in gold), 0.0)


def ndcg_at(ranked: Sequence[str], gold: frozenset[str], k: int) -> float:
    """Return the normalised discounted cumulative gain: `DCG / ideal DCG`, where `DCG = Σ 1 / log2(rank + 1)`.

    The sum is over the evidence among the first `k`; the ideal has all of it at the top.
    Source: Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques (2002), with the discount that
    trec_eval uses. LongMemEval's own script leaves the first two ranks undiscounted; its numbers are a little higher.
    """
    gained = sum(_discount(rank) for rank, found in enumerate(ranked[:k], 1) if found in gold)
    return gained / sum(_discount(rank) for rank in range(1, min(len(gold), k) + 1))


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def recall_within(shown: Collection[str], gold: frozenset[str]) -> float:
    """Return the share of the evidence in a text of limited length: `|gold ∩ shown| / |gold|`.

    The budget of tokens takes the place of `k`: what a prompt pays for is tokens, and long lines fill it sooner.
    """
    return len(gold.intersection(shown)) / len(gold)


def distinct(ids: Iterable[str]) -> list[str]:
    """Return the ids in order, each at its first place only."""
    return list(dict.fromkeys(ids))


def sessions_of(ranked: Iterable[str], session_of: Mapping[str, str]) -> list[str]:
    """Return the sessions of ranked turns, each at the rank of its best turn; a turn that is unknown has none.

    With it the measures above become session level, where `k` counts sessions: LongMemEval (Wu et al. 2024) turns
    rankings of turns into rankings of sessions in the same way.
    """
    return distinct(session_of[turn] for turn in ranked if turn in session_of)
