"""The commands that read: recall, show, sessions, list, history and export."""

from __future__ import annotations

import io
import sys
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from langgraph_memory.cli import show
from langgraph_memory.cli.options import (
    DEFAULT_MEMORY,
    RECIPE_NAMES,
    ChromaOption,
    HistoryOption,
    JsonOption,
    KindOption,
    MemoryOption,
    ScopeOption,
    maybe_scope,
    moment,
    needed_scope,
    opened,
)
from langgraph_memory.cli.output import plain, reporting
from langgraph_memory.errors import NotFound

if TYPE_CHECKING:
    from langgraph_memory.memory import Memory
    from langgraph_memory.scope import Scope

_PAGE = 100


def recall(
    query: Annotated[str, typer.Argument(help="The question, in any language.")],
    memory: MemoryOption = DEFAULT_MEMORY,
    scope: ScopeOption = None,
    chroma: ChromaOption = None,
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=1, help="Hits at most (10).")] = None,
    budget: Annotated[int | None, typer.Option(min=0, help="Tokens that the block may take (1024).")] = None,
    as_of: Annotated[
        datetime | None, typer.Option("--as-of", parser=moment, metavar="TIME", help="What was true then.")
    ] = None,
    known_at: Annotated[
        datetime | None, typer.Option("--known-at", parser=moment, metavar="TIME", help="What we believed then.")
    ] = None,
    history: HistoryOption = False,
    kind: KindOption = None,
    role: Annotated[
        list[str] | None,
        typer.Option("--role", metavar="ROLE", help="Whose lines are searched (user, assistant); repeatable."),
    ] = None,
    recipe: Annotated[str, typer.Option(help=f"{RECIPE_NAMES}.")] = "hybrid",
    said_after: Annotated[
        datetime | None, typer.Option("--after", parser=moment, metavar="TIME", help="Only what was said from then on.")
    ] = None,
    said_before: Annotated[
        datetime | None, typer.Option("--before", parser=moment, metavar="TIME", help="Only what was said before then.")
    ] = None,
    actor: Annotated[
        str | None, typer.Option("--actor", metavar="WHO", help="Who asks: their private memories are found too.")
    ] = None,
    private: Annotated[bool, typer.Option("--private", help="Also everybody's private memories.")] = False,
    min_score: Annotated[float | None, typer.Option(help="Only hits with at least this score.")] = None,
    deep: Annotated[bool, typer.Option("--deep", help="Search again where too little was found.")] = False,
    block: Annotated[bool, typer.Option("--block", help="Only the fenced block for a prompt.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Also a table of what made each score.")] = False,
    json: JsonOption = False,
) -> None:
    """Find what was said or known that answers a question."""
    with reporting(json) as out:
        where = needed_scope(scope)
        with opened(memory, chroma) as store:
            begin = perf_counter()
            answer = store.recall(
                query,
                scope=where,
                limit=limit,
                budget=budget,
                as_of=as_of,
                known_at=known_at,
                include_history=history,
                kinds=kind or None,
                roles=tuple(role) if role else ("user", "assistant"),
                recipe=recipe,
                said_after=said_after,
                said_before=said_before,
                actor=actor,
                include_private=private,
                min_score=min_score,
                depth="deep" if deep else "shallow",
            )
            seconds = perf_counter() - begin
        if out.json:
            out.document({**plain(answer), "seconds": round(seconds, 3)})
        elif block:
            typer.echo(answer.block, nl=bool(answer.block))
        else:
            show.answer(out.screen, answer, explain=explain)


def show_session(
    thread_id: Annotated[str, typer.Argument(metavar="THREAD_ID", help="The conversation, as `sessions` lists it.")],
    memory: MemoryOption = DEFAULT_MEMORY,
    scope: ScopeOption = None,
    chroma: ChromaOption = None,
    last: Annotated[int | None, typer.Option("--last", min=1, help="Only so many of its newest lines.")] = None,
    history: HistoryOption = False,
    json: JsonOption = False,
) -> None:
    """Show what was said in one conversation, word for word."""
    with reporting(json) as out:
        where = needed_scope(scope)
        with opened(memory, chroma) as store:
            place = home_of(store, thread_id, where)
            lines = store.entries(
                thread_id, scope=place, limit=last, newest_first=last is not None, include_history=history
            )
        ordered = sorted(lines, key=lambda line: line.position)
        if out.json:
            out.document({"session_id": thread_id, "scope": place, "entries": ordered})
        else:
            show.entries(out.screen, ordered)


def sessions(
    memory: MemoryOption = DEFAULT_MEMORY,
    scope: ScopeOption = None,
    chroma: ChromaOption = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Conversations at most.")] = 100,
    json: JsonOption = False,
) -> None:
    """List the conversations of a scope and inside it, most recent first."""
    with reporting(json) as out:
        where = needed_scope(scope)
        with opened(memory, chroma) as store:
            found = store.sessions(scope=where, limit=limit)
        if out.json:
            out.document({"sessions": found})
        elif found:
            show.sessions(out.screen, found)
        else:
            out.notice(f"No conversation in {where}.")


def list_memories(
    memory: MemoryOption = DEFAULT_MEMORY,
    scope: ScopeOption = None,
    chroma: ChromaOption = None,
    kind: KindOption = None,
    history: HistoryOption = False,
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=1, help="Memories at most.")] = None,
    json: JsonOption = False,
) -> None:
    """List the memories of a scope and inside it, oldest belief first."""
    from langgraph_memory.clock import system_clock

    with reporting(json) as out:
        where = needed_scope(scope)
        with opened(memory, chroma) as store:
            found = store.list(scope=where, include_history=history, kinds=kind or None, limit=limit)
        if out.json:
            out.document({"memories": found})
        elif found:
            show.memories(out.screen, found, system_clock())
        else:
            out.notice(f"No memory in {where}. What was said is listed by `sessions` and found by `recall`.")


def history(
    id: Annotated[str, typer.Argument(metavar="ID", help="A memory, as `list` and `recall` name it.")],
    memory: MemoryOption = DEFAULT_MEMORY,
    scope: ScopeOption = None,
    chroma: ChromaOption = None,
    json: JsonOption = False,
) -> None:
    """Show everything that was done to a memory."""
    with reporting(json) as out:
        where = maybe_scope(scope)
        with opened(memory, chroma) as store:
            if where is not None:
                store.get(id, scope=where)
            changes = store.history(id)
        if out.json:
            out.document({"id": id, "changes": changes})
        else:
            show.history(out.screen, changes)


def export(
    path: Annotated[str, typer.Argument(help="The file to write; - is stdout.")],
    memory: MemoryOption = DEFAULT_MEMORY,
    scope: ScopeOption = None,
    chroma: ChromaOption = None,
    json: JsonOption = False,
) -> None:
    """Write a scope and everything inside it as JSON lines, which `ingest` reads back."""
    with reporting(json) as out:
        where = needed_scope(scope)
        if path == "-" and out.json:
            reason = "`export -` writes JSON lines to stdout itself; leave --json out, or name a file"
            raise typer.BadParameter(reason, param_hint="--json")
        with opened(memory, chroma) as store:
            counts = _to_stdout(store, where) if path == "-" else store.export(scope=where, path=Path(path))
        if out.json:
            out.document({"path": path, **counts})
        else:
            target = "stdout" if path == "-" else path
            out.notice(f"{counts['messages']:,} messages and {counts['memories']:,} memories of {where} -> {target}")


def _to_stdout(store: Memory, scope: Scope) -> dict[str, int]:
    """Export in UTF-8, whatever the terminal's encoding: it is a file's content."""
    stream = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n")
    try:
        return dict(store.export(scope=scope, path=stream))
    finally:
        stream.flush()
        stream.detach()


def home_of(store: Memory, thread_id: str, scope: Scope) -> Scope:
    """Return the scope that has the conversation: the one given, or the only one inside it that does.

    Raises:
        NotFound: none has it, or several do.
    """
    places: list[Scope] = []
    offset = 0
    while page := store.sessions(scope=scope, limit=_PAGE, offset=offset):
        places += [session.scope for session in page if session.session_id == thread_id]
        offset += len(page)
    if scope in places or len(places) == 1:
        return scope if scope in places else places[0]
    if places:
        found = "; ".join(str(place) for place in sorted(places))
        raise NotFound(f"Several scopes inside {scope} have a session {thread_id!r}: {found}. Give one as --scope.")
    raise NotFound(f"There is no session {thread_id!r} in {scope}. `langgraph-memory sessions` lists what there is.")
