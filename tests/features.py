"""Writes the README's table from what was really run: acceptance tests by name, benchmark results by file.

python tests/features.py          print the section
python tests/features.py --write  put it into README.md
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "tests" / "benchmarks" / "results.json"
BEGIN, END = "<!-- measured: begin (python tests/features.py --write) -->", "<!-- measured: end -->"
ROW = re.compile(r"test_(?P<system>[a-z0-9_]+?)_(?P<row>[A-Z]+\d+)_(?P<title>\w+)")


def acceptance() -> dict[str, list[tuple[str, str]]]:
    """Return `(row, title)` by system, for every acceptance test there is; the test run says that they pass."""
    rows: dict[str, dict[str, str]] = defaultdict(dict)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (match := ROW.fullmatch(node.name)):
                rows[match["system"]].setdefault(match["row"], match["title"].replace("_", " "))
    return {
        system: sorted(found.items(), key=lambda row: int(re.sub(r"\D", "", row[0])))
        for system, found in sorted(rows.items())
    }


def section() -> str:
    """Return the README section between the two marks."""
    lines = ["| behaviour of other memories that is tested here | row |", "|---|---|"]
    for system, rows in acceptance().items():
        lines += [f"| {title} | {system} {row} |" for row, title in rows]
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    lines += [
        "",
        "| data set | questions | R@5 | R@10 (95 %) | MRR | in 1,024 tokens (of 4 characters) | session hit@5 |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, scores in results["evidence_recall"].items():
        low, high = scores["ci95"]
        lines.append(
            f"| {name} | {scores['n']:,} | {scores['R@5']:.3f} | {scores['R@10']:.3f} ({low:.3f} to {high:.3f}) "
            f"| {scores['MRR']:.3f} | {scores['R@1k']:.3f} ({scores['R@1k, 4 characters a token']:.3f}) "
            f"| {scores['session hit@5']:.3f} |"
        )
    lines += (
        _peers(results.get("peers", {}))
        + _ablation(results.get("ablation", {}))
        + _updates(results.get("updates", {"n": 0}))
    )
    lines += ["", "| speed and cost, embedding and chat model excluded | |", "|---|---|"]
    lines += [
        f"| {what} | {value:,.2f} {unit} |"
        for what, (value, unit) in {**results["speed"], **results["agent turn"], **results["distilling"]}.items()
    ]
    return "\n".join(lines)


def _peers(sets: dict[str, dict[str, Any]]) -> list[str]:
    """Return how others search the same lines with the same vectors, in one run."""
    lines = []
    for data, systems in sets.items():
        ours = next(iter(systems.values()))
        lines += [
            "",
            f"| {data}, the same lines and vectors | R@10 | MRR | in 1,024 tokens | search p50 ms | R@10 / ours |",
            "|---|---|---|---|---|---|",
        ]
        lines += [
            f"| {name} | {row['R@10']:.3f} | {row['MRR']:.3f} | {row['R@1k']:.3f} | {row['search p50 ms']:.1f} "
            f"| {row['R@10'] / ours['R@10']:.2f} |"
            for name, row in systems.items()
            if "R@10" in row
        ]
    return lines


def _updates(shares: dict[str, float]) -> list[str]:
    """Return how often a statement meets the one that it updates."""
    count = f"{shares['n']:,} statements that update another (LongMemEval)"
    return ["", f"| {count} | share |", "|---|---|"] + [
        f"| {what} | {share:.3f} |" for what, share in shares.items() if what != "n"
    ]


def _ablation(sets: dict[str, dict[str, Any]]) -> list[str]:
    """Return what each signal is worth: the change of R@10 without it; in bold where its 95 % interval leaves out 0."""
    rows = [row for row in next(iter(sets.values())) if row != "everything"]
    lines = ["", f"| change of R@10 | {' | '.join(sets)} |", "|---|" + "---|" * len(sets)]
    for row in rows:
        cells = []
        for numbers in sets.values():
            mean, low, high = numbers[row]
            cells.append(f"**{mean:+.3f}**" if low > 0 or high < 0 else f"{mean:+.3f}")
        lines.append(f"| {row} | {' | '.join(cells)} |")
    return lines


def readme_with(text: str) -> str:
    """Return the README with its measured section replaced."""
    before, _, rest = (ROOT / "README.md").read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{text}\n\n{END}{after}"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        (ROOT / "README.md").write_text(readme_with(section()), encoding="utf-8")
    else:
        print(section())
