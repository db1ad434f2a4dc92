"""The verbs that distil memories from what is recorded, with a chat model or by rule: `remember` and `drain`."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from langgraph_memory import arguments
from langgraph_memory.clock import checked_moment
from langgraph_memory.errors import CallBudgetExhausted, LangGraphMemoryError, ModelError
from langgraph_memory.flows.remember_state import JOB, RememberContext, RememberInput
from langgraph_memory.flows.reports import read_report
from langgraph_memory.records import Report
from langgraph_memory.scope import Scope, ScopeLike
from langgraph_memory.sessions.messages import name_of, to_messages
from langgraph_memory.storage import watermarks
from langgraph_memory.storage.watermarks import Unread
from langgraph_memory.verbs.driven import Steps, adrive, drive
from langgraph_memory.verbs.opened import Opened

_QUIET = {"run_name": "remember", "callbacks": []}


class _Batch(NamedTuple):
    """One run of the graph."""

    given: RememberInput
    context: RememberContext


class DistillingVerbs(Opened):
    """Draws memories from what was recorded."""

    instructions: str | None
    _put_off: set[int]
    """Sessions on which the model failed last time: they come last, lest they use up every call that is allowed."""

    def remember(
        self,
        messages: Any = None,
        *,
        scope: ScopeLike,
        thread_id: str | None = None,
        observed_at: datetime | None = None,
        instructions: str | None = None,
        max_calls: int | None = None,
    ) -> Report:
        """Record messages and distil what is unread in the conversation into memories; only ever adds.

        The model proposes; rules decide: blanks, secrets, orders to a model and echoes are refused, repetitions are
        folded into the memory that they repeat. Each message is read once, whatever crashes or is repeated. Without
        a chat model, sentences are chosen by rule, and marked `extracted_by: rules`.

        Args:
            messages: what to record first, as for `record`; or one text. None reads what is recorded already.
            scope: whose memory.
            thread_id: which conversation; without one, messages are filed under a name made from their text, and
                with no messages either, every conversation of the scope and inside it is read.
            observed_at: when it was said, for imports; default now. "Yesterday" is counted in its own time zone.
            instructions: the developer's own, added to the prompt; default those of this `Memory`.
            max_calls: model calls at most; default `settings.max_calls`. What they do not reach waits.

        Returns:
            every proposal as added, reinforced, skipped, refused or failed, with the reason; the batches for `undo`;
            calls and tokens.

        Raises:
            ModelError: the chat model failed. What was recorded stays, and is read by the next call; what other
                batches of this call wrote stays too, and is told by the error's `report`.
        """
        steps = self._remembering(messages, scope, thread_id, observed_at, instructions, max_calls)
        graph = self._parts.flows.remember.compiled
        return drive(steps, lambda batch: graph.invoke(batch.given, context=batch.context, config=_QUIET))

    async def aremember(
        self,
        messages: Any = None,
        *,
        scope: ScopeLike,
        thread_id: str | None = None,
        observed_at: datetime | None = None,
        instructions: str | None = None,
        max_calls: int | None = None,
    ) -> Report:
        """Async twin of `remember`: the model is awaited, storage works in threads."""
        steps = self._remembering(messages, scope, thread_id, observed_at, instructions, max_calls)
        graph = self._parts.flows.remember.compiled
        return await adrive(steps, lambda batch: graph.ainvoke(batch.given, context=batch.context, config=_QUIET))

    def drain(self, *, max_calls: int | None = None) -> Report:
        """Distil every conversation of the store that has something unread, in whatever scope, without waiting.

        What the background would do once they are quiet; call it before a process ends, or from a job of your own.

        Args:
            max_calls: model calls at most; default `settings.max_calls`. What they do not reach waits.

        Raises:
            ModelError: the chat model failed on a conversation, which waits; the others were read all the same. The
                error's `report` tells what was written.
        """
        graph = self._parts.flows.remember.compiled
        steps = self._reading(None, None, self.instructions, self._limit(max_calls))
        return drive(steps, lambda batch: graph.invoke(batch.given, context=batch.context, config=_QUIET))

    async def adrain(self, *, max_calls: int | None = None) -> Report:
        """Async twin of `drain`."""
        graph = self._parts.flows.remember.compiled
        steps = self._reading(None, None, self.instructions, self._limit(max_calls))
        return await adrive(steps, lambda batch: graph.ainvoke(batch.given, context=batch.context, config=_QUIET))

    def _distilled(self, report: Report, scope: Scope, thread_id: str) -> Report:
        """Distil at once where the settings say so; what was recorded is safe whatever the model does."""
        if self.settings.distil != "inline" or not report.added:
            return report
        try:
            distilled = self.remember(scope=scope, thread_id=thread_id)
        except ModelError as error:
            return report + (error.report or Report()) + Report(notes=(f"not distilled yet: {error}",))
        return report + distilled

    def _remembering(
        self,
        messages: Any,
        scope: ScopeLike,
        thread_id: str | None,
        observed_at: datetime | None,
        instructions: str | None,
        max_calls: int | None,
    ) -> Steps[Report]:
        """Record what was given, then read."""
        own = arguments.maybe_words("instructions", instructions, "Remember what Ana eats.")
        limit = self._limit(max_calls)
        inside, thread = Scope.of(scope), arguments.maybe_words("thread_id", thread_id, "chat-1")
        if messages is not None:
            told = to_messages(messages)
            thread = thread or name_of(told)
            if self._parts.recorder.record(told, inside, thread, checked_moment("observed_at", observed_at)).added:
                self._wake()
        return (yield from self._reading(inside, thread, own or self.instructions, limit))

    def _reading(self, scope: Scope | None, thread_id: str | None, own: str | None, limit: int) -> Steps[Report]:
        """Yield one batch after the other until nothing is unread or no call is left.

        A conversation on which the model fails waits for the next run and keeps no other from being read.
        """
        report = Report()
        failures: list[ModelError] = []
        failed = 0
        pending = sorted(self._unread(scope, thread_id), key=lambda place: place.session_row in self._put_off)
        for place in pending:
            session: Unread | None = place
            while session is not None and (self._parts.chat is None or report.usage.calls < limit):
                context = RememberContext(own, limit - report.usage.calls)
                try:
                    state = yield _Batch(
                        {"scope": list(session.scope.segments), "thread_id": session.thread_id}, context
                    )
                except CallBudgetExhausted as error:
                    report += error.report or Report()
                    limit = 0
                    break
                except ModelError as error:
                    report += error.report or Report()
                    if len(pending) > 1:
                        report += Report(notes=(f"{session.thread_id!r} of {session.scope} waits: {error}",))
                    failures.append(error)
                    self._put_off.add(session.session_row)
                    failed += session.waiting
                    break
                except LangGraphMemoryError as error:
                    error.report = report
                    raise
                self._put_off.discard(session.session_row)
                report += read_report(state["report"])
                session = next(iter(self._unread(session.scope, session.thread_id)), None)
        if report.added:
            self._wake()
        waiting = sum(session.waiting for session in self._unread(scope, thread_id)) - failed
        if waiting > 0:
            report += Report(notes=(f"{waiting} messages wait for the next run: the model calls allowed are used up",))
        if not pending:
            report += Report(notes=("nothing new to read",))
        if failures:
            failures[0].report = report
            raise failures[0]
        return report

    def _unread(self, scope: Scope | None, thread_id: str | None) -> list[Unread]:
        with self._parts.database.read() as connection:
            return watermarks.unread(connection, JOB, scope=scope, thread_id=thread_id)
