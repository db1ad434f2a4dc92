"""Draw the graph yourself: recall, call the model, record."""

import tempfile

from langgraph.graph import END, START, MessagesState, StateGraph

from langgraph_memory import Memory
from langgraph_memory.agent import MemoryState, recall_node, record_node, with_memory
from langgraph_memory.testing import ScriptedChatModel


class State(MessagesState, MemoryState):
    """The conversation, what memory found for it, and what was written."""


def build(memory, model):
    def respond(state):
        return {"messages": model.invoke(with_memory(state["messages"], state.get("memory_recall")))}

    scope = ("acme", "{user_id}")  # filled in from context or configurable at each call
    graph = StateGraph(State)
    graph.add_node("recall", recall_node(memory, scope))
    graph.add_node("respond", respond)
    graph.add_node("record", record_node(memory, scope))
    graph.add_edge(START, "recall")
    graph.add_edge("recall", "respond")
    graph.add_edge("respond", "record")
    graph.add_edge("record", END)
    return graph.compile()


with tempfile.TemporaryDirectory() as folder, Memory(folder) as memory:
    model = ScriptedChatModel(
        ["I will remember.", lambda messages: "At 7:40." if "7:40" in messages[-1].text else "I don't know."]
    )
    graph = build(memory, model)
    for thread_id, text in (("t1", "My train leaves at 7:40."), ("t2", "When does my train leave?")):
        state = graph.invoke({"messages": [("user", text)]}, {"configurable": {"thread_id": thread_id, "user_id": 42}})
        print(f"user:      {text}\nassistant: {state['messages'][-1].text}")
        print(f"recalled:  {[hit['text'] for hit in state['memory_recall']['hits']]}")
        print(f"recorded:  {state['memory_record']['added']} messages\n")
