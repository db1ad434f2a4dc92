"""Measures other ways to search the same conversations beside this package, in one run.

    python tests/benchmarks/peers.py DATA.json [--conversations 0-4] [--mem0 PYTHON] [--save]

Every system gets the same lines (speaker, date, words), the same questions and the vectors of one embedder, looked up,
so that nobody's clock runs while something is embedded; each returns 50 lines. R@1k is what a block of 1,024 tokens
composed of them shows. PYTHON is an interpreter of its own that has mem0ai, and chromadb, installed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from peer_corpus import Corpus, Line
from peer_stores import DEPTH, OURS, PEERS
from results import save
from rich.console import Console
from rich.table import Table

from langgraph_memory import Hit, Scope
from langgraph_memory.evaluation import load
from langgraph_memory.evaluation.datasets import UNDATED
from langgraph_memory.evaluation.run import shown_in
from langgraph_memory.evaluation.scores import Scale
from langgraph_memory.retrieval.compose import compose
from langgraph_memory.text.tokens import estimate_tokens

MEASURES = ("R@5", "R@10", "MRR", "nDCG@10", "R@1k")
SCALE = Scale((5, 10), (1024,))
MEM0_STORES = ("chroma", "qdrant")


@dataclass(frozen=True)
class Ran:
    """What a system did: keys of lines for each question, and seconds."""

    ranked: Sequence[Sequence[str]]
    seconds: Sequence[float]
    filling: float
    note: str = ""


def run(name: str, corpus: Corpus, folder: Path) -> Ran:
    """Fill one of the systems of this process and ask it everything."""
    peer = PEERS[name](corpus, folder)
    try:
        started = time.perf_counter()
        peer.fill()
        filling = time.perf_counter() - started
        ranked, seconds = [], []
        for conversation, question in corpus.questions:
            started = time.perf_counter()
            ranked.append(peer.search(conversation, question.text))
            seconds.append(time.perf_counter() - started)
    finally:
        peer.close()
    return Ran(ranked, seconds, filling)


def run_mem0(python: str, store: str, corpus: Corpus, job: Path) -> Ran | str:
    """Run mem0 in its own interpreter; where it cannot run, return why."""
    if not (job / "job.json").exists():
        lines = [{"key": line.key, "conversation": line.conversation, "text": line.text} for line in corpus.lines]
        questions = [{"conversation": name, "text": question.text} for name, question in corpus.questions]
        text = json.dumps({"lines": lines, "questions": questions, "depth": DEPTH})
        (job / "job.json").write_text(text, encoding="utf-8")
        queries = np.array([corpus.embedder.embed_query(question.text) for _, question in corpus.questions])
        np.savez(job / "vectors.npz", documents=corpus.vectors, queries=queries)
    script = Path(__file__).with_name("peer_mem0.py")
    done = subprocess.run(
        [python, "-P", str(script), str(job), store],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        return f"did not run: {(done.stderr.strip().splitlines() or ['no word'])[-1][:200]}"
    answer = json.loads((job / "answer.json").read_text(encoding="utf-8"))
    note = "; ".join([f"mem0ai {answer['version']}", *answer["warnings"]])
    return Ran(answer["ranked"], answer["seconds"], answer["filling"], note)


def measured(ran: Ran, corpus: Corpus) -> dict[str, Any]:
    """Return the means over all questions."""
    by_key = {line.key: line for line in corpus.lines}
    session_of = {name: {turn.id: turn.session for turn in turns} for name, turns in _turns(corpus).items()}
    scores = []
    for (conversation, question), keys in zip(corpus.questions, ran.ranked, strict=True):
        hits = [_hit(by_key[key], 1 - place / DEPTH) for place, key in enumerate(keys)]
        block, _ = compose(hits, budget=1024, count_tokens=estimate_tokens)
        ids, shown = [hit.id for hit in hits], {1024: shown_in(block, hits)}
        scores.append(SCALE.of(ids, question.evidence, session_of[conversation], shown))
    means = {name: round(statistics.fmean(item[name] for item in scores), 4) for name in MEASURES}
    speed = {
        "writes/s": round(len(corpus.lines) / ran.filling, 1),
        "search p50 ms": round(statistics.median(ran.seconds) * 1000, 2),
    }
    return {"n": len(scores), **means, **speed, **({"note": ran.note} if ran.note else {})}


def _turns(corpus: Corpus) -> Mapping[str, Sequence[Any]]:
    return {conversation.id: conversation.turns for conversation in corpus.data.conversations}


def _hit(line: Line, score: float) -> Hit:
    turn = line.turn
    return Hit(
        turn.id, turn.text, score, {}, "message", turn.speaker, turn.said_at or UNDATED, (turn.id,), Scope.of("peers"),
        turn.session, 0,
    )  # fmt: skip


def table(results: Mapping[str, dict[str, Any]]) -> Table:
    ours = results[OURS]
    shown = Table(box=None, header_style="dim")
    for name in ("", *MEASURES, "writes/s", "p50 ms", "R@10 / ours", "writes / ours", "p50 / ours"):
        shown.add_column(name, justify="right" if name else "left")
    for name, row in results.items():
        if "R@10" not in row:
            shown.add_row(name, row["note"])
            continue
        ratios = [f"{row[key] / ours[key]:.2f}" for key in ("R@10", "writes/s", "search p50 ms")]
        speed = f"{row['writes/s']:,.0f}", f"{row['search p50 ms']:.1f}"
        shown.add_row(name, *(f"{row[key]:.3f}" for key in MEASURES), *speed, *ratios)
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--conversations", default="", help="such as 0-4; all by default")
    parser.add_argument("--mem0", metavar="PYTHON", help="an interpreter with mem0ai and chromadb")
    parser.add_argument("--save", metavar="NAME", nargs="?", const="", help="write to results.json under peers")
    arguments = parser.parse_args()
    data = load(arguments.data)
    if arguments.conversations:
        first, _, last = arguments.conversations.partition("-")
        data = data.part(int(first), int(last or first))
    console = Console(width=150)
    corpus = Corpus(data)
    results: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary)
        for number, name in enumerate(PEERS):
            results[name] = measured(run(name, corpus, folder / str(number)), corpus)
            Console(stderr=True).print(f"{name}: done")
        for store in MEM0_STORES:
            name = f"mem0, infer off, {store}"
            ran: Ran | str = "not run: give --mem0 PYTHON"
            if arguments.mem0:
                ran = run_mem0(arguments.mem0, store, corpus, folder)
            results[name] = {"note": ran} if isinstance(ran, str) else measured(ran, corpus)
    console.print(f"{data.name}: {len(corpus.lines):,} lines, {len(corpus.questions):,} questions")
    console.print(table(results))
    for name, row in results.items():
        if "note" in row:
            console.print(f"{name}: {row['note']}", soft_wrap=True)
    if arguments.save is not None:
        save("peers", {arguments.save or data.name: results})


if __name__ == "__main__":
    main()
