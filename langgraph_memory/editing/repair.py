"""Mends a tool call that does not fit its schema: Trustcall asks for the smallest patch, and everything else is ours.

The only module that knows Trustcall. Its extractor is given a model that first answers with the failing call as it
stands, which costs nothing, and then passes each question of Trustcall's on to the chat model: so retries, budget and
errors are those of `Chat`. One extractor mends one call; a call that cannot be mended harms no other.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage

from langgraph_memory.editing.calls import Call
from langgraph_memory.editing.guard import Guard, judges, quiet
from langgraph_memory.editing.schemas import Schema
from langgraph_memory.models.chat import CallBudget, Chat

STEPS_PER_ATTEMPT = 3
"""Super-steps of Trustcall's graph for one attempt: patch, sync, validate."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """What became of a failing call.

    Attributes:
        value: the clean value; None where it could not be mended.
        error: why it could not; None where it was.
        last_value: the arguments as they stand, clean or not.
        attempts: model answers that it took, the one with the failing call included.
        name: the tool that the call is for in the end.
    """

    value: Any
    error: str | None
    last_value: dict[str, Any]
    attempts: int
    name: str


def repair(
    call: Call,
    schemas: Sequence[Schema],
    messages: Sequence[BaseMessage],
    chat: Chat,
    *,
    budget: CallBudget,
    max_attempts: int,
) -> Repaired:
    """Return the call with its arguments mended, or its name where no schema has that.

    Args:
        call: the failing call.
        schemas: what its arguments may be; the name of a schema is the name of a tool.
        messages: what the model was asked; they are copied.
        chat: the model that mends.
        budget: calls that may be made, and what they cost.
        max_attempts: model answers at most, the one with the failing call included; 1 means no repair.
    """
    guard = Guard(call, schemas, messages, chat, budget)
    if max_attempts > 1:
        extractor = _extractor(guard)

        def work() -> None:
            with quiet():
                extractor.invoke("", _config(max_attempts))

        try:
            # A context of its own, so that Trustcall's graph does not stream into a run around it.
            contextvars.Context().run(work)
        except Exception as problem:
            guard.stopped(problem)
    return _outcome(guard)


async def arepair(
    call: Call,
    schemas: Sequence[Schema],
    messages: Sequence[BaseMessage],
    chat: Chat,
    *,
    budget: CallBudget,
    max_attempts: int,
) -> Repaired:
    """Async twin of `repair`: same parameters and result."""
    guard = Guard(call, schemas, messages, chat, budget)
    if max_attempts > 1:
        extractor = await asyncio.to_thread(_extractor, guard)  # the first one imports Trustcall

        async def work() -> None:
            with quiet():
                await extractor.ainvoke("", _config(max_attempts))

        try:
            await asyncio.create_task(work(), context=contextvars.Context())
        except Exception as problem:
            guard.stopped(problem)
    return _outcome(guard)


def _config(max_attempts: int) -> dict[str, Any]:
    return {
        "configurable": {"max_attempts": max_attempts},
        "recursion_limit": STEPS_PER_ATTEMPT * (max_attempts + 1),
    }


def _extractor(guard: Guard) -> Any:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Trustcall 0.0.39 imports a name that LangGraph moved
        from trustcall import create_extractor

    # "ignore": a call whose name was never mended is left out of the result, where it would be a KeyError otherwise.
    model: Any = guard
    return create_extractor(model, tools=judges(guard.schemas), existing_schema_policy="ignore")


def _outcome(guard: Guard) -> Repaired:
    attempts = 1 + guard.asked
    early = guard.verdict()
    fault: str | None
    schema = next((schema for schema in guard.schemas if schema.name == guard.name), None)
    if schema is None:
        names = ", ".join(schema.name for schema in guard.schemas)
        value, fault = None, f"there is no tool named {guard.name!r}; there are {names}"
    else:
        value, fault = schema.validate(guard.args)
    if fault is None:
        return Repaired(value, None, guard.args, attempts, guard.name)
    why = f"{fault}; the repair ended early: {early}" if early else fault
    return Repaired(None, why, guard.args, attempts, guard.name)
