"""Measures how often recall finds the turns that a data set names as evidence.

    python tests/benchmarks/evidence_recall.py DATA.json [--memory FOLDER] [--recipe hybrid] [--conversations 0-4]

DATA is LoCoMo as released, or the uniform form `{"name", "conversations": [{"id", "turns", "questions"}]}`.
Each conversation is a scope of its own. R@k is the share of a question's evidence among the first k hits,
averaged over questions; R@1k the share within a block of 1,024 tokens. No language model is used.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from results import save

from langgraph_memory import Memory
from langgraph_memory.importing import ImportedSession, read_file
from langgraph_memory.records import Message


@dataclass
class Conversation:
    name: str
    sessions: list[tuple[str, list[Message]]]
    questions: list[tuple[str, str, frozenset[str]]] = field(default_factory=list)


def locomo(path: Path) -> Iterator[Conversation]:
    """Yield the conversations of a LoCoMo file, with the questions whose evidence exists."""
    by_scope: dict[str, Conversation] = {}
    for part in read_file(path):
        if isinstance(part, ImportedSession):
            conversation = by_scope.setdefault(part.scope_suffix[0], Conversation(part.scope_suffix[0], []))
            conversation.sessions.append((part.session_id, list(part.messages)))
    for sample in json.loads(path.read_text(encoding="utf-8")):
        conversation = by_scope[sample["sample_id"]]
        known = {message.id for _, messages in conversation.sessions for message in messages}
        for question in sample["qa"]:
            # The file writes several ids in one string, with stray blanks and zeros ("D8:6; D9:17", "D30:05").
            named = [f"D{int(a)}:{int(b)}" for e in question["evidence"] for a, b in re.findall(r"D:?(\d+):(\d+)", e)]
            evidence = frozenset(named) & known
            if evidence:
                conversation.questions.append((question["question"], str(question["category"]), evidence))
        yield conversation


def uniform(data: dict[str, Any]) -> Iterator[Conversation]:
    """Yield the conversations of a file in the uniform form."""
    for given in data["conversations"]:
        sessions: dict[str, list[Message]] = defaultdict(list)
        for turn in given["turns"]:
            caption = f" [image: {turn['caption']}]" if turn["caption"] and turn["speaker"] != "memory" else ""
            sessions[turn["session"]].append(
                Message(
                    role="assistant" if turn["speaker"] == "assistant" else "user",
                    text=turn["text"] + caption,
                    content=turn["text"] + caption,
                    id=turn["id"],
                    speaker=turn["speaker"],
                    observed_at=datetime.fromisoformat(turn["date"]) if turn["date"] else None,
                )
            )
        yield Conversation(
            str(given["id"]),
            list(sessions.items()),
            [(q["text"], str(q["category"]), frozenset(q["evidence"])) for q in given["questions"]],
        )


def load(path: Path) -> list[Conversation]:
    data = json.loads(path.read_text(encoding="utf-8"))
    return list(uniform(data) if isinstance(data, dict) else locomo(path))


def fill(memory: Memory, conversations: list[Conversation]) -> tuple[int, float, float]:
    """Record everything and embed it; return the turns, and the seconds for each of the two."""
    started = time.perf_counter()
    turns = 0
    for conversation in conversations:
        for session_id, messages in conversation.sessions:
            memory.record(messages, scope=conversation.name, thread_id=session_id)
            turns += len(messages)
    recorded = time.perf_counter()
    memory.flush()
    return turns, recorded - started, time.perf_counter() - recorded


def ask(memory: Memory, conversations: list[Conversation], recipe: str) -> dict[str, dict[str, list[float]]]:
    results: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for conversation in conversations:
        for query, category, evidence in conversation.questions:
            started = time.perf_counter()
            answer = memory.recall(query, scope=conversation.name, limit=50, budget=1024, recipe=recipe)
            seconds = time.perf_counter() - started
            ranked = [hit.id for hit in answer.hits]
            first = next((place for place, hit in enumerate(ranked, 1) if hit in evidence), 0)
            shown = {hit.id for hit in answer.hits if hit.text and " ".join(hit.text.split()) in answer.block}
            for group in ("all", category):
                scores = results[group]
                for k in (5, 10, 50):
                    scores[f"R@{k}"].append(len(evidence & set(ranked[:k])) / len(evidence))
                scores["MRR"].append(1 / first if first else 0.0)
                scores["R@1k"].append(len(evidence & shown) / len(evidence))
                scores["ms"].append(seconds * 1000)
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--memory", type=Path, help="keep the memory in this folder and use it again")
    parser.add_argument("--recipe", default="hybrid")
    parser.add_argument("--save", metavar="NAME", help="write the overall numbers to results.json under this name")
    parser.add_argument("--conversations", default="", help="such as 0-4; all by default")
    arguments = parser.parse_args()
    conversations = load(arguments.data)
    if arguments.conversations:
        first, _, last = arguments.conversations.partition("-")
        conversations = conversations[int(first) : int(last or first) + 1]
    with tempfile.TemporaryDirectory() as temporary, Memory(arguments.memory or temporary) as memory:
        turns, recording, embedding = fill(memory, conversations)
        print(
            f"{turns} turns recorded in {recording:.2f} s, embedded and indexed in {embedding:.1f} s", file=sys.stderr
        )
        results = ask(memory, conversations, arguments.recipe)
    columns = ("R@5", "R@10", "R@50", "MRR", "R@1k")
    print(f"{'questions':<24}{'n':>6}" + "".join(f"{name:>8}" for name in columns) + f"{'ms p50':>8}")
    for group in sorted(results, key=lambda name: (name != "all", name)):
        scores = results[group]
        row = "".join(f"{statistics.fmean(scores[name]):>8.3f}" for name in columns)
        print(f"{group:<24}{len(scores['ms']):>6}{row}{statistics.median(scores['ms']):>8.1f}")
    if arguments.save:
        overall = {name: round(statistics.fmean(results["all"][name]), 4) for name in columns}
        save("evidence_recall", {arguments.save: {"n": len(results["all"]["ms"]), **overall}})


if __name__ == "__main__":
    main()
