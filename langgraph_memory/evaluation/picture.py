"""An evaluation as a picture: a bar for each data set and recipe, with its confidence interval, in plain SVG."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from langgraph_memory.errors import InvalidInput
from langgraph_memory.evaluation.results import Evaluation, Run

_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000")
"""Told apart with any colour vision (Okabe and Ito 2008)."""

_BAR, _GAP, _HEIGHT = 44, 36, 260  # pixels: a bar's width, the space between data sets, the height of 1.0
_LEFT, _TOP, _BELOW, _LETTER = 48, 64, 40, 7


def picture(evaluation: Evaluation, measure: str | None = None) -> str:
    """Return a bar chart of one measure as an SVG document.

    Args:
        evaluation: what to show.
        measure: one of its measures; R@10 where there is one, else the first.

    Raises:
        InvalidInput: there is no such measure.
    """
    shown = measure or ("R@10" if "R@10" in evaluation.measures else evaluation.measures[0])
    if shown not in evaluation.measures:
        raise InvalidInput(f"There is no measure {shown!r}. There are {', '.join(evaluation.measures)}.")
    by_data: dict[str, list[Run]] = {}
    for run in evaluation.runs:
        by_data.setdefault(run.data, []).append(run)
    recipes = list(dict.fromkeys(run.recipe for run in evaluation.runs))
    colour = {recipe: _COLOURS[number % len(_COLOURS)] for number, recipe in enumerate(recipes)}
    bars: list[str] = []
    at = _LEFT + _GAP
    for name, runs in by_data.items():
        width = max(_BAR * len(runs), len(name) * _LETTER)
        for number, run in enumerate(runs):
            left = at + (width - _BAR * len(runs)) / 2 + number * _BAR
            bars += _bar(run, shown, left, colour[run.recipe], intervals=evaluation.resamples > 0)
        bars.append(_text(at + width / 2, _y(0) + 20, name))
        at += width + _GAP
    title = f"{shown} by data set and recipe"
    subtitle = "with 95 % bootstrap intervals" if evaluation.resamples else ""
    width = max(at, _LEFT + sum(_legend_width(recipe) for recipe in recipes), _LEFT + len(title) * 8) + 16
    height = _y(0) + _BELOW
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="sans-serif" font-size="12" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>',
        _text(_LEFT, 20, title, anchor="start", more=' font-weight="bold"'),
        _text(width - 16, 20, subtitle, anchor="end", more=' fill="#666666"'),
        *_legend(colour),
        *_grid(width),
        *bars,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _y(value: float) -> float:
    return _TOP + _HEIGHT * (1 - value)


def _bar(run: Run, measure: str, left: float, colour: str, *, intervals: bool) -> Iterator[str]:
    score = run.overall.scores[measure]
    top, middle = _y(score.mean), left + _BAR / 2
    words = f"{run.data}, {run.recipe}: {score.mean:.3f}"
    if intervals:
        words += f" ({score.low:.3f} to {score.high:.3f})"
    yield (
        f'<rect class="bar" x="{left + 3:g}" y="{top:.2f}" width="{_BAR - 6}" height="{_y(0) - top:.2f}" '
        f'fill="{colour}"><title>{escape(words)}</title></rect>'
    )
    label = top
    if intervals:
        low, high = _y(score.low), _y(score.high)
        label = min(top, high)
        ends = "".join(f"M{middle - 5:g} {end:.2f}h10" for end in (low, high))
        yield f'<path class="interval" d="M{middle:g} {low:.2f}V{high:.2f}{ends}" stroke="#333333" fill="none"/>'
    yield _text(middle, label - 5, f"{score.mean:.3f}")


def _grid(width: float) -> Iterator[str]:
    for tenth in range(0, 11, 2):
        y = _y(tenth / 10)
        yield f'<path d="M{_LEFT} {y:g}H{width - 16:g}" stroke="#{"666666" if tenth == 0 else "dddddd"}"/>'
        yield _text(_LEFT - 8, y + 4, f"{tenth / 10:.1f}", anchor="end")


def _legend(colour: dict[str, str]) -> Iterator[str]:
    at = _LEFT
    for recipe, fill in colour.items():
        yield f'<rect x="{at}" y="31" width="10" height="10" fill="{fill}"/>'
        yield _text(at + 15, 40, recipe, anchor="start")
        at += _legend_width(recipe)


def _legend_width(recipe: str) -> int:
    return 34 + len(recipe) * _LETTER


def _text(x: float, y: float, words: str, *, anchor: str = "middle", more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{more}>{escape(words)}</text>' if words else ""
