from __future__ import annotations

import asyncio
import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langchain.agents import create_agent
from langchain.tools import ToolRuntime
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime

from langgraph_memory.memory import Memory
from langgraph_memory.testing import ScriptedChatModel

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # LangMem 0.0.30 imports places that LangGraph has moved
    from langmem import create_manage_memory_tool, create_memory_store_manager, create_search_memory_tool

Open = Callable[..., Memory]
ALICE = {"configurable": {"langgraph_user_id": "alice", "thread_id": "t"}}
NAMESPACE = ("memories", "alice")


@tool
def keep(text: str, runtime: ToolRuntime) -> str:
    """Keep a text."""
    assert runtime.store is not None
    runtime.store.put(("kept",), text, {"text": text})
    return "kept"


@tool
async def find(query: str, runtime: ToolRuntime) -> str:
    """Find a text."""
    assert runtime.store is not None
    return str([item.key for item in await runtime.store.asearch(("kept",), query=query, limit=1)])


@tool
def find_now(query: str, runtime: ToolRuntime) -> str:
    """Find a text, blocking."""
    assert runtime.store is not None
    return str([item.key for item in runtime.store.search(("kept",), query=query, limit=1)])


def turns(name: str) -> ScriptedChatModel:
    calls = [ScriptedChatModel.call("keep", text="green tea"), ScriptedChatModel.call(name, query="tea")]
    return ScriptedChatModel([*calls, "Done."])


class TestAgents:
    def test_a_tool_of_an_agent_finds_what_another_kept(self, memory: Memory) -> None:
        agent = create_agent(turns("find_now"), [keep, find_now], store=memory.store)
        said = agent.invoke({"messages": [HumanMessage("hello")]})["messages"]
        assert said[-2].content == "['green tea']"
        assert memory.store.get(("kept",), "green tea")

    async def test_blocking_and_async_tools_of_an_awaited_agent_share_the_store(self, memory: Memory) -> None:
        agent = create_agent(turns("find"), [keep, find], store=memory.store)
        said = (await agent.ainvoke({"messages": [HumanMessage("hello")]}))["messages"]
        assert said[-2].content == "['green tea']"

    async def test_a_node_of_a_compiled_graph_uses_it(self, memory: Memory) -> None:
        class State(TypedDict):
            found: list[str]

        async def node(state: State, runtime: Runtime[None]) -> dict[str, Any]:
            assert runtime.store is not None
            await runtime.store.aput(("graph",), "k", {"text": "tea"})
            return {"found": [item.key for item in await runtime.store.asearch(("graph",))]}

        graph = StateGraph(State).add_node("node", node).add_edge(START, "node").compile(store=memory.store)
        assert await graph.ainvoke({"found": []}) == {"found": ["k"]}

    def test_langmem_L10_one_tool_in_two_graphs_writes_to_the_store_of_each(
        self, open_memory: Open, tmp_path: Path
    ) -> None:
        memories = [open_memory(tmp_path / name) for name in ("one", "two")]
        tools = [create_manage_memory_tool(NAMESPACE)]
        for number, memory in enumerate(memories):
            call = ScriptedChatModel.call("manage_memory", content=f"text {number}")
            create_agent(ScriptedChatModel([call, "Done."]), tools, store=memory.store).invoke(
                {"messages": [HumanMessage("hello")]}, ALICE
            )
        for number, memory in enumerate(memories):
            assert [item.value for item in memory.store.search(NAMESPACE)] == [{"content": f"text {number}"}]

    @pytest.mark.parametrize("explicit", [False, True])
    async def test_langmem_L10_its_manager_writes_to_the_store_given_or_else_to_that_of_the_graph(
        self, open_memory: Open, tmp_path: Path, explicit: bool
    ) -> None:
        memories = [open_memory(tmp_path / name) for name in ("one", "two")]
        for number, memory in enumerate(memories):
            model = ScriptedChatModel([ScriptedChatModel.call("Memory", content=f"text {number}")])
            own: Any = {"store": memory.store} if explicit else {}
            manager = create_memory_store_manager(model, namespace=NAMESPACE, **own)
            builder = StateGraph(Said).add_node("manage", managing(manager)).add_edge(START, "manage")
            other = memories[1 - number].store if explicit else memory.store
            await builder.compile(store=other).ainvoke({"said": "hello"}, ALICE)
        for number, memory in enumerate(memories):
            found = await memory.store.asearch(NAMESPACE)
            assert [item.value["content"] for item in found] == [{"content": f"text {number}"}]

    @pytest.mark.parametrize("awaited", [False, True])
    async def test_langmem_L10_our_manager_writes_to_its_own_memory_in_whatever_graph(
        self, open_memory: Open, tmp_path: Path, awaited: bool
    ) -> None:
        """The same two flows, each in two graphs, whose stores are both memories' in turn."""
        memories = []
        for name in ("one", "two"):
            calls = [ScriptedChatModel.call("create", content=f"{name} says {n}") for n in ("red", "blue")]
            done = ScriptedChatModel.call("done")
            model = ScriptedChatModel([reply for call in calls for reply in (call, done)])
            memories.append(open_memory(tmp_path / name, model=model))
        for own in memories:
            flow = own.graph("manage").compile()
            for runtime in memories:

                async def node(state: Said, flow: Any = flow) -> dict[str, Any]:
                    given = {"scope": ["alice"], "conversation": state["said"]}
                    await (flow.ainvoke(given) if awaited else asyncio.to_thread(flow.invoke, given))
                    return {}

                builder = StateGraph(Said).add_node("manage", node).add_edge(START, "manage")
                await builder.compile(store=runtime.store).ainvoke({"said": "hello"})
        for name, memory in zip(("one", "two"), memories, strict=True):
            found = [record.text for record in memory.list(scope="alice")]
            assert found == [f"{name} says red", f"{name} says blue"]
            assert await memory.store.asearch(()) == []


class Said(TypedDict):
    said: str


def managing(manager: Any) -> Any:
    """Return a node that lets LangMem's manager read what was said."""

    async def node(state: Said) -> dict[str, Any]:
        await manager.ainvoke({"messages": [{"role": "user", "content": state["said"]}]})
        return {}

    return node


class TestLangMem:
    def ask(self, memory: Memory, name: str, **arguments: Any) -> str:
        """Let an agent call one of LangMem's tools, and return what its model reads."""
        tools = [
            create_manage_memory_tool(("memories", "{langgraph_user_id}")),
            create_search_memory_tool(("memories", "{langgraph_user_id}")),
        ]
        call = AIMessage("", tool_calls=[{"type": "tool_call", "name": name, "args": arguments, "id": "c"}])
        agent = create_agent(ScriptedChatModel([call, "Done."]), tools, store=memory.store)
        return str(agent.invoke({"messages": [HumanMessage("hello")]}, ALICE)["messages"][2].content)

    def test_its_manage_tool_creates_updates_and_deletes(self, memory: Memory) -> None:
        assert self.ask(memory, "manage_memory", content="Alice drinks tea.").startswith("created memory ")
        item = memory.store.search(NAMESPACE)[0]
        assert item.value == {"content": "Alice drinks tea."}
        self.ask(memory, "manage_memory", action="update", id=item.key, content="Alice drinks coffee.")
        newer = memory.store.get(NAMESPACE, item.key)
        assert newer.value == {"content": "Alice drinks coffee."} and newer.created_at == item.created_at
        self.ask(memory, "manage_memory", action="delete", id=item.key)
        assert memory.store.search(NAMESPACE) == []

    def test_langmem_L18_pages_and_filters_of_its_search_tool(self, memory: Memory) -> None:
        for number in range(5):
            memory.store.put(NAMESPACE, str(number), {"content": f"tea {number}", "odd": bool(number % 2)})
        pages = [json.loads(self.ask(memory, "search_memory", query="tea", limit=2, offset=n)) for n in (0, 2, 4)]
        assert sorted(item["key"] for page in pages for item in page) == list("01234")
        found = json.loads(self.ask(memory, "search_memory", query="tea", filter={"odd": True}))
        assert sorted(item["key"] for item in found) == ["1", "3"]
        assert found[0]["score"] > 0 and found[0]["value"]["content"] and found[0]["created_at"]

    def test_its_search_tool_gives_the_items_as_an_artifact(self, memory: Memory) -> None:
        memory.store.put(NAMESPACE, "a", {"content": "tea"})
        search = create_search_memory_tool(NAMESPACE, store=memory.store, response_format="content_and_artifact")
        call = {"type": "tool_call", "name": "search_memory", "args": {"query": "tea"}, "id": "c"}
        message = search.invoke(call)
        assert [item.key for item in message.artifact] == ["a"] == [item["key"] for item in json.loads(message.content)]

    @pytest.mark.parametrize("awaited", [False, True])
    async def test_its_manager_writes_and_corrects(self, memory: Memory, awaited: bool) -> None:
        async def manage(reply: Any, said: str) -> Any:
            manager = create_memory_store_manager(ScriptedChatModel([reply]), namespace=NAMESPACE, store=memory.store)
            given = {"messages": [{"role": "user", "content": said}]}
            return await (manager.ainvoke(given) if awaited else asyncio.to_thread(manager.invoke, given))

        def correct(messages: list[Any]) -> AIMessage:
            shown = re.search(r"[0-9a-f]{32}", str(messages))
            assert shown is not None, "the manager was not shown what it had written"
            patch = {"op": "replace", "path": "/content", "value": "Alice drinks coffee."}
            return ScriptedChatModel.call("PatchDoc", json_doc_id=shown[0], planned_edits="coffee", patches=[patch])

        await manage(ScriptedChatModel.call("Memory", content="Alice drinks tea."), "I drink tea.")
        item = (await memory.store.asearch(NAMESPACE))[0]
        assert item.value == {"kind": "Memory", "content": {"content": "Alice drinks tea."}}
        await manage(correct, "No, I drink coffee, not tea.")
        newer = (await memory.store.asearch(NAMESPACE))[0]
        assert newer.value == {"kind": "Memory", "content": {"content": "Alice drinks coffee."}}
        assert (newer.key, newer.created_at) == (item.key, item.created_at)
