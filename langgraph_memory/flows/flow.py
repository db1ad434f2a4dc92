"""What the flows have in common: a graph to draw, and the same graph compiled for the verbs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from langgraph.graph import StateGraph

from langgraph_memory import arguments
from langgraph_memory.errors import InvalidInput
from langgraph_memory.scope import Scope

_EXAMPLES = {
    "scope": '["alice"]',
    "thread_id": '"chat-1"',
    "conversation": '"user: I moved to Oslo."',
    "query": '"Where does Ana live?"',
}


def scope_given(state: Mapping[str, Any], *texts: str) -> Scope:
    """Return the scope of a flow's input, once it is sure that nothing is missing: Studio lets anything be sent.

    Args:
        state: the flow's own, with what it was given.
        texts: the keys beside `scope` that hold a text.

    Raises:
        InvalidInput: a key is missing, or holds something else.
    """
    for name in ("scope", *texts):
        value = state.get(name)
        if value is None:
            raise InvalidInput(f"The input needs {name!r}. Write for example {{{name!r}: {_EXAMPLES[name]}}}.")
        if name in texts:
            arguments.name_of(name, value, _EXAMPLES[name].strip('"'))
    arguments.maybe_words("thread_id", state.get("thread_id"), "chat-1")
    return Scope.of(state["scope"])


class Flow:
    """A graph over one store; subclasses say of which steps."""

    name: str

    def graph(self) -> StateGraph[Any, Any, Any, Any]:
        """Return the graph, to be compiled by whoever runs or draws it."""
        raise NotImplementedError

    @cached_property
    def compiled(self) -> Any:
        """The graph as the verbs run it: in another graph's node it must not write into that one's checkpoints."""
        return self.graph().compile(checkpointer=False, name=self.name)
