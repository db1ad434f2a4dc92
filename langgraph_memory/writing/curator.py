"""The curator adds, corrects, forgets and restores single memories by rule, without any model."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from langchain_core.utils.uuid import uuid7
from sqlalchemy.engine import Connection

from langgraph_memory.clock import Clock, to_micros
from langgraph_memory.errors import NotFound
from langgraph_memory.records import Change, MemoryRecord, Outcome, Report
from langgraph_memory.scope import Scope
from langgraph_memory.storage import entries, memories
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.scopes import intern
from langgraph_memory.text.normalise import clean, content_hash
from langgraph_memory.writing.lookup import find_memory, find_message, find_sources, where
from langgraph_memory.writing.proposal import Proposal, story


class Curator:
    """Writes single memories; each call is one transaction, journalled with before and after."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def add(self, proposal: Proposal, scope: Scope) -> Report:
        """Add a memory, or reinforce the live one that already says it.

        Returns:
            `added`, `reinforced` (with `of`), or `refused` with the reason.
        """
        text = clean(proposal.text).strip()
        if not text:
            return Report(refused=(Outcome(None, proposal.text, reason="blank"),))
        now = self._clock()
        with self._database.write() as connection:
            lineage = intern(connection, scope)
            sources, unknown = find_sources(connection, scope, proposal.evidence, proposal.session_id)
            begin = proposal.valid_from or proposal.observed_at or now
            present = self._twin(
                connection, lineage, content_hash(text), begin, proposal.valid_to, actor=proposal.actor
            )
            if present is not None:
                self._reinforce(connection, lineage, present, proposal.actor)
                memories.link_evidence(connection, present.seq, sources)
                return Report(reinforced=(Outcome(present.id, text, of=present.id, reason=unknown),))
            record = proposal.record(text, scope, now, seq=self._database.take_seqs(connection, 1))
            memories.insert(connection, lineage, record)
            memories.link_evidence(connection, record.seq, sources)
            self._log(connection, lineage, "added", proposal.actor, None, record)
        return Report(added=(Outcome(record.id, text, reason=unknown),))

    def update(self, memory_id: str, text: str, *, scope: Scope | None, actor: str, reason: str | None) -> Report:
        """Write a successor with another text and close the old record; both stay in history.

        Raises:
            NotFound: no such live memory in the scope.
        """
        text = clean(text).strip()
        if not text:
            return Report(refused=(Outcome(memory_id, text, reason="blank"),))
        now = self._clock()
        with self._database.write() as connection:
            old = self._live(connection, memory_id, scope)
            if old.hash == content_hash(text) and old.text == text:
                return Report(skipped=(Outcome(memory_id, text, reason="unchanged", of=memory_id),))
            lineage = intern(connection, old.scope)
            self._retire(connection, lineage, old, actor=actor, reason=reason or "updated")
            twin = self._twin(connection, lineage, content_hash(text), old.valid_from, old.valid_to, actor=actor)
            if twin is not None:
                self._reinforce(connection, lineage, twin, actor)
                return Report(
                    reinforced=(Outcome(twin.id, text, of=twin.id),), retired=(Outcome(old.id, old.text, of=twin.id),)
                )
            successor = replace(
                old,
                id=str(uuid7()),
                seq=self._database.take_seqs(connection, 1),
                text=text,
                hash=content_hash(text),
                actor=actor,
                recorded_at=now,
                observed_at=now,
                supersedes=old.id,
                reinforced=0,
                evidence=(),
            )
            memories.insert(connection, lineage, successor)
            memories.link_evidence(connection, successor.seq, [old.seq])
            self._log(connection, lineage, "added", actor, None, successor, reason=reason)
        return Report(added=(Outcome(successor.id, text, of=old.id),), retired=(Outcome(old.id, old.text),))

    def forget(
        self, item_id: str, *, scope: Scope | None, thread_id: str | None, actor: str, reason: str | None
    ) -> Report:
        """Close a memory, or hide a message, reversibly.

        Raises:
            NotFound: no such memory; or no such message in the scope given.
        """
        with self._database.write() as connection:
            record = find_memory(connection, item_id, scope)
            if record is None:
                return self._show_entry(connection, item_id, scope, thread_id, actor, reason, retired=True)
            if record.retired_at is not None:
                return Report(skipped=(Outcome(record.id, record.text, reason="already forgotten", of=record.id),))
            lineage = intern(connection, record.scope)
            self._retire(connection, lineage, record, actor=actor, reason=reason or "forgotten")
        return Report(retired=(Outcome(record.id, record.text, reason=reason),))

    def restore(
        self, item_id: str, *, scope: Scope | None, thread_id: str | None, actor: str, reason: str | None
    ) -> Report:
        """Undo `forget`.

        Returns:
            `restored`, or `skipped` where it is live already or another live memory says the same.

        Raises:
            NotFound: no such memory or message.
        """
        with self._database.write() as connection:
            record = find_memory(connection, item_id, scope)
            if record is None:
                return self._show_entry(connection, item_id, scope, thread_id, actor, reason, retired=False)
            if record.retired_at is None:
                return Report(skipped=(Outcome(record.id, record.text, reason="not forgotten", of=record.id),))
            lineage = intern(connection, record.scope)
            twin = self._twin(connection, lineage, record.hash, record.valid_from, record.valid_to, actor=actor)
            if twin is not None:
                return Report(
                    skipped=(Outcome(record.id, record.text, reason="another live memory says the same", of=twin.id),)
                )
            values = {"retired_at": None, "retired_by": None, "reason": None}
            after = replace(record, retired_at=None, retired_by=None, reason=None)
            seq = self._log(connection, lineage, "restored", actor, record, after, reason=reason)
            memories.change(connection, lineage, record.seq, seq, values)
        return Report(restored=(Outcome(record.id, record.text, reason=reason),))

    def adopt(self, record: MemoryRecord) -> Report:
        """Take over a record from an export as it is; one that is already here is skipped."""
        with self._database.write() as connection:
            if memories.by_id(connection, record.id) is not None:
                return Report(skipped=(Outcome(record.id, record.text, reason="already here", of=record.id),))
            lineage = intern(connection, record.scope)
            if record.retired_at is None:
                twin = memories.live_with_hash(connection, lineage[-1], record.hash, record.valid_from, record.valid_to)
                if twin is not None:
                    return Report(
                        skipped=(
                            Outcome(record.id, record.text, reason="another live memory says the same", of=twin.id),
                        )
                    )
            adopted = replace(record, seq=self._database.take_seqs(connection, 1))
            memories.insert(connection, lineage, adopted)
            seqs = [
                entry.seq
                for message_id in record.evidence
                for entry in entries.find(connection, record.scope, message_id, record.session_id)[:1]
            ]
            memories.link_evidence(connection, adopted.seq, seqs)
            self._log(connection, lineage, "imported", record.actor, None, adopted)
        return Report(added=(Outcome(record.id, record.text),))

    def _live(self, connection: Connection, memory_id: str, scope: Scope | None) -> MemoryRecord:
        record = find_memory(connection, memory_id, scope)
        if record is None:
            raise NotFound(f"There is no memory {memory_id}{where(scope)}. list() shows the ids there are.")
        if record.retired_at is not None:
            raise NotFound(f"The memory {memory_id} was retired ({record.reason}). restore() it before changing it.")
        if record.expires_at is not None and record.expires_at <= self._clock():
            raise NotFound(f"The memory {memory_id} expired on {record.expires_at:%Y-%m-%d}. add() it anew.")
        return record

    def _twin(
        self,
        connection: Connection,
        lineage: list[int],
        text_hash: str,
        valid_from: datetime,
        valid_to: datetime | None,
        *,
        actor: str,
    ) -> MemoryRecord | None:
        """Return the live record that says the same of the same time.

        An expired one is out of sight: saying it again is news, so it is retired and does not count.
        """
        twin = memories.live_with_hash(connection, lineage[-1], text_hash, valid_from, valid_to)
        if twin is None or twin.expires_at is None or twin.expires_at > self._clock():
            return twin
        self._retire(connection, lineage, twin, actor=actor, reason="expired")
        return self._twin(connection, lineage, text_hash, valid_from, valid_to, actor=actor)

    def _retire(
        self, connection: Connection, lineage: list[int], record: MemoryRecord, *, actor: str, reason: str
    ) -> None:
        now = self._clock()
        after = replace(record, retired_at=now, retired_by=actor, reason=reason)
        seq = self._log(connection, lineage, "retired", actor, record, after, reason=reason)
        values = {"retired_at": to_micros(now), "retired_by": actor, "reason": reason}
        memories.change(connection, lineage, record.seq, seq, values)

    def _reinforce(self, connection: Connection, lineage: list[int], record: MemoryRecord, actor: str) -> None:
        after = replace(record, reinforced=record.reinforced + 1)
        seq = self._log(connection, lineage, "reinforced", actor, record, after)
        memories.change(connection, lineage, record.seq, seq, {"reinforced": after.reinforced})

    def _show_entry(
        self,
        connection: Connection,
        message_id: str,
        scope: Scope | None,
        thread_id: str | None,
        actor: str,
        reason: str | None,
        *,
        retired: bool,
    ) -> Report:
        entry = find_message(connection, message_id, scope, thread_id)
        outcome = Outcome(entry.message_id, entry.text, reason=reason)
        if (entry.retired_at is not None) == retired:
            state = "already forgotten" if retired else "not forgotten"
            return Report(skipped=(replace(outcome, reason=state, of=entry.message_id),))
        now = self._clock()
        lineage = intern(connection, entry.scope)
        change = Change(now, "retired" if retired else "restored", actor, entry.message_id, None, None, reason)
        seq = memories.log(self._database, connection, scope_id=lineage[-1], change=change)
        entries.set_retired(connection, lineage, entry.seq, to_micros(now) if retired else None, seq)
        return Report(retired=(outcome,)) if retired else Report(restored=(outcome,))

    def _log(
        self,
        connection: Connection,
        lineage: list[int],
        action: str,
        actor: str,
        before: MemoryRecord | None,
        after: MemoryRecord,
        reason: str | None = None,
    ) -> int:
        change = Change(
            at=self._clock(),
            action=action,
            actor=actor,
            memory_id=after.id,
            before=None if before is None else story(before),
            after=story(after),
            reason=reason,
        )
        return memories.log(self._database, connection, scope_id=lineage[-1], change=change)
