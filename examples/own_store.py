"""Keep an application's own keys and values in the same place, through LangGraph's store interface."""

import tempfile

from langchain.agents import create_agent
from langchain.tools import ToolRuntime, tool

from langgraph_memory import Memory
from langgraph_memory.testing import ScriptedChatModel


@tool
def book(title: str, runtime: ToolRuntime) -> str:
    """Put a book on the reading list."""
    runtime.store.put(("reading", "alice"), title.lower(), {"title": title, "read": False})
    return f"{title} is on the list."


with tempfile.TemporaryDirectory() as folder:
    with Memory(folder) as memory:
        model = ScriptedChatModel([ScriptedChatModel.call("book", title="Momo"), "Momo is on your list."])
        agent = create_agent(model, [book], store=memory.store)
        print(agent.invoke({"messages": [("user", "I want to read Momo.")]})["messages"][-1].text)
        memory.add("Alice reads on the train.", scope="alice")

    with Memory(folder) as memory:  # another process, another day
        print("to read: ", [item.value["title"] for item in memory.store.search(("reading",), filter={"read": False})])
        print("by meaning:", memory.store.search(("reading",), query="a novel called Momo")[0].key)
        print("memories:", [item.value["text"] for item in memory.store.search(("@memories", "alice"))])
