"""Whoever is cancelled knows what became of his write: it is whole and done, or it never happens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from langgraph_memory.storage import commit_gate
from langgraph_memory.storage.commit_gate import CommitGate

Params = ParamSpec("Params")
Result = TypeVar("Result")


async def landed(work: Callable[Params, Result], /, *args: Params.args, **kwargs: Params.kwargs) -> Result:
    """Do blocking work in a thread that can be left alone when the caller is cancelled.

    What has not begun to commit then, for example because another process holds the database, is rolled back whenever
    it gets there, and nobody waits for it. A commit that has begun cannot be stopped half way: it is waited for, so
    that it does not happen at some moment after the caller has gone on.
    """
    gate = CommitGate()

    def behind_the_gate() -> Result:
        commit_gate.current.set(gate)  # in the thread's own copy of the context
        return work(*args, **kwargs)

    task = asyncio.ensure_future(asyncio.to_thread(behind_the_gate))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.add_done_callback(_look_at)
        if not gate.give_up():
            await _settled(task)
        raise


async def _settled(task: asyncio.Future[Result]) -> None:
    """Wait for the end of a task, however often the waiting is cancelled."""
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            continue  # once is enough: the caller is told when it is over


def _look_at(task: asyncio.Future[Result]) -> None:
    if not task.cancelled():
        task.exception()  # the caller is gone: looked at, so that asyncio does not complain
