"""The command line: `langgraph-memory demo`, `ingest`, `recall`, and a command for each verb of `Memory`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from langgraph_memory.cli import change, demo, distil, evaluate, ingest, read, upkeep
from langgraph_memory.cli.output import Output, asks_for_json

UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""What is wrong with a command line; Typer takes it from Click or, in newer versions, from a copy of its own."""


class _Commands(TyperGroup):
    """The commands, whose usage errors reach programs too: whoever asks for JSON gets JSON, whatever was wrong."""

    def main(self, args: Sequence[str] | None = None, *more: Any, **options: Any) -> Any:
        """Run the command line."""
        self._args = list(sys.argv[1:] if args is None else args)
        return super().main(self._args, *more, **options)

    def make_context(self, *args: Any, **options: Any) -> Any:
        """Read the arguments that stand before the command."""
        with self._told():
            return super().make_context(*args, **options)

    def invoke(self, ctx: Any) -> Any:
        """Read the arguments of the command and run it."""
        with self._told():
            return super().invoke(ctx)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except UsageError as error:  # Typer itself says it on stderr and exits with 2
            if asks_for_json(self._args):
                message = error.format_message()  # type: ignore[attr-defined]
                Output(json=True).document({"error": {"type": "UsageError", "message": message}})
            raise


app = typer.Typer(
    name="langgraph-memory",
    cls=_Commands,
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
app.command("remember")(distil.remember)
app.command("consolidate")(distil.consolidate)
app.command("undo")(distil.undo)
app.command("entities")(distil.entities)
app.command("erase")(change.erase)
app.command("export")(read.export)
app.command("evaluate")(evaluate.evaluate)
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
    try:
        app()
    except OSError as error:  # the disk that the output goes to is full, for example
        with suppress(OSError):  # what is left in the buffer would fail again at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        with suppress(OSError):
            print(f"error: the output cannot be written: {error.strerror or error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
