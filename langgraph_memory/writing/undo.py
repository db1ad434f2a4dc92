"""Undo reads the journal backwards and puts every record back into the state it had before."""

from __future__ import annotations

from langgraph_memory.clock import to_micros
from langgraph_memory.errors import NotFound
from langgraph_memory.records import MemoryRecord, Outcome, Report
from langgraph_memory.scope import Scope
from langgraph_memory.storage import entries, evidence, journal, memories
from langgraph_memory.storage.journal import Line
from langgraph_memory.writing.effects import in_effect, retirements, said_since
from langgraph_memory.writing.ledger import Ledger
from langgraph_memory.writing.lookup import where
from langgraph_memory.writing.obstacles import obstacle, successor

UNDONE = "undone"
CHANGED, ERASED, ALREADY, SAID = "changed since", "erased since", "undone already", "said again since"


def undo_batch(ledger: Ledger, batch: str, *, scope: Scope | None, actor: str) -> Report:
    """Take back what was written under `batch`, newest first; the undo is a batch itself and can be undone.

    What something newer has changed or replaced since, and what is undone already, is left as it is and reported as
    skipped.

    Raises:
        NotFound: nothing was written under this name inside the scope.
    """
    lines = journal.of_batch(ledger.connection, batch)
    inside = [line for line in lines if scope is None or scope.contains(line.scope)]
    if not inside:
        raise NotFound(
            f"Nothing was written under {batch!r}{where(scope)}. A report's `batches` name what can be undone."
        )
    report = Report()
    for line in reversed(inside):
        record = memories.by_id(ledger.connection, line.change.memory_id)
        if "text" not in (line.change.after or {}):
            report += _undo_entry(ledger, line, actor)
        elif record is None:
            report += Report(skipped=(Outcome(line.change.memory_id, _text(line), reason=ERASED),))
        else:
            report += _undo_change(ledger, record, line, actor)
    written = any((report.retired, report.restored, report.reinforced))
    return Report(
        skipped=report.skipped,
        retired=report.retired,
        restored=report.restored,
        reinforced=report.reinforced,
        batches=(ledger.batch,) if written else (),
    )


def _undo_change(ledger: Ledger, record: MemoryRecord, line: Line, actor: str) -> Report:
    history = journal.of_item(ledger.connection, record.id)
    if line.seq not in in_effect(history):
        return _skipped(record, ALREADY)
    if line.change.action == "retired":
        return _believe(ledger, record, line, history, actor)
    if record.retired_at is not None:
        return _skipped(record, CHANGED)
    if line.change.action == "reinforced":
        return _weaken(ledger, record, line, actor)
    if said_since(history, line.seq):
        return _skipped(record, SAID)
    ledger.undo_belief(record, line, actor=actor, reason=UNDONE)
    return Report(retired=(Outcome(record.id, record.text, reason=UNDONE),))


def _weaken(ledger: Ledger, record: MemoryRecord, line: Line, actor: str) -> Report:
    before, after = line.change.before or {}, line.change.after or {}
    came, went = after.get("linked", []), after.get("unlinked", [])
    evidence.unlink(ledger.connection, record.seq, came)
    back = evidence.link(ledger.connection, record.seq, went)
    by = before.get("reinforced", 0) - after["reinforced"]
    ledger.strengthen(record, by, actor, linked=back, unlinked=came, reason=UNDONE, undoes=line.seq)
    return Report(reinforced=(Outcome(record.id, record.text, reason=UNDONE, of=record.id),))


def _believe(ledger: Ledger, record: MemoryRecord, line: Line, history: list[Line], actor: str) -> Report:
    by = retirements(history)
    if record.retired_at is None or by[history[-1].seq] != by[line.seq]:
        return _skipped(record, CHANGED)
    later = successor(ledger.connection, record)
    if later is not None:
        return _skipped(record, CHANGED, of=later.id)
    found = obstacle(ledger, record, actor=actor)
    if found is not None:
        return _skipped(record, found.reason, of=found.record.id)
    ledger.restore(record, actor=actor, reason=UNDONE, undoes=line.seq)
    return Report(restored=(Outcome(record.id, record.text, reason=UNDONE),))


def _undo_entry(ledger: Ledger, line: Line, actor: str) -> Report:
    connection, change, seq = ledger.connection, line.change, (line.change.after or {}).get("entry")
    if seq is None:
        entry = next(iter(entries.find(connection, line.scope, change.memory_id, None)), None)
    else:
        entry = entries.by_seq(connection, line.scope, [seq]).get(seq)
    if entry is None:
        return Report(skipped=(Outcome(change.memory_id, "", reason=ERASED),))
    hide = change.action == "restored"
    why = ALREADY if line.seq not in in_effect(journal.of_item(connection, change.memory_id)) else None
    why = why or (CHANGED if (entry.retired_at is not None) == hide else None)
    if why is not None:
        return Report(skipped=(Outcome(change.memory_id, "", reason=why),))
    ledger.show_entry(entry, to_micros(change.at) if hide else None, actor=actor, reason=UNDONE, undoes=line.seq)
    outcome = (Outcome(entry.message_id, entry.text, reason=UNDONE),)
    return Report(retired=outcome) if hide else Report(restored=outcome)


def _text(line: Line) -> str:
    return str((line.change.after or {}).get("text", ""))


def _skipped(record: MemoryRecord, reason: str, of: str | None = None) -> Report:
    return Report(skipped=(Outcome(record.id, record.text, reason=reason, of=of),))
