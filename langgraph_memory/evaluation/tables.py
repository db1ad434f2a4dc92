"""The tables of an evaluation in a terminal: as many columns side by side as it is wide, the others below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from langgraph_memory.evaluation.report import headline, means, times
from langgraph_memory.evaluation.results import Evaluation, Run

LABEL = 28
"""Columns of the screen that the name of a row may take; a longer one goes on in the next line."""

_GAP = 2

_Row = tuple[str, Sequence[str]]
"""Its name, and a cell for each column."""


def tables(evaluation: Evaluation, width: int = 140) -> Iterator[Table]:
    """Yield the tables of each run, then those of the differences on each data set.

    Args:
        width: of the screen; no number and no word of a heading is ever cut.
    """
    measures = headline(evaluation)
    for run in evaluation.runs:
        heads = ["n", *measures, "ms p50", "ms p95"]
        yield from _stacked(f"{run.data}, {run.recipe}", heads, _rows(run, measures, evaluation.resamples), width)
    ends = ("mean", "low", "high") if evaluation.resamples else ("mean",)
    for data in dict.fromkeys(item.data for item in evaluation.comparisons):
        rows: list[_Row] = []
        for item in evaluation.comparisons:
            if item.data == data:
                for end, name in zip(ends, (f"{item.recipe} - {item.than}", "  95 % from", "  to"), strict=False):
                    rows.append((name, [f"{getattr(item.differences[measure], end):+.3f}" for measure in measures]))
        yield from _stacked(f"{data}, differences on the same questions", measures, rows, width)


def _rows(run: Run, measures: Sequence[str], resamples: int) -> list[_Row]:
    rows: list[_Row] = []
    for group in run.groups:
        rows.append((group.name, [f"{group.questions:,}", *means(group, measures), *times(group)]))
        if group is run.overall and resamples:
            for name, end in (("  95 % from", "low"), ("  to", "high")):
                limits = [f"{getattr(group.scores[measure], end):.3f}" for measure in measures]
                rows.append((name, ["", *limits, "", ""]))
    return rows


def _stacked(title: str, heads: Sequence[str], rows: Sequence[_Row], width: int) -> Iterator[Table]:
    """Yield one table, or several where the columns do not fit beside each other; each has the names of the rows."""
    named = min(LABEL, max(cell_len(name) for name, _ in rows))
    widths = [
        max(cell_len(word) for word in (*head.split(), *(cells[place] for _, cells in rows)))
        for place, head in enumerate(heads)
    ]
    begin = 0
    while begin < len(heads):
        end, taken = begin + 1, named + _GAP + widths[begin]
        while end < len(heads) and taken + _GAP + widths[end] <= width:
            taken += _GAP + widths[end]
            end += 1
        table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, _GAP, 0, 0))
        table.title, table.title_justify, table.title_style = Text(title if not begin else ""), "left", "bold"
        table.add_column("", width=named, overflow="fold")
        for place in range(begin, end):
            table.add_column(heads[place], justify="right", width=widths[place], vertical="bottom")
        for name, cells in rows:
            if any(cells[begin:end]):  # times have no intervals
                table.add_row(Text(name), *cells[begin:end])
        yield table
        begin = end
