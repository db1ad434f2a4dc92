"""What the steps of manage tell each other: the conversation, the documents, and each edit with what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict  # typing's has no JSON schema on Python 3.11

from langgraph_memory.editing.edits import Edits, Unwritten
from langgraph_memory.errors import InvalidInput
from langgraph_memory.writing.known import Queried

Action = Literal["create", "update", "delete"]


class Edit(TypedDict):
    """One edit, JSON-plain.

    Attributes:
        id: the document's id; None for a new one.
        value: what it becomes; for a deletion what it was.
        before: what an update replaces.
        status: `proposed` until it is written, then what the report calls it.
        why: the reason of a refusal, skip or failure.
    """

    action: Action
    id: str | None
    schema: str
    value: dict[str, Any]
    before: dict[str, Any] | None
    reason: str | None
    status: str
    why: str | None


class Stretch(TypedDict):
    """A stretch of a session: its row, and the `seq` of the entry before it and of its last one."""

    session_row: int
    before: int
    upto: int


class ManageInput(TypedDict):
    """What was said, as text, and where: the scope's segments, the thread, and the ids of the messages.

    Attributes:
        observed_at: when it was said, ISO 8601; now where it is absent.
        unread: the messages as what comes next for distilling; absent where they are not, or not only they.
    """

    scope: list[str]
    conversation: str
    thread_id: NotRequired[str | None]
    observed_at: NotRequired[str | None]
    evidence: NotRequired[list[str]]
    unread: NotRequired[Stretch | None]


class ManageState(ManageInput):
    """What the steps tell each other, JSON-plain.

    Attributes:
        batch: the name under which the edits are written, fixed before a review so that they are written once.
        queried: what a query model had searched for.
        whole: whether the model came to its end and nothing of what it asked for failed.
    """

    batch: NotRequired[str]
    queried: NotRequired[Queried]
    whole: NotRequired[bool]
    documents: NotRequired[list[dict[str, Any]]]
    edits: NotRequired[list[Edit]]
    notes: NotRequired[list[str]]
    usage: NotRequired[dict[str, int]]
    report: NotRequired[dict[str, Any]]


@dataclass(frozen=True)
class ManageContext:
    """What may differ from run to run.

    Attributes:
        instructions: the developer's own, put behind the rules of the prompt.
        inserts, updates, deletes: what is permitted.
        max_steps: turns of the model.
        max_calls: calls of the model in all, repairs included; None for no limit.
        review: stop before anything is written and ask a person, by `interrupt`.
    """

    instructions: str | None = None
    inserts: bool = True
    updates: bool = True
    deletes: bool = False
    max_steps: int = 2
    max_calls: int | None = None
    review: bool = False


def listed(edits: Edits) -> list[Edit]:
    """Return everything a model asked for as one list, with what is decided already."""
    items = [_edit("create", None, one.schema, one.value) for one in edits.creates]
    items += [_edit("update", one.id, one.schema, one.value, one.before, one.reason) for one in edits.updates]
    items += [_edit("delete", one.id, one.schema, one.value, reason=one.reason) for one in edits.deletes]
    for status, many in (("skipped", edits.skipped), ("refused", edits.refused), ("failed", edits.failed)):
        items += [_unwritten(one, status) for one in many]
    return items


def reviewed(edits: Sequence[Edit], decision: Any) -> list[Edit]:
    """Return the edits with a person's decisions.

    Args:
        decision: `"approve"` or `"reject"` for all, or `{"decisions": [...]}` with one for each proposed edit, in
            order: `{"type": "approve"}`, `{"type": "reject", "message": why}`, `{"type": "edit", "value": {...}}`.

    Raises:
        InvalidInput: it is none of these, or has another number of decisions.
    """
    waiting = [place for place, edit in enumerate(edits) if edit["status"] == "proposed"]
    given = decision.get("decisions") if isinstance(decision, dict) else decision
    if isinstance(given, str):
        given = [{"type": given}] * len(waiting)
    if not isinstance(given, list) or len(given) != len(waiting):
        raise InvalidInput(
            f'{len(waiting)} edits wait for a decision. Resume with "approve", "reject", or {{"decisions": [...]}} '
            "that has one for each, in order."
        )
    result = list(edits)
    for place, one in zip(waiting, given, strict=True):
        result[place] = _decided(edits[place], one)
    return result


def _decided(edit: Edit, given: Any) -> Edit:
    kind = given.get("type") if isinstance(given, dict) else given
    if kind == "approve":
        return edit
    if kind == "reject":
        said = given.get("message") if isinstance(given, dict) else None
        return {**edit, "status": "refused", "why": f"rejected in review: {said}" if said else "rejected in review"}
    if kind == "edit" and isinstance(given.get("value"), dict) and edit["action"] != "delete":
        return {**edit, "value": given["value"], "reason": "edited in review"}
    raise InvalidInput(
        f'A decision is {{"type": "approve"}}, {{"type": "reject"}} or, for a create or update, {{"type": "edit", '
        f'"value": {{...}}}}, not {given!r}.'
    )


def _edit(
    action: Action,
    id: str | None,
    schema: str,
    value: dict[str, Any],
    before: dict[str, Any] | None = None,
    reason: str | None = None,
) -> Edit:
    return Edit(
        action=action, id=id, schema=schema, value=value, before=before, reason=reason, status="proposed", why=None
    )


def _unwritten(one: Unwritten, status: str) -> Edit:
    plain = asdict(one)
    value = plain["value"] if isinstance(plain["value"], dict) else {"value": plain["value"]}
    action: Action = "delete" if one.tool == "delete" else "update" if one.tool == "update" else "create"
    return Edit(
        action=action,
        id=one.id,
        schema=one.schema or one.tool,
        value=value,
        before=None,
        reason=None,
        status=status,
        why=one.reason,
    )
