"""The verbs that write without a model: record, ingest, add, update, forget, restore, undo, erase."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from langgraph_memory import arguments
from langgraph_memory.clock import checked_moment
from langgraph_memory.errors import InvalidInput
from langgraph_memory.flows.ingest import IngestReport, OnProgress, ingest_file
from langgraph_memory.records import MESSAGE, Receipt, Report
from langgraph_memory.scope import Scope, ScopeLike
from langgraph_memory.sessions.messages import to_messages
from langgraph_memory.sessions.recorder import readable
from langgraph_memory.twins import in_thread
from langgraph_memory.verbs.opened import Opened, maybe_scope
from langgraph_memory.writing.proposal import Proposal

"""The kind under which recall shows what was said; no memory may have it."""


class WritingVerbs(Opened):
    """Puts things into memory and takes them out of sight."""

    def record(
        self,
        messages: Any,
        *,
        scope: ScopeLike,
        thread_id: str,
        observed_at: datetime | None = None,
        refuse_unreadable: bool = False,
    ) -> Report:
        """Append messages to a conversation, word for word; cheap, and safe to repeat.

        Args:
            messages: one or a list of LangChain messages, OpenAI-style dicts, `(role, text)` pairs or plain texts.
            scope: whose memory.
            thread_id: which conversation.
            observed_at: when it was said, for imports; default now. "Yesterday" is counted in its own time zone.
            refuse_unreadable: record what can be read, and report as `refused` what has no known shape, instead of
                raising; for whoever offers the same list again and again.

        Returns:
            `added`, `skipped` (already recorded) and `restored` (an earlier version that is current again, because
            it was said last), by message id. With `Settings(distil="inline")` also, behind these, what became of every
            memory proposed, with calls, batches and notes; a model that fails is a note, and what was said is read the
            next time.

        Raises:
            MessageError: an item has no known shape, and `refuse_unreadable` is not set; nothing was written.
            ScopeError: the scope is missing or malformed.
            StorageError: nothing was written.
        """
        inside = Scope.of(scope)
        said_at = checked_moment("observed_at", observed_at)
        refuse = arguments.flag("refuse_unreadable", refuse_unreadable)
        given, refused = readable(messages) if refuse else (to_messages(messages), [])
        report = self._parts.recorder.record(given, inside, thread_id, said_at)
        report = replace(report, refused=tuple(refused))
        if report.added:
            self._wake()
        return self._distilled(report, inside, thread_id)

    def add(
        self,
        text: str,
        *,
        scope: ScopeLike,
        kind: str = "fact",
        actor: str = "user",
        session_id: str | None = None,
        observed_at: datetime | None = None,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        expires_at: datetime | None = None,
        importance: float | None = None,
        pinned: bool = False,
        private: bool = False,
        metadata: Mapping[str, Any] | None = None,
        evidence: Sequence[str] = (),
    ) -> Report:
        """Add one memory as it stands, without any model.

        The same sentence twice is one memory, reinforced. Times without a zone are taken as UTC.

        Args:
            kind: `fact`, `preference`, `event`, `procedure`, `insight`, `profile`, or a word of your own.
            actor: who asserts it.
            valid_from, valid_to: when it is true in the world, half-open; from the moment it was observed by default.
            expires_at: hide it from this moment on.
            importance: 0..1.
            private: only its actor recalls it, and whoever asks for private memories (`recall(include_private=True)`);
                no prompt that others may see is shown it.
            metadata: anything JSON knows, kept beside the memory.
            evidence: message ids (or memory ids) that it rests on.

        Raises:
            InvalidInput: an argument cannot be used; nothing was written.
        """
        kind = arguments.words("kind", kind, "fact")
        if kind == MESSAGE:
            raise InvalidInput(f"The kind {MESSAGE!r} is what was said, which record() keeps. Use another word.")
        times: dict[str, Any] = {
            name: checked_moment(name, moment)
            for name, moment in (
                ("observed_at", observed_at),
                ("valid_from", valid_from),
                ("valid_to", valid_to),
                ("expires_at", expires_at),
            )
        }
        begin = times["valid_from"] or times["observed_at"] or self._clock()
        if times["valid_to"] is not None and times["valid_to"] <= begin:
            raise InvalidInput("valid_to must lie after valid_from: the interval is half-open and not empty.")
        proposal = Proposal(
            text=arguments.name_of("text", text, "Ana likes tea."),
            kind=kind,
            actor=arguments.words("actor", actor, "user"),
            session_id=arguments.maybe_words("session_id", session_id, "chat-1"),
            importance=arguments.share("importance", importance),
            pinned=arguments.flag("pinned", pinned),
            private=arguments.flag("private", private),
            metadata=arguments.fields("metadata", metadata),
            evidence=arguments.texts("evidence", evidence, "message-id"),
            **times,
        )
        report = self._parts.curator.add(proposal, Scope.of(scope))
        if report.added:
            self._wake()
        return report

    def update(
        self, id: str, *, text: str, scope: ScopeLike | None = None, actor: str = "user", reason: str | None = None
    ) -> Report:
        """Correct a memory: a successor is believed from now on, the old record stays in history.

        Raises:
            NotFound: there is no live memory with this id (inside the scope, where one is given).
            InvalidInput: an argument cannot be used; nothing was written.
        """
        _check_change(id, actor, reason)
        arguments.name_of("text", text, "Ana likes coffee.")
        report = self._parts.curator.update(id, text, scope=maybe_scope(scope), actor=actor, reason=reason)
        if report.added:
            self._wake()
        return report

    def forget(
        self,
        id: str,
        *,
        scope: ScopeLike | None = None,
        thread_id: str | None = None,
        actor: str = "user",
        reason: str | None = None,
    ) -> Report:
        """Hide a memory or a message from recall; `restore` brings it back, history still shows it.

        Args:
            id: of a memory or, with `scope`, of a message.

        Raises:
            NotFound: there is no such item.
            InvalidInput: an argument cannot be used; nothing was written.
        """
        _check_change(id, actor, reason)
        arguments.maybe_words("thread_id", thread_id, "chat-1")
        return self._parts.curator.forget(id, scope=maybe_scope(scope), thread_id=thread_id, actor=actor, reason=reason)

    def restore(
        self,
        id: str,
        *,
        scope: ScopeLike | None = None,
        thread_id: str | None = None,
        actor: str = "user",
        reason: str | None = None,
    ) -> Report:
        """Undo `forget`; parameters and errors are the same.

        What was corrected or merged is `refused` while its successor, named in `of`, is live; where another memory or
        profile stands in its place it is `skipped`.
        """
        _check_change(id, actor, reason)
        arguments.maybe_words("thread_id", thread_id, "chat-1")
        return self._parts.curator.restore(
            id, scope=maybe_scope(scope), thread_id=thread_id, actor=actor, reason=reason
        )

    def undo(self, report_or_batch: Report | str, *, scope: ScopeLike | None = None, actor: str = "user") -> Report:
        """Take back what a call wrote: what it added is retired, what it retired or reinforced is as it was before.

        The view is then exactly the former one; history shows both. An undo can itself be undone. Messages stay.

        Args:
            report_or_batch: the report of a call, or one of the names in its `batches`.
            scope: only what lies inside it.

        Returns:
            what was retired, restored and made weaker (under `reinforced`), and what was skipped because something
            newer has changed or replaced it, because it was said again since, or because it is undone already.

        Raises:
            NotFound: nothing was written under that name.
            InvalidInput: the report has no batches: its call wrote no memory.
        """
        arguments.words("actor", actor, "user")
        if not isinstance(report_or_batch, str | Report):
            raise InvalidInput("undo takes the report of a call, or one of the names in its `batches`.")
        batches = (report_or_batch,) if isinstance(report_or_batch, str) else report_or_batch.batches
        if not batches:
            raise InvalidInput(
                "This report names no batch: its call wrote nothing that could be undone here. forget() hides a "
                "message that was recorded, and unmerge_entity() takes back what merge_entities() did."
            )
        report = Report()
        for batch in reversed(batches):
            report += self._parts.curator.undo(batch, scope=maybe_scope(scope), actor=actor)
        return report

    def erase(self, *, scope: ScopeLike, thread_id: str | None = None) -> Receipt:
        """Destroy everything in the scope and inside it, or one conversation: rows, terms, vectors, history.

        With a scope go the items of `memory.store` whose namespace begins with `Scope.of(scope).namespace()`; items in
        other namespaces are the application's own to `delete`, whoever they are about. So are the threads that
        LangGraph keeps in `checkpointer()`, which know no scope: `checkpointer().delete_thread(thread_id)`.
        This cannot be undone; `forget` can. Memories drawn from an erased conversation stay, without their evidence
        from it; erase the scope, or `forget` them, where they are to go too. Copies in the vector index are removed
        before this returns where this process holds the index, and by its holder otherwise: the index's folder is
        deleted and filled anew from SQL in the background, since Chroma keeps deleted text in its files. On a Chroma
        server the rows are deleted, and their traces go when that server cleans its log.

        Raises:
            NotFound: there is no such conversation.
            InvalidInput: an argument cannot be used; nothing was erased.
        """
        arguments.maybe_words("thread_id", thread_id, "chat-1")
        return self._erase(Scope.of(scope), thread_id)

    def ingest(
        self,
        path: str | os.PathLike[str],
        *,
        scope: ScopeLike,
        format: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> IngestReport:
        """Record a file of conversations, or an export with its memories; safe to repeat.

        Embedding follows in the background; `flush` waits for it. A memory keeps its id and with it its one place: an
        export read back into another scope of the same store has its memories refused, each with the reason.

        Args:
            path: a file that ChatGPT, Claude, LangGraph, OpenAI or `export` wrote, or JSON lines of your own.
            scope: whose memory it becomes; scopes inside an export stay apart, below this one.
            format: what it is written in; by default it is recognised.
            on_progress: called after each conversation with the report so far.

        Returns:
            what was added, what was there already, and what was refused, by line and with the reason.

        Raises:
            ImportFormatError: there is no such file, or it is in no known format.
            InvalidInput: an argument cannot be used.
            StorageError: the session at hand was not written; those before it were.
        """
        where, path = Scope.of(scope), arguments.place("path", path)
        arguments.maybe_words("format", format, "jsonl")
        if on_progress is not None:
            arguments.action("on_progress", on_progress)
        parts = self._parts
        try:
            return ingest_file(
                path,
                where,
                database=parts.database,
                recorder=parts.recorder,
                curator=parts.curator,
                clock=self._clock,
                format=format,
                on_progress=on_progress,
            )
        finally:
            self._wake()

    aadd = in_thread(add)
    aerase = in_thread(erase)
    aforget = in_thread(forget)
    aingest = in_thread(ingest)
    arecord = in_thread(record)
    arestore = in_thread(restore)
    aundo = in_thread(undo)
    aupdate = in_thread(update)


def _check_change(id: object, actor: object, reason: object) -> None:
    arguments.name_of("id", id, "0197...")
    arguments.words("actor", actor, "user")
    if reason is not None:
        arguments.name_of("reason", reason, "she moved")
