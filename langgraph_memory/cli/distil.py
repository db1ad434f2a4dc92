"""The commands that draw memories from what was recorded: remember, consolidate, undo, and entities for their names."""

from __future__ import annotations

from typing import Annotated

import typer

from langgraph_memory.cli.change import tell
from langgraph_memory.cli.embed import embed
from langgraph_memory.cli.options import (
    DEFAULT_ACTOR,
    DEFAULT_MEMORY,
    ChromaOption,
    DoerOption,
    JsonOption,
    MemoryOption,
    NoEmbedOption,
    ScopeOption,
    ThreadOption,
    maybe_scope,
    needed_scope,
    opened,
)
from langgraph_memory.cli.output import Output, reporting
from langgraph_memory.records import Report

ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        envvar="LANGGRAPH_MEMORY_MODEL",
        metavar="PROVIDER:NAME",
        help="The chat model, such as openai:gpt-5-mini.",
    ),
]
CallsOption = Annotated[
    int | None, typer.Option("--max-calls", metavar="N", min=0, help="Model calls at most; what is left waits.")
]


def remember(
    memory: MemoryOption = DEFAULT_MEMORY,
    scope: ScopeOption = None,
    chroma: ChromaOption = None,
    thread: ThreadOption = None,
    model: ModelOption = None,
    max_calls: CallsOption = None,
    no_embed: NoEmbedOption = False,
    json: JsonOption = False,
) -> None:
    """Draw memories from what was recorded and not yet read; without a model, sentences are chosen by rule."""
    with reporting(json) as out:
        where = needed_scope(scope)
        with opened(memory, chroma, model=model) as store:
            report = store.remember(scope=where, thread_id=thread, max_calls=max_calls)
            if report.added and not no_embed:
                embed(store, out)
        _tell(out, report)


def consolidate(
    memory: MemoryOption = DEFAULT_MEMORY,
    scope: ScopeOption = None,
    chroma: ChromaOption = None,
    model: ModelOption = None,
    max_calls: CallsOption = None,
    json: JsonOption = False,
) -> None:
    """Tidy memories that resemble each other, by a plan of the model that rules check; `undo` takes it back."""
    with reporting(json) as out:
        where = needed_scope(scope)
        with opened(memory, chroma, model=model) as store:
            report = store.consolidate(scope=where, max_calls=max_calls)
        _tell(out, report)


def undo(
    batch: Annotated[str, typer.Argument(metavar="BATCH", help="As `remember` and the others name it.")],
    memory: MemoryOption = DEFAULT_MEMORY,
    scope: ScopeOption = None,
    chroma: ChromaOption = None,
    actor: DoerOption = DEFAULT_ACTOR,
    json: JsonOption = False,
) -> None:
    """Take back everything that was written together; an undo can itself be undone."""
    with reporting(json) as out:
        with opened(memory, chroma) as store:
            report = store.undo(batch, scope=maybe_scope(scope), actor=actor)
        _tell(out, report)


def entities(
    memory: MemoryOption = DEFAULT_MEMORY,
    scope: ScopeOption = None,
    chroma: ChromaOption = None,
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=1, help="How many at most.")] = None,
    json: JsonOption = False,
) -> None:
    """List the people, places and things that memories mention, the most mentioned first."""
    with reporting(json) as out:
        where = needed_scope(scope)
        with opened(memory, chroma) as store:
            found = store.entities(scope=where, limit=limit)
        if out.json:
            out.document({"entities": found})
        elif not found:
            out.screen.print(f"No memory of {where} mentions a name.", soft_wrap=True)
        for entity in () if out.json else found:
            aliases = f" (also {', '.join(entity.aliases)})" if entity.aliases else ""
            out.screen.print(f"{entity.links:>5}  {entity.name}{aliases}", soft_wrap=True)


def _tell(out: Output, report: Report) -> None:
    tell(out, report)
    if out.json:
        return
    for note in report.notes:
        out.notice(note)
    for batch in report.batches:
        out.notice(f"To take it back: langgraph-memory undo {batch}")
