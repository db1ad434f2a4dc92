"""Let a person decide what is remembered: the run stops before a memory is written, and goes on with the decision."""

import tempfile

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langgraph.types import Command

from langgraph_memory import Memory
from langgraph_memory.testing import ScriptedChatModel

CONFIG = {"configurable": {"thread_id": "t1", "user_id": "alice"}}


def build(memory):
    remember = ScriptedChatModel.call("manage_memory", action="create", content="Alice will move to Oslo.")
    return create_agent(
        ScriptedChatModel([remember, "Noted."]),
        memory.tools(),
        middleware=[HumanInTheLoopMiddleware(interrupt_on={"manage_memory": True})],
        checkpointer=memory.checkpointer(),
    )


with tempfile.TemporaryDirectory() as folder, Memory(folder) as memory:
    agent = build(memory)
    stopped = agent.invoke({"messages": [("user", "I may move to Oslo next year.")]}, CONFIG)
    [wish] = stopped["__interrupt__"][0].value["action_requests"]
    print("wants to save:", wish["args"]["content"])
    print("saved so far: ", [record.text for record in memory.list(scope="alice")])

    arguments = {**wish["args"], "content": "Alice may move to Oslo next year."}  # a person corrects it
    edited = {"name": wish["name"], "args": arguments}
    agent.invoke(Command(resume={"decisions": [{"type": "edit", "edited_action": edited}]}), CONFIG)
    print("saved now:    ", [record.text for record in memory.list(scope="alice")])
