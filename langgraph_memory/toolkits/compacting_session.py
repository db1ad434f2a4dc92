"""A session of the OpenAI Agents SDK that its runner compacts after each turn."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping
from typing import Any

from langgraph_memory.toolkits.compacting_thread import CompactingThread
from langgraph_memory.toolkits.item_compaction import Compacted
from langgraph_memory.toolkits.item_session import ItemSession
from langgraph_memory.toolkits.landing import landed


class CompactingSession(ItemSession):
    """A session whose `run_compaction` the SDK's runner awaits at the end of each turn that has no tool output open.

    Attributes:
        blocking: the same verbs for code that does not await, with reports of what they did.
    """

    blocking: CompactingThread

    def __init__(self, blocking: CompactingThread) -> None:
        super().__init__(blocking)

    @property
    def compacted(self) -> Compacted | None:
        """What the last call of `run_compaction` came to; None before the first."""
        return self.blocking.compacted

    async def run_compaction(self, args: Mapping[str, Any] | None = None) -> Compacted:
        """Compact the history where it is due; see `CompactingThread.run_compaction`.

        Where it is cancelled before the transaction commits, nothing has changed.
        """
        seen = await landed(self.blocking.look, args)
        if isinstance(seen, Compacted):
            return seen
        try:
            answer = await asyncio.to_thread(self.blocking.compact, seen.items)
            if inspect.isawaitable(answer):
                answer = await answer
        except Exception as error:
            return self.blocking.failed(seen, error)
        return await landed(self.blocking.put, seen, answer)
