"""LongMemEval as released (Wu et al. 2024): a list of questions, each with a history of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

from langgraph_memory.evaluation.datasets import Turn
from langgraph_memory.evaluation.drafts import Draft, whole
from langgraph_memory.importing.documents import Source, Value
from langgraph_memory.importing.parts import text_id

SHAPE = (
    '[{"question_id", "question_type", "question", "haystack_session_ids", "haystack_dates", "haystack_sessions": '
    '[[{"role", "content", "has_answer"}]]}]'
)

ABSTENTION = "_abs"
"""How the id of a question ends that the history does not answer."""

_DATE = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})(?: \(\w+\))?(?: (\d{1,2}):(\d{2}))?")


def detect(source: Source) -> bool:
    """Say whether `source` is in this format."""
    return any(isinstance(data, Mapping) and "haystack_sessions" in data for data in source.peek)


def read(source: Source) -> Iterator[Draft]:
    """Yield a conversation for each question.

    Its evidence is the turns marked `has_answer`, of the user or of the assistant. Questions of abstention are left
    out, as the authors do when they measure retrieval: what they ask about was never said.
    """
    for value in whole(source):
        given = value.data if isinstance(value.data, Mapping) else {}
        own = text_id(given.get("question_id"))
        draft = Draft(own or f"{source.stem}-{value.number}")
        evidence = _add_turns(draft, given, value)
        if draft.id.endswith(ABSTENTION):
            reason = "It asks about what was never said (abstention), so that nothing can be found for it."
            draft.leave_out("question", "its question", reason, value.line_of)
        else:
            draft.ask(
                draft.id,
                given.get("question"),
                evidence,
                where="its question",
                line=value.line_of,
                category=str(given.get("question_type", "")),
                asked_at=parse_date(given.get("question_date")),
            )
        yield draft


def _add_turns(draft: Draft, given: Mapping[str, Any], value: Value) -> list[str]:
    """Add the history, and return the ids of the turns that hold the answer."""
    sessions = given.get("haystack_sessions")
    names, dates = (_listed(given.get(field)) for field in ("haystack_session_ids", "haystack_dates"))
    evidence: list[str] = []
    for number, turns in enumerate(_listed(sessions)):
        session = (text_id(names[number]) if number < len(names) else None) or f"session-{number + 1}"
        said_at = parse_date(dates[number]) if number < len(dates) else None
        for place, turn in enumerate(_listed(turns)):
            reason = 'It has no "role" of user or assistant, or no "content".'
            if _is_turn(turn):
                turn_id = f"{session}:{place + 1}"
                role = turn["role"]
                reason = draft.add(Turn(turn_id, session, role, turn["content"], role, said_at))
                if turn.get("has_answer") is True and not reason:
                    evidence.append(turn_id)
            if reason:
                path = ("haystack_sessions", number, place)
                draft.leave_out("turn", f"session {session}, turn {place + 1}", reason, partial(value.line_of, *path))
    return evidence


def _is_turn(turn: Any) -> bool:
    return (
        isinstance(turn, Mapping) and turn.get("role") in ("user", "assistant") and isinstance(turn.get("content"), str)
    )


def _listed(given: Any) -> list[Any]:
    return given if isinstance(given, list) else []


def parse_date(text: object) -> datetime | None:
    """Return the time that `2023/05/30 (Tue) 23:40` names, read as UTC; None where it is written otherwise."""
    match = _DATE.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        return None
    year, month, day, hour, minute = (int(part or 0) for part in match.groups())
    try:
        return datetime(year, month, day, hour, minute, tzinfo=UTC)
    except ValueError:
        return None
