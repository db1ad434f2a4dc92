"""The ledger writes memories in one open transaction, each change journalled with before and after under one batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any

from langchain_core.utils.uuid import uuid7
from sqlalchemy.engine import Connection

from langgraph_memory.clock import Clock, to_micros
from langgraph_memory.records import Change, Entry, MemoryRecord, Outcome, Report
from langgraph_memory.scope import Scope
from langgraph_memory.storage import entries, evidence, journal, memories
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.journal import Line
from langgraph_memory.storage.scopes import intern
from langgraph_memory.text.normalise import clean
from langgraph_memory.writing.pending import Pending
from langgraph_memory.writing.proposal import Proposal, key_of, story


class Ledger:
    """The writing hand of one transaction.

    Attributes:
        batch: names what is written together, so that it can be undone together; a new name where none is given.
        inserted: `seq` of the records inserted so far, by id.
    """

    def __init__(self, database: Database, connection: Connection, clock: Clock, *, batch: str | None = None) -> None:
        self._database = database
        self._connection = connection
        self._clock = clock
        self.batch = batch or str(uuid7())
        self.inserted: dict[str, int] = {}
        self._lineages: dict[Scope, list[int]] = {}
        self._pending: Pending | None = None

    @property
    def connection(self) -> Connection:
        """The transaction's connection, on which everything written so far is seen."""
        if self._pending is not None:
            self._pending.store(self._connection)
        return self._connection

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Write something that an error takes back alone."""
        with self.connection.begin_nested():
            try:
                yield
            except BaseException:
                self._lineages.clear()  # a scope that was new is gone again
                raise

    @contextmanager
    def together(self, scope: Scope, hashes: Sequence[str]) -> Iterator[None]:
        """Add memories to one scope with a few statements for all of them; an error takes all of them back.

        Args:
            hashes: the keys of what is going to be added (`key_of`).
        """
        try:
            with self.attempt():
                first = self._database.take_seqs(self._connection, 2 * len(hashes)) if hashes else 0
                taken = memories.taken_hashes(self._connection, self.lineage(scope)[-1], hashes)
                self._pending = Pending(list(range(first, first + 2 * len(hashes))), taken)
                yield
                self._pending.store(self._connection)
        except BaseException:
            self.inserted.clear()
            raise
        finally:
            self._pending = None

    def add(
        self,
        proposal: Proposal,
        scope: Scope,
        *,
        sources: Sequence[int] = (),
        remark: str | None = None,
        supersedes: str | None = None,
    ) -> Report:
        """Add a memory, or reinforce the live one that already says it of the same time.

        Args:
            sources: `seq` of what it rests on.
            remark: becomes the outcome's reason.
            supersedes: the id of the record it corrects.
        """
        text = clean(proposal.text).strip()
        now = self._clock()
        begin = proposal.valid_from or proposal.observed_at or now
        key = proposal.key(text)
        present = self.twin(scope, key, begin, proposal.valid_to, actor=proposal.actor)
        if present is not None:
            self.reinforce(present, proposal.actor, sources, session_id=proposal.session_id)
            return self.report(reinforced=(Outcome(present.id, text, of=present.id, reason=remark),))
        record = proposal.record(text, scope, now, seq=self.take_seqs())
        self.insert(replace(record, supersedes=supersedes), proposal.actor, sources)
        return self.report(added=(Outcome(record.id, text, reason=remark),))

    def insert(
        self,
        record: MemoryRecord,
        actor: str,
        sources: Sequence[int] = (),
        *,
        action: str = "added",
        reason: str | None = None,
    ) -> None:
        """Store a record that is known to have no live twin; its `seq` comes from `take_seqs`."""
        lineage, linked = self.lineage(record.scope), list(dict.fromkeys(sources))
        at = record.recorded_at if action == "added" else None  # an import was recorded elsewhere, at another time
        line = (record.seq + 1, lineage[-1], self._line(action, actor, None, record, reason, at=at, linked=linked))
        waiting = Pending([], set()) if self._pending is None else self._pending
        waiting.add(lineage, record, linked, line)
        if self._pending is None:
            waiting.store(self._connection)
        self.inserted[record.id] = record.seq

    def take_seqs(self) -> int:
        """Return the `seq` of a record to be inserted; the next one is its line of history's."""
        reserved = self._pending and self._pending.take(2)
        return reserved or self._database.take_seqs(self.connection, 2)

    def lineage(self, scope: Scope) -> list[int]:
        """Return the row ids of the scope's ancestors and itself, which are made where they are missing."""
        if scope not in self._lineages:
            self._lineages[scope] = intern(self._connection, scope)
        return self._lineages[scope]

    def succeed(
        self,
        old: MemoryRecord,
        text: str,
        *,
        actor: str,
        reason: str | None,
        sources: Sequence[int] = (),
        **changes: Any,
    ) -> Report:
        """Close a record and write its successor with another text; both stay in history.

        Args:
            sources: `seq` of what it rests on besides the old record.
            changes: further fields in which it differs.
        """
        text = clean(text).strip()
        private_to = old.actor if changes.get("private", old.private) else None  # and stays theirs
        key = key_of(text, changes.get("schema", old.schema), changes.get("data", old.data), private_to=private_to)
        self.retire(old, actor=actor, reason=reason or "updated")
        twin = self.twin(old.scope, key, old.valid_from, old.valid_to, actor=actor)
        if twin is not None:
            self.reinforce(twin, actor, [old.seq, *sources])
            return self.report(
                reinforced=(Outcome(twin.id, text, of=twin.id),), retired=(Outcome(old.id, old.text, of=twin.id),)
            )
        now = self._clock()
        fresh: dict[str, Any] = {
            "id": str(uuid7()),
            "seq": self.take_seqs(),
            "text": text,
            "hash": key,
            "actor": clean(actor) if private_to is None else private_to,
            "recorded_at": now,
            "observed_at": now,
            "supersedes": old.id,
            "reinforced": 0,
            "evidence": (),
        }
        successor = replace(old, **{**fresh, **changes})
        self.insert(successor, actor, [old.seq, *sources], reason=reason)
        return self.report(added=(Outcome(successor.id, text, of=old.id),), retired=(Outcome(old.id, old.text),))

    def twin(
        self, scope: Scope, text_hash: str, valid_from: datetime, valid_to: datetime | None, *, actor: str
    ) -> MemoryRecord | None:
        """Return the live record that says the same of the same time.

        An expired one is out of sight: saying it again is news, so it is retired and does not count.
        """
        if self._pending is not None and text_hash not in self._pending.taken:
            return None
        scope_id = self.lineage(scope)[-1]
        twin = memories.live_with_hash(self.connection, scope_id, text_hash, valid_from, valid_to)
        if twin is None or twin.expires_at is None or twin.expires_at > self._clock():
            return twin
        self.retire(twin, actor=actor, reason="expired")
        return self.twin(scope, text_hash, valid_from, valid_to, actor=actor)

    def reinforce(
        self, record: MemoryRecord, actor: str, sources: Sequence[int] = (), *, session_id: str | None = None
    ) -> None:
        """Note that it was said again; it counts once a conversation, since persistence is what comes back.

        Args:
            session_id: the conversation, where no sources tell.
        """
        linked = evidence.link(self.connection, record.seq, sources)
        before = evidence.sessions_of(
            self.connection, [seq for seq in evidence.sources_of(self.connection, record.seq) if seq not in linked]
        )
        said_in = evidence.sessions_of(self.connection, sources) or ({session_id} if session_id else set())
        again = not said_in or not said_in <= before | ({record.session_id} if record.session_id else set())
        self.strengthen(record, int(again), actor, linked=linked)

    def strengthen(
        self,
        record: MemoryRecord,
        by: int,
        actor: str,
        *,
        linked: Sequence[int] = (),
        unlinked: Sequence[int] = (),
        reason: str | None = None,
        undoes: int | None = None,
    ) -> None:
        """Change how often it counts as said, and note which evidence came or went with that."""
        after = replace(record, reinforced=record.reinforced + by)
        seq = self._log("reinforced", actor, record, after, reason, undoes=undoes, linked=linked, unlinked=unlinked)
        self._change(record, seq, {"reinforced": after.reinforced})

    def retire(self, record: MemoryRecord, *, actor: str, reason: str) -> None:
        """Close belief in a record."""
        now = self._clock()
        self._retire(record, replace(record, retired_at=now, retired_by=actor, reason=reason), actor, reason, at=now)

    def undo_belief(self, record: MemoryRecord, line: Line, *, actor: str, reason: str) -> None:
        """Take back that a record was added or restored; one that was restored is retired just as it was before."""
        now, before = self._clock(), line.change.before or {}
        after = replace(record, retired_at=now, retired_by=actor, reason=reason)
        if before.get("retired_at"):
            since = datetime.fromisoformat(before["retired_at"])
            after = replace(record, retired_at=since, retired_by=before["retired_by"], reason=before["reason"])
        self._retire(record, after, actor, reason, undoes=line.seq)

    def restore(self, record: MemoryRecord, *, actor: str, reason: str | None, undoes: int | None = None) -> None:
        """Believe a retired record again; ask `obstacles.obstacle` first what stands in the way."""
        after = replace(record, retired_at=None, retired_by=None, reason=None)
        seq = self._log("restored", actor, record, after, reason, undoes=undoes)
        self._change(record, seq, {"retired_at": None, "retired_by": None, "reason": None})

    def show_entry(
        self, entry: Entry, retired_at: int | None, *, actor: str, reason: str | None, undoes: int | None = None
    ) -> None:
        """Hide a message from a time on, in microseconds, or show it again (None)."""
        action = "restored" if retired_at is None else "retired"
        after = {"entry": entry.seq, **({} if undoes is None else {"undoes": undoes})}
        change = Change(self._clock(), action, actor, entry.message_id, None, after, reason, self.batch)
        lineage = self.lineage(entry.scope)
        seq = self._database.take_seqs(self.connection, 1)
        journal.log(self.connection, [(seq, lineage[-1], change)])
        entries.set_retired(self.connection, lineage, entry.seq, retired_at, seq)

    def report(self, **outcomes: Any) -> Report:
        """Return a report of what was written under this batch."""
        return Report(batches=(self.batch,), **outcomes)

    def _retire(
        self,
        record: MemoryRecord,
        after: MemoryRecord,
        actor: str,
        reason: str,
        *,
        at: datetime | None = None,
        undoes: int | None = None,
    ) -> None:
        seq = self._log("retired", actor, record, after, reason, at=at, undoes=undoes)
        since = None if after.retired_at is None else to_micros(after.retired_at)
        self._change(record, seq, {"retired_at": since, "retired_by": after.retired_by, "reason": after.reason})

    def _change(self, record: MemoryRecord, seq: int, values: Mapping[str, Any]) -> None:
        memories.change(self.connection, self.lineage(record.scope), record.seq, seq, values)

    def _log(
        self,
        action: str,
        actor: str,
        before: MemoryRecord | None,
        after: MemoryRecord,
        reason: str | None,
        *,
        at: datetime | None = None,
        undoes: int | None = None,
        **evidence: Sequence[int],
    ) -> int:
        """Write one line of history, and return its number."""
        change = self._line(action, actor, before, after, reason, at=at, undoes=undoes, **evidence)
        seq = self._database.take_seqs(self.connection, 1)
        journal.log(self.connection, [(seq, self.lineage(after.scope)[-1], change)])
        return seq

    def _line(
        self,
        action: str,
        actor: str,
        before: MemoryRecord | None,
        after: MemoryRecord,
        reason: str | None,
        *,
        at: datetime | None = None,
        undoes: int | None = None,
        **evidence: Sequence[int],
    ) -> Change:
        """Return one line of history; evidence that came or went is what an undo must put back.

        Args:
            at: where the record bears the time too, that time; now by default.
        """
        more: dict[str, Any] = {name: list(seqs) for name, seqs in evidence.items() if seqs}
        if undoes is not None:
            more["undoes"] = undoes
        return Change(
            at=at or self._clock(),
            action=action,
            actor=actor,
            memory_id=after.id,
            before=None if before is None else story(before),
            after={**story(after), **more},
            reason=reason,
            batch=self.batch,
        )
