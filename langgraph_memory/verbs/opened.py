"""What every verb stands on: the open parts of one store, its settings and its clock."""

from __future__ import annotations

import os

from langgraph_memory import arguments
from langgraph_memory.clock import Clock, to_micros
from langgraph_memory.errors import MemoryClosed
from langgraph_memory.maintenance.erasure import erase
from langgraph_memory.parts import Parts
from langgraph_memory.records import Receipt, Report
from langgraph_memory.retrieval.compose import CountTokens
from langgraph_memory.scope import Scope, ScopeLike
from langgraph_memory.settings import Settings


class Opened:
    """An open store; the verbs are mixed in."""

    settings: Settings
    _clock: Clock
    _count_tokens: CountTokens
    _all_parts: Parts
    _closed: bool
    _process: int

    @property
    def _parts(self) -> Parts:
        if os.getpid() != self._process:  # threads, connections and locks do not come along: a call could hang
            raise MemoryClosed(
                "This memory was opened by another process, of which this one is a fork. Open it again after the fork "
                "with Memory(...)."
            )
        if self._closed:
            raise MemoryClosed("This memory was closed. Open it again with Memory(...).")
        return self._all_parts

    def _limit(self, max_calls: int | None) -> int:
        """Return how often a call may ask the model."""
        given = arguments.maybe_number("max_calls", max_calls)
        return self.settings.max_calls if given is None else given

    def _distilled(self, report: Report, scope: Scope, thread_id: str) -> Report:
        """Return the report of a recording, distilled where that is asked for; see `DistillingVerbs`."""
        return report

    def _erase(self, scope: Scope, thread_id: str | None) -> Receipt:
        """Destroy a scope or a conversation; see `WritingVerbs.erase`."""
        parts = self._parts
        receipt = erase(parts.database, self._clock, scope, thread_id)
        parts.indexer.drop()
        self._wake()
        return receipt

    def _now(self) -> int:
        return to_micros(self._clock())

    def _wake(self) -> None:
        """Let the background workers take up what was just written."""
        parts = self._all_parts
        if self._closed:  # meanwhile: what is written is written, and the next open takes it up
            parts.database.close()  # the connection that this call opened after the others were closed
        elif self.settings.background:
            parts.worker.wake()
            if parts.distiller is not None:
                parts.distiller.wake()


def maybe_scope(scope: ScopeLike | None) -> Scope | None:
    """Return the scope, or None where none was given."""
    return None if scope is None else Scope.of(scope)
