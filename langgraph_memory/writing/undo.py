"""Undo reads the journal backwards and puts every record back into the state it had before."""

from __future__ import annotations

from langgraph_memory.clock import to_micros
from langgraph_memory.errors import NotFound
from langgraph_memory.records import Change, MemoryRecord, Outcome, Report
from langgraph_memory.scope import Scope
from langgraph_memory.storage import entries, memories
from langgraph_memory.writing.ledger import Ledger
from langgraph_memory.writing.lookup import where

UNDONE = "undone"


def undo_batch(ledger: Ledger, batch: str, *, scope: Scope | None, actor: str) -> Report:
    """Take back what was written under `batch`, newest first; the undo is a batch itself and can be undone.

    What something newer has changed since is left as it is, and reported as skipped.

    Raises:
        NotFound: nothing was written under this name inside the scope.
    """
    changes = memories.batch(ledger.connection, batch)
    inside = [(place, change) for place, change in changes if scope is None or scope.contains(place)]
    if not inside:
        raise NotFound(
            f"Nothing was written under {batch!r}{where(scope)}. A report's `batches` name what can be undone."
        )
    report = Report()
    for place, change in reversed(inside):
        record = memories.by_id(ledger.connection, change.memory_id)
        if change.after is None:
            report += _undo_entry(ledger, place, change, actor)
        elif record is None:
            report += Report(skipped=(Outcome(change.memory_id, str(change.after["text"]), reason="erased since"),))
        else:
            report += _undo_change(ledger, record, change, actor)
    written = any((report.retired, report.restored, report.reinforced))
    return Report(
        skipped=report.skipped,
        retired=report.retired,
        restored=report.restored,
        reinforced=report.reinforced,
        batches=(ledger.batch,) if written else (),
    )


def _undo_change(ledger: Ledger, record: MemoryRecord, change: Change, actor: str) -> Report:
    assert change.after is not None
    if change.action == "reinforced":
        before = change.before["reinforced"] if change.before else 0
        came, went = change.after.get("linked", []), change.after.get("unlinked", [])
        memories.unlink_evidence(ledger.connection, record.seq, came)
        back = memories.link_evidence(ledger.connection, record.seq, went)
        by = before - change.after["reinforced"]
        ledger.strengthen(record, by, actor, linked=back, unlinked=came, reason=UNDONE)
        return Report(reinforced=(Outcome(record.id, record.text, reason=UNDONE, of=record.id),))
    is_retired = record.retired_at is not None
    if change.action == "retired":
        if not is_retired or _mark(record) != change.after["retired_at"]:
            return _skipped(record, "changed since")
        twin = ledger.restore(record, actor=actor, reason=UNDONE)
        if twin is not None:
            return _skipped(record, "another live memory says the same", of=twin.id)
        return Report(restored=(Outcome(record.id, record.text, reason=UNDONE),))
    if is_retired:
        return _skipped(record, "changed since")
    ledger.retire(record, actor=actor, reason=UNDONE)
    return Report(retired=(Outcome(record.id, record.text, reason=UNDONE),))


def _undo_entry(ledger: Ledger, place: Scope, change: Change, actor: str) -> Report:
    found = entries.find(ledger.connection, place, change.memory_id, None)
    hide = change.action == "restored"
    if not found or (found[0].retired_at is not None) == hide:
        return Report(skipped=(Outcome(change.memory_id, "", reason="changed since" if found else "erased since"),))
    entry = found[0]
    seq = ledger.note(place, "retired" if hide else "restored", actor, entry.message_id, UNDONE)
    retired_at = to_micros(change.at) if hide else None
    entries.set_retired(ledger.connection, ledger.lineage(entry.scope), entry.seq, retired_at, seq)
    outcome = (Outcome(entry.message_id, entry.text, reason=UNDONE),)
    return Report(retired=outcome) if hide else Report(restored=outcome)


def _mark(record: MemoryRecord) -> str | None:
    return None if record.retired_at is None else record.retired_at.isoformat()


def _skipped(record: MemoryRecord, reason: str, of: str | None = None) -> Report:
    return Report(skipped=(Outcome(record.id, record.text, reason=reason, of=of),))
