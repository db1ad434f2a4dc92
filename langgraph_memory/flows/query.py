"""What memory is searched for before something is written: what a query model says, or else the messages themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from langgraph_memory.errors import ModelError
from langgraph_memory.models.answers import Structured
from langgraph_memory.models.chat import CallBudget, Chat
from langgraph_memory.prompts import load_prompt
from langgraph_memory.records import Usage
from langgraph_memory.text.enclose import enclose
from langgraph_memory.text.normalise import normalise
from langgraph_memory.writing.known import Queried

MOST_QUERIES = 8
"""Queries that one answer may give, as many as there are without a model; each costs a search."""

LONGEST_QUERY = 1_000
"""Characters of a query."""

INSTEAD = "the messages themselves were searched for"

_RULES = load_prompt("query").text.replace("{most}", str(MOST_QUERIES))  # read at import: never on an event loop
_FORM = {
    "title": "queries",
    "description": "What to search memory for.",
    "type": "object",
    "properties": {"queries": {"type": "array", "items": {"type": "string"}}},
    "required": ["queries"],
    "additionalProperties": False,
}


class QueryWriter:
    """Asks one chat model what to search for. A failure costs no memory: the messages are searched for instead."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    def write(self, told: str, max_calls: int | None) -> Queried:
        """Return what to search for.

        Args:
            told: the conversation.
            max_calls: calls that the whole run may make; one of them is left to whoever writes.
        """
        budget = _budget(max_calls)
        if budget.left == 0:
            return _instead("no model call is left for a query", budget)
        try:
            return _read(self._chat.structured(_prompt(told), _FORM, budget=budget), budget)
        except ModelError as error:
            return _instead(f"the query model failed: {error}", budget)

    async def awrite(self, told: str, max_calls: int | None) -> Queried:
        """Async twin of `write`."""
        budget = _budget(max_calls)
        if budget.left == 0:
            return _instead("no model call is left for a query", budget)
        try:
            return _read(await self._chat.astructured(_prompt(told), _FORM, budget=budget), budget)
        except ModelError as error:
            return _instead(f"the query model failed: {error}", budget)


def budget_after(queried: Queried | None, max_calls: int | None) -> CallBudget:
    """Return the budget of a run of which a query model has spent some."""
    return CallBudget(max_calls, spent=Usage(**queried["usage"]) if queried else Usage())


def _budget(max_calls: int | None) -> CallBudget:
    return CallBudget(None if max_calls is None else max(0, max_calls - 1))


def _prompt(told: str) -> list[BaseMessage]:
    return [SystemMessage(_RULES), HumanMessage("New messages:\n" + enclose("new", told))]


def _instead(why: str, budget: CallBudget) -> Queried:
    return Queried(queries=None, notes=[f"{why}; {INSTEAD}"], usage=asdict(budget.usage))


def _read(answer: Structured, budget: CallBudget) -> Queried:
    given: Any = answer.data
    if isinstance(given, Mapping):
        given = given.get("queries", next((value for value in given.values() if isinstance(value, list)), None))
    if not isinstance(given, list):
        return _instead(f"the query model gave no queries ({answer.problem or 'no list'})", budget)
    notes = [f"the query model's answer was odd: {answer.problem}"] if answer.problem else []
    queries: dict[str, str] = {}
    for item in given:
        if isinstance(item, str) and normalise(item):
            queries.setdefault(normalise(item), item.strip()[:LONGEST_QUERY])
        else:
            notes.append(f"{str(item)[:40]!r} of the query model is no query")
    if len(queries) > MOST_QUERIES:
        notes.append(f"of {len(queries)} queries of the query model {MOST_QUERIES} were searched for")
    return Queried(queries=list(queries.values())[:MOST_QUERIES], notes=notes, usage=asdict(budget.usage))
