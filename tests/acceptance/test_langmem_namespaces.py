"""The rows of LangMem's acceptance list about namespaces with places in them, at every face that takes one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import MessagesState, StateGraph

from langgraph_memory import CompactionMiddleware, Memory, MemoryMiddleware
from langgraph_memory.agent import MemoryState, manage_memory_tool, search_memory_tool
from langgraph_memory.compaction import CompactionState, compact_node, read_message_tool
from langgraph_memory.errors import ScopeError
from langgraph_memory.testing import ScriptedChatModel

SAID = "The heron nests by the lake."

Face = Callable[[Memory, Any], Any]
"""Builds a graph over a memory and a scope; run once, it writes `SAID` into the scope, or answers from there."""


class State(MessagesState, MemoryState, CompactionState):
    pass


def calling(name: str, **arguments: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"type": "tool_call", "name": name, "args": arguments, "id": "c1"}])


def agent(*tools: Any, middleware: Sequence[Any] = (), replies: Sequence[Any] = ("Aha.",)) -> Any:
    return create_agent(ScriptedChatModel(replies), tools, middleware=middleware)


def through_middleware(memory: Memory, scope: Any) -> Any:
    return agent(middleware=[MemoryMiddleware(memory, scope=scope)])


def through_the_prompt(memory: Memory, scope: Any) -> Any:
    """The middleware, with a model that answers with what it is shown."""
    return agent(middleware=[MemoryMiddleware(memory, scope=scope)], replies=[str])


def through_compaction(memory: Memory, scope: Any) -> Any:
    compaction = CompactionMiddleware(
        memory, scope=scope, model=ScriptedChatModel(["Herons."] * 9), trigger=("messages", 1), keep=("messages", 1)
    )
    return agent(middleware=[compaction])


def through_tool(memory: Memory, scope: Any) -> Any:
    tool = manage_memory_tool(memory, scope=scope)
    return agent(tool, replies=[calling("manage_memory", action="create", content=SAID), "Done."])


def through_node(make: Callable[[Memory, Any], Any]) -> Face:
    def face(memory: Memory, scope: Any) -> Any:
        return StateGraph(State).add_sequence([("node", make(memory, scope))]).set_entry_point("node").compile()

    return face


def through_search(memory: Memory, scope: Any) -> Any:
    return agent(search_memory_tool(memory, scope=scope), replies=[calling("search_memory", query="heron"), "Aha."])


def through_reading(memory: Memory, scope: Any) -> Any:
    return agent(read_message_tool(memory, scope=scope), replies=[calling("read_message", message_id="m1"), "Aha."])


WRITING: dict[str, Face] = {
    "middleware": through_middleware,
    "compaction": through_compaction,
    "manage tool": through_tool,
    "record node": through_node(lambda memory, scope: memory.nodes.record(scope)),
    "remember node": through_node(lambda memory, scope: memory.nodes.remember(scope)),
    "compact node": through_node(
        lambda memory, scope: compact_node(
            memory, scope, model=ScriptedChatModel(["Herons."] * 9), trigger=("messages", 1), keep=("messages", 1)
        )
    ),
}
READING: dict[str, Face] = {
    "prompt": through_the_prompt,
    "search tool": through_search,
    "read tool": through_reading,
    "recall node": through_node(lambda memory, scope: memory.nodes.recall(scope)),
}
NAMES: list[tuple[Any, dict[str, Any], tuple[str, ...]]] = [
    (("m", "{user}"), {"user": "ana"}, ("m", "ana")),
    (("u:{user}",), {"user": "ana"}, ("u:ana",)),
    ("u:{user}", {"user": "ana"}, ("u:ana",)),
    (("m", "{user}"), {"user": 42}, ("m", "42")),
    (("u:{user}", 7), {"user": 42}, ("u:42", "7")),
    (("{team}", "of {team}: {user}"), {"user": "ana", "team": "t"}, ("t", "of t: ana")),
]


def run(graph: Any, given: dict[str, Any], face: str = "sync") -> str:
    """Let somebody say it, and return everything that the run ended with."""
    said = {"messages": [HumanMessage(SAID, id="m1"), AIMessage("Where?", id="m2"), HumanMessage("heron?", id="m3")]}
    config: Any = {"configurable": {"thread_id": "t", **given}}
    return str(graph.invoke(said, config) if face == "sync" else asyncio.run(graph.ainvoke(said, config)))


def holders(memory: Memory) -> set[tuple[str, ...]]:
    """Return the scopes of everything that is kept."""
    found = {record.scope.segments for top in TOPS for record in memory.list(scope=top)}
    return found | {session.scope.segments for top in TOPS for session in memory.sessions(scope=top)}


TOPS = ("m", "u:ana", "u:42", "t", "u:{user}", "{user}", "{team}", "user", "ana", "42")


@pytest.mark.parametrize("face", ["sync", "async"])
@pytest.mark.parametrize("where", WRITING)
@pytest.mark.parametrize(("scope", "given", "expected"), NAMES)
def test_langmem_L11_a_place_in_a_namespace_is_filled_wherever_something_is_written(
    open_memory: Callable[..., Memory],
    folder: Any,
    where: str,
    face: str,
    scope: Any,
    given: dict[str, Any],
    expected: tuple[str, ...],
) -> None:
    memory = open_memory(folder)
    run(WRITING[where](memory, scope), given, face)
    assert holders(memory) == {expected}
    assert SAID in [hit.text for hit in memory.recall("heron nests", scope=expected).hits]


@pytest.mark.parametrize("face", ["sync", "async"])
@pytest.mark.parametrize("where", READING)
@pytest.mark.parametrize(("scope", "given", "expected"), NAMES)
def test_langmem_L11_a_place_in_a_namespace_is_filled_wherever_something_is_read(
    open_memory: Callable[..., Memory],
    folder: Any,
    where: str,
    face: str,
    scope: Any,
    given: dict[str, Any],
    expected: tuple[str, ...],
) -> None:
    memory = open_memory(folder)
    own, theirs = "The heron of my own lake.", "The heron of somebody else."
    others = [(*expected[:-1], f"{expected[-1]}{more}") for more in ("x", "/x", " 2")]
    thread = "t" if where == "read tool" else "earlier"
    for text, whose in [(own, expected), *((theirs, other) for other in others)]:
        memory.record({"role": "user", "content": text, "id": "m1"}, scope=whose, thread_id=thread)
    read = run(READING[where](memory, scope), given, face)
    assert own in read and theirs not in read


@pytest.mark.parametrize("face", ["sync", "async"])
@pytest.mark.parametrize("where", [*WRITING, *READING])
@pytest.mark.parametrize("scope", [("m", "{user}"), ("u:{user}",), ("{team}", "{user}")])
def test_langmem_L11_a_place_that_nobody_fills_is_a_value_error_that_names_it(
    open_memory: Callable[..., Memory], folder: Any, where: str, face: str, scope: Any
) -> None:
    memory = open_memory(folder)
    graph = {**WRITING, **READING}[where](memory, scope)
    assert issubclass(ScopeError, ValueError)
    with pytest.raises(ScopeError, match="No user was given"):
        run(graph, {"team": "t", "username": "ana"}, face)
    assert holders(memory) == set()
