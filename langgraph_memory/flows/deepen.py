"""Deepen searches for a question in several steps, and once more where too little of it was found.

    analyse -> search -> judge -> (deepen -> search -> judge) -> compose

Rules decide whether to go on. The chat model, where there is one and calls are left, takes a long question apart and
says what else to search for; without it, the words that nothing found mentions are searched for by themselves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from langchain_core.runnables import RunnableLambda
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime, get_runtime

from langgraph_memory.errors import ModelError
from langgraph_memory.events import RecalledEvent, RecalledHitEvent, emit, reason
from langgraph_memory.flows.answers import plain_answer
from langgraph_memory.flows.deepen_state import (
    AskedContext,
    DeepenContext,
    DeepenInput,
    DeepenState,
    earlier,
    later,
    ranked_of,
    rows_of,
    search_for,
)
from langgraph_memory.flows.finding import Asked, Finder
from langgraph_memory.flows.flow import Flow, scope_given
from langgraph_memory.flows.hits import taken
from langgraph_memory.flows.recall import Recaller
from langgraph_memory.flows.request import LONGEST_QUERY, Request
from langgraph_memory.flows.subqueries import (
    ANALYSIS,
    DEEPENING,
    MOST_PLACES,
    analysis_prompt,
    deepening_prompt,
    read_plan,
)
from langgraph_memory.models.answers import Structured
from langgraph_memory.models.chat import CallBudget, Chat
from langgraph_memory.models.ports import SimilarityThresholds
from langgraph_memory.records import Usage
from langgraph_memory.retrieval.merge import SUB_QUERY
from langgraph_memory.retrieval.picking import once
from langgraph_memory.retrieval.recipe import HYBRID, Recipe
from langgraph_memory.retrieval.route import COMPLEX, complexity_of, confidence_of, nearest, route
from langgraph_memory.scope import Scope
from langgraph_memory.settings import Settings
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.scopes import inner_scopes
from langgraph_memory.text.asked import asked_words

EXPLORATIONS = 1
"""Times that a question is searched for again (CrewAI: 1)."""

MOST_SHOWN = 10
"""Lines found that the model is shown."""


class DeepenFlow(Flow):
    """The steps over one store; `graph()` draws them."""

    name = "deepen"

    def __init__(
        self,
        database: Database,
        finder: Finder,
        recaller: Recaller,
        chat: Chat | None,
        thresholds: SimilarityThresholds,
        settings: Settings,
    ) -> None:
        self._database = database
        self._finder = finder
        self._recaller = recaller
        self._chat = chat
        self._thresholds = thresholds
        self._settings = settings

    def graph(self) -> StateGraph[DeepenState, DeepenContext, DeepenInput, DeepenState]:
        """Return the graph, to be compiled by whoever runs or draws it."""
        builder = StateGraph(DeepenState, context_schema=DeepenContext, input_schema=DeepenInput)
        builder.add_node("analyse", RunnableLambda(self.analyse, self.aanalyse, name="analyse"))
        builder.add_node("search", RunnableLambda(self.search, self.asearch, name="search"))
        builder.add_node("judge", self.judge)
        builder.add_node("deepen", RunnableLambda(self.deepen, self.adeepen, name="deepen"))
        builder.add_node("compose", self.compose)
        builder.add_edge(START, "analyse")
        builder.add_edge("analyse", "search")
        builder.add_edge("search", "judge")
        builder.add_conditional_edges("judge", self.route, ["deepen", "compose"])
        builder.add_conditional_edges("deepen", _more, ["search", "compose"])
        builder.add_edge("compose", END)
        return builder

    def analyse(self, state: DeepenState) -> dict[str, Any]:
        """Say what to search for: the question itself, and what the model makes of one that is long."""
        complexity, places = self._opening(state)
        if self._chat is None or complexity < COMPLEX:
            return self._begin(state, complexity)
        budget = self._budget(state)
        if budget.left == 0:
            return self._begin(state, complexity)
        try:
            given = self._chat.structured(
                analysis_prompt(state["query"][:LONGEST_QUERY], _names(places, state)), ANALYSIS, budget=budget
            )
        except ModelError as error:
            return self._begin(state, complexity, budget, failed=error)
        return self._begin(state, complexity, budget, given, places)

    async def aanalyse(self, state: DeepenState) -> dict[str, Any]:
        """Async twin of `analyse`."""
        complexity, places = await asyncio.to_thread(self._opening, state)
        if self._chat is None or complexity < COMPLEX:
            return self._begin(state, complexity)
        budget = self._budget(state)
        if budget.left == 0:
            return self._begin(state, complexity)
        try:
            given = await self._chat.astructured(
                analysis_prompt(state["query"][:LONGEST_QUERY], _names(places, state)), ANALYSIS, budget=budget
            )
        except ModelError as error:
            return self._begin(state, complexity, budget, failed=error)
        return self._begin(state, complexity, budget, given, places)

    def search(self, state: DeepenState) -> dict[str, Any]:
        """Make the searches, and keep each row as its best search found it."""
        notes: list[str] = []
        asked = [(request, self._finder.embed(request, notes)) for request in self._requests(state)]
        return self._searched(state, asked, notes)

    async def asearch(self, state: DeepenState) -> dict[str, Any]:
        """Async twin of `search`."""
        notes: list[str] = []
        asked = [(request, await self._finder.aembed(request, notes)) for request in self._requests(state)]
        return await asyncio.to_thread(self._searched, state, asked, notes)

    def judge(self, state: DeepenState) -> dict[str, Any]:
        """Say what of the question nothing found mentions, and how sure an answer can be."""
        gaps = self._recaller.composed(self._request(state), ranked_of(state["found"]), ()).gaps
        near = (self._thresholds.floor + self._thresholds.restatement) / 2
        words = max(1, len(asked_words(state["query"])))
        missing = len(gaps) if state["found"] else words
        cosine = nearest(row["signals"] for row in state["found"])
        confidence = confidence_of(words, missing, cosine, floor=self._thresholds.floor, near=near)
        return {"gaps": [gap.asked for gap in gaps], "confidence": confidence}

    def route(self, state: DeepenState) -> str:
        """Return the next node."""
        left = EXPLORATIONS - state["explored"]
        return "deepen" if route(state["confidence"], state["complexity"], left) == "explore" else "compose"

    def deepen(self, state: DeepenState) -> dict[str, Any]:
        """Say what else to search for; what was asked before would find nothing new."""
        budget = self._budget(state)
        if self._chat is None or budget.left == 0:
            return self._go_on(state, budget, None)
        try:
            given = self._chat.structured(self._deepening(state), DEEPENING, budget=budget)
        except ModelError as error:
            return self._go_on(state, budget, None, failed=error)
        return self._go_on(state, budget, given)

    async def adeepen(self, state: DeepenState) -> dict[str, Any]:
        """Async twin of `deepen`."""
        budget = self._budget(state)
        if self._chat is None or budget.left == 0:
            return self._go_on(state, budget, None)
        try:
            prompt = await asyncio.to_thread(self._deepening, state)
            given = await self._chat.astructured(prompt, DEEPENING, budget=budget)
        except ModelError as error:
            return self._go_on(state, budget, None, failed=error)
        return self._go_on(state, budget, given)

    def compose(self, state: DeepenState, runtime: Runtime[DeepenContext]) -> dict[str, Any]:
        """Compose the answer, and count what it found."""
        request, ranked = self._request(state), ranked_of(state["found"])
        answer = self._recaller.composed(request, ranked, state["notes"])
        self._recaller.note([(request.query, ranked)])
        hits = [RecalledHitEvent(id=hit.id, score=hit.score) for hit in answer.hits]
        gaps = [gap.asked for gap in answer.gaps]
        emit(
            runtime, RecalledEvent(type="memory.recalled", source=self.name, query=request.query, hits=hits, gaps=gaps)
        )
        return {"answer": plain_answer(replace(answer, usage=Usage(**state["usage"])))}

    def _opening(self, state: DeepenState) -> tuple[float, list[Scope]]:
        scope = scope_given(state, "query")
        complexity = complexity_of(state["query"], len(asked_words(state["query"])))
        if self._chat is None or complexity < COMPLEX:
            return complexity, []
        with self._database.read() as connection:
            return complexity, inner_scopes(connection, scope, limit=MOST_PLACES)

    def _begin(
        self,
        state: DeepenState,
        complexity: float,
        budget: CallBudget | None = None,
        given: Structured | None = None,
        places: Sequence[Scope] = (),
        failed: ModelError | None = None,
    ) -> dict[str, Any]:
        searches, notes = [search_for(state["query"], state["scope"], own=True)], _failure(failed)
        if given is not None:
            plan = read_plan(given, [state["query"]], len(places))
            where = [list(places[place].segments) for place in plan["places"]] or [state["scope"]]
            queries = plan["queries"] or ([state["query"]] if plan["places"] else [])
            searches += [search_for(query, scope, plan=plan) for query in queries for scope in where]
            notes += plan["notes"]
        return {
            "complexity": complexity,
            "searches": searches,
            "asked": [],
            "found": [],
            "explored": 0,
            "notes": notes,
            "usage": asdict(Usage() if budget is None else budget.usage),
        }

    def _go_on(
        self, state: DeepenState, budget: CallBudget, given: Structured | None, failed: ModelError | None = None
    ) -> dict[str, Any]:
        notes = [*state["notes"], *_failure(failed)]
        if given is not None:
            plan = read_plan(given, state["asked"])
            searches = [search_for(query, state["scope"]) for query in plan["queries"]]
            notes += plan["notes"]
        else:
            missing = " ".join(state["gaps"])
            searches = [] if missing in ("", *state["asked"]) else [search_for(missing, state["scope"], words=True)]
        explored = state["explored"] + 1
        return {"searches": searches, "explored": explored, "notes": notes, "usage": asdict(budget.usage)}

    def _deepening(self, state: DeepenState) -> Any:
        ranked = ranked_of(state["found"][:MOST_SHOWN])
        hits = self._recaller.composed(self._request(state), ranked, ()).hits
        lines = [f"[{hit.said_at:%Y-%m-%d}] {hit.speaker}: {hit.text}" for hit in hits]
        gaps, asked = ([text[:LONGEST_QUERY] for text in state[key]] for key in ("gaps", "asked"))
        return deepening_prompt(state["query"][:LONGEST_QUERY], lines, gaps, asked)

    def _searched(self, state: DeepenState, asked: Sequence[Asked], notes: list[str]) -> dict[str, Any]:
        best = {row["seq"]: row for row in state["found"]}
        for scope in dict.fromkeys(request.scope for request, _ in asked):
            places = [place for place, (request, _) in enumerate(asked) if request.scope == scope]
            found = self._finder.rank([asked[place] for place in places], notes)
            for place, ranked in zip(places, found, strict=True):
                by = 1.0 if state["searches"][place]["own"] else SUB_QUERY
                for row in rows_of(ranked, by):
                    if row["seq"] not in best or best[row["seq"]]["score"] < row["score"]:
                        best[row["seq"]] = row
        least = self._request(state).min_score
        kept = [row for row in best.values() if least is None or row["score"] >= least]
        rows = ranked_of(sorted(kept, key=lambda row: (-row["score"], row["seq"])))
        places = once(range(len(rows.seqs)), rows.wordings)  # each search says a thing once, several may repeat it
        return {
            "found": rows_of(taken(rows, places[: self._request(state).limit]), 1.0),
            "asked": [*state["asked"], *dict.fromkeys(search["query"] for search in state["searches"])],
            "searches": [],
            "notes": [*state["notes"], *notes],
        }

    def _requests(self, state: DeepenState) -> list[Request]:
        asked = self._request(state)
        return [
            replace(
                asked,
                query=search["query"],
                scope=Scope.of(search["scope"]),
                recipe=_by_words(asked.recipe) if search["words"] else asked.recipe,
                said_after=later(asked.said_after, search["said_after"]),
                said_before=earlier(asked.said_before, search["said_before"]),
            )
            for search in state["searches"]
        ]

    def _request(self, state: DeepenState) -> Request:
        given = _context()
        if isinstance(given, AskedContext) and given.request is not None:
            return given.request
        return Request(
            query=state["query"],
            scope=Scope.of(state["scope"]),
            limit=self._settings.limit,
            budget=self._settings.budget,
            recipe=HYBRID,
            as_of=None,
            known_at=None,
            include_history=False,
            kinds=None,
            hidden_roles=("system", "tool"),
        )

    def _budget(self, state: DeepenState) -> CallBudget:
        given = _context().max_calls
        spent = Usage(**state["usage"]) if "usage" in state else Usage()
        return CallBudget(self._settings.recall_calls if given is None else given, spent=spent)


def _context() -> DeepenContext:
    return get_runtime(DeepenContext).context or DeepenContext()


def _more(state: DeepenState) -> str:
    return "search" if state["searches"] else "compose"


def _failure(error: ModelError | None) -> list[str]:
    return [] if error is None else [f"the question was searched for without the model: {reason(error)}"]


def _names(places: Sequence[Scope], state: DeepenState) -> list[str]:
    """Return the scopes as they are called inside the one that is searched."""
    outer = len(state["scope"])
    return [" / ".join(place.segments[outer:]) for place in places]


def _by_words(recipe: Recipe) -> Recipe:
    """Return the recipe without its meaning: of missing words, only lines that hold them are news."""
    if not recipe.lexical and not recipe.lexical_window:
        return recipe
    return replace(recipe, dense=0.0, dense_window=0.0, kindred=0.0)
