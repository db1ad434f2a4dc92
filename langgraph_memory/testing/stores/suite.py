"""What a check is, what it is given, and the list of all checks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from langchain_core.embeddings import Embeddings
from langgraph.store.base import BaseStore, IndexConfig, SearchItem, TTLConfig

from langgraph_memory.testing.embedder import HashEmbedder

DIMENSION = 64


class Capability(StrEnum):
    """What a store can do; the value is how the report calls it."""

    BASICS = "basics"
    TIMESTAMPS = "timestamps"
    FILTERS = "filters"
    PAGING = "paging"
    NAMESPACES = "namespaces"
    BATCHES = "batch order"
    CONCURRENCY = "concurrency"
    VECTORS = "vectors"
    INDEXING = "index per put"
    TTL = "ttl"
    ASYNC_BATCHING = "async batching"
    MANY_LOOPS = "many event loops"


BASE = (
    Capability.BASICS,
    Capability.TIMESTAMPS,
    Capability.FILTERS,
    Capability.PAGING,
    Capability.NAMESPACES,
    Capability.BATCHES,
    Capability.CONCURRENCY,
)
"""What every store owes its users."""

EXTENDED = tuple(one for one in Capability if one not in BASE)
"""What is checked where a store has it."""


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """How the store of one check should be made.

    Attributes:
        index: for search by meaning: `dims`, `embed` (LangChain embeddings) and `fields`.
        ttl: LangGraph's `TTLConfig`, where the check is about time to live.
    """

    index: IndexConfig
    ttl: TTLConfig | None = None


class CountingEmbeddings(Embeddings):
    """Embeddings without a model, alike as far as texts share words, which count how often they are asked."""

    def __init__(self) -> None:
        self._embedder = HashEmbedder(DIMENSION)
        self.calls = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return one vector per text."""
        self.calls += 1
        return [list(map(float, row)) for row in self._embedder.embed_documents(texts)]

    def embed_query(self, text: str) -> list[float]:
        """Return the vector to compare with."""
        return list(map(float, self._embedder.embed_query(text)))

    def cosine(self, one: str, other: str) -> float:
        """Return how alike two texts are."""
        return float(self._embedder.embed_query(one) @ self._embedder.embed_query(other))


@dataclass(frozen=True, slots=True)
class Bench:
    """What a check works with.

    Attributes:
        store: empty, and the check's own.
        embeddings: what the store was given to embed with.
        wait: lets so many minutes pass.
    """

    store: BaseStore
    embeddings: CountingEmbeddings
    wait: Callable[[float], Awaitable[None]]

    async def fill(self, namespace: tuple[str, ...], values: Iterable[tuple[str, dict[str, Any]]]) -> None:
        """Put values by key, one after the other."""
        for key, value in values:
            await self.store.aput(namespace, key, value)

    async def sync(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """Call a blocking method of the store from a thread without an event loop."""
        return await asyncio.to_thread(getattr(self.store, method), *args, **kwargs)


@dataclass(frozen=True, slots=True)
class Check:
    """One behaviour: its name, the law in one sentence, and what tries it."""

    name: str
    capability: Capability
    law: str
    run: Callable[[Bench], Awaitable[None]]
    fields: Sequence[str] = ("$",)
    ttl: TTLConfig | None = field(default=None)


CHECKS: list[Check] = []
"""Every check there is, in the order in which they are reported."""


def check(
    capability: Capability, *, fields: Sequence[str] = ("$",), ttl: TTLConfig | None = None
) -> Callable[[Callable[[Bench], Awaitable[None]]], Callable[[Bench], Awaitable[None]]]:
    """Add the function to the suite; its name and docstring say what the law is."""

    def add(run: Callable[[Bench], Awaitable[None]]) -> Callable[[Bench], Awaitable[None]]:
        name = getattr(run, "__name__", "check").replace("_", " ")
        law = (run.__doc__ or name).strip().splitlines()[0]
        CHECKS.append(Check(name, capability, law, run, fields, ttl))
        return run

    return add


def equal(found: object, wanted: object, what: str) -> None:
    """Fail where something is not as it should be.

    Raises:
        AssertionError: it says what was found and what was wanted.
    """
    if found != wanted:
        raise AssertionError(f"{what}: {found!r} instead of {wanted!r}")


def true(condition: object, what: str) -> None:
    """Fail with these words where the condition does not hold.

    Raises:
        AssertionError: it does not.
    """
    if not condition:
        raise AssertionError(what)


async def refused(call: Callable[[], Awaitable[object]], what: str, *kinds: type[BaseException]) -> None:
    """Fail where a call is not refused with one of these errors (by default a `ValueError`).

    Raises:
        AssertionError: it was accepted.
    """
    expected = kinds or (ValueError,)
    try:
        answer = await call()
    except expected:
        return
    raise AssertionError(f"{what} was accepted and gave {answer!r}")


def keys(found: Iterable[SearchItem]) -> list[str]:
    """Return the keys of a page in its order."""
    return [one.key for one in found]
