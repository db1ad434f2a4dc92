"""A process killed while it compacts leaves the old conversation or the new one, and memory has all of it."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest
from children import Child, say
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage

from langgraph_memory.checkpoints.saver import MemoryCheckpointer
from langgraph_memory.compaction import CompactionMiddleware
from langgraph_memory.memory import Memory
from langgraph_memory.settings import Settings
from langgraph_memory.storage import crash_points
from langgraph_memory.testing.embedder import HashEmbedder
from langgraph_memory.testing.scripted import ScriptedChatModel

CONFIG: Any = {"configurable": {"thread_id": "t1", "user_id": "alice"}}
TALK = [part for n in range(4) for part in (HumanMessage(f"q{n}", id=f"q{n}"), AIMessage(f"a{n}", id=f"a{n}"))]

MOMENTS = ["before recording", "after recording", "while summarising", "before the checkpoint", "after the checkpoint"]


def open_quiet(store_url: str) -> Memory:
    return Memory(store_url, embeddings=HashEmbedder(), settings=Settings(background=False))


def agent_of(memory: Memory, writer: Any, reply: Any) -> Any:
    compaction = CompactionMiddleware(memory, model=writer, trigger=("messages", 9), keep=("messages", 2))
    return create_agent(ScriptedChatModel([reply]), middleware=[compaction], checkpointer=memory.checkpointer())


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_process_killed_while_it_compacts(store_url: str, moment: str) -> None:
    child = Child(_compact, store_url, moment)
    assert child.receive() == "begun"
    assert child.exitcode() == -signal.SIGKILL
    with open_quiet(store_url) as memory:
        agent = agent_of(memory, ScriptedChatModel(["Short."]), "Here.")
        found = agent.get_state(CONFIG).values["messages"]
        texts = [message.text.rpartition("\n\n")[2] for message in found]
        old = [*(message.text for message in TALK), "so?"]
        new = ["Short.", "a3", "so?"]
        assert texts == (new if moment == "after the checkpoint" else old)
        agent.invoke(None, CONFIG)  # goes on where it was
        texts = [message.text.rpartition("\n\n")[2] for message in agent.get_state(CONFIG).values["messages"]]
        assert texts == [*new, "Here."]
        recorded = [entry.text for entry in memory.entries("t1", scope="alice")]
        assert recorded == ["q0", "a0", "q1", "a1", "q2", "a2", "q3"]


def _die(*_: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def _compact(store_url: str, moment: str) -> None:
    memory = open_quiet(store_url)
    agent = agent_of(memory, ScriptedChatModel([_die if moment == "while summarising" else "Short."]), _die)
    agent.update_state(CONFIG, {"messages": TALK})
    say("begun")
    if moment in ("before recording", "after recording"):
        wanted = moment.replace("recording", "commit")
        crash_points.hook = lambda reached: _die() if reached == wanted else None
    if moment == "before the checkpoint":
        saver: MemoryCheckpointer = memory.checkpointer()
        put = type(saver).put_writes

        def dying(self: Any, config: Any, writes: Any, *more: Any) -> None:
            if any(channel == "memory_compaction" for channel, _ in writes):
                _die()
            put(self, config, writes, *more)

        type(saver).put_writes = dying  # type: ignore[method-assign]
    agent.invoke({"messages": [HumanMessage("so?", id="so")]}, CONFIG, durability="sync")
