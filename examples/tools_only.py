"""Let the model decide when to look something up: memory as a tool, and nothing recalled unasked."""

import tempfile

from langchain.agents import create_agent

from langgraph_memory import Memory
from langgraph_memory.testing import ScriptedChatModel

with tempfile.TemporaryDirectory() as folder, Memory(folder) as memory:
    memory.record(
        [("user", "Our server in Oslo is called fjord."), ("assistant", "Noted: fjord, in Oslo.")],
        scope=("alice",),
        thread_id="setup",
    )
    # A real model would choose these by itself; the script keeps the example offline.
    model = ScriptedChatModel(
        [
            ScriptedChatModel.call("search_memory", query="What is the server in Oslo called?"),
            lambda messages: "It is called fjord." if "fjord" in messages[-1].text else "I could not find out.",
        ]
    )
    agent = create_agent(model, memory.tools())
    result = agent.invoke(
        {"messages": [{"role": "user", "content": "What is our Oslo server called?"}]},
        {"configurable": {"thread_id": "today", "user_id": "alice"}},
    )
    for message in result["messages"]:
        message.pretty_print()
