"""The command that takes a file of conversations in, shows how far it is, and reports what became of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from langgraph_memory.cli.embed import bar, embed
from langgraph_memory.cli.options import (
    DEFAULT_MEMORY,
    ChromaOption,
    JsonOption,
    MemoryOption,
    NoEmbedOption,
    ScopeOption,
    exists,
    needed_scope,
    opened,
)
from langgraph_memory.cli.output import Output, plain, printable, reporting
from langgraph_memory.errors import LangGraphMemoryError

if TYPE_CHECKING:
    from langgraph_memory.flows.ingest import IngestReport
    from langgraph_memory.memory import Memory
    from langgraph_memory.scope import Scope

REFUSALS_SHOWN = 20
"""Refusals in the table; --json has all of them."""


def ingest(
    file: Annotated[Path, typer.Argument(help="ChatGPT, Claude, LangGraph, OpenAI, LoCoMo or an export of ours.")],
    memory: MemoryOption = DEFAULT_MEMORY,
    scope: ScopeOption = None,
    chroma: ChromaOption = None,
    format: Annotated[
        str | None, typer.Option("--format", "-f", metavar="NAME", help="What it is written in, where it is not seen.")
    ] = None,
    no_embed: NoEmbedOption = False,
    json: JsonOption = False,
) -> None:
    """Record the conversations of a file. Safe to repeat: nothing is taken twice."""
    with reporting(json) as out:
        where = needed_scope(scope)
        if not exists(memory):
            from langgraph_memory.importing import read_file

            read_file(file, format)  # a wrong file must not leave an empty memory behind
        with opened(memory, chroma, create=True) as store:
            report = take_in(store, file, where, format, out)
            embedding = None if no_embed else embed(store, out, report.messages_added + report.memories_added)
        if out.json:
            out.document({**plain(report), "scope": where, "embedding": plain(embedding)})
        else:
            show_report(out.screen, report)
            if no_embed and (report.messages_added or report.memories_added):
                out.notice("Not embedded yet: recall finds most of it by words only until `reindex` has run.")


def take_in(store: Memory, file: Path, scope: Scope, format: str | None, out: Output) -> IngestReport:
    """Ingest under a progress bar; an interruption says what was recorded before it."""
    latest: list[IngestReport] = []
    out.on_interrupt = lambda: f"Interrupted. {_recorded(latest)} Run the same command again to go on."
    try:
        with bar(out) as progress:
            task = progress.add_task("Reading", total=None)

            def advance(so_far: IngestReport) -> None:
                latest[:] = [so_far]
                done = so_far.messages_added + so_far.messages_skipped
                progress.update(task, completed=done, description=f"Reading, {so_far.sessions:,} sessions")

            report = store.ingest(file, scope=scope, format=format, on_progress=advance)
    except LangGraphMemoryError:
        if latest:
            out.notice(f"Stopped. {_recorded(latest)}")
        raise
    latest[:] = [report]
    return report


def _recorded(latest: list[IngestReport]) -> str:
    if not latest:
        return "Nothing was recorded."
    report = latest[0]
    return (
        f"{report.messages_added:,} messages and {report.memories_added:,} memories were recorded and stay, "
        f"from {report.sessions:,} sessions."
    )


def show_report(console: Console, report: IngestReport) -> None:
    """Show what was read, added, there already, and refused."""
    head = Text.assemble((printable(report.path), "bold"), f" read as {report.format}: {report.sessions:,} sessions")
    console.print(head, soft_wrap=True)  # a path that is wrapped can be neither copied nor found
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("")
    table.add_column("added", justify="right")
    table.add_column("already there", justify="right")
    table.add_row("messages", f"{report.messages_added:,}", f"{report.messages_skipped:,}")
    if report.memories_added or report.memories_skipped:
        table.add_row("memories", f"{report.memories_added:,}", f"{report.memories_skipped:,}")
    console.print(table)
    if report.refusals:
        _show_refusals(console, report)


def _show_refusals(console: Console, report: IngestReport) -> None:
    left_out = sum(refusal.skipped for refusal in report.refusals)
    heads = {"Refused": len(report.refusals) - left_out, "Left out on purpose": left_out}
    console.print(", ".join(f"{words}: {count:,}" for words, count in heads.items() if count))
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("line", justify="right")
    table.add_column("where", overflow="fold")
    table.add_column("reason", overflow="fold")
    rows: list[Any] = sorted(report.refusals, key=lambda refusal: refusal.skipped)[:REFUSALS_SHOWN]
    for refusal in rows:
        line = "" if refusal.line is None else str(refusal.line)
        style = "dim" if refusal.skipped else "yellow"
        table.add_row(line, Text(printable(refusal.where)), Text(printable(refusal.reason), style=style))
    console.print(table)
    if len(report.refusals) > REFUSALS_SHOWN:
        console.print(f"and {len(report.refusals) - REFUSALS_SHOWN:,} more; --json lists all of them")
