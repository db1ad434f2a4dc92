"""Measures what distilling costs besides the chat model and the embedder, and how often it asks the model.

    python tests/benchmarks/distil.py [--save]

A made-up conversation of 100 turns (200 messages) is remembered in its batches by a scripted model, which proposes one
memory a turn; one turn in ten restates an earlier one. The time spent in the model and in the embedder is taken off.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from results import save
from speed import lines

from langgraph_memory import Memory
from langgraph_memory.settings import Settings
from langgraph_memory.testing import ScriptedChatModel
from langgraph_memory.testing.embedder import HashEmbedder
from langgraph_memory.text.tokens import estimate_tokens

TURNS = 100


class TimedEmbedder(HashEmbedder):
    """Adds up the time spent embedding."""

    spent = 0.0

    def embed_documents(self, texts: Sequence[str]) -> Any:
        started = time.perf_counter()
        rows = super().embed_documents(texts)
        self.spent += time.perf_counter() - started
        return rows

    def embed_query(self, text: str) -> Any:
        started = time.perf_counter()
        row = super().embed_query(text)
        self.spent += time.perf_counter() - started
        return row


class Clerk:
    """Proposes one memory for each user message of the prompt, and adds up its own time and the tokens."""

    def __init__(self) -> None:
        self.spent = 0.0
        self.tokens = [0, 0]

    def __call__(self, messages: list[Any]) -> str:
        started = time.perf_counter()
        prompt = str(messages[-1].content).partition("New messages:\n")[2]
        found = [line for line in prompt.splitlines() if line.startswith("[") and " user: " in line]
        memories = [
            {"text": line.split(" user: ", 1)[1], "sources": [int(line[1 : line.index("]")])], "kind": "fact"}
            for line in found
        ]
        answer = json.dumps({"memories": memories})
        self.tokens[0] += sum(estimate_tokens(str(message.content)) for message in messages)
        self.tokens[1] += estimate_tokens(answer)
        self.spent += time.perf_counter() - started
        return answer


def run(folder: Path, known: int) -> tuple[float, int, list[int]]:
    """Return milliseconds of overhead a memory, model calls, and tokens in and out, of one run."""
    embedder, clerk = TimedEmbedder(384), Clerk()
    model = ScriptedChatModel([clerk] * 1_000)
    said = lines(TURNS, seed=3)
    for place in range(10, TURNS, 10):
        said[place] = said[place - 7]
    settings = Settings(background=False, max_calls=100)
    with Memory(folder, embeddings=embedder, model=model, settings=settings) as memory:
        for line in lines(known, seed=4):
            memory.add(line, scope="bench")
        memory.flush()
        messages = [pair for line in said for pair in (("user", line), ("assistant", f"Noted: {line[:20]}"))]
        memory.record(messages, scope="bench", thread_id="t")
        memory.flush()
        memory.recall("warm up", scope="bench")
        gc.collect()  # what the set-up left behind is not distilling's
        embedder.spent = 0.0
        started = time.perf_counter()
        report = memory.remember(scope="bench", thread_id="t")
        taken = time.perf_counter() - started - clerk.spent - embedder.spent
        assert len(report.added) + len(report.reinforced) + len(report.skipped) == TURNS
    return 1_000 * taken / TURNS, report.usage.calls, clerk.tokens


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", action="store_true", help="write the numbers to results.json")
    arguments = parser.parse_args()
    measured: dict[str, tuple[float, str]] = {}
    for known in (0, 1_000):
        runs = []
        for _ in range(5):
            with tempfile.TemporaryDirectory() as folder:
                runs.append(run(Path(folder), known))
        overhead = statistics.median(taken for taken, _, _ in runs)
        measured[f"distil a turn, {known:,} memories known"] = (round(overhead, 2), "ms")
        print(f"{known:,} memories known: {overhead:.2f} ms a memory")
    _, calls, tokens = runs[-1]
    measured["chat model calls for 100 turns"] = (calls, "calls")
    measured["tokens read for 100 turns"] = (tokens[0], "tokens")
    measured["tokens written for 100 turns"] = (tokens[1], "tokens")
    for what, (value, unit) in measured.items():
        print(f"{what:<50}{value:>12,.2f} {unit}")
    if arguments.save:
        save("distilling", {what: list(value) for what, value in measured.items()})


if __name__ == "__main__":
    main()
