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
    lines += ["", "| data set | questions | R@5 | R@10 | MRR | in 1,024 tokens |", "|---|---|---|---|---|---|"]
    for name, scores in results["evidence_recall"].items():
        numbers = " | ".join(f"{scores[column]:.3f}" for column in ("R@5", "R@10", "MRR", "R@1k"))
        lines.append(f"| {name} | {scores['n']:,} | {numbers} |")
    lines += ["", "| speed and cost, embedding and chat model excluded | |", "|---|---|"]
    lines += [
        f"| {what} | {value:,.2f} {unit} |"
        for what, (value, unit) in {**results["speed"], **results["agent turn"], **results["distilling"]}.items()
    ]
    return "\n".join(lines)


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
