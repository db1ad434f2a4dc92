"""Drives a verb that needs the model now and then: the steps are written once, and run blocking or awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from typing import Any, TypeVar

Result = TypeVar("Result")

Steps = Generator[Any, Any, Result]
"""Yields what to run, is sent the outcome (or thrown the error), and returns the verb's result. It may block."""


def drive(steps: Steps[Result], run: Callable[[Any], Any]) -> Result:
    """Run the steps, each with a blocking call."""
    send: Callable[[], Any] = lambda: next(steps)  # noqa: E731
    while True:
        try:
            wanted = send()
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        send = _outcome(steps, wanted, run)


async def adrive(steps: Steps[Result], run: Callable[[Any], Awaitable[Any]]) -> Result:
    """Run the steps, each awaited; what the steps themselves do happens in a thread."""
    send: Callable[[], Any] = lambda: next(steps)  # noqa: E731
    while True:
        wanted, ended, result = await asyncio.to_thread(_advance, send)
        if ended:
            return result  # type: ignore[no-any-return]
        try:
            outcome = await run(wanted)
        except Exception as error:
            send = _throw(steps, error)
        else:
            send = _send(steps, outcome)


def _outcome(steps: Steps[Any], wanted: Any, run: Callable[[Any], Any]) -> Callable[[], Any]:
    try:
        outcome = run(wanted)
    except Exception as error:
        return _throw(steps, error)
    return _send(steps, outcome)


def _advance(send: Callable[[], Any]) -> tuple[Any, bool, Any]:
    """Take one step; StopIteration cannot leave a thread, so the end is a value."""
    try:
        return send(), False, None
    except StopIteration as end:
        return None, True, end.value


def _throw(steps: Steps[Any], error: Exception) -> Callable[[], Any]:
    return lambda: steps.throw(error)


def _send(steps: Steps[Any], outcome: Any) -> Callable[[], Any]:
    return lambda: steps.send(outcome)
