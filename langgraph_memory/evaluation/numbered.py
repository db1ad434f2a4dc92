"""Dialogues whose sittings are numbered fields, `session_1`, `session_2`, ...: LoCoMo and what follows its form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from langgraph_memory.evaluation.datasets import Turn
from langgraph_memory.evaluation.drafts import Draft
from langgraph_memory.importing.documents import Value
from langgraph_memory.importing.locomo import with_picture
from langgraph_memory.importing.places import Step

Dated = Callable[[object], datetime | None]
"""Reads a date as the data set writes it; None where it is written otherwise."""

_SESSION = re.compile(r"session_(\d+)")
_ID = re.compile(r"D:?(\d+):(\d+)")


def sessions_in(dialogue: object) -> list[int]:
    """Return the numbers of the sittings, in order."""
    if not isinstance(dialogue, Mapping):
        return []
    return sorted(int(match[1]) for match in map(_SESSION.fullmatch, map(str, dialogue)) if match)


def add_turns(
    draft: Draft, dialogue: Mapping[str, Any], value: Value, *path: Step, text: str, date: str | None, dated: Dated
) -> None:
    """Add the turns of every sitting; a picture's caption is part of its turn's text.

    Args:
        draft: where they go.
        dialogue: holds the sittings.
        value: the value of the file in which `dialogue` stands, at `path`.
        text: the field of a turn that holds what was said.
        date: the field of a turn that holds its date; None where only the sitting has one.
        dated: reads such a date.
    """
    for number in sessions_in(dialogue):
        name = f"session_{number}"
        turns, began = dialogue[name], dialogue.get(f"{name}_date_time")
        if not isinstance(turns, list):
            draft.leave_out("turn", name, "It is no list of turns.", partial(value.line_of, *path, name))
            continue
        for place, turn in enumerate(turns):
            where, said = f"session {number}, turn {place + 1}", began
            if isinstance(turn, Mapping) and date is not None:
                said = turn.get(date, began)
            moment = dated(said)
            if not isinstance(turn, Mapping) or not isinstance(turn.get(text), str):
                reason = f'It has no "{text}".'
            elif moment is None:
                reason = f"Its date {str(said)[:40]!r} cannot be read."
            else:
                turn_id = str(turn.get("dia_id") or f"D{number}:{place + 1}")
                spoken = with_picture(turn[text], turn)
                reason = draft.add(Turn(turn_id, f"D{number}", str(turn.get("speaker")), spoken, said_at=moment))
            if reason:
                draft.leave_out("turn", where, reason, partial(value.line_of, *path, name, place))


def add_questions(draft: Draft, asked: object, value: Value, *path: Step, categories: Mapping[int, str]) -> None:
    """Add the questions of a `qa` list, once all turns are there."""
    for place, item in enumerate(asked if isinstance(asked, list) else ()):
        given = item if isinstance(item, Mapping) else {}
        kind = given.get("category", "")
        draft.ask(
            f"{draft.id}-{place}",
            given.get("question"),
            turn_ids(given.get("evidence")),
            where=f"question {place + 1}",
            line=partial(value.line_of, *path, place),
            category=categories.get(kind, str(kind)) if isinstance(kind, int) else str(kind),
        )


def turn_ids(evidence: object) -> list[str]:
    """Return the ids that a question names.

    The files write several of them into one text, with stray colons, blanks and zeros: `D8:6; D9:17`, `D:11:26`,
    `D30:05`. What is like no id at all stays as it is, so that it is missed and reported.
    """
    given: Iterable[object] = evidence if isinstance(evidence, list) else () if evidence is None else (evidence,)
    found: list[str] = []
    for text in (str(item).strip() for item in given):
        ids = [f"D{int(session)}:{int(turn)}" for session, turn in _ID.findall(text)]
        found += ids or ([text] if text else [])
    return found
