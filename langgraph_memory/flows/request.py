"""A request is one question with its options, checked; what asks memory for something makes one."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import datetime

from langgraph_memory import arguments
from langgraph_memory.errors import InvalidInput
from langgraph_memory.retrieval.recipe import Recipe
from langgraph_memory.scope import Scope

ROLES = ("user", "assistant", "system", "tool")
"""Whose messages may be searched."""

LONGEST_QUERY = 4_000
"""Characters of a question that are searched with; what follows adds cost and no meaning."""


@dataclass(frozen=True, slots=True)
class Request:
    """A question with its options, checked.

    Attributes:
        as_of, known_at: as in `Memory.recall`, UTC.
        hidden_roles: roles whose lines are not searched.
        own: only what lies in exactly the scope is searched, not what lies in scopes inside it.
        said_after, said_before, actor, include_private, skip, min_score: as in `Memory.recall`.
        rerank: whether the reranker may be asked; only recall itself asks it.
        shortlist: lines that the reranker is shown, 0 where it is not asked.
    """

    query: str
    scope: Scope
    limit: int
    budget: int
    recipe: Recipe
    as_of: datetime | None
    known_at: datetime | None
    include_history: bool
    kinds: tuple[str, ...] | None
    hidden_roles: tuple[str, ...]
    own: bool = False
    said_after: datetime | None = None
    said_before: datetime | None = None
    actor: str | None = None
    include_private: bool = False
    skip: Callable[[str], bool] | None = None
    min_score: float | None = None
    rerank: bool = False
    shortlist: int = 0

    def __post_init__(self) -> None:
        if not arguments.name_of("query", self.query, "Where does Ana live?").strip():
            raise InvalidInput("The query is empty. Ask a question, or list what there is with list() or sessions().")
        if self.limit < 1:
            raise InvalidInput(f"limit must be at least 1, not {self.limit}.")
        if self.budget < 0:
            raise InvalidInput(f"budget is a number of tokens, 0 or more, not {self.budget}.")

    @property
    def question(self) -> str:
        """The part of the query that is searched with."""
        return self.query[:LONGEST_QUERY]

    @property
    def options(self) -> Hashable:
        """What decides which lines may be shown: requests of one search that agree on it share the work."""
        return (
            self.as_of,
            self.known_at,
            self.include_history,
            self.kinds,
            self.hidden_roles,
            self.own,
            self.said_after,
            self.said_before,
            self.actor,
            self.include_private,
            self.skip,
        )
