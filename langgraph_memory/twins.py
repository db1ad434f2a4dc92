"""Gives a blocking method its async twin, which runs it in a thread so that the event loop goes on."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar

Self = TypeVar("Self")
Params = ParamSpec("Params")
Result = TypeVar("Result")


def in_thread(
    method: Callable[Concatenate[Self, Params], Result],
) -> Callable[Concatenate[Self, Params], Coroutine[Any, Any, Result]]:
    """Return an async method with the same parameters and result, whose work happens off the event loop."""

    async def twin(self: Self, /, *args: Params.args, **kwargs: Params.kwargs) -> Result:
        return await asyncio.to_thread(method, self, *args, **kwargs)

    functools.update_wrapper(twin, method)
    twin.__name__ = f"a{method.__name__}"
    twin.__qualname__ = f"{method.__qualname__.rpartition('.')[0]}.a{method.__name__}"
    twin.__doc__ = f"Async twin of `{method.__name__}`: same parameters, result and errors."
    return twin
