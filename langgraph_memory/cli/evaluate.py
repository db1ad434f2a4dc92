"""The command that measures recall on a data set, and writes down what it found."""

from __future__ import annotations

import json as jsonlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from langgraph_memory.cli.embed import bar
from langgraph_memory.cli.options import RECIPE_NAMES
from langgraph_memory.cli.output import Output, printable, reporting
from langgraph_memory.errors import InvalidInput

if TYPE_CHECKING:
    from langgraph_memory.evaluation import DataSet, Evaluation, LeftOut

STDOUT = "-"
LEFT_OUT_SHOWN = 10
"""Things left out in the table; --json and --markdown have all of them."""

_RANGE = re.compile(r"(\d+)(?:-(\d+))?")


def evaluate(
    data: Annotated[
        list[Path],
        typer.Argument(
            metavar="DATA...", help="LoCoMo, LongMemEval, REALTALK, or conversations and questions of yours."
        ),
    ],
    recipe: Annotated[list[str] | None, typer.Option(help=f"{RECIPE_NAMES}; repeatable. [default: hybrid]")] = None,
    k: Annotated[
        list[int] | None, typer.Option("--k", min=1, help="Places to measure at; repeatable. [default: 5, 10, 50]")
    ] = None,
    budget: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Tokens of the block to measure within; repeatable. [default: 512, 1024, 2048]"),
    ] = None,
    conversations: Annotated[
        str | None, typer.Option(metavar="N-N", help="Only these of each data set, counted from 0, such as 0-4.")
    ] = None,
    format: Annotated[
        str | None, typer.Option("--format", "-f", metavar="NAME", help="locomo, longmemeval, realtalk or own.")
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option("--memory", "-m", metavar="FOLDER|URL", help="Keep what is recorded here, to be used again."),
    ] = None,
    json: Annotated[
        str | None, typer.Option("--json", metavar="OUT", help="Write everything as JSON; - is stdout.")
    ] = None,
    markdown: Annotated[
        str | None, typer.Option("--markdown", metavar="OUT", help="Write the tables as Markdown.")
    ] = None,
    picture: Annotated[
        str | None, typer.Option("--picture", metavar="OUT.svg", help="Draw R@10 with intervals.")
    ] = None,
    bootstrap: Annotated[int, typer.Option(min=0, help="Resamples for the 95 % intervals; 0 computes none.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Of the resampling.")] = 0,
    by_conversation: Annotated[
        bool, typer.Option("--by-conversation", help="Resample whole conversations, not single questions.")
    ] = False,
) -> None:
    """Measure how often recall finds the evidence of questions; no chat model is used.

    A data set of your own is a file with a JSON object a line: {"speaker": "Ana", "text": "I keep bees.", "id": "a1"}
    for what was said, {"question": "What does Ana keep?", "evidence": ["a1"]} for a question. Words of the turn will
    do as well: "quotes": ["keep bees"].
    """
    with reporting(json == STDOUT) as out:
        from langgraph_memory import evaluation
        from langgraph_memory.evaluation import report
        from langgraph_memory.evaluation.picture import picture as draw

        for target in (json, markdown, picture):
            _check_target(target)
        sets = [_part(evaluation.load(path, format=format), conversations) for path in data]
        out.on_interrupt = lambda: (
            "Interrupted. Nothing was measured" + (f"; what was recorded stays in {memory}." if memory else ".")
        )
        with bar(out) as progress:
            task = progress.add_task("Reading", total=None)

            def told(stage: str, done: int, total: int) -> None:
                progress.update(task, description=stage.capitalize(), completed=done, total=total or None)

            found = evaluation.evaluate(
                sets,
                recipes=recipe or ["hybrid"],
                ks=k or (5, 10, 50),
                budgets=budget or (512, 1024, 2048),
                memory=memory,
                resamples=bootstrap,
                seed=seed,
                clustered=by_conversation,
                on_progress=told,
            )
        if out.json:
            out.document(report.as_json(found))
        else:
            _show(out, found)
        _write(json, lambda: jsonlib.dumps(report.as_json(found), ensure_ascii=False, indent=1) + "\n")
        _write(markdown, lambda: report.markdown(found))
        _write(picture, lambda: draw(found))


def _part(data: DataSet, conversations: str | None) -> DataSet:
    if conversations is None:
        return data
    match = _RANGE.fullmatch(conversations.strip())
    if match is None:
        raise typer.BadParameter("write one number or two, such as 3 or 0-4", param_hint="--conversations")
    return data.part(int(match[1]), int(match[2] or match[1]))


def _check_target(target: str | None) -> None:
    """Find out before the work whether its result can be written."""
    if (
        target is not None
        and target != STDOUT
        and (Path(target).is_dir() or not Path(target).absolute().parent.is_dir())
    ):
        raise InvalidInput(f"{target} cannot be written: it is a folder, or the folder that it lies in does not exist.")


def _write(target: str | None, text: Callable[[], str]) -> None:
    if target is None or target == STDOUT:
        return
    try:
        Path(target).write_text(text(), encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{target} cannot be written: {error.strerror or error}.") from error


def _show(out: Output, found: Evaluation) -> None:
    from langgraph_memory.evaluation import report
    from langgraph_memory.evaluation.tables import tables

    for run in report.first_runs(found):
        out.screen.print(printable(report.filling(run)), soft_wrap=True)
        _show_left_out(out.screen, run.left_out)
    for run in found.runs:
        for note in run.notes:
            out.notice(f"{printable(run.data)}, {printable(run.recipe)}: {printable(note)}")
    for table in tables(found, out.screen.width):
        out.screen.print()
        out.screen.print(table)


def _show_left_out(console: Console, left_out: tuple[LeftOut, ...]) -> None:
    from langgraph_memory.evaluation import report

    if not left_out:
        return
    console.print(f"Left out: {report.counted(left_out)}")
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("line", justify="right")
    table.add_column("where", overflow="fold")
    table.add_column("reason", overflow="fold")
    for left in left_out[:LEFT_OUT_SHOWN]:
        line = "" if left.line is None else str(left.line)
        place = Text(printable(f"{left.conversation}, {left.where}"))
        table.add_row(line, place, Text(printable(left.reason), style="yellow"))
    console.print(table)
    if len(left_out) > LEFT_OUT_SHOWN:
        console.print(f"and {len(left_out) - LEFT_OUT_SHOWN:,} more; --json and --markdown list all of them")
