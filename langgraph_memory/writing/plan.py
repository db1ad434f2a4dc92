"""A plan says what to do with memories that resemble each other; only what is safe in it is carried out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from typing_extensions import TypedDict  # typing's has no JSON schema on Python 3.11

from langgraph_memory.prompts import load_prompt
from langgraph_memory.text.enclose import enclose
from langgraph_memory.text.tokenise import query_terms
from langgraph_memory.writing.gates import refuse

_RULES = load_prompt("consolidate").text  # read at import: never on an event loop


Action = Literal["keep", "update", "delete"]


class Kin(TypedDict):
    """One of a group of similar memories; its place in the group is the number that the model sees."""

    id: str
    text: str
    since: str
    pinned: bool


class Step(TypedDict):
    """One action of a plan, with what became of it.

    Attributes:
        id: the memory it is about; None where the plan names none that was shown.
        text: the new text of an update, else the memory's own.
        status: `planned` until it is carried out, then `updated`, `deleted` or `kept`; or `refused`, `skipped`.
    """

    id: str | None
    action: Action
    text: str
    status: str
    reason: str | None


def plan_schema() -> dict[str, Any]:
    """Return the JSON schema of a plan."""
    step = {
        "type": "object",
        "properties": {
            "number": {"type": "integer"},
            "action": {"type": "string", "enum": ["keep", "update", "delete"]},
            "text": {"type": ["string", "null"], "description": "The whole new text, for an update."},
            "reason": {"type": "string"},
        },
        "required": ["number", "action", "text", "reason"],
        "additionalProperties": False,
    }
    return {
        "title": "plan",
        "description": "What to do with each memory.",
        "type": "object",
        "properties": {"actions": {"type": "array", "items": step}},
        "required": ["actions"],
        "additionalProperties": False,
    }


def plan_prompt(group: Sequence[Kin], instructions: str | None) -> list[BaseMessage]:
    """Return the prompt that asks for a plan."""
    own = f"\nInstructions of the developer:\n{instructions.strip()}" if instructions and instructions.strip() else ""
    lines = [
        f"[{place}] (since {datetime.fromisoformat(kin['since']):%Y-%m-%d}) {kin['text']}"
        for place, kin in enumerate(group)
    ]
    rules = _RULES.replace("{instructions}", own).strip()
    return [SystemMessage(rules), HumanMessage("Memories:\n" + enclose("memories", "\n".join(lines)))]


def read_plan(data: Any, group: Sequence[Kin]) -> list[Step]:
    """Return the steps of a plan that may be carried out, and the others with the reason why not.

    Numbers that were not shown are refused, and so is a second action on one memory, a text that the gates refuse, a
    text that shares no word with the group, the deletion of a pinned memory, and every deletion of a plan that would
    leave nothing of the group, or of which an update is not carried out: what was to be deleted may live on in that
    text only.
    """
    taken: set[int] = set()
    steps = [_step(item, group, taken) for item in actions_of(data) or ()]
    planned = [step for step in steps if step["status"] == "planned"]
    deleted = {step["id"] for step in planned if step["action"] == "delete"}
    if deleted and len(deleted) == len(group):
        for step in planned:
            mark(step, "refused", "the plan would leave nothing of these memories")
    keep_whole(steps)
    return steps


def actions_of(data: Any) -> list[Any] | None:
    """Return the actions of an answer, also where one stands for the list, or they stand under keys; None for no plan.

    A key is no number of a memory: it may only count the actions.
    """
    if isinstance(data, Mapping) and "number" not in data:
        lists = [value for value in data.values() if isinstance(value, list)]
        data = data["actions"] if "actions" in data else lists[0] if len(lists) == 1 else None
    if isinstance(data, Mapping):
        return [data] if "number" in data else list(data.values())
    return list(data) if isinstance(data, list) else None


def keep_whole(steps: Sequence[Step]) -> None:
    """Refuse the deletions of a plan of which an update cannot be carried out."""
    lost = next(
        (step for step in steps if step["action"] == "update" and step["status"] in ("refused", "skipped")), None
    )
    if lost is not None:
        for step in steps:
            if step["status"] == "planned" and step["action"] == "delete":
                mark(step, "refused", f"an update of the same plan is not carried out: {lost['reason']}")


def mark(step: Step, status: str, reason: str | None) -> None:
    """Note what became of a step."""
    step["status"], step["reason"] = status, reason


def _step(item: Any, group: Sequence[Kin], taken: set[int]) -> Step:
    number = item.get("number") if isinstance(item, Mapping) else None
    action = item.get("action") if isinstance(item, Mapping) else None
    if isinstance(number, str) and number.strip().isdecimal():
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(group):
        named: Action = action if action in ("keep", "update", "delete") else "keep"
        return Step(id=None, action=named, text=str(item)[:200], status="refused", reason="no memory with this number")
    kin = group[number]
    if action not in ("keep", "update", "delete"):
        return Step(id=kin["id"], action="keep", text=kin["text"], status="refused", reason=f"no action {action!r}")
    step = Step(id=kin["id"], action=action, text=kin["text"], status="planned", reason=_reason(item))
    if number in taken:
        mark(step, "skipped", "an earlier action of the plan is about the same memory")
        return step
    taken.add(number)
    if action == "keep":
        step["status"] = "kept"
    elif action == "delete" and kin["pinned"]:
        mark(step, "refused", "the memory is pinned")
    elif action == "update":
        text = item.get("text")
        why = refuse(text) if isinstance(text, str) else "no text"
        if why is None and not _shares_words(text, group):
            why = "the text shares no telling word with these memories"
        if why is not None:
            mark(step, "refused", why)
        elif text.strip() == kin["text"]:
            step["status"] = "kept"
        else:
            step["text"] = text.strip()
    return step


def _shares_words(text: str, group: Sequence[Kin]) -> bool:
    words = set(query_terms(text))
    return any(not words.isdisjoint(query_terms(kin["text"])) for kin in group)


def _reason(item: Mapping[str, Any]) -> str | None:
    reason = item.get("reason")
    return reason.strip()[:200] if isinstance(reason, str) and reason.strip() else None
