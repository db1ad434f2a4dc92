"""What child processes do with sessions of other toolkits; here, so that they need not import the toolkits."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from statements import Counted, each_statement

from langgraph_memory.memory import Memory
from langgraph_memory.settings import Settings
from langgraph_memory.storage import crash_points
from langgraph_memory.testing.embedder import HashEmbedder
from langgraph_memory.toolkits import ItemCompaction

SCOPE = ("acme", "ana")


def open_store(store_url: str) -> Memory:
    return Memory(store_url, embeddings=HashEmbedder(), settings=Settings(background=False))


@contextmanager
def dying_at(memory: Memory, moment: int | str) -> Iterator[Counted]:
    """Die before the nth statement, or at a named moment; 0 for never."""

    def die(reached: int | str) -> None:
        if reached == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    crash_points.hook = die
    with each_statement(memory, die) as counted:
        yield counted


def add_and_die(store_url: str, thread: str, items: list[Any], moment: int | str) -> int:
    memory = open_store(store_url)
    session = memory.session(thread, scope=SCOPE).blocking
    with dying_at(memory, moment) as counted:
        session.add_items(items)
    return counted.count


def add_hundred(store_url: str, gate: Any, writer: int) -> None:
    gate.wait()
    with open_store(store_url) as memory:
        session = memory.session("t", scope=SCOPE).blocking
        for number in range(100):
            session.add_items([{"role": "user", "content": f"{writer} {number}"}])


def pop_fifty(store_url: str, gate: Any) -> list[Any]:
    with open_store(store_url) as memory:
        gate.wait()
        return [memory.session("t", scope=SCOPE).blocking.pop_item() for _ in range(50)]


def compact_and_die(store_url: str, thread: str, summary: Any, moment: int | str) -> int:
    """Put a summary in the place of all but the newest two items; only what comes after the compactor is counted."""
    memory = open_store(store_url)

    def compact(items: list[Any]) -> list[Any]:
        counted.active = True
        return [summary, *items[-2:]]

    session: Any = memory.session(thread, scope=SCOPE, compaction=ItemCompaction(compact))
    with dying_at(memory, moment) as counted:
        counted.active = False
        session.blocking.run_compaction({"force": True})
    return counted.count


def write_lines(store_url: str, gate: Any, key: Any, writer: int, count: int) -> None:
    gate.wait()
    with open_store(store_url) as memory:
        store = memory.session_store(scope=SCOPE)

        async def write() -> None:
            for number in range(count):
                title = f"writer {writer} line {number}"
                line = {"type": "custom-title", "customTitle": title, "writer": writer, "n": number}
                await store.append(key, [{**line, "uuid": f"{writer}-{number}"}])

        asyncio.run(write())


def append_and_die(store_url: str, key: Any, lines: list[Any], moment: str) -> None:
    memory = open_store(store_url)
    store = memory.session_store(scope=SCOPE)
    with dying_at(memory, moment):
        asyncio.run(store.append(key, lines))
