"""Which measures are taken of an answer, and what they are called."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from langgraph_memory.errors import InvalidInput
from langgraph_memory.evaluation import metrics

DEPTH = 50
"""Hits asked for at least: a block is filled from so many, whatever `k` is measured."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How deep a ranking is looked at, and how long a block may be.

    Attributes:
        ks: places in the ranking, such as 10 for R@10.
        budgets: tokens of a block, such as 1024 for R@1k.

    Raises:
        InvalidInput: a number is not positive, or two measures would have one name.
    """

    ks: tuple[int, ...] = (5, 10, 50)
    budgets: tuple[int, ...] = (512, 1024, 2048)

    def __post_init__(self) -> None:
        if not self.ks or any(number < 1 for number in (*self.ks, *self.budgets)):
            raise InvalidInput("k and the budgets are numbers of places and tokens, 1 or more, and one k at least.")
        names = self.names
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InvalidInput(f"Two measures would be called {twice}. Leave out the k or the budget that is double.")

    @property
    def depth(self) -> int:
        """How many hits are asked for."""
        return max(DEPTH, *self.ks)

    @property
    def names(self) -> list[str]:
        """Every measure, in the order in which tables show them."""
        at_k = [f"{measure}@{k}" for measure in ("R", "hit", "all", "nDCG") for k in self.ks]
        session = [f"session {measure}@{k}" for measure in ("hit", "R") for k in self.ks]
        return [*at_k[: len(self.ks)], "MRR", *map(self._within, self.budgets), *at_k[len(self.ks) :], *session]

    def of(
        self,
        ranked: Sequence[str],
        evidence: frozenset[str],
        session_of: Mapping[str, str],
        shown: Mapping[int, Collection[str]],
    ) -> dict[str, float]:
        """Return every measure of one answer.

        Args:
            ranked: ids of turns, best first.
            evidence: ids of the turns that answer the question.
            session_of: the session of every turn.
            shown: by budget, ids of the turns that the block of that length shows.
        """
        turns = metrics.distinct(ranked)
        measured = dict(self._ranking(turns, evidence))
        measured |= {self._within(budget): metrics.recall_within(shown[budget], evidence) for budget in self.budgets}
        sessions = metrics.sessions_of(turns, session_of)
        wanted = frozenset(session_of[turn] for turn in evidence)
        for k in self.ks:
            measured[f"session hit@{k}"] = metrics.hit_at(sessions, wanted, k)
            measured[f"session R@{k}"] = metrics.recall_at(sessions, wanted, k)
        return {name: measured[name] for name in self.names}

    def _within(self, budget: int) -> str:
        """Return the name of recall within so many tokens; it says so where as many places are measured at."""
        return f"R@{budget} tokens" if budget in self.ks else within(budget)

    def _ranking(self, ranked: Sequence[str], evidence: frozenset[str]) -> Iterator[tuple[str, float]]:
        yield "MRR", metrics.reciprocal_rank(ranked, evidence)
        for k in self.ks:
            yield f"R@{k}", metrics.recall_at(ranked, evidence, k)
            yield f"hit@{k}", metrics.hit_at(ranked, evidence, k)
            yield f"all@{k}", metrics.all_at(ranked, evidence, k)
            yield f"nDCG@{k}", metrics.ndcg_at(ranked, evidence, k)


def within(budget: int) -> str:
    """Return the name of recall within so many tokens: `R@512`, `R@1k`."""
    return f"R@{budget // 1024}k" if budget % 1024 == 0 else f"R@{budget}"
