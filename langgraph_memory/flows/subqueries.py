"""What a deep recall asks the chat model, and what it takes from the answer: queries, places and times, all checked."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from typing_extensions import TypedDict

from langgraph_memory.clock import as_utc
from langgraph_memory.models.answers import Structured
from langgraph_memory.prompts import load_prompt
from langgraph_memory.text.enclose import enclose
from langgraph_memory.text.normalise import normalise

MOST_QUERIES = 3
"""Queries that one answer may give (CrewAI: 3); each costs a search."""

MOST_PLACES = 20
"""Inner scopes that the model is shown (CrewAI: 20). Whatever it names, the whole scope is searched too."""

LONGEST_QUERY = 500
"""Characters of a query."""

_ANALYSIS = load_prompt("subqueries").text.replace("{most}", str(MOST_QUERIES))  # read at import: never on a loop
_DEEPENING = load_prompt("deepen").text.replace("{most}", str(MOST_QUERIES))
_QUERIES = {"queries": {"type": "array", "items": {"type": "string"}}}
DEEPENING: dict[str, Any] = {
    "title": "queries",
    "description": "What else to search memory for.",
    "type": "object",
    "properties": _QUERIES,
    "required": ["queries"],
    "additionalProperties": False,
}
ANALYSIS: dict[str, Any] = {
    **DEEPENING,
    "description": "What to search memory for.",
    "properties": {
        **_QUERIES,
        "places": {"type": "array", "items": {"type": "integer"}},
        "said_after": {"type": "string", "description": "ISO 8601, or empty"},
        "said_before": {"type": "string", "description": "ISO 8601, or empty"},
    },
}


class Plan(TypedDict):
    """What the model proposes, as far as it was accepted, JSON-plain.

    Attributes:
        queries: none of which was asked before.
        places: which of the scopes shown, counted from 0.
        said_after, said_before: ISO 8601 in UTC, or None.
        notes: what was not accepted, and why.
    """

    queries: list[str]
    places: list[int]
    said_after: str | None
    said_before: str | None
    notes: list[str]


def analysis_prompt(question: str, places: Sequence[str]) -> list[BaseMessage]:
    """Return the prompt that takes a question apart.

    Args:
        places: names of the scopes inside the one that is searched; at most `MOST_PLACES` are shown.
    """
    told = f"Question:\n{enclose('question', question)}"
    if places:
        listed = "\n".join(f"{number}. {place}" for number, place in enumerate(places[:MOST_PLACES], 1))
        told += f"\n\nPlaces:\n{enclose('places', listed)}"
    return [SystemMessage(_ANALYSIS), HumanMessage(told)]


def deepening_prompt(
    question: str, found: Sequence[str], missing: Sequence[str], asked: Sequence[str]
) -> list[BaseMessage]:
    """Return the prompt that asks what else to search for.

    Args:
        found: lines found so far.
        missing: what of the question no line mentions.
        asked: queries that were searched for already.
    """
    told = [
        f"Question:\n{enclose('question', question)}",
        f"Found so far:\n{enclose('found', _lines(found))}",
        f"Not found:\n{enclose('missing', _lines(missing))}",
        f"Asked for already:\n{enclose('asked', _lines(asked))}",
    ]
    return [SystemMessage(_DEEPENING), HumanMessage("\n\n".join(told))]


def read_plan(answer: Structured, asked: Collection[str], places: int = 0) -> Plan:
    """Return what of the model's answer can be used; a query that was asked before finds nothing new.

    Args:
        asked: queries that were searched for already.
        places: how many scopes the model was shown.
    """
    given = answer.data if isinstance(answer.data, dict) else {"queries": answer.data}
    notes = [f"the model's answer was odd: {answer.problem}"] if answer.problem else []
    plan = Plan(queries=[], places=[], said_after=None, said_before=None, notes=notes)
    seen = {normalise(query) for query in asked}
    for item in _listed(given.get("queries")):
        if not isinstance(item, str) or not normalise(item):
            notes.append(f"{str(item)[:40]!r} of the model is no query")
        elif normalise(item) in seen:
            notes.append(f"the model's query {item[:40]!r} was searched for already")
        elif len(plan["queries"]) == MOST_QUERIES:
            notes.append(f"of the model's queries {MOST_QUERIES} were searched for")
            break
        else:
            seen.add(normalise(item))
            plan["queries"].append(item.strip()[:LONGEST_QUERY])
    for item in _listed(given.get("places")):
        if isinstance(item, int) and not isinstance(item, bool) and 1 <= item <= places:
            if item - 1 not in plan["places"]:
                plan["places"].append(item - 1)
        else:
            notes.append(f"{str(item)[:40]!r} of the model is no place inside the scope: it was not searched")
    plan["said_after"] = _moment(given.get("said_after"), notes)
    plan["said_before"] = _moment(given.get("said_before"), notes)
    return plan


def _moment(given: object, notes: list[str]) -> str | None:
    if given is None or given == "":
        return None
    try:
        return as_utc(datetime.fromisoformat(str(given).strip())).isoformat()
    except (ValueError, OverflowError):
        notes.append(f"{str(given)[:40]!r} of the model is no time: it was not applied")
        return None


def _listed(given: object) -> list[Any]:
    return given if isinstance(given, list) else [] if given is None else [given]


def _lines(texts: Sequence[str]) -> str:
    return "\n".join(f"- {' '.join(text.split())}" for text in texts) or "(nothing)"
