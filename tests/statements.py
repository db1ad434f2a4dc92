"""Let something happen just before the nth SQL statement of a store: an error, a kill, a look from elsewhere."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from langgraph_memory.memory import Memory


class Counted:
    """How many statements were run so far; `active` may be switched off and on meanwhile."""

    def __init__(self) -> None:
        self.count = 0
        self.active = True


@contextmanager
def each_statement(memory: Memory, act: Callable[[int], None]) -> Iterator[Counted]:
    """Call `act` with the number of each statement, counted from 1, before it is run."""
    counted = Counted()

    def before(*_: Any) -> None:
        if counted.active:
            counted.count += 1
            act(counted.count)

    engine = memory._parts.database.engine
    sa.event.listen(engine, "before_cursor_execute", before)
    try:
        yield counted
    finally:
        sa.event.remove(engine, "before_cursor_execute", before)


@contextmanager
def at_statement(memory: Memory, number: int, act: Callable[[], None]) -> Iterator[Counted]:
    """Call `act` before the nth statement; `count` says afterwards whether there was one."""

    def one(present: int) -> None:
        if present == number:
            act()

    with each_statement(memory, one) as counted:
        yield counted


async def cancel_at_each_statement(
    memory: Memory, begin: Callable[[], Coroutine[Any, Any, Any]], check: Callable[[], Awaitable[None]]
) -> int:
    """Cancel some work before its first statement, then before its second, and so on until it is done.

    Each time its caller must go on at once, although the thread that works still stands there, and `check` must find
    what there was before. Returns how often it was cancelled.
    """
    loop = asyncio.get_running_loop()
    cancelled = 0
    while True:
        went_on: list[bool] = []
        told = threading.Event()
        task = asyncio.create_task(begin())
        task.add_done_callback(lambda _, told=told: told.set())

        def cancel(task: Any = task, told: Any = told, went_on: list[bool] = went_on) -> None:
            loop.call_soon_threadsafe(task.cancel)
            went_on.append(told.wait(10))

        with at_statement(memory, cancelled + 1, cancel) as counted:
            await asyncio.wait({task})
            if not task.cancelled():
                task.result()
                return cancelled
            counted.active = False
            cancelled += 1
            await memory.arecord([("user", "later")], scope="bob", thread_id=f"{cancelled}")  # behind it in the lane
            assert went_on == [True]
            await check()
