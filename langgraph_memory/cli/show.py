"""Shows what memory holds to people: who said it, when, in which conversation, and how to name it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from langgraph_memory.cli.output import printable
from langgraph_memory.retrieval.explain import Part, explain

if TYPE_CHECKING:
    from langgraph_memory.maintenance.doctor import Check
    from langgraph_memory.records import Answer, Change, Entry, Hit, MemoryRecord, Report, Session

_MARKS = {"ok": "green", "warning": "yellow", "problem": "bold red"}
_DONE = {
    "added": "Added",
    "reinforced": "Known already, and now asserted once more",
    "skipped": "Nothing to do",
    "refused": "Refused",
    "failed": "Failed",
    "retired": "Forgotten",
    "restored": "Restored",
}


def answer(console: Console, found: Answer, *, explain: bool) -> None:
    """Show the hits with the lines around them, then what was not found, then remarks."""
    if not found.hits:
        console.print("Nothing found.")
    for rank, hit in enumerate(found.hits, 1):
        _hit(console, rank, hit)
    if explain and found.hits:
        console.print(signals(found.hits))
        console.print()
    for gap in found.gaps:
        console.print(Text.assemble(("Not found: ", "yellow"), printable(gap.asked), f" ({gap.reason})"))
    for note in found.notes:
        console.print(Text.assemble(("Note: ", "yellow"), printable(note)))


def _hit(console: Console, rank: int, hit: Hit) -> None:
    place = f"session {hit.session_id}" if hit.session_id is not None else hit.kind
    head = Text.assemble(
        (f"{rank}. ", "bold"), (printable(hit.speaker), "bold cyan"), f", {day(hit.said_at)}, ", printable(place),
        (f"  score {hit.score:.2f}  id {printable(hit.id)}", "dim"),
    )  # fmt: skip
    console.print(head)
    for line in hit.before:
        _around(console, line.speaker, line.text)
    indented(console, Text(printable(hit.text.strip())))
    for line in hit.after:
        _around(console, line.speaker, line.text)
    console.print()


def _around(console: Console, speaker: str, text: str) -> None:
    line = Text(f"     ({printable(speaker)}: {' '.join(printable(text).split())})", style="dim")
    line.truncate(console.width, overflow="ellipsis")
    console.print(line, no_wrap=True)


def signals(hits: Sequence[Hit]) -> Table:
    """Return the table of what made each score: shares that add up to it, and each signal's own number in brackets."""
    told = [{part.name: part for part in explain(hit).parts} for hit in hits]
    names = list(dict.fromkeys(name for parts in told for name in parts))
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.title, table.title_style = "share of the score (raw signal)", "dim"
    for name in ("", "score", *(name.replace("_", " ") for name in names)):
        table.add_column(name, justify="right")
    for rank, (hit, parts) in enumerate(zip(hits, told, strict=True), 1):
        table.add_row(f"{rank}.", f"{hit.score:.3f}", *(_share(parts.get(name)) for name in names))
    return table


def _share(part: Part | None) -> str:
    if part is None:
        return "-"
    return f"{part.value:.3f}" + ("" if part.raw is None else f" ({part.raw:.2f})")


def entries(console: Console, lines: Iterable[Entry]) -> None:
    """Show what was said in one conversation, in order, with a heading for each day."""
    shown = None
    for line in lines:
        said = day(line.observed_at)
        if said != shown:
            console.print(Text(said, style="bold"))
            shown = said
        state = "  forgotten" if line.retired_at is not None else "  replaced" if line.replaced_by is not None else ""
        head = Text.assemble(
            (f"{line.observed_at:%H:%M} ", "dim"), (printable(line.speaker), "bold cyan"),
            (f"  id {printable(line.message_id)}", "dim"), (state, "yellow"),
        )  # fmt: skip
        console.print(head)
        indented(console, Text(printable(line.text.strip()) or "(no text)"))


def sessions(console: Console, found: Sequence[Session]) -> None:
    """Show conversations as a table, the most recent first."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("session", overflow="fold")
    table.add_column("messages", justify="right")
    table.add_column("first", no_wrap=True)
    table.add_column("last", no_wrap=True)
    table.add_column("scope", overflow="fold")
    for item in found:
        table.add_row(
            Text(printable(item.session_id), style="cyan"), f"{item.entries:,}", day(item.started_at),
            day(item.last_at), Text(printable(str(item.scope))),
        )  # fmt: skip
    console.print(table)


def memories(console: Console, found: Iterable[MemoryRecord], now: datetime) -> None:
    """Show memories with what a person needs to judge or to name them."""
    for record in found:
        facts = [record.kind, f"since {day(record.valid_from)}", f"by {printable(record.actor)}"]
        if record.valid_to is not None:
            facts.append(f"until {day(record.valid_to)}")
        if record.reinforced:
            facts.append(f"asserted {record.reinforced + 1} times")
        if record.pinned:
            facts.append("pinned")
        if record.retired_at is not None:
            facts.append(f"retired {day(record.retired_at)}: {printable(record.reason or 'no reason given')}")
        elif not record.is_live(now):
            facts.append("not live now")
        console.print(Text.assemble((record.id, "cyan"), ("  " + ", ".join(facts), "dim")))
        indented(console, Text(printable(record.text)))


def history(console: Console, changes: Iterable[Change]) -> None:
    """Show what was done to a memory, oldest first."""
    for change in changes:
        head = Text.assemble(
            (minute(change.at), "dim"), "  ", (change.action, "bold"), f" by {printable(change.actor)}",
        )  # fmt: skip
        if change.reason:
            head.append(f": {printable(change.reason)}")
        console.print(head)
        before, after = ((state or {}).get("text") for state in (change.before, change.after))
        if before and before != after:
            indented(console, Text.assemble(("was  ", "dim"), printable(str(before))))
        if after:
            indented(console, Text(printable(str(after))))


def report(console: Console, done: Report) -> None:
    """Show what a write did, item by item."""
    for name, words in _DONE.items():
        for outcome in getattr(done, name):
            line = Text.assemble((words, "bold"), ": ", printable(outcome.text))
            if outcome.reason:
                line.append(f" ({printable(outcome.reason)})")
            if outcome.id is not None:
                line.append(f"  id {printable(outcome.id)}", style="dim")
            console.print(line)


def checks(console: Console, found: Iterable[Check]) -> None:
    """Show the findings of the doctor, with the advice under each that is not well."""
    for check in found:
        console.print(
            Text.assemble((f"{check.status:<8} ", _MARKS[check.status]), (check.name, "bold"), f": {check.finding}"),
            soft_wrap=True,  # findings name paths
        )
        if check.advice is not None:
            indented(console, Text(check.advice, style="yellow"), 9)


def indented(console: Console, text: Text, by: int = 3) -> None:
    """Print a text wrapped to the width, each line moved to the right and without blanks at its end."""
    for line in text.wrap(console, max(console.width - by, 20)):
        line.rstrip()
        console.print(Text(" " * by).append_text(line) if line else Text(), soft_wrap=True)


def day(moment: datetime) -> str:
    """Return the day in UTC, as every date here is."""
    return f"{moment.astimezone(UTC):%Y-%m-%d}"


def minute(moment: datetime) -> str:
    """Return day and time in UTC."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M}"
