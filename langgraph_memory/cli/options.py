"""The options that commands share: which memory, whose scope, and in which form the answer comes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from langgraph_memory.errors import NotFound
from langgraph_memory.retrieval.recipe import RECIPES
from langgraph_memory.scope import Scope

if TYPE_CHECKING:
    from langgraph_memory.memory import Memory

SCOPE_VARIABLE = "LANGGRAPH_MEMORY_SCOPE"


def moment(text: str | datetime) -> datetime:
    """Return the time that ISO 8601 text names; without a zone it is UTC."""
    from langgraph_memory.sessions.messages import to_moment

    try:
        found = to_moment(text)
    except ValueError as error:
        raise typer.BadParameter(f"it {error}; write 2026-05-31 or 2026-05-31T18:00") from None
    assert found is not None
    return found


MemoryOption = Annotated[
    str,
    typer.Option(
        "--memory", "-m", envvar="LANGGRAPH_MEMORY", metavar="FOLDER|URL", help="A folder, or postgresql://..."
    ),
]
ScopeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--scope",
        "-s",
        metavar="SEGMENT",
        help="Whose memory: one segment each time, widest first (-s acme -s alice). "
        f"[env var: {SCOPE_VARIABLE}, as acme/alice]",
        show_default=False,
    ),
]
ChromaOption = Annotated[
    str | None,
    typer.Option("--chroma", metavar="URL", help="A Chroma server instead of the one embedded; `doctor` tests it."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Write one JSON document to stdout.")]
ThreadOption = Annotated[str | None, typer.Option("--thread", "-t", metavar="ID", help="In this conversation only.")]
HistoryOption = Annotated[bool, typer.Option("--history", help="Also what was forgotten, replaced or has ended.")]
KindOption = Annotated[
    list[str] | None,
    typer.Option("--kind", metavar="KIND", help="Only this kind, such as fact or message; repeatable."),
]
ReasonOption = Annotated[str | None, typer.Option("--reason", help="Why, for the history.")]
NoEmbedOption = Annotated[bool, typer.Option("--no-embed", help="Do not wait for the embedding; `reindex` catches up.")]

DoerOption = Annotated[str, typer.Option("--actor", metavar="WHO", help="Who does it, for the history.")]

RECIPE_NAMES = f"{', '.join(list(RECIPES)[:-1])} or {list(RECIPES)[-1]}"
"""As help texts list them."""

DEFAULT_ACTOR = "user"
DEFAULT_MEMORY = "./memory"


def maybe_scope(segments: Sequence[str] | None) -> Scope | None:
    """Return the scope that options or the environment name, or None."""
    if segments:
        return Scope.of(segments)
    path = os.environ.get(SCOPE_VARIABLE, "").strip().strip("/")
    return Scope.of(Scope.from_path(path).segments) if path else None


def needed_scope(segments: Sequence[str] | None) -> Scope:
    """Return the scope that options or the environment name; a usage error where neither does."""
    scope = maybe_scope(segments)
    if scope is None:
        raise typer.BadParameter(
            f"say whose memory it is: --scope alice, or -s acme -s alice, or {SCOPE_VARIABLE}=acme/alice.",
            param_hint="--scope",
        )
    return scope


def opened(location: str, chroma: str | None, *, create: bool = False, model: str | None = None) -> Memory:
    """Open the memory, without a background worker: a command ends when its work is done.

    Raises:
        NotFound: there is no memory in the folder, and `create` is not set.
    """
    from langgraph_memory.memory import Memory
    from langgraph_memory.settings import Settings

    if not create and not exists(location):
        raise NotFound(
            f"There is no memory in the folder {location}. `langgraph-memory ingest FILE -m {location} -s you` makes "
            "one from conversations, `langgraph-memory demo` shows one, and --memory names another folder."
        )
    return Memory(location, chroma=chroma, model=model, settings=Settings(background=False))


def exists(location: str) -> bool:
    """Say whether the location may hold a memory: a folder with the database's file, or any URL."""
    from langgraph_memory.storage.database import SQLITE_FILE

    return "://" in location or (Path(location).expanduser() / SQLITE_FILE).is_file()
