"""Output has two readers: people get text, and programs get one JSON document on stdout."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import typer
from rich.console import Console

from langgraph_memory.cli.wording import for_a_shell
from langgraph_memory.errors import LangGraphMemoryError
from langgraph_memory.scope import Scope

INTERRUPTED = 130
"""Exit code of a program that Ctrl-C ended: 128 + SIGINT, as shells have it."""


class Output:
    """Where one command writes; `json` decides for whom."""

    def __init__(self, *, json: bool) -> None:
        self.json = json
        # Markup, emoji codes and highlighting are off: what people said is shown as they said it.
        self.screen = Console(markup=False, emoji=False, highlight=False)
        self.side = Console(stderr=True, markup=False, emoji=False, highlight=False)
        self.on_interrupt: Callable[[], str] = lambda: "Interrupted."

    def document(self, value: Any) -> None:
        """Write the one JSON document of this command."""
        text = json.dumps(plain(value), ensure_ascii=not _speaks_unicode(), indent=2)
        typer.echo(text)

    def notice(self, text: str) -> None:
        """Tell a person something beside the result."""
        self.side.print(text, soft_wrap=True)

    def fail(self, error: Exception) -> None:
        """Say what went wrong, to both readers."""
        if self.json:
            self.document({"error": {"type": type(error).__name__, "message": _message(error)}})
        typer.echo(f"error: {printable(_message(error))}", err=True)


@contextmanager
def reporting(json: bool) -> Iterator[Output]:
    """Give the output of one command, and turn its expected errors into one line and an exit code."""
    output = Output(json=json)
    try:
        yield output
    except LangGraphMemoryError as error:
        output.fail(error)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        message = output.on_interrupt()
        if json:
            output.document({"error": {"type": "Interrupted", "message": message}})
        output.notice(message)
        raise typer.Exit(INTERRUPTED) from None


def asks_for_json(arguments: Sequence[str]) -> bool:
    """Say whether a command line that could not be read asks for JSON; `--` ends its options."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options


def plain(value: Any) -> Any:
    """Return any of our values as what JSON knows: dataclasses by field, times as ISO 8601, scopes as lists."""
    if isinstance(value, Scope):
        return list(value.segments)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return [plain(item) for item in value]
    return value


def printable(text: str) -> str:
    """Return the text without characters that command a terminal; recorded text must not move its cursor."""
    if text.isprintable():
        return text
    return "".join(char if char in "\n\t" or not _commands(char) else "\ufffd" for char in text)


def _commands(char: str) -> bool:
    return char < " " or "\x7f" <= char <= "\x9f" or "\ud800" <= char <= "\udfff"


def _message(error: Exception) -> str:
    return for_a_shell(" ".join(str(error).split()))


def _speaks_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
