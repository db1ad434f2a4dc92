"""The verbs that find: recall, and recall_many for several questions at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import TypedDict, Unpack

from langgraph_memory import arguments
from langgraph_memory.clock import checked_moment
from langgraph_memory.errors import InvalidInput
from langgraph_memory.flows.answers import read_answer
from langgraph_memory.flows.request import ROLES, Request
from langgraph_memory.records import Answer
from langgraph_memory.retrieval.recipe import HYBRID, RECIPES, Recipe
from langgraph_memory.scope import Scope, ScopeLike
from langgraph_memory.verbs.opened import Opened

if TYPE_CHECKING:
    from langgraph_memory.flows.deepen_state import DeepenContext, DeepenInput

_QUIET = {"run_name": "memory", "callbacks": []}


class RecallOptions(TypedDict, total=False):
    """The options of `Memory.recall`."""

    limit: int | None
    budget: int | None
    as_of: datetime | None
    known_at: datetime | None
    include_history: bool
    kinds: Sequence[str] | None
    roles: Sequence[str]
    recipe: str | Recipe
    said_after: datetime | None
    said_before: datetime | None
    actor: str | None
    include_private: bool
    skip: Callable[[str], bool] | None
    min_score: float | None
    rerank: bool


class RecallingVerbs(Opened):
    """Finds what is in memory."""

    def recall(
        self,
        query: str,
        *,
        scope: ScopeLike,
        limit: int | None = None,
        budget: int | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        include_history: bool = False,
        kinds: Sequence[str] | None = None,
        roles: Sequence[str] = ("user", "assistant"),
        recipe: str | Recipe = HYBRID,
        said_after: datetime | None = None,
        said_before: datetime | None = None,
        actor: str | None = None,
        include_private: bool = False,
        skip: Callable[[str], bool] | None = None,
        min_score: float | None = None,
        rerank: bool = True,
        depth: Literal["shallow", "deep"] = "shallow",
        max_calls: int | None = None,
    ) -> Answer:
        """Find what was said or known that answers a question, by default without calling a chat model.

        `depth="deep"` searches once more where too little of what was asked was found. Where the memory has a chat
        model, that takes a long question apart, and says what else to search for; without one, what nothing found
        mentions is searched for by itself.

        Args:
            query: the question, in any language.
            scope: whose memory; the scope and everything inside it.
            limit: hits at most (default `settings.limit`).
            budget: tokens that `Answer.block` may take (default `settings.budget`).
            as_of: what was true at this time in the world.
            known_at: what was recorded and not yet retired at this time, by the clocks that wrote it. Without it,
                everything recorded and not retired counts, whatever those clocks said.
            include_history: also what was retired, replaced, expired or is no longer true.
            kinds: only these kinds; `message` means what was said.
            roles: whose messages are searched; add `tool` or `system` for theirs.
            recipe: how the signals are mixed: `hybrid`, `lexical`, `dense`, `mem0`, `rrf`, `composite`,
                `generative_agents`, or a `Recipe`.
            said_after, said_before: only what was said from the one moment on, and before the other; a time without a
                zone is taken as UTC. What is no time is an error; from a deep recall's
                model it is left out and noted.
            actor: who asks: their private memories are found too.
            include_private: everybody's private memories are found too.
            skip: a line whose text this is true of is not ranked; it is asked of every line, so keep it quick.
            min_score: only hits with at least this score, which means something else in each recipe; the score of the
                search, before diversity or a reranker change it.
            rerank: let the memory's reranker, where it has one, order the best lines. One that fails is a note, and
                the order stays. A deep recall is not reranked.
            depth: `shallow` is one search.
            max_calls: chat model calls that a deep recall may make; default `settings.recall_calls`. A model that fails
                is a note, and the question is searched for without it.

        Returns:
            hits best first, the fenced block, gaps, and notes about the search itself. An unknown scope
            simply holds nothing.

        Raises:
            InvalidInput: the query is no text or empty, or an option makes no sense.
        """
        options = RecallOptions(
            limit=limit,
            budget=budget,
            as_of=as_of,
            known_at=known_at,
            include_history=include_history,
            kinds=kinds,
            roles=roles,
            recipe=recipe,
            said_after=said_after,
            said_before=said_before,
            actor=actor,
            include_private=include_private,
            skip=skip,
            min_score=min_score,
            rerank=rerank,
        )
        request = self._request(query, scope, options)
        calls = arguments.maybe_number("max_calls", max_calls)
        if not _is_deep(depth):
            return self._parts.recaller.recall([request])[0]
        given, context = _deep(request, calls)
        return _answer(self._parts.flows.deepen.compiled.invoke(given, context=context, config=_QUIET))

    async def arecall(
        self,
        query: str,
        *,
        scope: ScopeLike,
        limit: int | None = None,
        budget: int | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        include_history: bool = False,
        kinds: Sequence[str] | None = None,
        roles: Sequence[str] = ("user", "assistant"),
        recipe: str | Recipe = HYBRID,
        said_after: datetime | None = None,
        said_before: datetime | None = None,
        actor: str | None = None,
        include_private: bool = False,
        skip: Callable[[str], bool] | None = None,
        min_score: float | None = None,
        rerank: bool = True,
        depth: Literal["shallow", "deep"] = "shallow",
        max_calls: int | None = None,
    ) -> Answer:
        """Async twin of `recall`; models with an async face are awaited, everything else runs in a thread."""
        options = RecallOptions(
            limit=limit,
            budget=budget,
            as_of=as_of,
            known_at=known_at,
            include_history=include_history,
            kinds=kinds,
            roles=roles,
            recipe=recipe,
            said_after=said_after,
            said_before=said_before,
            actor=actor,
            include_private=include_private,
            skip=skip,
            min_score=min_score,
            rerank=rerank,
        )
        request = self._request(query, scope, options)
        calls = arguments.maybe_number("max_calls", max_calls)
        if not _is_deep(depth):
            return (await self._parts.recaller.arecall([request]))[0]
        graph = await asyncio.to_thread(lambda: self._parts.flows.deepen.compiled)  # may import LangGraph
        given, context = await asyncio.to_thread(_deep, request, calls)
        return _answer(await graph.ainvoke(given, context=context, config=_QUIET))

    def recall_many(
        self, queries: Sequence[str], *, scope: ScopeLike, **options: Unpack[RecallOptions]
    ) -> Sequence[Answer]:
        """Ask several questions of one scope at one moment; none sees what another has found.

        Args:
            queries: the questions; their order changes nothing but the order of the answers.
            scope: whose memory.
            options: those of `recall` but `depth` and `max_calls`, the same for every question.

        Returns:
            one answer for each question, in their order.

        Raises:
            InvalidInput: as for `recall`.
        """
        return self._parts.recaller.recall(self._requests(queries, scope, options))

    async def arecall_many(
        self, queries: Sequence[str], *, scope: ScopeLike, **options: Unpack[RecallOptions]
    ) -> Sequence[Answer]:
        """Async twin of `recall_many`."""
        return await self._parts.recaller.arecall(self._requests(queries, scope, options))

    def _requests(self, queries: Sequence[str], scope: ScopeLike, options: RecallOptions) -> list[Request]:
        unknown = sorted(set(options) - set(RecallOptions.__annotations__))
        if unknown:
            raise InvalidInput(
                f"recall_many has no option {', '.join(unknown)}. Its options are those of recall, without depth and "
                "max_calls: it is always one search."
            )
        return [self._request(query, scope, options) for query in arguments.texts("queries", queries, "Who is Ana?")]

    def _request(self, query: str, scope: ScopeLike, options: RecallOptions) -> Request:
        given: Callable[..., Any] = options.get  # what is inside is checked below, whatever its type says
        shown = arguments.choices("roles", given("roles", ("user", "assistant")), ROLES)
        limit, budget, kinds, skip = given("limit"), given("budget"), given("kinds"), given("skip")
        return Request(
            query=query,
            scope=Scope.of(scope),
            limit=self.settings.limit if limit is None else arguments.number("limit", limit, least=1),
            budget=self.settings.budget if budget is None else arguments.number("budget", budget),
            recipe=_recipe(given("recipe", HYBRID)),
            as_of=checked_moment("as_of", given("as_of")),
            known_at=checked_moment("known_at", given("known_at")),
            include_history=arguments.flag("include_history", given("include_history", False)),
            kinds=None if kinds is None else arguments.texts("kinds", kinds, "fact"),
            hidden_roles=tuple(role for role in ROLES if role not in shown),
            said_after=checked_moment("said_after", given("said_after")),
            said_before=checked_moment("said_before", given("said_before")),
            actor=arguments.maybe_words("actor", given("actor"), "user"),
            include_private=arguments.flag("include_private", given("include_private", False)),
            skip=None if skip is None else arguments.action("skip", skip),
            min_score=arguments.maybe_real("min_score", given("min_score")),
            rerank=arguments.flag("rerank", given("rerank", True)),
        )


def _is_deep(depth: object) -> bool:
    if depth not in ("shallow", "deep"):
        raise InvalidInput(f"There is no depth {depth!r}; write 'shallow' or 'deep'.")
    return depth == "deep"


def _deep(request: Request, max_calls: int | None) -> tuple[DeepenInput, DeepenContext]:
    from langgraph_memory.flows.deepen_state import AskedContext, DeepenInput

    return (
        DeepenInput(query=request.query, scope=list(request.scope.segments)),
        AskedContext(max_calls=max_calls, request=request),
    )


def _answer(state: Mapping[str, Any]) -> Answer:
    return read_answer(state["answer"])


def _recipe(recipe: object) -> Recipe:
    if isinstance(recipe, str) and recipe in RECIPES:
        return RECIPES[recipe]
    if not isinstance(recipe, Recipe):
        known = ", ".join(map(repr, RECIPES))
        raise InvalidInput(f"There is no recipe {recipe!r}; write one of {known}, or give a Recipe.")
    return recipe
