"""Writing an edit: what an approved create, update or delete does to the store, in the transaction of its batch."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from langgraph_memory.clock import as_utc
from langgraph_memory.editing.schemas import MEMORY
from langgraph_memory.events import reason
from langgraph_memory.flows.documents import document_of, sentence_of
from langgraph_memory.flows.manage_state import Edit, ManageState
from langgraph_memory.records import MemoryRecord, Outcome, Report
from langgraph_memory.scope import Scope
from langgraph_memory.storage import memories
from langgraph_memory.storage.memories import PROFILE
from langgraph_memory.writing.ledger import Ledger
from langgraph_memory.writing.proposal import Proposal

ACTOR = "assistant"

NEW = "new "
"""Begins the id of a profile that nobody has written yet."""


class EditWriter:
    """Writes the edits of one run, each so that it takes no other with it.

    Args:
        ledger: the hand of the transaction.
        state: of the run.
        sources: `seq` of the messages that the edits rest on.
        profiles: names of the schemas of which a scope has one document.
    """

    def __init__(self, ledger: Ledger, state: ManageState, sources: Sequence[int], profiles: Collection[str]) -> None:
        self._ledger, self._state, self._sources, self._profiles = ledger, state, sources, profiles
        self._scope = Scope.of(state["scope"])
        at = state.get("observed_at")
        self._said_at = None if at is None else datetime.fromisoformat(at)

    def write(self, edit: Edit, twin: str | None) -> Report:
        """Write an edit and note in it what became of it.

        Args:
            twin: the plain memory that a new one restates.
        """
        text = sentence_of(edit["schema"], edit["value"])
        try:
            with self._ledger.attempt():
                return self._write(edit, text, twin)
        except Exception as error:
            edit["status"] = "failed"
            return Report(failed=(Outcome(edit["id"], text, reason(error)),))

    def _write(self, edit: Edit, text: str, twin: str | None) -> Report:
        ledger, sources = self._ledger, self._sources
        old = self._target(edit, twin)
        if edit["action"] == "create" and twin is not None and old is not None:
            ledger.reinforce(old, ACTOR, sources)
            edit["status"] = "reinforced"
            return Report(reinforced=(Outcome(old.id, text, "says the same", old.id),))
        is_new = edit["action"] == "create" or (edit["id"] or "").startswith(NEW)
        if old is None and is_new:
            report = ledger.add(self._proposal(edit, text), self._scope, sources=sources)
            edit["status"] = "added" if report.added else "reinforced"
            return Report(added=report.added, reinforced=report.reinforced)
        if old is None or not _is_as_shown(edit, old):
            edit["status"], edit["why"] = "failed", "the memory was changed by somebody else meanwhile"
            return Report()
        if edit["action"] == "delete":
            ledger.retire(old, actor=ACTOR, reason=edit["reason"] or "deleted")
            edit["status"] = "retired"
            return Report(retired=(Outcome(old.id, old.text, edit["reason"]),))
        changes = self._changes(edit, old)
        report = ledger.succeed(old, text, actor=ACTOR, reason=edit["reason"] or "updated", sources=sources, **changes)
        edit["status"] = "added" if report.added else "reinforced"
        return Report(added=report.added, reinforced=report.reinforced, retired=report.retired)

    def _target(self, edit: Edit, twin: str | None) -> MemoryRecord | None:
        """Return the live record that an edit is about: by id, by the profile's key, or the one it restates."""
        if edit["schema"] in self._profiles and edit["action"] != "delete":
            return memories.live_profile(self._ledger.connection, self._scope, edit["schema"])
        named = edit["id"] or twin
        record = memories.by_id(self._ledger.connection, named) if named else None
        return record if record is not None and record.scope == self._scope and record.retired_at is None else None

    def _changes(self, edit: Edit, old: MemoryRecord) -> dict[str, Any]:
        said_at = {} if self._said_at is None else {"observed_at": as_utc(self._said_at)}
        if edit["schema"] == MEMORY.name:
            return {**said_at, "kind": edit["value"].get("kind") or old.kind}
        return {**said_at, "data": edit["value"], "schema": edit["schema"]}

    def _proposal(self, edit: Edit, text: str) -> Proposal:
        is_plain = edit["schema"] == MEMORY.name
        kind = PROFILE if edit["schema"] in self._profiles else "fact"
        return Proposal(
            text=text,
            kind=str(edit["value"].get("kind") or kind) if is_plain else kind,
            actor=ACTOR,
            session_id=self._state.get("thread_id"),
            observed_at=self._said_at,
            data=None if is_plain else edit["value"],
            schema=None if is_plain else edit["schema"],
            metadata={"extracted_by": "model"},
        )


def _is_as_shown(edit: Edit, record: MemoryRecord) -> bool:
    """Say whether the record still is what the model has seen."""
    if edit["action"] == "create":
        return False  # a profile that somebody else began meanwhile
    seen = edit["value"] if edit["action"] == "delete" else edit["before"]
    return document_of(record).value == seen
