"""Counts what goes wrong where conversations are cut: by our compaction and by LangChain's, on the same histories.

Run it with `python tests/benchmarks/cut_points.py [number of histories]`. Both keep the same number of newest messages.
A fault is one that `tests/histories.py` names; a history counts once for each kind. Many of the histories are broken on
purpose, so the counts compare two cuts and say nothing of how often it happens. An agent of `create_agent` keeps its
system prompt outside of the messages; the row on system messages concerns graphs that keep one among them.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from histories import faults, histories
from hypothesis import HealthCheck, Phase, given, settings
from langchain.agents.middleware import SummarizationMiddleware

from langgraph_memory.compaction.cut import Keep, cut
from langgraph_memory.testing import ScriptedChatModel

KEEP = 4
KINDS = ("call split from its result", "last human message lost", "pending call lost", "system message lost")


def ours(messages: list[Any]) -> list[Any]:
    """Return what stays in the window after our cut."""
    return [messages[place] for place in cut(messages, Keep("messages", KEEP), []).staying]


def theirs(messages: list[Any]) -> list[Any]:
    """Return what stays in the window after that of LangChain's SummarizationMiddleware."""
    stock = SummarizationMiddleware(ScriptedChatModel(), trigger=("messages", KEEP), keep=("messages", KEEP))
    return messages[stock._determine_cutoff_index(messages) :]


def count(examples: int) -> tuple[int, dict[str, Counter[str]]]:
    """Return how many histories were long enough to be cut, and the faults of each way by kind."""
    found: dict[str, Counter[str]] = {"ours": Counter(), "stock": Counter()}
    seen = [0]
    ways: dict[str, Callable[[list[Any]], list[Any]]] = {"ours": ours, "stock": theirs}

    @settings(
        max_examples=examples, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck), derandomize=True,
    )  # fmt: skip
    @given(histories)
    def each(messages: list[Any]) -> None:
        if len(messages) <= KEEP:
            return
        seen[0] += 1
        for name, way in ways.items():
            found[name].update(faults(messages, way(messages)))

    each()
    return seen[0], found


def main() -> None:
    """Print the table."""
    cut_histories, found = count(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
    print(f"| of {cut_histories:,} histories, cut to {KEEP} messages | langgraph_memory | SummarizationMiddleware |")
    print("|---|---|---|")
    for kind in KINDS:
        print(f"| {kind} | {found['ours'][kind]:,} | {found['stock'][kind]:,} |")


if __name__ == "__main__":
    main()
