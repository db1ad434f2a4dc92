"""The verbs that change what is known, by the model's tool calls or plans: `manage` and `consolidate`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy.engine import Connection

from langgraph_memory import arguments
from langgraph_memory.clock import checked_moment
from langgraph_memory.errors import InvalidInput, ModelNeeded
from langgraph_memory.flows.manage_state import ManageContext, ManageInput, Stretch
from langgraph_memory.flows.remember_state import JOB
from langgraph_memory.flows.reports import read_report
from langgraph_memory.records import Report
from langgraph_memory.scope import Scope, ScopeLike
from langgraph_memory.sessions.messages import name_of, to_messages
from langgraph_memory.storage import entries, watermarks
from langgraph_memory.text.line import spoken_line
from langgraph_memory.verbs.opened import Opened
from langgraph_memory.writing.turns import is_read
from langgraph_memory.writing.turns import said as own_words

if TYPE_CHECKING:
    from langgraph_memory.flows.consolidate import ConsolidateContext, ConsolidateInput

_QUIET = {"run_name": "memory", "callbacks": []}
_MOST_BETWEEN = 200  # unread entries looked at beside those given; a longer backlog is left to distilling
FLOWS = ("remember", "manage", "consolidate", "deepen")


class ManagingVerbs(Opened):
    """Lets a chat model change what is known, within rules."""

    instructions: str | None

    def manage(
        self,
        messages: Any,
        *,
        scope: ScopeLike,
        thread_id: str | None = None,
        observed_at: datetime | None = None,
        instructions: str | None = None,
        inserts: bool = True,
        updates: bool = True,
        deletes: bool = True,
        max_steps: int = 2,
        max_calls: int | None = None,
    ) -> Report:
        """Record messages and let the model create, update and delete memories by tool calls.

        The model sees the memories that the conversation may be about under small numbers, and the profiles. Rules
        check what it asks for, and one transaction writes it: a deletion is reversible, an update leaves the former
        text in history, and `undo` takes the whole batch back.

        A memory opened with schemas= or profiles= creates documents of these only. To let it create plain sentences as
        well, open it with `schemas=[langgraph_memory.MEMORY, ...]`. What is known already may be changed either way.

        Messages that `remember` would read next are then read for it too, where the model came to its end, was free to
        create plain memories, and all that it wanted was written; otherwise distilling still reads them.

        Args:
            messages: what was said, as for `record`; or one text.
            scope: whose memory.
            thread_id: which conversation; by default a name made from the text.
            observed_at: when it was said, for imports; default now. "Yesterday" is counted in its own time zone.
            instructions: the developer's own, added to the prompt; default those of this `Memory`.
            inserts, updates, deletes: what is permitted. Profiles are updated, never inserted.
            max_steps: turns of the model; with more than one it sees what was refused and may mend it.
            max_calls: model calls at most, repairs included; default `settings.max_calls`.

        Returns:
            what was added, reinforced and retired, and what was skipped, refused or failed, with the reasons.

        Raises:
            ModelNeeded: this memory was opened without a chat model.
            ModelError: the model failed before anything was decided; what was recorded stays, and the error's `report`
                tells what was spent.
        """
        flow = self._flow("manage")
        context = self._permitted(instructions, inserts, updates, deletes, max_steps, max_calls)
        given = self._management(messages, scope, thread_id, observed_at)
        return read_report(flow.compiled.invoke(given, context=context, config=_QUIET)["report"])

    async def amanage(
        self,
        messages: Any,
        *,
        scope: ScopeLike,
        thread_id: str | None = None,
        observed_at: datetime | None = None,
        instructions: str | None = None,
        inserts: bool = True,
        updates: bool = True,
        deletes: bool = True,
        max_steps: int = 2,
        max_calls: int | None = None,
    ) -> Report:
        """Async twin of `manage`."""
        flow = self._flow("manage")
        context = self._permitted(instructions, inserts, updates, deletes, max_steps, max_calls)
        given = await asyncio.to_thread(self._management, messages, scope, thread_id, observed_at)
        state = await flow.compiled.ainvoke(given, context=context, config=_QUIET)
        return read_report(state["report"])

    def _management(
        self, messages: Any, scope: ScopeLike, thread_id: str | None, observed_at: datetime | None
    ) -> ManageInput:
        """Record the messages and return what manage reads of them."""
        inside, told = Scope.of(scope), to_messages(messages)
        thread = arguments.maybe_words("thread_id", thread_id, "chat-1") or name_of(told)
        report = self._parts.recorder.record(told, inside, thread, checked_moment("observed_at", observed_at))
        if report.added:
            self._wake()
        ids = {outcome.id for outcome in (*report.added, *report.skipped) if outcome.id}
        with self._parts.database.read() as connection:
            found = [entry for id in ids for entry in entries.find(connection, inside, id, thread)]
            unread = _stretch(connection, inside, thread, {entry.seq for entry in found})
        said = sorted((entry for entry in found if is_read(entry)), key=lambda entry: entry.seq)
        return ManageInput(
            scope=list(inside.segments),
            conversation="\n".join(spoken_line(entry.speaker, entry.observed_at, own_words(entry)) for entry in said),
            thread_id=thread,
            observed_at=None if not said else max(entry.observed_at for entry in said).isoformat(),
            evidence=[entry.message_id for entry in said],
            unread=unread,
        )

    def _permitted(
        self,
        instructions: str | None,
        inserts: bool,
        updates: bool,
        deletes: bool,
        max_steps: int,
        max_calls: int | None,
    ) -> ManageContext:
        return ManageContext(
            self._own(instructions),
            arguments.flag("inserts", inserts),
            arguments.flag("updates", updates),
            arguments.flag("deletes", deletes),
            arguments.number("max_steps", max_steps, least=1),
            self._limit(max_calls),
        )

    def _own(self, instructions: str | None) -> str | None:
        return arguments.maybe_words("instructions", instructions, "Remember what Ana eats.") or self.instructions

    def consolidate(
        self,
        batch: Report | Sequence[str] | None = None,
        *,
        scope: ScopeLike,
        instructions: str | None = None,
        max_calls: int | None = None,
    ) -> Report:
        """Tidy memories that resemble each other: keep, merge or delete, by a plan of the model that rules check.

        The model sees only memories of exactly this scope whose cosine is at least `settings.similar_from`, one call
        a group. What it plans for anything else is refused. One transaction, one batch for `undo`.

        Args:
            batch: look at these memories and what resembles them: a report or ids. Default all of the scope.
            scope: whose memory.
            instructions: the developer's own, added to the prompt.
            max_calls: model calls at most; default `settings.max_calls`.

        Returns:
            what was added (new wordings) and retired, what was kept (under `skipped`) or refused, with reasons. Where
            the model fails, memories stay as they are and a note says so.

        Raises:
            ModelNeeded: this memory was opened without a chat model.
        """
        given, context = self._consolidation(batch, scope, instructions, max_calls)
        return read_report(self._flow("consolidate").compiled.invoke(given, context=context, config=_QUIET)["report"])

    async def aconsolidate(
        self,
        batch: Report | Sequence[str] | None = None,
        *,
        scope: ScopeLike,
        instructions: str | None = None,
        max_calls: int | None = None,
    ) -> Report:
        """Async twin of `consolidate`."""
        given, context = self._consolidation(batch, scope, instructions, max_calls)
        state = await self._flow("consolidate").compiled.ainvoke(given, context=context, config=_QUIET)
        return read_report(state["report"])

    def _consolidation(
        self, batch: Report | Sequence[str] | None, scope: ScopeLike, instructions: str | None, max_calls: int | None
    ) -> tuple[ConsolidateInput, ConsolidateContext]:
        from langgraph_memory.flows.consolidate import ConsolidateContext, ConsolidateInput

        ids = None
        if batch is not None:
            ids = list(batch.ids if isinstance(batch, Report) else arguments.texts("batch", batch, "[report.ids[0]]"))
        given = ConsolidateInput(scope=list(Scope.of(scope).segments), ids=ids)
        return given, ConsolidateContext(self._own(instructions), self._limit(max_calls))

    def _flow(self, name: str) -> Any:
        """Return a flow by name, those that need a chat model only where there is one."""
        if name not in FLOWS:
            raise InvalidInput(f"There is no flow {name!r}; there are {', '.join(FLOWS)}.")
        flow = getattr(self._parts.flows, name)
        if flow is None:
            raise ModelNeeded(
                f'"{name}" needs a chat model. Open the memory with Memory(..., model="provider:name"), '
                "or set LANGGRAPH_MEMORY_MODEL where a LangGraph server opens it."
            )
        return flow


def _stretch(connection: Connection, scope: Scope, thread: str, given: set[int]) -> Stretch | None:
    """Return the given entries as the next that distilling would read, where nothing else stands before or among them.

    What nobody would draw memories from, such as a tool's result, may stand among them.
    """
    session = next(iter(watermarks.unread(connection, JOB, scope=scope, thread_id=thread)), None)
    if session is None or not given or session.waiting > len(given) + _MOST_BETWEEN:
        return None
    upto = max(given)
    waiting = entries.of_session(connection, scope, session.session_row, after=session.upto, limit=session.waiting)
    others = [entry for entry in waiting if entry.seq <= upto and entry.seq not in given and is_read(entry)]
    if others or upto <= session.upto:
        return None
    return Stretch(session_row=session.session_row, before=session.upto, upto=upto)
