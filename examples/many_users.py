"""Serve many users with one agent: whose memory it is comes from each call, and nobody reads another's."""

import tempfile
from dataclasses import dataclass

from langchain.agents import create_agent

from langgraph_memory import Memory, MemoryMiddleware
from langgraph_memory.testing import ScriptedChatModel


@dataclass
class Caller:
    """Who is asking, as your web framework authenticated them."""

    company: str
    user_id: str


def answer_from_memory(messages):
    """Stand in for a model: it knows the code only where the prompt mentions it."""
    prompt = messages[-1].text
    return f"It is {prompt.split('code is ')[1][:4]}." if prompt.endswith("?") and "code is " in prompt else "Hm."


with tempfile.TemporaryDirectory() as folder, Memory(folder) as memory:
    agent = create_agent(
        ScriptedChatModel([answer_from_memory] * 4),
        middleware=[MemoryMiddleware(memory, scope=("{company}", "{user_id}"))],
        context_schema=Caller,
    )

    def ask(caller, thread_id, text):
        config = {"configurable": {"thread_id": thread_id}}
        given = {"messages": [{"role": "user", "content": text}]}
        answer = agent.invoke(given, config, context=caller)["messages"][-1].text
        print(f"{caller.company}/{caller.user_id}: {text}  ->  {answer}")

    ask(Caller("acme", "alice"), "t1", "My door code is 4711, please keep it in mind.")
    ask(Caller("acme", "bob"), "t2", "What is my door code?")
    ask(Caller("globex", "alice"), "t3", "What is my door code?")
    ask(Caller("acme", "alice"), "t4", "What is my door code?")

    print("acme as a whole:", [hit.text for hit in memory.recall("door code 4711", scope="acme", limit=1).hits])
    print("erased:", memory.erase(scope=("acme", "alice")).counts["messages"], "messages")
