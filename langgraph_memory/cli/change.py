"""The commands that change single things: add, forget, restore and erase."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from langgraph_memory.cli import show
from langgraph_memory.cli.embed import embed
from langgraph_memory.cli.options import (
    DEFAULT_ACTOR,
    DEFAULT_MEMORY,
    ChromaOption,
    DoerOption,
    JsonOption,
    MemoryOption,
    NoEmbedOption,
    ReasonOption,
    ScopeOption,
    ThreadOption,
    maybe_scope,
    needed_scope,
    opened,
)
from langgraph_memory.cli.output import Output, reporting
from langgraph_memory.cli.read import home_of
from langgraph_memory.records import Report

_Id = Annotated[str, typer.Argument(metavar="ID", help="A memory, or with --scope a message.")]


def add(
    text: Annotated[str, typer.Argument(help="One sentence, in any language.")],
    memory: MemoryOption = DEFAULT_MEMORY,
    scope: ScopeOption = None,
    chroma: ChromaOption = None,
    kind: Annotated[
        str, typer.Option(help="fact, preference, event, procedure, insight, profile, or a word of your own.")
    ] = "fact",
    pinned: Annotated[bool, typer.Option("--pinned", help="Keep it for long.")] = False,
    actor: Annotated[str, typer.Option("--actor", metavar="WHO", help="Who says so.")] = DEFAULT_ACTOR,
    private: Annotated[bool, typer.Option("--private", help="Only --actor recalls it.")] = False,
    no_embed: NoEmbedOption = False,
    json: JsonOption = False,
) -> None:
    """Add one memory as it stands."""
    with reporting(json) as out:
        where = needed_scope(scope)
        with opened(memory, chroma, create=True) as store:
            report = store.add(text, scope=where, kind=kind, pinned=pinned, actor=actor, private=private)
            if report.added and not no_embed:
                embed(store, out)
        tell(out, report)
    if report.refused:
        raise typer.Exit(1)


def forget(
    id: _Id,
    memory: MemoryOption = DEFAULT_MEMORY,
    scope: ScopeOption = None,
    chroma: ChromaOption = None,
    thread: ThreadOption = None,
    actor: DoerOption = DEFAULT_ACTOR,
    reason: ReasonOption = None,
    json: JsonOption = False,
) -> None:
    """Hide a memory or a message from recall; `restore` brings it back."""
    with reporting(json) as out:
        with opened(memory, chroma) as store:
            report = store.forget(id, scope=maybe_scope(scope), thread_id=thread, actor=actor, reason=reason)
        tell(out, report)


def restore(
    id: _Id,
    memory: MemoryOption = DEFAULT_MEMORY,
    scope: ScopeOption = None,
    chroma: ChromaOption = None,
    thread: ThreadOption = None,
    actor: DoerOption = DEFAULT_ACTOR,
    reason: ReasonOption = None,
    json: JsonOption = False,
) -> None:
    """Bring back what was forgotten."""
    with reporting(json) as out:
        with opened(memory, chroma) as store:
            report = store.restore(id, scope=maybe_scope(scope), thread_id=thread, actor=actor, reason=reason)
        tell(out, report)


def erase(
    memory: MemoryOption = DEFAULT_MEMORY,
    scope: ScopeOption = None,
    chroma: ChromaOption = None,
    thread: ThreadOption = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: JsonOption = False,
) -> None:
    """Destroy a scope with everything inside it, or one conversation. This cannot be undone."""
    with reporting(json) as out:
        where = needed_scope(scope)
        with opened(memory, chroma) as store:
            if thread is not None:
                where = home_of(store, thread, where)
            what = f"everything in {where} and inside it" if thread is None else f"the session {thread!r} of {where}"
            if not yes and not _agreed(f"Destroy {what} in {memory}? This cannot be undone."):
                out.notice("Nothing was erased.")
                if out.json:
                    out.document({"erased": False, "scope": where, "counts": {}})
                raise typer.Exit(1)
            receipt = store.erase(scope=where, thread_id=thread)
        if out.json:
            out.document({"erased": True, "scope": where, "at": receipt.at, "counts": receipt.counts})
        elif any(receipt.counts.values()):
            parts = ", ".join(f"{count:,} {name}" for name, count in receipt.counts.items() if count)
            out.screen.print(f"Erased from {where}: {parts}.", soft_wrap=True)
        else:
            out.screen.print(f"There was nothing in {where}.", soft_wrap=True)


def _agreed(question: str) -> bool:
    """Ask on stderr, since stdout belongs to the answer; silence is a no."""
    typer.echo(f"{question} [y/N]: ", err=True, nl=False)
    answer = sys.stdin.readline()
    if not answer.endswith("\n"):
        typer.echo(err=True)
    return answer.strip().lower() in ("y", "yes")


def tell(out: Output, report: Report) -> None:
    """Say what a write did."""
    if out.json:
        out.document(report)
    else:
        show.report(out.screen, report)
