"""Measures what memory costs an agent's turn, besides the chat model and the embedder.

    python tests/benchmarks/turn.py [--save]

The same agent answers the same questions without and with `MemoryMiddleware`, in turns that alternate; the scope holds
10,000 lines. Checkpoints are kept in memory, so that only our own part is compared. Medians of one run.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from distil import TimedEmbedder
from langchain.agents import create_agent
from langgraph.checkpoint.memory import InMemorySaver
from results import save
from speed import lines

from langgraph_memory import Memory, MemoryMiddleware
from langgraph_memory.settings import Settings
from langgraph_memory.testing import ScriptedChatModel

TURNS = 100
KNOWN = 10_000


def turn(agent: Any, text: str, thread_id: str) -> float:
    """Return the milliseconds of one turn."""
    config = {"configurable": {"thread_id": thread_id, "user_id": "bench"}}
    started = time.perf_counter()
    agent.invoke({"messages": [("user", text)]}, config)
    return (time.perf_counter() - started) * 1000


def run(folder: Path) -> tuple[float, float]:
    """Return the median milliseconds of a turn without memory, and of what memory adds to it."""
    embedder = TimedEmbedder(384)
    plain = create_agent(ScriptedChatModel(["Noted."] * TURNS * 2), checkpointer=InMemorySaver())
    with Memory(folder, embeddings=embedder, settings=Settings(background=False)) as memory:
        memory.record(lines(KNOWN, seed=5), scope="bench", thread_id="old")
        memory.flush()
        agent = create_agent(
            ScriptedChatModel(["Noted."] * TURNS * 2),
            middleware=[MemoryMiddleware(memory)],
            checkpointer=InMemorySaver(),
        )
        bare, added = [], []
        for number, text in enumerate(lines(TURNS, seed=6)):
            thread_id = f"t{number // 5}"  # conversations of five turns
            without = turn(plain, text, thread_id)
            embedder.spent = 0.0
            with_memory = turn(agent, text, thread_id) - embedder.spent * 1000
            bare.append(without)
            added.append(with_memory - without)
            memory.flush()  # in life the background embeds between turns
    return statistics.median(bare), statistics.median(added)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", action="store_true", help="write the numbers to results.json")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bare, added = run(Path(folder))
    print(f"a turn without memory {bare:.2f} ms; memory adds {added:.2f} ms")
    if arguments.save:
        save("agent turn", {"a turn of an agent without memory": [round(bare, 2), "ms"],
                            "what memory adds to it, 10,000 lines known": [round(added, 2), "ms"]})  # fmt: skip


if __name__ == "__main__":
    main()
