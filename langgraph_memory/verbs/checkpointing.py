"""The verbs for LangGraph's checkpoints: checkpointer and prune_checkpoints."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from langgraph_memory import arguments
from langgraph_memory.checkpoints.records import Pruned
from langgraph_memory.clock import checked_moment
from langgraph_memory.errors import InvalidInput
from langgraph_memory.twins import in_thread
from langgraph_memory.verbs.opened import Opened

if TYPE_CHECKING:
    from langgraph_memory.checkpoints.saver import MemoryCheckpointer


class CheckpointVerbs(Opened):
    """Keeps the state of LangGraph threads beside the memory."""

    def checkpointer(self) -> MemoryCheckpointer:
        """Return the checkpointer beside this memory, for `create_agent(..., checkpointer=...)` and `compile`.

        It keeps threads in `checkpoints.sqlite3` in the memory's folder, or in LangGraph's tables in the memory's
        PostgreSQL database, works under `invoke` and `ainvoke`, and is closed with the memory.

        Raises:
            InvalidInput: the memory lives on PostgreSQL, and the extra `postgres` is not installed.
        """
        return self._parts.checkpoints.get()

    def prune_checkpoints(
        self,
        *,
        keep_last: int = 1,
        older_than: timedelta | datetime | None = None,
        thread_id: str | None = None,
    ) -> Pruned:
        """Remove checkpoints that their threads can go on without.

        LangGraph keeps one at every step of every run, for time travel; each thread needs only its newest one. An
        interrupt that nobody answered can still be answered afterwards. One transaction a thread.

        Args:
            keep_last: how many of the newest stay, in each thread and namespace; at least 1.
            older_than: remove only what is older than this span, or was made before this moment; by default, any age.
            thread_id: only of this thread; by default of all.

        Returns:
            what was removed, and the threads that had to be left whole.

        Raises:
            InvalidInput: an argument cannot be used; nothing was removed.
        """
        keep_last = arguments.number("keep_last", keep_last, least=1)
        thread_id = arguments.maybe_words("thread_id", thread_id, "chat-1")
        if isinstance(older_than, timedelta):
            if older_than < timedelta(0):
                raise InvalidInput(
                    f"older_than is a span that has passed, such as timedelta(days=30), not {older_than}."
                )
            try:
                before: datetime | None = self._clock() - older_than
            except OverflowError:
                raise InvalidInput(
                    f"older_than reaches back before the year 1: {older_than}. Write a shorter span, such as "
                    "timedelta(days=30)."
                ) from None
        else:
            before = checked_moment("older_than", older_than)
        saver = self._parts.checkpoints.get()
        if saver.sizes() is None:
            return Pruned()
        return saver.prune_threads([thread_id] if thread_id is not None else None, keep_last, before)

    aprune_checkpoints = in_thread(prune_checkpoints)
