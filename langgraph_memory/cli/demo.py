"""The demo: two conversations go in, a new process asks about them, and you see what comes back."""

from __future__ import annotations

import json as jsonlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from langgraph_memory.cli.embed import embed
from langgraph_memory.cli.ingest import show_report, take_in
from langgraph_memory.cli.options import ChromaOption, JsonOption, opened
from langgraph_memory.cli.output import Output, plain, reporting
from langgraph_memory.cli.show import indented
from langgraph_memory.errors import StorageError
from langgraph_memory.scope import Scope

CONVERSATIONS = Path(__file__).parent / "data" / "demo.jsonl"
SCOPE = Scope(("demo", "mia"))
QUESTIONS = (
    "Where does Mia live now?",
    "How many euros were the new tyres?",
    "奶奶最拿手的菜是什么？",
    "Who is Mia's dentist?",
)
SNIPPET = """\
from langgraph_memory import Memory

memory = Memory("./memory")
memory.record([("user", "I moved to Porto.")], scope="mia", thread_id="t1")
answer = memory.recall("Where does Mia live now?", scope="mia")
print(answer.block)
memory.close()
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that another process answered.

    Attributes:
        evidence: the best hit, or None where nothing was found.
        gaps: the words that nothing recalled mentions.
        tokens: size of the block for the prompt.
        seconds: what recall took; `process_seconds` is with starting Python.
    """

    question: str
    evidence: dict[str, Any] | None
    gaps: tuple[str, ...]
    tokens: int
    seconds: float
    process_seconds: float


def demo(
    memory: Annotated[
        str | None, typer.Option("--memory", "-m", metavar="FOLDER", help="Use this folder, and leave it there.")
    ] = None,
    chroma: ChromaOption = None,
    keep: Annotated[bool, typer.Option("--keep", help="Leave the temporary folder there.")] = False,
    json: JsonOption = False,
) -> None:
    """See it work, in about ten seconds: no key, no server, no network."""
    with reporting(json) as out, _folder(memory, keep) as folder:
        if not out.json:
            _chapter(out.screen, "1", f"Two conversations with Mia, months apart, go into {folder}")
        with opened(folder, chroma, create=True) as store:
            report = take_in(store, CONVERSATIONS, SCOPE, "jsonl", out)
            embedding = embed(store, out, report.messages_added)
        if not out.json:
            show_report(out.screen, report)
            _chapter(out.screen, "2", "That process let go of it. A new one for each question opens the folder again")
        answers = []
        for question in QUESTIONS:
            answers.append(ask(question, folder, chroma))
            if not out.json:
                show_asked(out.screen, answers[-1])
        if out.json:
            kept = keep or memory is not None
            document = {"folder": folder, "kept": kept, "scope": SCOPE, "ingest": report, "embedding": embedding}
            out.document({**document, "questions": plain(answers), "python": SNIPPET})
        else:
            _ending(out, folder, kept=keep or memory is not None)


@contextmanager
def _folder(given: str | None, keep: bool) -> Iterator[str]:
    """Give the folder of the demo, and clear a temporary one away afterwards."""
    if given is not None:
        yield given
    elif keep:
        yield tempfile.mkdtemp(prefix="langgraph-memory-demo-")
    else:
        with tempfile.TemporaryDirectory(prefix="langgraph-memory-demo-", ignore_cleanup_errors=True) as name:
            yield name


def ask(question: str, folder: str, chroma: str | None) -> Asked:
    """Ask in a process of its own, as the next run of an agent would.

    Raises:
        StorageError: the other process failed; its words are in the message.
    """
    # -P: what is installed answers, not a package of that name in the folder that this happens to run in.
    command = [sys.executable, "-P", "-m", "langgraph_memory.cli.app", "recall", question, "--memory", folder, "--json"]
    command += [word for segment in SCOPE.segments for word in ("--scope", segment)]
    command += ["--chroma", chroma] if chroma else []
    begin = perf_counter()
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    elapsed = perf_counter() - begin
    if done.returncode != 0:
        raise StorageError(f"The process that was to answer {question!r} failed: {done.stderr.strip()[-400:]}")
    answer = jsonlib.loads(done.stdout)
    return Asked(
        question=question,
        evidence=answer["hits"][0] if answer["hits"] else None,
        gaps=tuple(gap["asked"] for gap in answer["gaps"]),
        tokens=answer["tokens"],
        seconds=answer["seconds"],
        process_seconds=round(elapsed, 3),
    )


def show_asked(console: Console, asked: Asked) -> None:
    """Show a question with the line that answers it, and with what nobody ever mentioned."""
    console.print(Text(f"\n? {asked.question}", style="bold"))
    hit = asked.evidence
    if hit is not None:
        line = f"(closest: {hit['text']})" if asked.gaps else hit["text"]
        indented(console, Text(line, style="dim" if asked.gaps else "green"))
        indented(console, Text(f"{hit['speaker']}, {hit['said_at'][:10]}, session {hit['session_id']}", style="dim"))
    if asked.gaps:
        missing = ", ".join(map(repr, asked.gaps))
        indented(console, Text(f"Nobody mentioned {missing}: recall says so, and nobody has to guess.", style="yellow"))
    start = f"{asked.process_seconds:.1f} s with Python's start"
    cost = f"{asked.tokens} tokens for the prompt, {asked.seconds:.2f} s ({start})"
    indented(console, Text(cost, style="dim"))


def _chapter(console: Console, number: str, title: str) -> None:
    console.print(Text.assemble("\n", (f"{number}. ", "bold cyan"), (title, "bold")), soft_wrap=True)


def code(console: Console, text: str) -> None:
    """Print lines to copy: never wrapped."""
    for line in text.splitlines():
        console.print(Text(f"   {line}".rstrip(), style="cyan"), soft_wrap=True)


def _ending(out: Output, folder: str, *, kept: bool) -> None:
    _chapter(out.screen, "3", "The same in your own code")
    code(out.screen, SNIPPET)
    _chapter(out.screen, "4", "Your own conversations (ChatGPT, Claude, LangGraph, OpenAI or plain JSON lines)")
    commands = ["langgraph-memory ingest conversations.json --scope you", 'langgraph-memory recall "..." --scope you']
    if kept:
        commands.insert(0, f'langgraph-memory recall "..." --memory {folder} --scope demo --scope mia')
    code(out.screen, "\n".join(commands))
    if not kept:
        out.screen.print(Text("\nThe folder of this demo is gone again; --keep leaves it there.", style="dim"))
