"""Says which failures of a remote model are worth another try, and how long to wait before it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

Result = TypeVar("Result")

ATTEMPTS = 3
"""Calls in all, the first included. Provider SDKs retry by themselves as well, so more would only add up."""
FIRST_WAIT = 0.5
"""Seconds before the second call, doubled each time; rate limits are counted per second or per minute."""
LONGEST_WAIT = 8.0
"""Seconds that one wait never exceeds: somebody is waiting for the answer."""
JITTER = 0.5
"""Seconds of random extra wait, so that several processes do not come back at the same moment."""

_PASSING_STATUS = frozenset({408, 425, 429, 502, 503, 504, 529})
_PASSING_NAMES = ("timeout", "connection", "connecterror", "ratelimit", "throttl", "overloaded", "unavailable")


def is_transient(error: BaseException) -> bool:
    """Return whether `error` looks like a lost connection, a timeout or a rate limit.

    SDKs share no base class, so an HTTP status decides where there is one, and otherwise the names of the error's
    classes (`openai.APIConnectionError`, `httpx.ReadTimeout`). AWS says `ThrottlingException` with status 400.
    """
    if not isinstance(error, Exception):
        return False
    names = " ".join(kind.__name__.lower() for kind in type(error).__mro__)
    status = status_of(error)
    if status is not None:
        return status in _PASSING_STATUS or "throttl" in names
    if isinstance(error, ConnectionError | TimeoutError):
        return True
    return any(name in names for name in _PASSING_NAMES)


def status_of(error: BaseException | None) -> int | None:
    """Return an error's HTTP status: `openai` and `httpx`, Google's `code`, or `botocore`, each in its own place."""
    response = getattr(error, "response", None)
    if isinstance(response, Mapping):
        told = response.get("ResponseMetadata")
        places = [told.get("HTTPStatusCode")] if isinstance(told, Mapping) else []
    else:
        places = [getattr(error, "status_code", None), getattr(response, "status_code", None)]
        places.append(getattr(error, "code", None))
    return next((code for code in places if isinstance(code, int) and 400 <= code < 600), None)


def call(function: Callable[[], Result]) -> Result:
    """Call `function`, again after a transient failure, at most `ATTEMPTS` times; blocks while it waits.

    Raises:
        Exception: what the last call raised, unchanged.
    """
    from tenacity import Retrying

    return Retrying(**_policy())(function)


async def acall(function: Callable[[], Awaitable[Result]]) -> Result:
    """Await `function()` like `call` does, without blocking the event loop.

    Raises:
        Exception: what the last call raised, unchanged.
    """
    from tenacity import AsyncRetrying

    async def attempt() -> Result:  # tenacity awaits only what it can see is a coroutine function, which no lambda is
        return await function()

    return await AsyncRetrying(**_policy())(attempt)


def _policy() -> dict[str, Any]:
    from tenacity import retry_if_exception, stop_after_attempt, wait_exponential, wait_random

    return {
        "stop": stop_after_attempt(ATTEMPTS),
        "wait": wait_exponential(multiplier=FIRST_WAIT, max=LONGEST_WAIT) + wait_random(0, JITTER),
        "retry": retry_if_exception(is_transient),
        "reraise": True,
    }
