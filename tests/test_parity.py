"""Every verb of Memory has an async twin with the same parameters, the same words and the same results."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from langgraph_memory.memory import Memory
from langgraph_memory.records import Answer, MemoryRecord
from langgraph_memory.testing.clock import FrozenClock

NO_TWIN = {"tools", "nodes", "graph", "checkpointer", "session", "session_store", "slice"}
"""What only hands out objects and does no I/O."""

PUBLIC = {name: value for name, value in inspect.getmembers(Memory, inspect.isfunction) if not name.startswith("_")}
AWAITED = {name for name, value in PUBLIC.items() if inspect.iscoroutinefunction(value)}
VERBS = sorted(set(PUBLIC) - AWAITED - NO_TWIN)


def test_each_verb_has_a_twin_and_each_twin_a_verb() -> None:
    assert {"record", "recall", "add", "update", "forget", "restore", "erase", "get", "list", "close"} <= set(VERBS)
    assert {f"a{verb}" for verb in VERBS} == AWAITED


@pytest.mark.parametrize("verb", VERBS)
def test_a_twin_takes_the_same_parameters(verb: str) -> None:
    twin = getattr(Memory, f"a{verb}")
    assert inspect.iscoroutinefunction(twin)
    one, other = inspect.signature(getattr(Memory, verb)), inspect.signature(twin)
    assert list(one.parameters.values()) == list(other.parameters.values())
    assert one.return_annotation == other.return_annotation


@pytest.mark.parametrize("verb", VERBS)
def test_a_twin_is_documented(verb: str) -> None:
    said, twin = inspect.getdoc(getattr(Memory, verb)), inspect.getdoc(getattr(Memory, f"a{verb}"))
    assert said and twin
    assert twin == said or f"`{verb}`" in twin


async def test_both_faces_give_the_same_results(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    blocking = open_memory(tmp_path / "one", clock=FrozenClock())
    awaited = open_memory(tmp_path / "two", clock=FrozenClock())

    names: dict[str, str] = {}

    async def both(verb: str, *args: Any, own: bool = False, **options: Any) -> Any:
        first_args = (names["one"], *args) if own else args
        other_args = (names["two"], *args) if own else args
        first = outcome(await _run(lambda: getattr(blocking, verb)(*first_args, **options)))
        other = outcome(await _run(lambda: getattr(awaited, f"a{verb}")(*other_args, **options)))
        assert plain(first) == plain(other), verb
        return first, other

    a = {"scope": ("acme", "ana")}
    await both("record", [("user", "I love tea"), ("assistant", "Noted.")], thread_id="t", **a)
    added = await both("add", "Ana loves tea.", importance=0.5, **a)
    names.update(one=added[0].ids[0], two=added[1].ids[0])
    await both("add", "  ", **a)
    await both("flush")
    await both("recall", "What does Ana love?", **a)
    await both("recall", "What does Ana love?", limit=1, budget=10, recipe="lexical", kinds=["fact"], **a)
    await both("recall", "What does Ana love?", depth="deep", recipe="composite", **a)
    await both("recall", "What does Ana love?", depth="abyss", **a)
    await both("recall_many", ["What does Ana love?", "Who?"], recipe="rrf", limit=3, **a)
    await both("recall_many", ["What does Ana love?", ""], **a)
    await both("recall", "", **a)
    await both("recall", "x", recipe="no such", **a)
    await both("get", own=True)
    await both("get", "nope")
    await both("list", **a)
    await both("sessions", **a)
    await both("entries", "t", newest_first=True, **a)
    await both("entries", "nope", **a)
    await both("forget", own=True, reason="x")
    await both("restore", own=True)
    await both("update", own=True, text="Ana adores tea.")
    await both("history", own=True)
    await both("reconcile")
    await both("reindex")
    await both("erase", thread_id="t", **a)
    texts = StringIO(), StringIO()
    blocking.export(path=texts[0], **a)
    await awaited.aexport(path=texts[1], **a)
    assert len(texts[0].getvalue().splitlines()) == len(texts[1].getvalue().splitlines())
    one, other = blocking.doctor(), await awaited.adoctor()
    assert [(check.name, check.status) for check in one] == [(check.name, check.status) for check in other]
    blocking.close()
    await awaited.aclose()
    await both("list", **a)


async def _run(call: Callable[[], Any]) -> Any:
    try:
        value = call()
        return await value if inspect.isawaitable(value) else value
    except Exception as error:
        return error


def outcome(value: Any) -> Any:
    return (type(value).__name__, str(value)) if isinstance(value, Exception) else value


def plain(value: Any) -> Any:
    """Return a result without the ids that differ from store to store."""
    if isinstance(value, MemoryRecord):
        return value.text, value.kind, value.recorded_at, value.reinforced, value.importance
    if isinstance(value, Answer):
        hits = [(hit.text, hit.score, hit.signals, hit.kind) for hit in value.hits]
        return hits, value.block, value.gaps, value.notes
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "added"):
        kinds = [name for name in value.__slots__ if name not in ("batches", "usage", "notes")]
        return [value.usage, value.notes, *([(i.text, i.reason) for i in getattr(value, name)] for name in kinds)]
    if hasattr(value, "memory_id"):
        return value.at, value.action, value.actor, value.reason
    return value
