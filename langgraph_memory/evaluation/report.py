"""An evaluation is written down: as Markdown, and as JSON with everything in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal

from langgraph_memory.evaluation.datasets import LeftOut
from langgraph_memory.evaluation.results import Asked, Evaluation, Group, Run

_WORDS: Mapping[Literal["question", "evidence", "turn"], str] = {
    "question": "questions",
    "evidence": "pieces of evidence",
    "turn": "turns, or groups of them",
}


def headline(evaluation: Evaluation) -> list[str]:
    """Return the measures that tables show: every recall, MRR, one nDCG and one of the sessions; JSON has all."""
    names = evaluation.measures
    gains = [name for name in names if name.startswith("nDCG@")]
    gain = "nDCG@10" if "nDCG@10" in gains else gains[0]
    session = next(name for name in names if name.startswith("session hit@"))
    recalls = [name for name in names if name.startswith("R@")]
    ranked = names[: names.index("MRR")]
    return [*ranked, "MRR", gain, *(name for name in recalls if name not in ranked), session]


def means(group: Group, measures: Sequence[str]) -> list[str]:
    """Return the cells of a group's mean scores."""
    return [f"{group.scores[name].mean:.3f}" for name in measures]


def times(group: Group) -> tuple[str, str]:
    """Return the cells of a group's times in milliseconds, median and 95th percentile."""
    return f"{group.p50_ms:.1f}", f"{group.p95_ms:.1f}"


def first_runs(evaluation: Evaluation) -> list[Run]:
    """Return the first run of each data set, in order: what belongs to the set and not to the recipe is told once."""
    firsts: dict[str, Run] = {}
    for run in evaluation.runs:
        firsts.setdefault(run.data, run)
    return list(firsts.values())


def filling(run: Run) -> str:
    """Return in words what was recorded before the questions, and how long it took."""
    filled = run.filled
    known = "" if filled.new == filled.turns else f", {filled.turns - filled.new:,} of them known before"
    return (
        f"{run.data}: {filled.turns:,} turns in {filled.conversations:,} "
        f"{'conversation' if filled.conversations == 1 else 'conversations'}{known}, recorded in "
        f"{filled.recording_seconds:.1f} s, embedded and indexed in {filled.embedding_seconds:.1f} s"
    )


def counted(left_out: Sequence[LeftOut]) -> str:
    """Return in words how much of a data set was not measured."""
    counts = Counter(left.what for left in left_out)
    return ", ".join(f"{counts[what]:,} {words}" for what, words in _WORDS.items() if counts[what])


def markdown(evaluation: Evaluation) -> str:
    """Return the whole report as Markdown: all questions, categories, differences, and what was left out."""
    measures = headline(evaluation)
    lines = ["# Recall, measured", "", *_overall(evaluation, measures)]
    for run in evaluation.runs:
        if len(run.groups) > 1:
            lines += ["", f"## {_cell(run.data)}, {_cell(run.recipe)}", ""]
            lines += _grid(["category", "n", *measures, "ms p50", "ms p95"], map(_row(measures), run.groups))
    if evaluation.comparisons:
        rows = (
            [item.data, f"{item.recipe} - {item.than}"]
            + [
                f"{item.differences[name].mean:+.3f}"
                + (f" ({item.differences[name].low:+.3f} to {item.differences[name].high:+.3f})" if drawn else "")
                for name in measures
            ]
            for item in evaluation.comparisons
            for drawn in (evaluation.resamples,)
        )
        lines += ["", "## Differences on the same questions", "", *_grid(["data set", "recipes", *measures], rows)]
    firsts = first_runs(evaluation)
    remarks = [f"* {_cell(filling(run))}." for run in firsts]
    remarks += [
        f"* {_cell(run.data)}, {_cell(run.recipe)}: {_cell(note)}." for run in evaluation.runs for note in run.notes
    ]
    for run in firsts:
        if run.left_out:
            remarks.append(f"* Left out of {_cell(run.data)}: {counted(run.left_out)}.")
            remarks += [f"  * {_cell(_place(left))}: {_cell(left.reason)}" for left in run.left_out]
    return "\n".join([*lines, "", "## How it was measured", "", *remarks, f"* {_method(evaluation)}"]) + "\n"


def _overall(evaluation: Evaluation, measures: Sequence[str]) -> list[str]:
    def row(run: Run) -> list[str]:
        group = run.overall
        cells = [_with_interval(group, name) if evaluation.resamples else means(group, [name])[0] for name in measures]
        return [run.data, run.recipe, f"{group.questions:,}", *cells, *times(group)]

    return _grid(["data set", "recipe", "n", *measures, "ms p50", "ms p95"], map(row, evaluation.runs))


def _row(measures: Sequence[str]) -> Any:
    return lambda group: [group.name, f"{group.questions:,}", *means(group, measures), *times(group)]


def _with_interval(group: Group, name: str) -> str:
    score = group.scores[name]
    return f"{score.mean:.3f} ({score.low:.3f} to {score.high:.3f})"


def _grid(heads: Sequence[str], rows: Any) -> list[str]:
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    return lines + [f"| {' | '.join(map(_cell, row))} |" for row in rows]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _place(left: LeftOut) -> str:
    line = "" if left.line is None else f"line {left.line}, "
    return f"{line}{left.conversation}, {left.where}"


def _method(evaluation: Evaluation) -> str:
    if not evaluation.resamples:
        return "No intervals were computed."
    what = "conversations" if evaluation.clustered else "questions"
    return (
        f"In brackets: 95 % percentile bootstrap over {what}, {evaluation.resamples:,} resamples, "
        f"seed {evaluation.seed}."
    )


def as_json(evaluation: Evaluation) -> dict[str, Any]:
    """Return everything as JSON-plain values: every run with every measure, and every question with its scores."""
    return {
        "measures": list(evaluation.measures),
        "bootstrap": {
            "resamples": evaluation.resamples,
            "seed": evaluation.seed,
            "over": "conversations" if evaluation.clustered else "questions",
        },
        "runs": [
            {
                "data": run.data,
                "recipe": run.recipe,
                "filled": asdict(run.filled),
                "groups": [asdict(group) for group in run.groups],
                "left_out": [asdict(left) for left in run.left_out],
                "notes": list(run.notes),
                "questions": list(map(_question, run.asked)),
            }
            for run in evaluation.runs
        ],
        "comparisons": [asdict(item) for item in evaluation.comparisons],
    }


def _question(asked: Asked) -> dict[str, Any]:
    question = asked.question
    return {
        "conversation": asked.conversation,
        "id": question.id,
        "text": question.text,
        "category": question.category,
        "evidence": sorted(question.evidence),
        "asked_at": None if question.asked_at is None else question.asked_at.isoformat(),
        "scores": dict(asked.scores),
        "ms": round(asked.seconds * 1000, 3),
    }
