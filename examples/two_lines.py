"""Give an agent a memory: import it, and put it in the list of middleware.

Runs offline with a scripted model. With MODEL="openai:gpt-5-mini" (or any other of `init_chat_model`) it asks that one.
"""

import os
import tempfile

from langchain.agents import create_agent
from langchain.chat_models import init_chat_model

from langgraph_memory import Memory
from langgraph_memory.agent import MemoryMiddleware
from langgraph_memory.testing import ScriptedChatModel


def answer_from_memory(messages):
    """Stand in for a model: it knows the tea only where the prompt mentions it."""
    prompt = messages[-1].text
    if not prompt.endswith("?"):
        return "I will remember."
    return "Gyokuro, as you told me." if "gyokuro" in prompt else "I don't know."


def ask(memory, thread_id, text):
    model = init_chat_model(os.environ["MODEL"]) if "MODEL" in os.environ else ScriptedChatModel([answer_from_memory])
    agent = create_agent(model, middleware=[MemoryMiddleware(memory)])
    config = {"configurable": {"thread_id": thread_id, "user_id": "alice@example.com"}}
    answer = agent.invoke({"messages": [{"role": "user", "content": text}]}, config)
    print(f"{thread_id}  user:      {text}\n{thread_id}  assistant: {answer['messages'][-1].text}")


with tempfile.TemporaryDirectory() as folder:
    with Memory(folder) as memory:
        ask(memory, "monday", "For my afternoon tea I always take gyokuro.")
        ask(memory, "tuesday", "Which tea do I take in the afternoon?")

    with Memory(folder) as memory:  # another day, another process
        ask(memory, "friday", "What should you buy for my afternoon tea?")
