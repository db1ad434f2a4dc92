"""The minutes of a run: what became of every call, for the caller and for the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langgraph_memory.editing.calls import Call
from langgraph_memory.editing.draft import Draft, Sheet
from langgraph_memory.editing.edits import Unwritten
from langgraph_memory.editing.repair import Repaired


@dataclass(slots=True)
class Turn:
    """One turn of the model.

    Attributes:
        replies: id of the call, document, text with `{}` for the number of the document, and whether it went well.
        written: whether anything was written.
        done: whether the model said that nothing more is to be written.
        not_permitted: whether it asked for something that is switched off.
    """

    replies: list[tuple[str, Sheet | None, str, bool]] = field(default_factory=list)
    written: bool = False
    done: bool = False
    not_permitted: bool = False

    @property
    def good(self) -> bool:
        """Whether every call went well."""
        return all(good for *_, good in self.replies)


class Minutes:
    """Keeps what becomes of the calls, turn by turn."""

    def __init__(self) -> None:
        self.skipped: list[Unwritten] = []
        self.refused: list[Unwritten] = []
        self.failed: list[Unwritten] = []
        self.notes: list[str] = []
        self.cut = False
        self.turn = Turn()

    def next_turn(self) -> None:
        """Begin another turn."""
        self.turn = Turn()

    def told(self, draft: Draft) -> list[tuple[str, str, bool]]:
        """Return id, text and good or bad of every call of the turn; only now do new documents get numbers."""
        return [
            (call_id, text if sheet is None else f"Document {draft.number(sheet)}: {text}", good)
            for call_id, sheet, text, good in self.turn.replies
        ]

    def done(self, call: Call) -> None:
        """The model said that it is done."""
        self.turn.done = True
        self._reply(call, None, "Noted.")

    def wrote(self, call: Call, what: str, sheet: Sheet | None = None, *, whole: bool = True) -> None:
        """Something was written, if not `whole`, then in part."""
        self.turn.written = True
        self._reply(call, sheet, what, whole)

    def skip(self, call: Call, sheet: Sheet, reason: str, value: Any, attempts: int) -> None:
        """It would change nothing."""
        self.skipped.append(Unwritten(call.name, reason, sheet.id, sheet.schema, value, attempts))
        self._reply(call, sheet, f"skipped, because {reason}.")

    def refuse(self, call: Call, reason: str, sheet: Sheet | None = None, attempts: int = 1) -> None:
        """It is not permitted, or points nowhere."""
        self.refused.append(_unwritten(call, reason, sheet, dict(call.args), attempts))
        self._reply(call, sheet, f"refused, because {reason}.", False)

    def refuse_parts(self, call: Call, reasons: Sequence[str], sheet: Sheet) -> None:
        """Parts of an update could not be carried out; `wrote` or `refuse` tells the model."""
        self.refused.extend(_unwritten(call, reason, sheet, dict(call.args), 1) for reason in reasons)

    def fail(self, call: Call, fixed: Repaired, schema: str | None, sheet: Sheet | None = None) -> None:
        """It does not fit its schema, and could not be repaired."""
        reason = fixed.error or "it could not be repaired"
        item = Unwritten(
            call.name, reason, None if sheet is None else sheet.id, schema, fixed.last_value, fixed.attempts
        )
        self.failed.append(item)
        self._reply(call, sheet, f"failed, nothing was written: {reason}", False)

    def reply(self, call: Call, sheet: Sheet, text: str, *, good: bool) -> None:
        """Tell the model about a call whose parts are recorded already."""
        self._reply(call, sheet, text, good)

    def _reply(self, call: Call, sheet: Sheet | None, text: str, good: bool = True) -> None:
        self.turn.replies.append((call.id, sheet, text, good))


def _unwritten(call: Call, reason: str, sheet: Sheet | None, value: Any, attempts: int) -> Unwritten:
    if sheet is None:
        return Unwritten(call.name, reason, None, None, value, attempts)
    return Unwritten(call.name, reason, sheet.id, sheet.schema, value, attempts)
