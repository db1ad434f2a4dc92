"""What every verb stands on: the open parts of one store, its settings and its clock."""

from __future__ import annotations

from langgraph_memory.clock import Clock, to_micros
from langgraph_memory.errors import MemoryClosed
from langgraph_memory.parts import Parts
from langgraph_memory.scope import Scope, ScopeLike
from langgraph_memory.settings import Settings


class Opened:
    """An open store; the verbs are mixed in."""

    settings: Settings
    _clock: Clock
    _all_parts: Parts
    _closed: bool

    @property
    def _parts(self) -> Parts:
        if self._closed:
            raise MemoryClosed("This memory was closed. Open it again with Memory(...).")
        return self._all_parts

    def _now(self) -> int:
        return to_micros(self._clock())

    def _wake(self) -> None:
        """Let the background worker take up what was just owed."""
        if self.settings.background:
            self._parts.worker.wake()


def maybe_scope(scope: ScopeLike | None) -> Scope | None:
    """Return the scope, or None where none was given."""
    return None if scope is None else Scope.of(scope)
