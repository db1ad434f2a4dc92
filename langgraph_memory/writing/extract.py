"""Extraction turns messages into a prompt, and a model's answer into candidates, whatever shape it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from langgraph_memory.clock import as_utc
from langgraph_memory.prompts import load_prompt
from langgraph_memory.records import MESSAGE
from langgraph_memory.text.enclose import enclose
from langgraph_memory.text.tokenise import content_words
from langgraph_memory.writing.answer_shapes import TEXTS, is_memory, items_of, says_nothing
from langgraph_memory.writing.candidate import Candidate, candidate, settled
from langgraph_memory.writing.known import Known
from langgraph_memory.writing.turns import CONTEXT_CHARS, Turn

KINDS = ("fact", "preference", "event", "procedure", "insight", "profile")
MOST_RELATED = 10
NO_ANSWER = "this is no list of memories"
LONGEST_KIND = 40
_MANY = (list, Mapping)
CONTINUED = "\n    | "
"""Stands before the second and every further line of a message."""

_RULES = load_prompt("extract").text  # read at import: never on an event loop


def answer_schema() -> dict[str, Any]:
    """Return the JSON schema of the answer that the prompt asks for."""
    numbers = {"type": "array", "items": {"type": "integer"}}
    memory = {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "One fact that stands alone, in the language of the speaker."},
            "kind": {"type": "string", "enum": list(KINDS)},
            "said_by": {"type": "string", "description": "Speaker of the message that it comes from."},
            "sources": {**numbers, "description": "Numbers of the new messages that it rests on."},
            "related": {**numbers, "description": "Numbers of known memories that it adds to or changes."},
            "about": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Names of the people, places and things in it, as they are written.",
            },
            "importance": {"type": "number", "description": "0 for trivia to 1 for what must never be forgotten."},
            "since": {
                "type": ["string", "null"],
                "description": "YYYY-MM-DD from which it has been true, only where that was said.",
            },
        },
        "required": ["text", "kind", "said_by", "sources", "related", "about", "importance", "since"],
        "additionalProperties": False,
    }
    return {
        "title": "memories",
        "description": "The memories worth keeping from the new messages.",
        "type": "object",
        "properties": {"memories": {"type": "array", "items": memory}},
        "required": ["memories"],
        "additionalProperties": False,
    }


def prompt(
    turns: Sequence[Turn], context: Sequence[Turn], known: Sequence[Known], instructions: str | None
) -> list[BaseMessage]:
    """Return the prompt: the rules, then everything that is data, enclosed.

    Today's date is not in it, because every message has its own, from which dates are counted.

    Args:
        turns: the new messages, numbered from 0.
        context: earlier messages of the same session, oldest first.
        known: memories that exist, numbered from 0.
        instructions: the developer's own, put once behind the rules.
    """
    own = f"\nInstructions of the developer:\n{instructions.strip()}" if instructions and instructions.strip() else ""
    parts = []
    if known:
        lines = [
            f"[{place}] ({item['since'][:10]}) {' '.join(item['text'].split())}" for place, item in enumerate(known)
        ]
        parts.append("Known memories:\n" + enclose("known", "\n".join(lines)))
    if context:
        earlier = [_line(turn, None, CONTEXT_CHARS) for turn in context]
        parts.append("Earlier messages:\n" + enclose("earlier", "\n".join(earlier)))
    lines = [_line(turn, place) for place, turn in enumerate(turns)]
    parts.append("New messages:\n" + enclose("new", "\n".join(lines)))
    parts.append(f"The newest message is of {_day(turns[-1]['said_at'])}. Write in the language of the new messages.")
    return [SystemMessage(_RULES.replace("{instructions}", own).strip()), HumanMessage("\n\n".join(parts))]


def read_answer(data: Any, turns: Sequence[Turn], known: Sequence[Known]) -> tuple[list[Candidate], list[str], bool]:
    """Return the candidates in an answer, remarks about what in it could not be used, and whether it is an answer.

    Every item becomes a candidate: what is no memory is a refused one, with the reason. Numbers that were never shown
    are dropped, with a remark, and so are dates that cannot be read. What is no answer, but an error, a status or the
    arguments of another tool, is one refused candidate.
    """
    notes: list[str] = []
    documents: list[Any] = []
    if isinstance(data, Mapping) and "documents" in data and (len(data) > 1 or isinstance(data["documents"], _MANY)):
        documents = _listed(data["documents"])
        data = {name: value for name, value in data.items() if name != "documents"}
    items, fits = items_of(data)
    if not fits:
        return [settled(candidate(str(data)[:200]), "refused", NO_ANSWER)], notes, False
    found = [_candidate(item, turns, known, notes) for item in items]
    return [*found, *(_document(item, turns, notes) for item in documents)], notes, True


def _candidate(item: Any, turns: Sequence[Turn], known: Sequence[Known], notes: list[str]) -> Candidate:
    if isinstance(item, str):
        item = {"text": item}
    if not is_memory(item):
        return settled(candidate(str(item)[:200]), "refused", "no text in this item of the answer")
    text = next(item[name] for name in TEXTS if isinstance(item.get(name), str))
    if says_nothing(text):
        return settled(candidate(text), "refused", "it only says that there is nothing")
    if _kind(item.get("kind")) == MESSAGE:
        return settled(candidate(text), "refused", f"the kind {MESSAGE!r} is what was said, and no memory may have it")
    shown = list(range(len(turns)))
    places = _numbers(item.get("sources"), shown, "message", notes) or _likely(text, turns)
    related = _numbers(item.get("related"), list(range(len(known))), "memory", notes)[:MOST_RELATED]
    first = turns[places[0]]
    return candidate(
        text.strip(),
        kind=_kind(item.get("kind")),
        actor=_speaker(item.get("said_by"), [turns[place] for place in places], turns) or first["role"],
        sources=[turns[place]["seq"] for place in places],
        importance=_share(item.get("importance")),
        valid_from=_since(item.get("since"), [turns[place] for place in places], notes),
        about=[name.strip()[:100] for name in _strings(item.get("about")) if name.strip()],
        related=[known[place]["id"] for place in related],
    )


def _listed(given: Any) -> list[Any]:
    """Return the documents of an answer, also where one stands for the list, or they stand under keys."""
    if isinstance(given, Mapping):
        return [given] if "value" in given else list(given.values())
    return list(given) if isinstance(given, list) else [] if given in (None, "") else [given]


def _document(item: Any, turns: Sequence[Turn], notes: list[str]) -> Candidate:
    """Read a typed document, unjudged: its text is made from its value once a schema has judged that."""
    value = item.get("value") if isinstance(item, Mapping) else None
    if not isinstance(value, Mapping):
        return settled(candidate(str(item)[:200]), "refused", "no document in this item of the answer")
    places = _numbers(item.get("sources"), list(range(len(turns))), "message", notes)
    places = places or _likely(" ".join(str(part) for part in value.values()), turns)
    return candidate(
        "",
        actor=turns[places[0]]["role"],
        sources=[turns[place]["seq"] for place in places],
        data=dict(value),
        schema=str(item.get("schema")),
    )


def _numbers(value: Any, shown: Sequence[int], what: str, notes: list[str]) -> list[int]:
    """Return the numbers that were shown; `"3"` and `"[3]"` count, everything else is dropped with a remark."""
    good: list[int] = []
    for given in value if isinstance(value, list) else [] if value is None else [value]:
        digits = str(given).strip().strip("[]#")
        number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None
        if number in shown and number is not None:
            good.append(number)
        else:
            notes.append(f"the answer names {what} {str(given)[:20]!r}, which was not shown; the link was dropped")
    return list(dict.fromkeys(good))


def is_said(item: Candidate, turns: Sequence[Turn]) -> bool:
    """Say whether a message on which a candidate rests has a telling word of it; if not, it comes from elsewhere."""
    words = _telling(item["text"])
    return any(words & _telling(turn["text"]) for turn in turns if turn["seq"] in item["sources"])


@lru_cache(maxsize=512)  # the messages of a batch are compared with each of its proposals
def _telling(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(terms for _, terms in content_words(text))


def _likely(text: str, turns: Sequence[Turn]) -> list[int]:
    """Return the message that shares most words with the text, or all where none does."""
    words = _telling(text)
    shared = [len(words & _telling(turn["text"])) for turn in turns]
    best = max(shared)
    return [shared.index(best)] if best else list(range(len(turns)))


def _kind(value: Any) -> str:
    return value.strip().lower()[:LONGEST_KIND] if isinstance(value, str) and value.strip() else "fact"


def _speaker(value: Any, named: Sequence[Turn], turns: Sequence[Turn]) -> str | None:
    """Return who said it: a role or a name among the speakers of its sources, else of any message."""
    if not isinstance(value, str):
        return None
    wanted = value.strip().casefold()
    for turn in (*named, *turns):
        for word in (turn["speaker"], turn["role"]):
            if wanted == word.casefold():
                return word
    return None


def _share(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return float(value)


def _since(value: Any, named: Sequence[Turn], notes: list[str]) -> str | None:
    """Return the date in ISO form, or None with a remark; one after the message is a plan, which is known from now."""
    if value is None or value == "":
        return None
    try:
        moment = as_utc(datetime.fromisoformat(value.strip()))
    except (AttributeError, ValueError, OverflowError):  # no text, no date, or none that exists in UTC
        notes.append(f"the answer gives the date {str(value)[:40]!r}, which cannot be read; it was dropped")
        return None
    said = max(datetime.fromisoformat(turn["said_at"]) for turn in named)
    return moment.isoformat() if moment <= said else None


def _strings(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _line(turn: Turn, number: int | None, longest: int | None = None) -> str:
    place = "" if number is None else f"[{number}] "
    said = turn["text"] if longest is None else turn["text"][:longest]
    who = turn["role"] if turn["speaker"] == turn["role"] else f"{turn['role']} {' '.join(turn['speaker'].split())}"
    # Further lines are marked, so that no message can make one up that looks like somebody else's message.
    return f"{place}{_day(turn['said_at'])} {who}: " + CONTINUED.join(said.splitlines())


def _day(moment: str) -> str:
    day = datetime.fromisoformat(moment)
    return f"{day.date()} ({day:%A})"
