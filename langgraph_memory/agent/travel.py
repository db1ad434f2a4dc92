"""Time travel: when a conversation that is replayed or forked from an old checkpoint was left behind there."""

from __future__ import annotations

import logging
from collections.abc import Collection, Generator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

from langgraph_memory.agent.identity import config_of, named_checkpoint, thread_id_or_none
from langgraph_memory.agent.ports import AgentMemory
from langgraph_memory.clock import as_utc
from langgraph_memory.events import reason
from langgraph_memory.scope import Scope

logger = logging.getLogger(__name__)

_CHECKPOINTER = "__pregel_checkpointer"
"""Where LangGraph 1 hands the checkpointer of a run to its nodes."""

_PAGE = 16
_ASIDE = ("update", "fork")
"""Sources of a checkpoint that stands beside those that followed its parent, not behind them: what was known at the
parent was known there too."""

_Page: TypeAlias = Sequence[CheckpointTuple]
_Search: TypeAlias = "Generator[RunnableConfig | None, _Page | None, datetime | None]"


@dataclass(frozen=True, slots=True)
class Journey:
    """A run that goes on from a checkpoint which its config names: often the newest one, and then it is no journey.

    A checkpoint was left behind when another one was made that follows it, unless that one belongs to this very run.
    Of an earlier run that stopped before it came as far as this one nothing can be known, and nothing went on.

    Attributes:
        saver: the run's checkpointer; None where LangGraph does not hand it on, and then nothing can be told.
        thread: the config that names the thread of the whole graph.
        named: id of the checkpoint that the run goes on from.
        here: id of the checkpoint of the whole graph that this node runs on.
        step: number of the step that this node runs in; None inside a subgraph, which counts its own.
    """

    saver: BaseCheckpointSaver[Any] | None
    thread: RunnableConfig
    named: str
    here: str
    step: int | None

    def left_at(self) -> datetime | None:
        """Return the last moment before the conversation went beyond the named checkpoint; None where it did not."""
        if self.saver is None:
            return None
        search = self._search()
        page: _Page | None = None
        try:
            while True:
                before = search.send(page)
                page = [*self.saver.list(self.thread, before=before, limit=_PAGE)]
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]

    async def aleft_at(self) -> datetime | None:
        """Async twin of `left_at`."""
        if self.saver is None:
            return None
        search = self._search()
        page: _Page | None = None
        try:
            while True:
                before = search.send(page)
                page = [found async for found in self.saver.alist(self.thread, before=before, limit=_PAGE)]
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]

    def _search(self) -> _Search:
        """Ask for pages of the thread's checkpoints, newest first, until the named one and what it stands for is met.

        Yields:
            the config of the checkpoint before which the next page begins.
        """
        path, newer, step = [self.named], list[CheckpointTuple](), None
        before: RunnableConfig | None = None
        while True:
            page = (yield before) or ()
            for found in page:
                if _id(found) != path[-1]:
                    newer.append(found)
                    continue
                step = found.metadata.get("step") if step is None else step
                parent = _parent(found)
                if found.metadata.get("source") not in _ASIDE or parent is None:
                    return self._left(path, newer, step)
                path.append(parent)
            if len(page) < _PAGE:  # the named one, or what it was made from, is not kept any more
                return self._left(path, newer, step)
            before = {"configurable": {**self.thread["configurable"], "checkpoint_id": _id(page[-1])}}

    def _left(self, path: Sequence[str], newer: Sequence[CheckpointTuple], step: int | None) -> datetime | None:
        """Return when the first of the newer checkpoints that follow the path was made, without those of this run."""
        followers = [found for found in newer if _parent(found) in path]
        own = [found for found in followers if _parent(found) == self.named]
        if len(own) == 1 and not self._is_left(own[0], newer, step):
            followers.remove(own[0])
        if not followers:
            return None
        first = min(followers, key=_id)
        return as_utc(datetime.fromisoformat(first.checkpoint["ts"])) - timedelta(microseconds=1)

    def _is_left(self, only: CheckpointTuple, newer: Sequence[CheckpointTuple], step: int | None) -> bool:
        """Say whether the only checkpoint that follows the named one was made by another run.

        LangGraph saves a run's checkpoints in order while its nodes run already, so of this run's own none, some or
        all may be there; but those of another run that came as far are as many.
        """
        line = {_id(only)}
        for found in reversed(newer):
            if _parent(found) in line:
                line.add(_id(found))
        if self.here in line:
            return False
        made = 2 if step is None or self.step is None else self.step - 1 - step
        return len(line) >= made


@dataclass(frozen=True, slots=True)
class Then:
    """Finds the time as of which a run that was taken back must be answered; None for a run in the present.

    What was recorded of the conversation tells it first, by the memory's own clock. Where nothing of it was recorded
    in this scope, its checkpoints do. Nobody can tell where the run's checkpointer has neither, or cannot be asked.

    Attributes:
        journey: None where the call names no checkpoint, so that it is in the present.
        visible: ids of the messages that the conversation still has.
    """

    journey: Journey | None
    scope: Scope
    thread_id: str | None
    visible: Sequence[str]

    def at(self, memory: AgentMemory) -> datetime | None:
        """Return the last moment before the conversation went beyond what it shows now."""
        if self.journey is None or self.thread_id is None:
            return None
        found = memory.left_behind(self.thread_id, scope=self.scope, message_ids=self.visible)
        if found is not None:
            return found
        try:
            return self.journey.left_at()
        except Exception as error:
            _unknown(error)
            return None

    async def aat(self, memory: AgentMemory) -> datetime | None:
        """Async twin of `at`."""
        if self.journey is None or self.thread_id is None:
            return None
        found = await memory.aleft_behind(self.thread_id, scope=self.scope, message_ids=self.visible)
        if found is not None:
            return found
        try:
            return await self.journey.aleft_at()
        except Exception as error:
            _unknown(error)
            return None


def then_of(runtime: Any, scope: Scope, visible: Collection[str]) -> Then:
    """Return what finds the time as of which this call must be answered."""
    return Then(_journey(runtime), scope, thread_id_or_none(runtime), list(visible))


def _journey(runtime: Any) -> Journey | None:
    """Return where this run goes on from; None where its config names no checkpoint."""
    named = named_checkpoint(runtime)
    config = config_of(runtime) or {}
    configurable, metadata = config.get("configurable") or {}, config.get("metadata") or {}
    saver = configurable.get(_CHECKPOINTER)
    if named is None:
        return None
    nested = "|" in str(configurable.get("checkpoint_ns") or "")
    step = metadata.get("langgraph_step")
    whole = configurable.get("checkpoint_map")
    here = whole.get("") if isinstance(whole, Mapping) else None
    return Journey(
        saver if isinstance(saver, BaseCheckpointSaver) else None,
        {"configurable": {"thread_id": str(configurable.get("thread_id")), "checkpoint_ns": ""}},
        named,
        str(here or ""),
        step if isinstance(step, int) and not nested else None,
    )


def _unknown(error: Exception) -> None:
    logger.warning("Checkpoints could not be read, so a conversation taken back sees the present: %s", reason(error))


def _id(found: CheckpointTuple) -> str:
    return str(found.checkpoint["id"])


def _parent(found: CheckpointTuple) -> str | None:
    parent = found.parent_config
    return None if parent is None else parent["configurable"].get("checkpoint_id")
