"""What the flows have in common: a graph to draw, and the same graph compiled for the verbs."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from langgraph.graph import StateGraph


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
