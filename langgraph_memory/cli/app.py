"""The command line: `langgraph-memory demo`, `ingest`, `recall`, and a command for each verb of `Memory`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from langgraph_memory.cli import change, demo, ingest, read, upkeep

app = typer.Typer(
    name="langgraph-memory",
    help="Long-term memory for LangGraph agents: verbatim, searchable, correctable. Times are UTC.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # they print local variables, which hold what people said
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("demo")(demo.demo)
app.command("ingest")(ingest.ingest)
app.command("recall")(read.recall)
app.command("show")(read.show_session)
app.command("sessions")(read.sessions)
app.command("list")(read.list_memories)
app.command("add")(change.add)
app.command("history")(read.history)
app.command("forget")(change.forget)
app.command("restore")(change.restore)
app.command("erase")(change.erase)
app.command("export")(read.export)
app.command("doctor")(upkeep.doctor)
app.command("reindex")(upkeep.reindex)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(version("langgraph-memory-plugin"))
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")  # a narrow terminal shows ? for what it lacks, and no traceback
    app()


if __name__ == "__main__":
    main()
