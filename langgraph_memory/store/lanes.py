"""A lane gathers the batches of one tick of an event loop into one, for each loop that uses it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine

from langgraph.store.base import Result

from langgraph_memory.store.plan import Plan

Call = tuple[Plan, asyncio.Future[list[Result]]]


class Lane:
    """Runs plans together that are submitted in the same tick; bound to no loop, and usable from many at once.

    Args:
        run: runs one plan.
        ordered: run what comes later after what came before, as writes must; otherwise at the same time.
    """

    def __init__(self, run: Callable[[Plan], Awaitable[list[Result]]], *, ordered: bool) -> None:
        self._run = run
        self._ordered = ordered
        self._here = threading.local()

    async def submit(self, plan: Plan) -> list[Result]:
        """Return the plan's own results; a plan that fails harms none that it was run with."""
        loop = asyncio.get_running_loop()
        waiting = self._waiting(loop)
        future: asyncio.Future[list[Result]] = loop.create_future()
        waiting.calls.append((plan, future))
        if waiting.task is None or waiting.task.done():
            waiting.task = loop.create_task(self._drain(waiting))
        return await future

    def _waiting(self, loop: asyncio.AbstractEventLoop) -> _Waiting:
        """Return the queue of this thread's loop."""
        waiting: _Waiting | None = getattr(self._here, "waiting", None)
        if waiting is None or waiting.loop is not loop:
            waiting = self._here.waiting = _Waiting(loop)
        return waiting

    async def _drain(self, waiting: _Waiting) -> None:
        while waiting.calls:
            calls = [call for call in waiting.calls if not call[1].done()]  # a caller may have been cancelled
            waiting.calls.clear()
            if self._ordered:
                await self._serve(calls)
            else:
                waiting.start(self._serve(calls))

    async def _serve(self, calls: list[Call]) -> None:
        if len(calls) == 1:
            await self._serve_one(*calls[0])
            return
        merged = Plan()
        for plan, _ in calls:
            merged.add(plan)
        try:
            results = await self._run(merged)
        except Exception:  # nothing of it was written; whose fault it was shows where each runs alone
            for plan, future in calls:
                await self._serve_one(plan, future)
            return
        start = 0
        for plan, future in calls:
            if not future.done():
                future.set_result(results[start : start + plan.size])
            start += plan.size

    async def _serve_one(self, plan: Plan, future: asyncio.Future[list[Result]]) -> None:
        try:
            results = await self._run(plan)
        except Exception as error:
            if not future.done():
                future.set_exception(error)
        else:
            if not future.done():
                future.set_result(results)


class _Waiting:
    """What waits on one loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.calls: list[Call] = []
        self.task: asyncio.Task[None] | None = None
        self._started: set[asyncio.Task[None]] = set()  # a loop itself holds its tasks only weakly

    def start(self, work: Coroutine[None, None, None]) -> None:
        task = self.loop.create_task(work)
        self._started.add(task)
        task.add_done_callback(self._started.discard)
