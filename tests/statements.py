"""Let something happen just before the nth SQL statement of a store: an error, a kill, a look from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
