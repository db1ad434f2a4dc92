from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from langgraph.runtime import ExecutionInfo, Runtime
from pydantic import BaseModel

from langgraph_memory import Memory, MemoryMiddleware
from langgraph_memory.agent.identity import resolve_scope, resolve_thread_id, thread_id_or_none
from langgraph_memory.agent.manage_tool import manage_memory_tool
from langgraph_memory.agent.tools import search_memory_tool
from langgraph_memory.compaction import compact_node
from langgraph_memory.errors import InvalidInput, ScopeError
from langgraph_memory.scope import Scope


@dataclass
class DataContext:
    user_id: Any = None
    team: str = "acme"


class PydanticContext(BaseModel):
    user_id: int
    team: str = "acme"


def runtime(context: Any = None, server_user: str | None = None, **configurable: Any) -> Any:
    user = None if server_user is None else SimpleNamespace(identity=server_user)
    server = None if server_user is None else SimpleNamespace(user=user)
    return SimpleNamespace(context=context, server_info=server, config={"configurable": configurable})


PER_USER = ("acme", "{user_id}")


@pytest.mark.parametrize(
    ("source", "given", "expected"),
    [
        # without an argument: context, then configurable, then the server's user
        (None, runtime({"user_id": "alice"}, "server", user_id="conf"), ("alice",)),
        (None, runtime(DataContext("alice"), "server", user_id="conf"), ("alice",)),
        (None, runtime(PydanticContext(user_id=7), "server", user_id="conf"), ("7",)),
        (None, runtime(None, "server", user_id="conf", langgraph_user_id="lg"), ("conf",)),
        (None, runtime(DataContext(), "server", user_id="conf"), ("conf",)),
        (None, runtime({}, "server", langgraph_user_id="lg"), ("lg",)),
        (None, runtime(None, "server"), ("server",)),
        (None, runtime(None, "server", user_id="", langgraph_user_id=" "), ("server",)),
        (None, runtime(user_id="alice@example.com"), ("alice@example.com",)),
        (None, runtime(user_id=42), ("42",)),
        (None, runtime(user_id=0), ("0",)),
        (None, runtime(user_id="王小明"), ("王小明",)),
        (None, runtime({"user_id": ("acme", "alice")}), ("acme", "alice")),
        # with an argument: nothing else counts
        ("bob", runtime({"user_id": "alice"}), ("bob",)),
        (("acme", 5), runtime({"user_id": "alice"}), ("acme", "5")),
        (Scope(("{user_id}",)), runtime({"user_id": "alice"}), ("{user_id}",)),
        (lambda run: ("f", run.context["user_id"]), runtime({"user_id": "alice"}), ("f", "alice")),
        # templates
        (PER_USER, runtime({"user_id": "alice"}), ("acme", "alice")),
        (PER_USER, runtime(user_id=42), ("acme", "42")),
        (PER_USER, runtime(None, "server"), ("acme", "server")),
        ("{team}", runtime(DataContext("alice")), ("acme",)),
        ("{team}-{user_id}", runtime(DataContext("alice")), ("acme-alice",)),
        (("{team}", "{user_id}"), runtime({"user_id": "a"}, team="t"), ("t", "a")),
        (PER_USER, runtime({"user_id": "{team}", "team": "x"}), ("acme", "{team}")),
    ],
)
def test_scope(source: Any, given: Any, expected: tuple[str, ...]) -> None:
    assert resolve_scope(source, given) == Scope(expected)


@pytest.mark.parametrize(
    ("source", "given", "message"),
    [
        (None, runtime(), "No user_id"),
        (None, runtime(user_id=""), "No user_id"),  # a server without authentication
        (None, runtime(None, ""), "No user_id"),
        (None, runtime({}), "configurable"),
        (None, runtime(DataContext()), "context="),
        (None, runtime(), "server with authentication"),
        (None, runtime({"user_id": ""}, "server", user_id="conf"), "blank"),
        (None, runtime({"user_id": True}), "bool"),
        (None, runtime({"user_id": UUID(int=1)}), "UUID"),
        (PER_USER, runtime(), "No user_id"),
        (PER_USER, runtime({"user_id": ("a", "b")}), "segment"),
        (("{team}", "{user_id}"), runtime({"user_id": "a"}, "server"), "No team"),
        ((), runtime({"user_id": "alice"}), "empty"),
        (lambda run: None, runtime({"user_id": "alice"}), "returned None"),
    ],
)
def test_no_scope(source: Any, given: Any, message: str) -> None:
    with pytest.raises(ScopeError, match=message):
        resolve_scope(source, given)


def test_outside_a_run_only_the_runtime_counts() -> None:
    assert resolve_scope(None, Runtime(context={"user_id": "alice"})) == Scope(("alice",))
    with pytest.raises(ScopeError):
        resolve_scope(None, Runtime())


def test_thread_id() -> None:
    info = ExecutionInfo(checkpoint_id="", checkpoint_ns="", task_id="", thread_id="t1")
    assert resolve_thread_id(Runtime(execution_info=info)) == "t1"
    assert resolve_thread_id(runtime(thread_id="t2")) == "t2"
    assert resolve_thread_id(runtime(thread_id=3)) == "3"
    assert resolve_thread_id(runtime(thread_id=UUID(int=4))) == str(UUID(int=4))
    assert thread_id_or_none(runtime()) is None
    for missing in (runtime(), runtime(thread_id=" "), runtime(thread_id=None)):
        with pytest.raises(InvalidInput, match="Pass config="):
            resolve_thread_id(missing)


@pytest.mark.parametrize(
    "source",
    [("acme", "{user-id}"), ("acme", "{user_id"), "{ user_id }", "{user.id}", "{}", "user_id}", ("{a}", "x{b c}")],
)
def test_a_template_that_could_only_be_a_mistake_is_refused_before_any_call(source: Any, memory: Memory) -> None:
    with pytest.raises(ScopeError, match="no place to fill in: everybody would share one memory"):
        resolve_scope(source, runtime({"user_id": "alice"}))
    for attach in (
        lambda: MemoryMiddleware(memory, scope=source),
        lambda: search_memory_tool(memory, scope=source),
        lambda: manage_memory_tool(memory, scope=source),
        lambda: memory.nodes.recall(source),
        lambda: memory.nodes.record(source),
        lambda: compact_node(memory, source),
    ):
        with pytest.raises(ScopeError):
            attach()


def test_a_brace_that_is_meant_stands_in_a_scope() -> None:
    assert resolve_scope(Scope(("{",)), runtime()).segments == ("{",)


def test_a_thread_id_too_long_to_be_recorded_is_refused_before_the_turn() -> None:
    with pytest.raises(InvalidInput, match="more than 2,000 bytes"):
        resolve_thread_id(runtime(thread_id="x" * 2_001))
    assert resolve_thread_id(runtime(thread_id="x" * 2_000)) == "x" * 2_000
