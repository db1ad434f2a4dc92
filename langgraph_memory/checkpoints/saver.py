"""What both checkpointers have beyond LangGraph's own: an async face on threads, pruning, sizes, and an end."""

from __future__ import annotations

import asyncio
import os
from abc import abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)

from langgraph_memory.checkpoints.records import CheckpointSizes, Pruned
from langgraph_memory.errors import InvalidInput, MemoryClosed
from langgraph_memory.unportable import Unportable

STRATEGIES = ("keep_latest", "delete")
"""LangGraph's names for what `prune` may do."""


class MemoryCheckpointer(Unportable, BaseCheckpointSaver[str]):
    """A checkpointer that works under `invoke` and under `ainvoke`, and knows every optional method of LangGraph's.

    LangGraph's SQLite saver refuses async calls, and its async one cannot be called blocking. This one does its work
    in the blocking methods, and its async methods run those in a thread.
    """

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Async twin of `get_tuple`."""
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Async twin of `list`."""

        def all_of_them() -> Sequence[CheckpointTuple]:
            return [*self.list(config, filter=filter, before=before, limit=limit)]

        for found in await asyncio.to_thread(all_of_them):
            yield found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Async twin of `put`."""
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Async twin of `put_writes`."""
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Async twin of `get_delta_channel_history`."""
        return await asyncio.to_thread(self.get_delta_channel_history, config=config, channels=channels)

    async def adelete_thread(self, thread_id: str) -> None:
        """Async twin of `delete_thread`."""
        await asyncio.to_thread(self.delete_thread, thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Async twin of `delete_for_runs`."""
        await asyncio.to_thread(self.delete_for_runs, run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Async twin of `copy_thread`."""
        await asyncio.to_thread(self.copy_thread, source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Async twin of `prune`."""
        await asyncio.to_thread(self.prune, thread_ids, strategy=strategy)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keep only the newest checkpoint of each namespace (`"keep_latest"`), or nothing (`"delete"`).

        Raises:
            InvalidInput: there is no such strategy, or a single text was given for the threads.
            NotImplementedError: `"keep_latest"` of a thread that uses a `DeltaChannel`, which is left whole.
        """
        if isinstance(thread_ids, str):
            raise InvalidInput("thread_ids is a list of thread ids, not one text.")
        if strategy not in STRATEGIES:
            raise InvalidInput(f"strategy is one of {', '.join(map(repr, STRATEGIES))}, not {strategy!r}.")
        if strategy == "delete":
            for thread_id in thread_ids:
                self.delete_thread(str(thread_id))
            return
        left_whole = [name for thread in thread_ids for name in self.prune_thread(str(thread)).left_whole]
        if left_whole:
            raise NotImplementedError(
                f"Threads with a DeltaChannel need their older checkpoints and were left whole: {', '.join(left_whole)}"
            )

    @abstractmethod
    def prune_thread(self, thread_id: str, keep_last: int = 1, before: datetime | None = None) -> Pruned:
        """Remove, in one transaction, what `keep.to_remove` says the thread can do without."""

    def prune_threads(self, thread_ids: Sequence[str] | None, keep_last: int, before: datetime | None) -> Pruned:
        """Remove what `keep.to_remove` says these threads, or all of them, can do without; one transaction a thread."""
        named = self.threads() if thread_ids is None else thread_ids
        reports = [self.prune_thread(thread_id, keep_last, before) for thread_id in named]
        self.give_back()
        return Pruned(
            sum(one.threads for one in reports),
            sum(one.checkpoints for one in reports),
            sum(one.writes for one in reports),
            sum(one.bytes for one in reports),
            tuple(name for one in reports for name in one.left_whole),
        )

    @abstractmethod
    def give_back(self) -> None:
        """Return freed space to the file system, where the database does not do so by itself."""

    @abstractmethod
    def threads(self) -> Sequence[str]:
        """Return the id of every thread."""

    @abstractmethod
    def sizes(self) -> CheckpointSizes | None:
        """Return how much is kept; None where nothing ever was."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the connections; every later call raises `MemoryClosed`."""


def unfit(error: Exception) -> InvalidInput:
    """Return what to raise where a database refuses what it was given, not because something is wrong with it."""
    return InvalidInput(
        f"A checkpoint cannot be kept or asked for like this: {' '.join(str(error).split())[:300]}. A thread id, "
        "namespace, filter or metadata holds what the database has no form for: a NUL character, half a character (a "
        "lone surrogate), NaN, or a number beyond 64 bits. Leave it out; nothing of this step was kept."
    )


def check_open(closed: bool, process: int) -> None:
    """Make sure that a checkpointer may be used here.

    Args:
        closed: whether its memory was closed.
        process: the id of the process that opened it.

    Raises:
        MemoryClosed: it may not.
    """
    if closed or os.getpid() != process:
        raise MemoryClosed(
            "The memory of this checkpointer was closed, or was opened by a process of which this one is a fork. "
            "Open it again with Memory(...) and take its checkpointer()."
        )
