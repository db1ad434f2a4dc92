"""Waits until everything recorded is embedded and indexed, with a bar to watch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from langgraph_memory.cli.output import Output

if TYPE_CHECKING:
    from langgraph_memory.maintenance import indexer
    from langgraph_memory.memory import Memory


def embed(store: Memory, out: Output, expected: int | None = None) -> indexer.Progress:
    """Embed and index what is owed, of which `expected` texts are new, and say what is left and why."""
    return watched(out, "Embedding", expected or None, store.flush)


def watched(
    out: Output,
    title: str,
    expected: int | None,
    work: Callable[[Callable[[int, int], None]], indexer.Progress],
) -> indexer.Progress:
    """Run a flush or a reindexing under a progress bar; `work` is told whom to report to."""
    with bar(out) as progress:
        task = progress.add_task(title, total=expected)

        def advance(embedded: int, indexed: int) -> None:
            indexing = expected is not None and embedded >= expected
            progress.update(
                task, completed=indexed if indexing else embedded, description="Indexing" if indexing else title
            )

        done = work(advance)
    if done.reason is not None:
        left = ", ".join(f"{count:,} to {stage}" for stage, count in (done.left or {}).items())
        out.notice(f"Left for later: {left}; {done.reason}.")
    return done


@contextmanager
def bar(out: Output) -> Iterator[Progress]:
    """Give a progress bar on stderr, which shows nothing where stderr is no terminal."""
    columns = (
        SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(),
        TimeElapsedColumn(),
    )  # fmt: skip
    with Progress(*columns, console=out.side, transient=True, disable=not out.side.is_terminal) as progress:
        yield progress
