"""The verbs that read: get, list, history, sessions, entries, export."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TextIO

from langgraph_memory import arguments
from langgraph_memory.clock import checked_moment, from_micros, to_micros
from langgraph_memory.errors import NotFound
from langgraph_memory.importing.export import write_export
from langgraph_memory.records import Change, Entry, MemoryRecord, Session
from langgraph_memory.scope import Scope, ScopeLike
from langgraph_memory.storage import conversations, entries, journal, memories
from langgraph_memory.twins import in_thread
from langgraph_memory.verbs.opened import Opened, maybe_scope
from langgraph_memory.writing.obstacles import successor

_PAGE = 1_000
_ID = "0197..."  # as list() and recall() show them


class ReadingVerbs(Opened):
    """Shows what is in memory."""

    def get(self, id: str, *, scope: ScopeLike | None = None, current: bool = False) -> MemoryRecord:
        """Return one memory, live or not.

        Args:
            id: of the memory.
            scope: only inside it.
            current: follow the memory through its changes: where it was corrected or merged, return what stands for it
                now. So an id that was written down once leads to the memory for as long as anything stands for it;
                where nothing does, it leads to the record itself.

        Raises:
            NotFound: there is none with this id, or not inside the scope given.
            InvalidInput: an argument cannot be used.
        """
        within = maybe_scope(scope)
        arguments.name_of("id", id, _ID)
        arguments.flag("current", current)
        with self._parts.database.read() as connection:
            record = memories.by_id(connection, id)
            if current and record is not None and record.retired_at is not None:
                record = successor(connection, record) or record
        if record is None or (within is not None and not within.contains(record.scope)):
            raise NotFound(f"There is no memory {id}. list() shows the ids there are.")
        return record

    def list(
        self,
        *,
        scope: ScopeLike,
        include_history: bool = False,
        kinds: Sequence[str] | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> Sequence[MemoryRecord]:
        """Return the memories of the scope and inside it in order of belief; all of them by default.

        Raises:
            InvalidInput: an option makes no sense.
        """
        where, only = Scope.of(scope), None if kinds is None else arguments.texts("kinds", kinds, "fact")
        limit, offset = arguments.maybe_number("limit", limit), arguments.number("offset", offset)
        arguments.flag("include_history", include_history)
        with self._parts.database.read() as connection:
            return memories.list_records(
                connection,
                where,
                include_history=include_history,
                kinds=only,
                now=self._now(),
                limit=limit,
                offset=offset,
            )

    def standing(self, *, scope: ScopeLike, known_at: datetime | None = None) -> Sequence[MemoryRecord]:
        """Return what always belongs before the model: the scope's own profiles and pinned memories, live ones.

        Args:
            known_at: as for `recall`.

        Raises:
            InvalidInput: `known_at` is no moment.
        """
        where, moment = Scope.of(scope), checked_moment("known_at", known_at)
        then = None if moment is None else to_micros(moment)
        with self._parts.database.read() as connection:
            return memories.standing(connection, where, now=self._now(), known_at=then)

    def history(self, id: str) -> Sequence[Change]:
        """Return everything that was done to a memory, oldest first.

        Raises:
            NotFound: there is none with this id.
        """
        arguments.name_of("id", id, _ID)
        with self._parts.database.read() as connection:
            changes = journal.history(connection, id)
        if not changes:
            raise NotFound(f"There is no memory {id}. list() shows the ids there are.")
        return changes

    def sessions(self, *, scope: ScopeLike, limit: int = 100, offset: int = 0) -> Sequence[Session]:
        """Return the conversations of the scope and inside it, most recent first.

        Raises:
            InvalidInput: an option makes no sense.
        """
        where = Scope.of(scope)
        limit, offset = arguments.number("limit", limit), arguments.number("offset", offset)
        with self._parts.database.read() as connection:
            return conversations.list_sessions(connection, where, limit=limit, offset=offset)

    def entries(
        self,
        thread_id: str,
        *,
        scope: ScopeLike,
        after: int | None = None,
        limit: int | None = None,
        newest_first: bool = False,
        include_history: bool = False,
    ) -> Sequence[Entry]:
        """Return what was said in one conversation, in order.

        Args:
            after: continue behind this `position` (before it, with `newest_first`).
            limit: at most so many.
            include_history: also messages that were replaced or forgotten.

        Raises:
            NotFound: the scope has no such conversation.
            InvalidInput: an option makes no sense.
        """
        where = Scope.of(scope)
        arguments.name_of("thread_id", thread_id, "chat-1")
        after, limit = arguments.maybe_number("after", after, least=-1), arguments.maybe_number("limit", limit)
        arguments.flag("newest_first", newest_first)
        arguments.flag("include_history", include_history)
        with self._parts.database.read() as connection:
            if not conversations.session_exists(connection, where, thread_id):
                raise NotFound(f"There is no session {thread_id!r} in {where}. sessions() lists the ones there are.")
            return entries.page(
                connection,
                where,
                thread_id,
                after=after,
                limit=limit,
                newest_first=newest_first,
                include_history=include_history,
            )

    def left_behind(self, thread_id: str, *, scope: ScopeLike, message_ids: Sequence[str]) -> datetime | None:
        """Return the last moment before this conversation went beyond these messages: what was known there.

        A run that is replayed or forked from an old checkpoint shows only the messages up to it. Recall with this as
        `known_at` answers it as it would have been answered then.

        Returns:
            UTC; None where the conversation did not go on after them, or none of them is recorded.
        """
        where = Scope.of(scope)
        arguments.name_of("thread_id", thread_id, "chat-1")
        shown = arguments.texts("message_ids", message_ids, "message-id")
        with self._parts.database.read() as connection:
            at = conversations.left_behind_at(connection, where, thread_id, shown)
        return None if at is None else from_micros(at - 1)

    def export(self, *, scope: ScopeLike, path: str | os.PathLike[str] | TextIO) -> Mapping[str, int]:
        """Write the scope and everything inside it as JSON lines, which `ingest` reads back.

        Items of `memory.store` are the application's own and not among it.

        Returns:
            the number of `messages` and `memories` written.

        Raises:
            InvalidInput: the path is none, or cannot be written.
        """
        where = Scope.of(scope)
        path = arguments.stream_or_place("path", path)
        target = Path(path) if isinstance(path, str | os.PathLike) else path
        records = self.list(scope=where, include_history=True)
        return write_export(target, where, self._all_entries(where), records, self._clock)

    aentries = in_thread(entries)
    aexport = in_thread(export)
    aget = in_thread(get)
    ahistory = in_thread(history)
    aleft_behind = in_thread(left_behind)
    alist = in_thread(list)
    asessions = in_thread(sessions)
    astanding = in_thread(standing)

    def _all_entries(self, scope: Scope) -> Iterator[Entry]:
        """Yield entries in order of recording, but of each message the current version last, so that it stays that."""
        with self._parts.database.read() as connection:
            before = entries.taken_back(connection, scope)
        early = {entry.seq for versions in before.values() for entry in versions}
        last = 0
        while True:
            with self._parts.database.read() as connection:
                page = entries.after_seq(connection, scope, last, _PAGE)
            if not page:
                return
            for entry in page:
                yield from before.get(entry.seq, ())
                if entry.seq not in early:
                    yield entry
            last = page[-1].seq
