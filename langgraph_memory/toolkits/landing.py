"""A write that was begun is waited for, so that whoever is cancelled knows that nothing goes on behind his back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

Params = ParamSpec("Params")
Result = TypeVar("Result")


async def landed(work: Callable[Params, Result], /, *args: Params.args, **kwargs: Params.kwargs) -> Result:
    """Do blocking work in a thread; a cancelled caller stays until it has ended, and is cancelled then.

    A transaction in a thread cannot be stopped half way: it commits or rolls back. Left alone, it would do so at some
    moment after the caller had gone on.
    """
    task = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        if not task.cancelled():
            task.exception()  # the caller is gone: looked at, so that asyncio does not complain
        raise
