"""The curator adds, corrects, forgets, restores and undoes by rule, without any model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any

from langgraph_memory.clock import Clock, to_micros
from langgraph_memory.errors import NotFound
from langgraph_memory.records import MemoryRecord, Outcome, Report
from langgraph_memory.scope import Scope
from langgraph_memory.storage import entries, memories
from langgraph_memory.storage.database import Database
from langgraph_memory.text.normalise import clean, normalise
from langgraph_memory.writing.ledger import Ledger
from langgraph_memory.writing.lookup import find_memory, find_message, find_sources, where
from langgraph_memory.writing.obstacles import obstacle, successor
from langgraph_memory.writing.proposal import Proposal
from langgraph_memory.writing.undo import undo_batch


class Curator:
    """Writes single memories; each call is one transaction and one batch, which `undo` takes back."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def add(self, proposal: Proposal, scope: Scope) -> Report:
        """Add a memory, or reinforce the live one that already says it.

        Returns:
            `added`, `reinforced` (with `of`), or `refused` with the reason.
        """
        if not normalise(proposal.text):
            return Report(refused=(Outcome(None, proposal.text, reason="blank"),))
        with self.ledger() as ledger:
            sources, unknown = find_sources(ledger.connection, scope, proposal.evidence, proposal.session_id)
            return ledger.add(proposal, scope, sources=sources, remark=unknown)

    def update(self, memory_id: str, text: str, *, scope: Scope | None, actor: str, reason: str | None) -> Report:
        """Write a successor with another text and close the old record; both stay in history.

        Raises:
            NotFound: no such live memory in the scope.
        """
        text = clean(text).strip()
        if not normalise(text):
            return Report(refused=(Outcome(memory_id, text, reason="blank"),))
        with self.ledger() as ledger:
            old = self.live(ledger, memory_id, scope)
            if old.text == text:
                return Report(skipped=(Outcome(memory_id, text, reason="unchanged", of=memory_id),))
            if old.schema is not None:
                typed = f"it is a {old.schema} document, whose text is made from its fields; change those with manage()"
                return Report(refused=(Outcome(memory_id, text, reason=typed, of=memory_id),))
            return ledger.succeed(old, text, actor=actor, reason=reason)

    def forget(
        self, item_id: str, *, scope: Scope | None, thread_id: str | None, actor: str, reason: str | None
    ) -> Report:
        """Close a memory, or hide a message, reversibly.

        Raises:
            NotFound: no such memory; or no such message in the scope given.
        """
        with self.ledger() as ledger:
            record = find_memory(ledger.connection, item_id, scope)
            if record is None:
                return self._show_entry(ledger, item_id, scope, thread_id, actor, reason, retired=True)
            if record.retired_at is not None:
                return Report(skipped=(Outcome(record.id, record.text, reason="already forgotten", of=record.id),))
            ledger.retire(record, actor=actor, reason=reason or "forgotten")
            return ledger.report(retired=(Outcome(record.id, record.text, reason=reason),))

    def forget_where(
        self,
        scope: Scope,
        *,
        ids: Sequence[str] | None,
        kinds: Sequence[str] | None,
        older_than: datetime | None,
        metadata: Mapping[str, Any],
        actor: str,
        reason: str | None,
    ) -> Report:
        """Close the live memories inside the scope that meet all conditions, reversibly and in one batch."""
        with self.ledger() as ledger:
            live = memories.list_records(
                ledger.connection,
                scope,
                include_history=False,
                kinds=kinds,
                now=to_micros(self._clock()),
                limit=None,
                offset=0,
            )
            gone = [
                record
                for record in live
                if (ids is None or record.id in ids)
                and (older_than is None or record.observed_at < older_than)
                and all(name in record.metadata and record.metadata[name] == metadata[name] for name in metadata)
            ]
            for record in gone:
                ledger.retire(record, actor=actor, reason=reason or "forgotten")
            missing = [id for id in dict.fromkeys(ids or ()) if id not in {record.id for record in gone}]
            unmet = f"no live memory{where(scope)} with this id meets the conditions"
            report = Report(skipped=tuple(Outcome(id, "", reason=unmet) for id in missing))
            retired = tuple(Outcome(record.id, record.text, reason=reason) for record in gone)
            return report + ledger.report(retired=retired) if gone else report

    def restore(
        self, item_id: str, *, scope: Scope | None, thread_id: str | None, actor: str, reason: str | None
    ) -> Report:
        """Undo `forget`.

        Returns:
            `restored`; `skipped` where it is live already or another live memory says the same; `refused` where it was
            corrected or merged, and what stands for it now is live.

        Raises:
            NotFound: no such memory or message.
        """
        with self.ledger() as ledger:
            record = find_memory(ledger.connection, item_id, scope)
            if record is None:
                return self._show_entry(ledger, item_id, scope, thread_id, actor, reason, retired=False)
            if record.retired_at is None:
                return Report(skipped=(Outcome(record.id, record.text, reason="not forgotten", of=record.id),))
            later = successor(ledger.connection, record)
            if later is not None:
                why = (
                    f"superseded: the memory {later.id} ({later.text!r:.200}) stands for it now; change or forget that"
                )
                return Report(refused=(Outcome(record.id, record.text, reason=why, of=later.id),))
            found = obstacle(ledger, record, actor=actor)
            if found is not None:
                return Report(skipped=(Outcome(record.id, record.text, reason=found.reason, of=found.record.id),))
            ledger.restore(record, actor=actor, reason=reason)
            return ledger.report(restored=(Outcome(record.id, record.text, reason=reason),))

    def undo(self, batch: str, *, scope: Scope | None, actor: str) -> Report:
        """Take back everything that was written under a batch, newest first, in one transaction.

        Raises:
            NotFound: nothing was written under this name (inside the scope).
        """
        with self.ledger() as ledger:
            return undo_batch(ledger, batch, scope=scope, actor=actor)

    def adopt(self, record: MemoryRecord) -> Report:
        """Take over a record from an export as it is; one that is already here is skipped."""
        with self.ledger() as ledger:
            connection = ledger.connection
            if memories.by_id(connection, record.id) is not None:
                return Report(skipped=(Outcome(record.id, record.text, reason="already here", of=record.id),))
            found = None if record.retired_at is not None else obstacle(ledger, record, actor=record.actor)
            if found is not None:
                return Report(skipped=(Outcome(record.id, record.text, reason=found.reason, of=found.record.id),))
            sources = [
                entry.seq
                for message_id in record.evidence
                for entry in entries.find(connection, record.scope, message_id, record.session_id)[:1]
            ]
            adopted = replace(record, seq=ledger.take_seqs())
            ledger.insert(adopted, record.actor, sources, action="imported")
            return ledger.report(added=(Outcome(record.id, record.text),))

    @contextmanager
    def ledger(self) -> Iterator[Ledger]:
        """Open a transaction and the hand that writes in it."""
        with self._database.write() as connection:
            yield Ledger(self._database, connection, self._clock)

    def live(self, ledger: Ledger, memory_id: str, scope: Scope | None) -> MemoryRecord:
        """Return a record that may be changed.

        Raises:
            NotFound: there is none, or it is retired or expired.
        """
        record = find_memory(ledger.connection, memory_id, scope)
        if record is None:
            raise NotFound(f"There is no memory {memory_id}{where(scope)}. list() shows the ids there are.")
        if record.retired_at is not None:
            later = successor(ledger.connection, record)
            todo = "restore() it before changing it" if later is None else f"Change {later.id}, which stands for it now"
            raise NotFound(f"The memory {memory_id} was retired ({record.reason}). {todo}.")
        if record.expires_at is not None and record.expires_at <= self._clock():
            raise NotFound(f"The memory {memory_id} expired on {record.expires_at:%Y-%m-%d}. add() it anew.")
        return record

    def _show_entry(
        self,
        ledger: Ledger,
        message_id: str,
        scope: Scope | None,
        thread_id: str | None,
        actor: str,
        reason: str | None,
        *,
        retired: bool,
    ) -> Report:
        entry = find_message(ledger.connection, message_id, scope, thread_id)
        outcome = Outcome(entry.message_id, entry.text, reason=reason)
        if (entry.retired_at is not None) == retired:
            state = "already forgotten" if retired else "not forgotten"
            return Report(skipped=(replace(outcome, reason=state, of=entry.message_id),))
        ledger.show_entry(entry, to_micros(self._clock()) if retired else None, actor=actor, reason=reason)
        return ledger.report(retired=(outcome,)) if retired else ledger.report(restored=(outcome,))
