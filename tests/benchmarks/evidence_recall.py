"""Measures how often recall finds the turns that a data set names as evidence; `langgraph-memory evaluate` with --save.

    python tests/benchmarks/evidence_recall.py DATA.json [--memory FOLDER] [--recipe hybrid] [--conversations 0-4]

R@k is the share of a question's evidence among the first k hits, averaged over questions; R@1k the share within a block
of 1,024 tokens; ci95 the confidence interval of R@10. No language model is used. Tokens are counted by our estimate,
which errs on the high side; saved is R@1k also at 4 characters a token, as others count.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from results import save
from rich.console import Console

from langgraph_memory.evaluation import Run, evaluate, load
from langgraph_memory.evaluation.report import counted, filling
from langgraph_memory.evaluation.tables import tables

SAVED = ("R@5", "R@10", "R@50", "MRR", "nDCG@10", "R@512", "R@1k", "R@2k", "session hit@5")


def saved(run: Run) -> dict[str, float | list[float]]:
    """Return the numbers of a run that results.json keeps."""
    scores = run.overall.scores
    found = scores["R@10"]
    numbers = {name: round(scores[name].mean, 4) for name in SAVED}
    return {"n": run.overall.questions, **numbers, "ci95": [round(found.low, 4), round(found.high, 4)]}


def in_characters(text: str) -> int:
    """Count tokens as 4 characters each."""
    return -(-len(text) // 4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--memory", type=Path, help="keep the memory in this folder and use it again")
    parser.add_argument("--recipe", default="hybrid")
    parser.add_argument("--save", metavar="NAME", help="write the overall numbers to results.json under this name")
    parser.add_argument("--conversations", default="", help="such as 0-4; all by default")
    arguments = parser.parse_args()
    data = load(arguments.data)
    if arguments.conversations:
        first, _, last = arguments.conversations.partition("-")
        data = data.part(int(first), int(last or first))
    found = evaluate(data, recipes=[arguments.recipe], memory=arguments.memory)
    (run,) = found.runs
    side, screen = Console(stderr=True), Console(width=140)
    side.print(filling(run), f"Left out: {counted(run.left_out) or 'nothing'}.", *run.notes, sep="\n", soft_wrap=True)
    screen.print(*tables(found))
    if arguments.save:
        (rough,) = evaluate(
            data, recipes=[arguments.recipe], memory=arguments.memory, budgets=(1024,), count_tokens=in_characters
        ).runs
        within = round(rough.overall.scores["R@1k"].mean, 4)
        save("evidence_recall", {arguments.save: {**saved(run), "R@1k, 4 characters a token": within}})


if __name__ == "__main__":
    main()
