"""A slice is several scopes seen as one memory: found together, and written to only where one is named."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from typing_extensions import Unpack

from langgraph_memory import arguments
from langgraph_memory.errors import InvalidInput, ReadOnly, ScopeError
from langgraph_memory.flows.union import union
from langgraph_memory.records import Answer, Report
from langgraph_memory.scope import Scope, ScopeLike
from langgraph_memory.unportable import Unportable
from langgraph_memory.verbs.distilling import DistillingVerbs
from langgraph_memory.verbs.recalling import RecallingVerbs, RecallOptions
from langgraph_memory.verbs.writing import WritingVerbs


class SlicingVerbs(WritingVerbs, DistillingVerbs, RecallingVerbs):
    """Shows several scopes as one."""

    def slice(self, scopes: Sequence[ScopeLike], *, read_only: bool = True) -> MemorySlice:
        """Return several scopes as one: a person's own and the team's, without all that lies between.

        Args:
            scopes: at least one; each with everything inside it. One that lies inside another is searched once.
            read_only: refuse every write; False lets `add`, `record` and `remember` write to a scope that is named.

        Raises:
            InvalidInput: there is no scope, or `scopes` is a single one.
            ScopeError: a scope is malformed.
        """
        if isinstance(scopes, tuple) and scopes and all(isinstance(part, str | int) for part in scopes):
            raise InvalidInput(  # read as several, it would show all of the first segment's memory
                f"scopes is a list of scopes; {scopes!r} reads like one. Write scopes=[{scopes!r}] for that one, or "
                f"scopes={list(scopes)!r} for scopes of one segment each."
            )
        given = arguments.many("scopes", scopes, '[("acme", "team"), ("acme", "alice")]')
        inside = tuple(dict.fromkeys(Scope.of(scope) for scope in given))
        if not inside:
            raise ScopeError("A slice needs at least one scope.")
        outer = [scope for scope in inside if not any(other != scope and other.contains(scope) for other in inside)]
        return MemorySlice(self, outer, arguments.flag("read_only", read_only))


class MemorySlice(Unportable):
    """Several scopes of one memory; made by `Memory.slice`. Every verb has an async twin."""

    def __init__(self, memory: SlicingVerbs, scopes: Sequence[Scope], read_only: bool) -> None:
        self._memory = memory
        self.scopes = tuple(scopes)
        self.read_only = read_only

    def recall(self, query: str, **options: Unpack[RecallOptions]) -> Answer:
        """Find what answers a question in any of the scopes: each line once, best first, in one block.

        Args:
            query: the question, in any language.
            options: those of `Memory.recall`; `limit` and `budget` are for all scopes together. No chat model is asked.

        Raises:
            InvalidInput: as for `Memory.recall`.
        """
        found = [self._memory.recall_many([query], scope=scope, **options)[0] for scope in self.scopes]
        return self._united(found, options)

    async def arecall(self, query: str, **options: Unpack[RecallOptions]) -> Answer:
        """Async twin of `recall`; the scopes are searched side by side."""
        found = await asyncio.gather(
            *(self._memory.arecall_many([query], scope=scope, **options) for scope in self.scopes)
        )
        return await asyncio.to_thread(self._united, [answers[0] for answers in found], options)

    def add(self, text: str, *, scope: ScopeLike | None = None, **options: Any) -> Report:
        """Add one memory to the scope named; options and errors as for `Memory.add`.

        Raises:
            ReadOnly: the slice was made for reading.
            ScopeError: no scope is named, or none inside the slice.
        """
        return self._memory.add(text, scope=self._writable(scope), **options)

    async def aadd(self, text: str, *, scope: ScopeLike | None = None, **options: Any) -> Report:
        """Async twin of `add`."""
        return await self._memory.aadd(text, scope=self._writable(scope), **options)

    def record(self, messages: Any, *, thread_id: str, scope: ScopeLike | None = None, **options: Any) -> Report:
        """Append messages to a conversation of the scope named; options as for `Memory.record`, errors as for `add`."""
        return self._memory.record(messages, scope=self._writable(scope), thread_id=thread_id, **options)

    async def arecord(self, messages: Any, *, thread_id: str, scope: ScopeLike | None = None, **options: Any) -> Report:
        """Async twin of `record`."""
        return await self._memory.arecord(messages, scope=self._writable(scope), thread_id=thread_id, **options)

    def remember(self, messages: Any = None, *, scope: ScopeLike | None = None, **options: Any) -> Report:
        """Distil into the scope named; options as for `Memory.remember`, errors as for `add`."""
        return self._memory.remember(messages, scope=self._writable(scope), **options)

    async def aremember(self, messages: Any = None, *, scope: ScopeLike | None = None, **options: Any) -> Report:
        """Async twin of `remember`."""
        return await self._memory.aremember(messages, scope=self._writable(scope), **options)

    def _united(self, answers: Sequence[Answer], options: RecallOptions) -> Answer:
        settings, limit, budget = self._memory.settings, options.get("limit"), options.get("budget")
        return union(
            answers,
            limit=settings.limit if limit is None else limit,
            budget=settings.budget if budget is None else budget,
            count_tokens=self._memory._count_tokens,
            least=options.get("min_score"),
        )

    def _writable(self, scope: ScopeLike | None) -> Scope:
        named = ", ".join(f"({', '.join(map(repr, one.segments))},)" for one in self.scopes)
        if self.read_only:
            raise ReadOnly(
                f"This slice of {named} is for reading; nothing was written. Write with the memory itself, or make "
                "the slice with read_only=False."
            )
        if scope is None:
            raise ScopeError(f"Which scope of the slice is it for? Write scope= with one inside {named}.")
        inside = Scope.of(scope)
        if not any(one.contains(inside) for one in self.scopes):
            raise ScopeError(f"{inside} lies in no scope of this slice, which has {named}. Nothing was written.")
        return inside
