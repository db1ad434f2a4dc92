"""No async verb blocks the event loop: `langgraph dev` raises on it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from io import StringIO

import pytest
from blockbuster import BlockBuster, BlockingError, blockbuster_ctx

from langgraph_memory.errors import LangGraphMemoryError
from langgraph_memory.memory import Memory
from langgraph_memory.settings import Settings


@pytest.fixture
def guarded() -> Iterator[BlockBuster]:
    with blockbuster_ctx() as guard:
        yield guard


async def test_the_guard_guards(guarded: BlockBuster) -> None:
    with pytest.raises(BlockingError):
        time.sleep(0.001)  # noqa: ASYNC251
    with pytest.raises(BlockingError):
        os.stat("/")  # noqa: PTH116


@pytest.mark.parametrize("background", [False, True])
async def test_no_async_verb_blocks(open_memory: Callable[..., Memory], store_url: str, background: bool) -> None:
    memory = open_memory(store_url, settings=Settings(background=background, idle_seconds=0.01))
    scope = ("acme", "ana")
    with blockbuster_ctx():
        await memory.arecord(["I love tea", "and cats"], scope=scope, thread_id="t")
        name = (await memory.aadd("Ana loves tea.", scope=scope)).ids[0]
        assert (await memory.arecall("tea", scope=scope)).hits
        await memory.aflush()
        assert (await memory.arecall("cats", scope=scope)).hits
        name = (await memory.aupdate(name, text="Ana loves green tea.")).ids[0]
        await memory.aforget(name)
        await memory.arestore(name)
        await memory.aget(name)
        await memory.alist(scope=scope)
        await memory.ahistory(name)
        await memory.asessions(scope=scope)
        await memory.aentries("t", scope=scope)
        await memory.aexport(scope=scope, path=StringIO())
        await memory.areconcile()
        await memory.areindex()
        await memory.adoctor()
        await memory.store.aput(("acme", "ana"), "tea", {"text": "green"}, ttl=5)
        assert await memory.store.aget(("acme", "ana"), "tea")
        assert await memory.store.asearch(("acme",), query="green")
        assert await memory.store.asearch(("@memories", "acme"), query="tea")
        assert await memory.store.alist_namespaces()
        await memory.store.asweep_ttl()
        await memory.aprune_checkpoints()
        await memory.aerase(scope=scope)
        with pytest.raises(LangGraphMemoryError):
            await memory.aget("nope")
        await memory.aclose()


async def test_opening_with_async_with_and_closing_does_not_block(
    open_memory: Callable[..., Memory], store_url: str
) -> None:
    async with open_memory(store_url, settings=Settings(idle_seconds=0.01)) as memory:
        with blockbuster_ctx():
            await memory.arecord(["hi"], scope="a", thread_id="t")
            assert (await memory.arecall("hi", scope="a")).hits
            async with memory:
                pass
