"""Recording, as a step of a run: write down what was said since the last time, and say so when it fails."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from langgraph_memory.agent.identity import ScopeSource, check_scope, resolve_destination
from langgraph_memory.agent.ports import AgentMemory
from langgraph_memory.agent.state import RECALL_CHANNEL, RECORD_CHANNEL, MemoryRecord, value_of
from langgraph_memory.agent.turn import id_of, messages_in, summarised_question, unrecorded
from langgraph_memory.errors import InvalidInput
from langgraph_memory.events import RecordedEvent, emit, reason
from langgraph_memory.records import Outcome, Report
from langgraph_memory.scope import Scope
from langgraph_memory.text.normalise import clean

logger = logging.getLogger(__name__)

OnWriteError = Literal["keep", "raise"]
"""What to do when a turn cannot be recorded: keep the answer and report the error, or fail the run with it."""


@dataclass(frozen=True, slots=True)
class RecordStep:
    """Records for one agent or graph; call it with the state and the runtime.

    Attributes:
        scope: see `identity.resolve_scope`.
        source: who records, for events and logs.
        channel: where the state keeps what was recorded last time.
        recall_channel: where it keeps what was recalled for this turn.
    """

    memory: AgentMemory
    scope: ScopeSource | None = None
    on_write_error: OnWriteError = "keep"
    source: str = "record"
    channel: str = RECORD_CHANNEL
    recall_channel: str = RECALL_CHANNEL

    def __post_init__(self) -> None:
        if self.on_write_error not in ("keep", "raise"):
            raise InvalidInput(f'on_write_error is "keep" or "raise", not {self.on_write_error!r}.')
        check_scope(self.scope)

    def __call__(self, state: Any, runtime: Any) -> MemoryRecord:
        """Record the conversation so far, each message once.

        Returns:
            how much was new; an `error` instead where writing failed and the answer was kept.

        Raises:
            ScopeError: it is unknown whose memory to write.
            InvalidInput: the call names no thread.
        """
        scope, thread_id = self.destination(runtime)
        messages, upto = self._new(state)
        try:
            report = self.memory.record(messages, scope=scope, thread_id=thread_id, refuse_unreadable=True)
        except Exception as error:
            return self._failed(error, upto, runtime)
        return self._done(report, messages, upto, runtime)

    async def acall(self, state: Any, runtime: Any) -> MemoryRecord:
        """Async twin of calling the step."""
        scope, thread_id = self.destination(runtime)
        messages, upto = self._new(state)
        try:
            report = await self.memory.arecord(messages, scope=scope, thread_id=thread_id, refuse_unreadable=True)
        except Exception as error:
            return self._failed(error, upto, runtime)
        return self._done(report, messages, upto, runtime)

    def destination(self, runtime: Any) -> tuple[Scope, str]:
        """Return scope and thread id, or raise: call it early, so that no answer is paid for and then lost."""
        return resolve_destination(self.scope, runtime)

    def _new(self, state: Any) -> tuple[list[Any], str | None]:
        last = value_of(state, self.channel)
        upto = last["upto"] if last else None
        messages = messages_in(state)
        return summarised_question(messages, value_of(state, self.recall_channel)) + unrecorded(messages, upto), upto

    def _done(self, report: Report, messages: list[Any], upto: str | None, runtime: Any) -> MemoryRecord:
        record = MemoryRecord(
            added=_count(report.added, messages),
            skipped=_count(report.skipped, messages),
            upto=id_of(messages[-1]) if messages else upto,
        )
        if report.refused:
            record["refused"] = [outcome.reason or "" for outcome in report.refused]
            why = "; ".join(record["refused"])
            logger.warning("%s: some messages cannot be recorded and are left out: %s", self.source, why)
        emit(runtime, self._event(record))
        return record

    def _failed(self, error: Exception, upto: str | None, runtime: Any) -> MemoryRecord:
        record = MemoryRecord(added=0, skipped=0, upto=upto, error=reason(error))
        emit(runtime, self._event(record))
        if self.on_write_error == "raise":
            raise error
        logger.error("%s: the turn was not recorded; the next one tries again: %s", self.source, reason(error))
        return record

    def _event(self, record: MemoryRecord) -> RecordedEvent:
        event = RecordedEvent(
            type="memory.recorded", source=self.source, added=record["added"], skipped=record["skipped"]
        )
        if "refused" in record:
            event["refused"] = record["refused"]
        if "error" in record:
            event["error"] = record["error"]
        return event


def _count(outcomes: Sequence[Outcome], messages: Sequence[Any]) -> int:
    """Count the messages among the outcomes: where record() distils too, its report tells of memories as well."""
    ids = {None if id is None else clean(id) for id in map(id_of, messages)}
    return sum(outcome.id in ids for outcome in outcomes) if None not in ids else min(len(outcomes), len(messages))
