"""What an agent asks of memory: to recall and to record, in a blocking and an async form."""

from __future__ import annotations

from collections.abc import Awaitable
from datetime import datetime
from typing import Any, Protocol

from langgraph_memory.records import Answer, Report
from langgraph_memory.scope import ScopeLike
from langgraph_memory.settings import Settings


class AgentMemory(Protocol):
    """The part of `Memory` that middleware, tools and nodes use; anything of this shape will do.

    Each method does what `langgraph_memory.Memory` says of it. `recall` and `record` may block; `arecall` and
    `arecord` must not, because they run on the event loop.
    """

    @property
    def settings(self) -> Settings:
        """Supplies the limit and the budget where the caller gives none."""
        ...

    def recall(self, query: str, *, scope: ScopeLike, limit: int | None = None, budget: int | None = None) -> Answer:
        """Find what answers the query inside the scope."""
        ...

    async def arecall(
        self, query: str, *, scope: ScopeLike, limit: int | None = None, budget: int | None = None
    ) -> Answer:
        """Async twin of `recall`."""
        ...

    def record(self, messages: Any, *, scope: ScopeLike, thread_id: str, observed_at: datetime | None = None) -> Report:
        """Append messages to a conversation; those already recorded, by message id, are skipped."""
        ...

    def arecord(  # anything awaitable will do, it need not be a coroutine
        self, messages: Any, *, scope: ScopeLike, thread_id: str, observed_at: datetime | None = None
    ) -> Awaitable[Report]:
        """Async twin of `record`."""
        ...
