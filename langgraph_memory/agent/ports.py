"""What an agent asks of memory: to recall and to record, in a blocking and an async form."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from langgraph_memory.errors import InvalidInput
from langgraph_memory.records import Answer, MemoryRecord, Report
from langgraph_memory.scope import ScopeLike
from langgraph_memory.settings import Settings


class AgentMemory(Protocol):
    """The part of `Memory` that middleware, tools and nodes use; anything of this shape will do.

    Each method does what `langgraph_memory.Memory` says of it. Those without `a` in front may block; their async twins
    must not, because they run on the event loop.
    """

    @property
    def settings(self) -> Settings:
        """Supplies the limit and the budget where the caller gives none."""
        ...

    def recall(
        self,
        query: str,
        *,
        scope: ScopeLike,
        limit: int | None = None,
        budget: int | None = None,
        known_at: datetime | None = None,
    ) -> Answer:
        """Find what answers the query inside the scope."""
        ...

    async def arecall(
        self,
        query: str,
        *,
        scope: ScopeLike,
        limit: int | None = None,
        budget: int | None = None,
        known_at: datetime | None = None,
    ) -> Answer:
        """Async twin of `recall`."""
        ...

    def left_behind(self, thread_id: str, *, scope: ScopeLike, message_ids: Sequence[str]) -> datetime | None:
        """Return the last moment before a conversation went beyond these messages; asked in replays and forks only."""
        ...

    def aleft_behind(
        self, thread_id: str, *, scope: ScopeLike, message_ids: Sequence[str]
    ) -> Awaitable[datetime | None]:
        """Async twin of `left_behind`."""
        ...

    def standing(self, *, scope: ScopeLike, known_at: datetime | None = None) -> Sequence[MemoryRecord]:
        """Return the profiles and pinned memories of the scope."""
        ...

    def astanding(self, *, scope: ScopeLike, known_at: datetime | None = None) -> Awaitable[Sequence[MemoryRecord]]:
        """Async twin of `standing`."""
        ...

    def record(
        self,
        messages: Any,
        *,
        scope: ScopeLike,
        thread_id: str,
        observed_at: datetime | None = None,
        refuse_unreadable: bool = False,
    ) -> Report:
        """Append messages to a conversation; those already recorded, by message id, are skipped."""
        ...

    def arecord(  # anything awaitable will do, it need not be a coroutine
        self,
        messages: Any,
        *,
        scope: ScopeLike,
        thread_id: str,
        observed_at: datetime | None = None,
        refuse_unreadable: bool = False,
    ) -> Awaitable[Report]:
        """Async twin of `record`."""
        ...


def check_memory(memory: object) -> None:
    """Refuse what is no memory before anybody asks it something.

    Raises:
        InvalidInput: it cannot recall and record.
    """
    if isinstance(memory, type) or not (callable(getattr(memory, "recall", None)) and hasattr(memory, "settings")):
        raise InvalidInput(
            f'memory is a Memory, not {type(memory).__name__} {memory!r:.60}. Open one with Memory("./memory").'
        )


class SearchingMemory(AgentMemory, Protocol):
    """The part of `Memory` that a tool which asks several questions at once needs as well."""

    def recall_many(
        self,
        queries: Sequence[str],
        *,
        scope: ScopeLike,
        limit: int | None = None,
        budget: int | None = None,
        known_at: datetime | None = None,
    ) -> Sequence[Answer]:
        """Find what answers each query inside the scope."""
        ...

    async def arecall_many(
        self,
        queries: Sequence[str],
        *,
        scope: ScopeLike,
        limit: int | None = None,
        budget: int | None = None,
        known_at: datetime | None = None,
    ) -> Sequence[Answer]:
        """Async twin of `recall_many`."""
        ...


class EditableMemory(AgentMemory, Protocol):
    """The part of `Memory` that a tool which writes single memories needs as well; these may block."""

    def list(self, *, scope: ScopeLike) -> Sequence[MemoryRecord]:
        """Return the live memories inside the scope."""
        ...

    def add(
        self,
        text: str,
        *,
        scope: ScopeLike,
        actor: str = "user",
        session_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Report:
        """Add one memory."""
        ...

    def update(self, id: str, *, text: str, scope: ScopeLike | None = None, actor: str = "user") -> Report:
        """Correct a memory."""
        ...

    def forget(
        self, id: str, *, scope: ScopeLike | None = None, actor: str = "user", reason: str | None = None
    ) -> Report:
        """Hide a memory, reversibly."""
        ...


class DistillingMemory(AgentMemory, Protocol):
    """The part of `Memory` that a node which distils needs as well."""

    def remember(
        self, messages: None = None, *, scope: ScopeLike, thread_id: str | None = None, max_calls: int | None = None
    ) -> Report:
        """Distil what is unread in a conversation."""
        ...

    async def aremember(
        self, messages: None = None, *, scope: ScopeLike, thread_id: str | None = None, max_calls: int | None = None
    ) -> Report:
        """Async twin of `remember`."""
        ...
