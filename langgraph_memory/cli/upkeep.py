"""The commands that look after the store itself: doctor and reindex."""

from __future__ import annotations

import typer

from langgraph_memory.cli import show
from langgraph_memory.cli.embed import watched
from langgraph_memory.cli.options import DEFAULT_MEMORY, ChromaOption, JsonOption, MemoryOption, opened
from langgraph_memory.cli.output import reporting


def doctor(
    memory: MemoryOption = DEFAULT_MEMORY,
    chroma: ChromaOption = None,
    json: JsonOption = False,
) -> None:
    """Examine the installation and the store; exit code 1 where something is wrong."""
    with reporting(json) as out:
        with opened(memory, chroma) as store:
            checks = store.doctor()
        healthy = all(check.status != "problem" for check in checks)
        if out.json:
            out.document({"healthy": healthy, "checks": checks})
        else:
            show.checks(out.screen, checks)
    if not healthy:
        raise typer.Exit(1)


def reindex(
    memory: MemoryOption = DEFAULT_MEMORY,
    chroma: ChromaOption = None,
    json: JsonOption = False,
) -> None:
    """Build every index anew from what was recorded; only what has no vector yet is embedded."""
    with reporting(json) as out:
        out.on_interrupt = lambda: "Interrupted. Nothing recorded is lost; run reindex again to go on."
        with opened(memory, chroma) as store:
            done = watched(out, "Reindexing", None, store.reindex)
        if out.json:
            out.document(done)
        else:
            out.screen.print(f"{done.indexed:,} rows are in the vector index.", soft_wrap=True)
