"""Measures what each signal of the default recipe is worth: each is left out in turn, and each channel stands alone.

    python tests/benchmarks/ablation.py DATA.json [--memory FOLDER] [--save NAME]

Printed and saved is R@10, and how much it changes against the default, with the 95 % interval of a paired bootstrap
over questions. No language model is used.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from results import save

from langgraph_memory.evaluation import evaluate, load
from langgraph_memory.retrieval.recipe import DENSE, HYBRID, LEXICAL

WITHOUT = {
    "no words (lexical)": replace(HYBRID, lexical_window=0.0),
    "no meaning of lines (dense)": replace(HYBRID, dense_window=0.0),
    "no kindred words": replace(HYBRID, kindred=0.0),
    "no lines around, but for kindred words": replace(
        HYBRID, dense=HYBRID.dense_window, dense_window=0.0, lexical=HYBRID.lexical_window, lexical_window=0.0
    ),
    "no discount for short messages": replace(HYBRID, brevity=0.0),
    "no discount for long answers": replace(HYBRID, verbosity=0.0),
    "words alone, with lines around": replace(HYBRID, dense_window=0.0, kindred=0.0),
    "meaning alone, with lines around": replace(HYBRID, lexical_window=0.0, kindred=0.0),
    "recipe lexical": LEXICAL,
    "recipe dense": DENSE,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--memory", type=Path, help="keep the memory in this folder and use it again")
    parser.add_argument("--save", metavar="NAME", help="write the numbers to results.json under this name")
    arguments = parser.parse_args()
    recipes = [HYBRID, *(replace(recipe, name=name) for name, recipe in WITHOUT.items())]
    found = evaluate(load(arguments.data), recipes=recipes, ks=(10,), budgets=(), memory=arguments.memory)
    full, *others = found.runs
    base = full.overall.scores["R@10"].mean
    print(f"{full.data}: {base:.4f} with everything, {full.overall.questions:,} questions")
    numbers: dict[str, object] = {"everything": round(base, 4)}
    for run, comparison in zip(others, found.comparisons, strict=True):
        change = comparison.differences["R@10"]
        print(f"{run.recipe:<36}{change.mean:>+8.4f}   {change.low:>+.4f} to {change.high:>+.4f}")
        numbers[run.recipe] = [round(change.mean, 4), round(change.low, 4), round(change.high, 4)]
    if arguments.save:
        save("ablation", {arguments.save: numbers})


if __name__ == "__main__":
    main()
