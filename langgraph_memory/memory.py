"""Memory: one object over one folder (or PostgreSQL), with every verb in a blocking and an async form."""

from __future__ import annotations

import asyncio
import os
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TextIO

from langgraph_memory.clock import Clock, system_clock, to_micros
from langgraph_memory.errors import IndexUnavailable, InvalidInput, MemoryClosed, NotFound
from langgraph_memory.flows.ingest import IngestReport, OnProgress, ingest_file
from langgraph_memory.flows.recall import Request, checked_moment
from langgraph_memory.importing.export import write_export
from langgraph_memory.maintenance.doctor import Check, examine
from langgraph_memory.maintenance.erasure import erase
from langgraph_memory.maintenance.indexer import Progress
from langgraph_memory.maintenance.reconcile import Differences, owe_everything, reconcile, renew_text_index
from langgraph_memory.models import Embedder, as_embedder
from langgraph_memory.parts import Parts, open_parts
from langgraph_memory.records import Answer, Change, Entry, MemoryRecord, Receipt, Report, Session
from langgraph_memory.retrieval.compose import CountTokens
from langgraph_memory.retrieval.recipe import HYBRID, RECIPES, Recipe
from langgraph_memory.scope import Scope, ScopeLike
from langgraph_memory.sessions.messages import to_messages
from langgraph_memory.settings import Settings
from langgraph_memory.storage import entries, memories
from langgraph_memory.text.tokens import estimate_tokens
from langgraph_memory.twins import in_thread
from langgraph_memory.writing.curator import Proposal

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.tools import BaseTool

ROLES = ("user", "assistant", "system", "tool")

_PAGE = 1_000


class Memory:
    """Keeps what was said, word for word, and recalls the right few lines of it.

    Open it once per process and share it between threads and tasks. Several processes may open the same folder.

    Args:
        location: a folder (created where missing) or `postgresql://user@host/name`.
        chroma: URL of a Chroma server; by default Chroma is embedded in the folder, and with PostgreSQL every
            search is exact from SQL.
        embeddings: any LangChain `Embeddings` or an `Embedder`; by default the bundled one, which needs no network.
        reindex: embed everything anew where the store was embedded with another model.
        settings: numbers to change.
        clock: returns the present; for tests and replays.
        count_tokens: estimates tokens for budgets; by default a conservative rule of thumb.

    Raises:
        StorageError: the location cannot be opened; the subclass says why.
        EmbeddingMismatch: the store was embedded with another model.
    """

    def __init__(
        self,
        location: str | os.PathLike[str],
        *,
        chroma: str | None = None,
        embeddings: Embedder | Embeddings | None = None,
        reindex: bool = False,
        settings: Settings | None = None,
        clock: Clock = system_clock,
        count_tokens: CountTokens = estimate_tokens,
    ) -> None:
        self.settings = settings or Settings()
        self._clock = clock
        self._closed = False
        self._all_parts = open_parts(
            location,
            chroma=chroma,
            embedder=as_embedder(embeddings),
            reindex=reindex,
            settings=self.settings,
            clock=clock,
            count_tokens=count_tokens,
        )
        # The thread must not outlive the interpreter, nor the object that nobody closed.
        self._finalizer = weakref.finalize(self, self._all_parts.close)
        if self.settings.background:
            self._all_parts.worker.wake()  # an earlier process may have left something

    # Writing

    def record(
        self, messages: Any, *, scope: ScopeLike, thread_id: str, observed_at: datetime | None = None
    ) -> Report:
        """Append messages to a conversation, word for word; cheap, and safe to repeat.

        Args:
            messages: one or a list of LangChain messages, OpenAI-style dicts, `(role, text)` pairs or plain texts.
            scope: whose memory.
            thread_id: which conversation.
            observed_at: when it was said, for imports; default now.

        Returns:
            `added` and `skipped` (already recorded), by message id.

        Raises:
            MessageError: an item has no known shape; nothing was written.
            ScopeError: the scope is missing or malformed.
            StorageError: nothing was written.
        """
        report = self._parts.recorder.record(
            to_messages(messages), Scope.of(scope), thread_id, checked_moment("observed_at", observed_at)
        )
        if report.added:
            self._wake()
        return report

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
            evidence: message ids (or memory ids) that it rests on.
        """
        if not isinstance(text, str):
            raise InvalidInput(f"A memory is text, not {type(text).__name__}.")
        if importance is not None and not 0 <= importance <= 1:
            raise InvalidInput(f"importance lies between 0 and 1, not {importance}.")
        times = {
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
            text=text,
            kind=kind,
            actor=actor,
            session_id=session_id,
            importance=importance,
            pinned=pinned,
            metadata=metadata or {},
            evidence=tuple(evidence),
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
        """
        report = self._parts.curator.update(id, text, scope=_maybe(scope), actor=actor, reason=reason)
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
        """
        return self._parts.curator.forget(id, scope=_maybe(scope), thread_id=thread_id, actor=actor, reason=reason)

    def restore(
        self,
        id: str,
        *,
        scope: ScopeLike | None = None,
        thread_id: str | None = None,
        actor: str = "user",
        reason: str | None = None,
    ) -> Report:
        """Undo `forget`; parameters and errors are the same."""
        return self._parts.curator.restore(id, scope=_maybe(scope), thread_id=thread_id, actor=actor, reason=reason)

    def erase(self, *, scope: ScopeLike, thread_id: str | None = None) -> Receipt:
        """Destroy everything in the scope and inside it, or one conversation: rows, terms, vectors, history.

        This cannot be undone; `forget` can. Copies in the vector index are removed before this returns where this
        process holds the index, and by its holder otherwise.

        Raises:
            NotFound: there is no such conversation.
        """
        parts = self._parts
        receipt = erase(parts.database, self._clock, Scope.of(scope), thread_id)
        parts.indexer.carry()
        return receipt

    # Reading

    def recall(
        self,
        query: str,
        *,
        scope: ScopeLike,
        limit: int | None = None,
        budget: int | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        include_history: bool = False,
        kinds: Sequence[str] | None = None,
        roles: Sequence[str] = ("user", "assistant"),
        recipe: str | Recipe = HYBRID,
    ) -> Answer:
        """Find what was said or known that answers a question, with no model call but the embedder's.

        Args:
            query: the question, in any language.
            scope: whose memory; the scope and everything inside it.
            limit: hits at most (default `settings.limit`).
            budget: tokens that `Answer.block` may take (default `settings.budget`).
            as_of: what was true at this time in the world.
            known_at: what was recorded and not yet retired at this time.
            include_history: also what was retired, replaced, expired or is no longer true.
            kinds: only these kinds; `message` means what was said.
            roles: whose messages are searched; add `tool` or `system` for theirs.
            recipe: how the signals are mixed: `hybrid`, `lexical`, `dense`, or a `Recipe`.

        Returns:
            hits best first, the fenced block, gaps, and notes about the search itself. An unknown scope
            simply holds nothing.

        Raises:
            InvalidInput: the query is empty, or an option makes no sense.
        """
        return self._parts.recaller.recall(
            self._request(
                query, scope, limit, budget, as_of, known_at, include_history, kinds, roles, recipe
            )
        )

    async def arecall(
        self,
        query: str,
        *,
        scope: ScopeLike,
        limit: int | None = None,
        budget: int | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        include_history: bool = False,
        kinds: Sequence[str] | None = None,
        roles: Sequence[str] = ("user", "assistant"),
        recipe: str | Recipe = HYBRID,
    ) -> Answer:
        """Async twin of `recall`; an embedder with an async face is awaited, everything else runs in a thread."""
        request = self._request(
            query, scope, limit, budget, as_of, known_at, include_history, kinds, roles, recipe
        )
        parts = self._parts
        embed = getattr(parts.embedder, "aembed_query", None)
        if embed is None:
            return await asyncio.to_thread(parts.recaller.recall, request)
        return await parts.recaller.arecall(request, embed)

    def get(self, id: str, *, scope: ScopeLike | None = None) -> MemoryRecord:
        """Return one memory, live or not.

        Raises:
            NotFound: there is none with this id, or not inside the scope given.
        """
        within = _maybe(scope)
        with self._parts.database.read() as connection:
            record = memories.by_id(connection, id)
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
        """Return the memories of the scope and inside it in order of belief; all of them by default."""
        with self._parts.database.read() as connection:
            return memories.list_records(
                connection,
                Scope.of(scope),
                include_history=include_history,
                kinds=kinds,
                now=self._now(),
                limit=limit,
                offset=offset,
            )

    def history(self, id: str) -> Sequence[Change]:
        """Return everything that was done to a memory, oldest first.

        Raises:
            NotFound: there is none with this id.
        """
        with self._parts.database.read() as connection:
            changes = memories.history(connection, id)
        if not changes:
            raise NotFound(f"There is no memory {id}. list() shows the ids there are.")
        return changes

    def sessions(self, *, scope: ScopeLike, limit: int = 100, offset: int = 0) -> Sequence[Session]:
        """Return the conversations of the scope and inside it, most recent first."""
        with self._parts.database.read() as connection:
            return entries.list_sessions(connection, Scope.of(scope), limit=limit, offset=offset)

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
        """
        where = Scope.of(scope)
        with self._parts.database.read() as connection:
            if not entries.session_exists(connection, where, thread_id):
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

    def export(self, *, scope: ScopeLike, path: str | os.PathLike[str] | TextIO) -> Mapping[str, int]:
        """Write the scope and everything inside it as JSON lines, which `ingest` reads back.

        Returns:
            the number of `messages` and `memories` written.
        """
        where = Scope.of(scope)
        target = Path(path) if isinstance(path, str | os.PathLike) else path
        records = self.list(scope=where, include_history=True)
        return write_export(target, where, self._all_entries(where), records, self._clock)

    def ingest(
        self,
        path: str | os.PathLike[str],
        *,
        scope: ScopeLike,
        format: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> IngestReport:
        """Record a file of conversations, or an export with its memories; safe to repeat.

        Embedding follows in the background; `flush` waits for it.

        Args:
            path: a file that ChatGPT, Claude, LangGraph, OpenAI or `export` wrote, or JSON lines of your own.
            scope: whose memory it becomes; scopes inside an export stay apart, below this one.
            format: what it is written in; by default it is recognised.
            on_progress: called after each conversation with the report so far.

        Returns:
            what was added, what was there already, and what was refused, by line and with the reason.

        Raises:
            ImportFormatError: there is no such file, or it is in no known format. A damaged gzip file is only
                noticed when what comes before the damage is recorded.
            StorageError: the session at hand was not written; those before it were.
        """
        parts = self._parts
        try:
            return ingest_file(
                path,
                Scope.of(scope),
                database=parts.database,
                recorder=parts.recorder,
                curator=parts.curator,
                clock=self._clock,
                format=format,
                on_progress=on_progress,
            )
        finally:
            self._wake()

    # Upkeep

    def flush(self, on_progress: Callable[[int, int], None] | None = None) -> Progress:
        """Embed and index everything recorded so far, as far as this process can."""
        return self._parts.indexer.flush(on_progress)

    def reconcile(self) -> Differences:
        """Compare the indexes with the truth, mend what differs, and say what it was."""
        parts = self._parts
        try:
            differences = reconcile(parts.database, parts.model_id, parts.indexer.index())
        except IndexUnavailable:
            parts.indexer.rebuild()
            differences = reconcile(parts.database, parts.model_id, parts.indexer.index())
        parts.indexer.flush()
        return differences

    def reindex(self, on_progress: Callable[[int, int], None] | None = None) -> Progress:
        """Build every index anew from the truth; what already has a vector is not embedded again."""
        parts = self._parts
        renew_text_index(parts.database, force=True)
        owe_everything(parts.database, parts.embedder.name)
        parts.indexer.rebuild()
        parts.cache.clear()
        return parts.indexer.flush(on_progress)

    def doctor(self) -> Sequence[Check]:
        """Examine the installation and the store; each check says what it found and what to do about it."""
        parts = self._parts
        return examine(parts.database, parts.embedder, parts.indexer)

    def tools(self) -> Sequence[BaseTool]:
        """Return the tools that let a model search this memory by itself."""
        from langgraph_memory.agent.tools import search_memory_tool

        return [search_memory_tool(self)]

    def close(self) -> None:
        """Stop upkeep and let go of the files. What is still owed to the indexes is done at the next open."""
        self._closed = True
        self._finalizer()

    aadd = in_thread(add)
    aclose = in_thread(close)
    adoctor = in_thread(doctor)
    aentries = in_thread(entries)
    aerase = in_thread(erase)
    aexport = in_thread(export)
    aflush = in_thread(flush)
    aforget = in_thread(forget)
    aget = in_thread(get)
    ahistory = in_thread(history)
    aingest = in_thread(ingest)
    alist = in_thread(list)
    areconcile = in_thread(reconcile)
    arecord = in_thread(record)
    areindex = in_thread(reindex)
    arestore = in_thread(restore)
    asessions = in_thread(sessions)
    aupdate = in_thread(update)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    @property
    def _parts(self) -> Parts:
        if self._closed:
            raise MemoryClosed("This memory was closed. Open it again with Memory(...).")
        return self._all_parts

    def _request(
        self,
        query: str,
        scope: ScopeLike,
        limit: int | None,
        budget: int | None,
        as_of: datetime | None,
        known_at: datetime | None,
        include_history: bool,
        kinds: Sequence[str] | None,
        roles: Sequence[str],
        recipe: str | Recipe,
    ) -> Request:
        if isinstance(recipe, str):
            if recipe not in RECIPES:
                raise InvalidInput(f"There is no recipe {recipe!r}; there are {', '.join(RECIPES)}.")
            recipe = RECIPES[recipe]
        return Request(
            query=query,
            scope=Scope.of(scope),
            limit=self.settings.limit if limit is None else limit,
            budget=self.settings.budget if budget is None else budget,
            recipe=recipe,
            as_of=checked_moment("as_of", as_of),
            known_at=checked_moment("known_at", known_at),
            include_history=include_history,
            kinds=None if kinds is None else tuple(kinds),
            hidden_roles=tuple(role for role in ROLES if role not in roles),
        )

    def _all_entries(self, scope: Scope) -> Iterator[Entry]:
        last = 0
        while True:
            with self._parts.database.read() as connection:
                page = entries.after_seq(connection, scope, last, _PAGE)
            if not page:
                return
            yield from page
            last = page[-1].seq

    def _now(self) -> int:
        return to_micros(self._clock())

    def _wake(self) -> None:
        if self.settings.background:
            self._parts.worker.wake()


def _maybe(scope: ScopeLike | None) -> Scope | None:
    return None if scope is None else Scope.of(scope)
