"""A memory is filled with a data set and asked its questions, once with each recipe."""

from __future__ import annotations

import asyncio
import inspect
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import TYPE_CHECKING, Any

from langgraph_memory.errors import InvalidInput
from langgraph_memory.evaluation.datasets import Conversation, DataSet
from langgraph_memory.evaluation.loaders import load
from langgraph_memory.evaluation.results import Asked, Evaluation, Filled, Run
from langgraph_memory.evaluation.scores import Scale
from langgraph_memory.evaluation.summary import Resampling, compared, groups_of
from langgraph_memory.memory import Memory
from langgraph_memory.records import Answer, Hit
from langgraph_memory.retrieval.compose import CountTokens, compose
from langgraph_memory.retrieval.recipe import HYBRID, RECIPES, Recipe
from langgraph_memory.settings import Settings
from langgraph_memory.text.fence import harmless, neutralise
from langgraph_memory.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

    from langgraph_memory.models import Embedder

ROOT = "evaluation"
"""First segment of the scopes that an evaluation fills, so that it keeps away from other scopes of a memory."""

Progress = Callable[[str, int, int], None]
"""Told what is being done (`recording`, `embedding`, `asking`), how much of it is done, and how much there is."""

Data = DataSet | str | PathLike[str]


def evaluate(
    data: Data | Sequence[Data],
    *,
    recipes: Sequence[str | Recipe] = (HYBRID,),
    ks: Sequence[int] = (5, 10, 50),
    budgets: Sequence[int] = (512, 1024, 2048),
    memory: Memory | str | PathLike[str] | None = None,
    embeddings: Embedder | Embeddings | None = None,
    count_tokens: CountTokens = estimate_tokens,
    resamples: int = 1000,
    seed: int = 0,
    clustered: bool = False,
    on_progress: Progress | None = None,
) -> Evaluation:
    """Measure how well recall finds the evidence of a data set's questions. No chat model is used.

    Args:
        data: data sets, or files and folders that hold them; see `load`.
        recipes: names or `Recipe`s; each is asked every question.
        ks: places of the ranking to measure at.
        budgets: tokens of the block to measure within.
        memory: an open memory, or where one is; it is filled below the scope `("evaluation",)`, and what is there
            already is not recorded again. None fills one in a temporary folder, and throws it away.
        embeddings: as in `Memory`, for a memory that is opened here.
        count_tokens: as in `Memory`; for an open memory, the one that it counts with.
        resamples: how often the bootstrap draws the questions; 0 gives no intervals.
        seed: of the bootstrap.
        clustered: whether the bootstrap draws whole conversations instead of questions.
        on_progress: called now and then.

    Raises:
        ImportFormatError: a data set cannot be read.
        InvalidInput: an argument makes no sense.
    """
    scale = Scale(tuple(dict.fromkeys(ks)), tuple(dict.fromkeys(budgets)))
    how = Resampling(resamples, seed, clustered)
    mixed = _recipes(recipes)
    sets = [item if isinstance(item, DataSet) else load(item) for item in _listed(data)]
    names = [item.name for item in sets]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidInput(f"Two data sets are called {twice!r}. Load one of them under another name.")
    told = on_progress or (lambda stage, done, total: None)
    runs: list[Run] = []
    with _opened(memory, embeddings, count_tokens) as store:
        for item in sets:
            filled, notes = fill(store, item, told)
            for recipe in mixed:
                asked, remarks = _ask(store, item, recipe, scale, count_tokens, told)
                groups = groups_of(asked, how)
                runs.append(Run(item.name, recipe.name, filled, groups, item.left_out, (*notes, *remarks), asked))
    each = len(mixed)
    comparisons = tuple(
        compared(run, runs[number - number % each], how) for number, run in enumerate(runs) if number % each
    )
    return Evaluation(tuple(runs), comparisons, tuple(scale.names), resamples, seed, clustered)


async def aevaluate(data: Data | Sequence[Data], **options: Any) -> Evaluation:
    """Async twin of `evaluate`: same parameters, result and errors."""
    return await asyncio.to_thread(evaluate, data, **options)


def _listed(data: Data | Sequence[Data]) -> list[Data]:
    found: list[Data] = [data] if isinstance(data, DataSet | str | PathLike) else list(data)
    if not found:
        raise InvalidInput("There is no data set to measure. Give a file, for example locomo10.json.")
    return found


def _recipes(given: Sequence[str | Recipe]) -> list[Recipe]:
    if isinstance(given, str):
        raise InvalidInput(f"recipes is a list. Write recipes=[{given!r}].")
    found: list[Recipe] = []
    for recipe in given:
        if isinstance(recipe, str) and recipe not in RECIPES:
            raise InvalidInput(f"There is no recipe {recipe!r}. There are {', '.join(RECIPES)}, or give a Recipe.")
        found.append(RECIPES[recipe] if isinstance(recipe, str) else recipe)
    names = [recipe.name for recipe in found]
    if not names or len(set(names)) < len(names):
        raise InvalidInput("Give at least one recipe, and each name once.")
    return found


@contextmanager
def _opened(
    memory: Memory | str | PathLike[str] | None, embeddings: Any, count_tokens: CountTokens
) -> Iterator[Memory]:
    if isinstance(memory, Memory):
        yield memory
        return
    with tempfile.TemporaryDirectory(prefix="langgraph-memory-evaluation-", ignore_cleanup_errors=True) as folder:
        settings = Settings(background=False)
        with Memory(
            folder if memory is None else memory, embeddings=embeddings, count_tokens=count_tokens, settings=settings
        ) as store:
            yield store


def scope_of(data: DataSet, conversation: Conversation) -> tuple[str, str, str]:
    """Return the scope of a conversation."""
    return ROOT, data.name, conversation.id


def fill(store: Memory, data: DataSet, told: Progress) -> tuple[Filled, list[str]]:
    """Record every turn and embed it; return how long it took, and what is odd about the memory."""
    new = done = 0
    foreign: list[str] = []
    started = time.perf_counter()
    for conversation in data.conversations:
        sessions: dict[str, list[Any]] = {}
        for turn in conversation.turns:
            sessions.setdefault(turn.session, []).append(turn.message)
        for session, messages in sessions.items():
            new += len(store.record(messages, scope=scope_of(data, conversation), thread_id=session).added)
            done += len(messages)
            told("recording", done, data.turns)
    recorded = time.perf_counter()
    progress = store.flush(lambda embedded, indexed: told("embedding", embedded, new))
    embedded = time.perf_counter()
    notes: list[str] = []
    if progress.reason is not None:
        left = ", ".join(f"{count:,} to {stage}" for stage, count in (progress.left or {}).items())
        notes.append(f"left undone before the questions: {left}; {progress.reason}")
    for conversation in data.conversations:
        found = _recorded(store, scope_of(data, conversation))
        if found > len(conversation.turns):
            foreign.append(f"{conversation.id} ({found - len(conversation.turns):,})")
    if foreign:
        notes.append(
            "the memory holds messages that are not in the data, from an earlier state of it, in "
            f"{', '.join(foreign[:5])}{' and others' if len(foreign) > 5 else ''}; a new folder measures the data alone"
        )
    return Filled(len(data.conversations), data.turns, new, recorded - started, embedded - recorded), notes


def _recorded(store: Memory, scope: tuple[str, str, str]) -> int:
    count = offset = 0
    while page := store.sessions(scope=scope, limit=1000, offset=offset):
        count, offset = count + sum(session.entries for session in page), offset + len(page)
    return count


def _ask(
    store: Memory, data: DataSet, recipe: Recipe, scale: Scale, count_tokens: CountTokens, told: Progress
) -> tuple[tuple[Asked, ...], list[str]]:
    """Ask every question; return how well each was answered, and the notes of the answers, counted."""
    asked: list[Asked] = []
    notes: Counter[str] = Counter()
    # A recall that knows when it is asked can tell what "last week" is.
    knows_when = "asked_at" in inspect.signature(store.recall).parameters
    for conversation in data.conversations:
        session_of = {turn.id: turn.session for turn in conversation.turns}
        for question in conversation.questions:
            options: dict[str, Any] = {"asked_at": question.asked_at} if knows_when and question.asked_at else {}
            started = time.perf_counter()
            answer = store.recall(
                question.text,
                scope=scope_of(data, conversation),
                limit=scale.depth,
                budget=max(scale.budgets, default=0),
                recipe=recipe,
                **options,
            )
            seconds = time.perf_counter() - started
            notes.update(answer.notes)
            scores = scale.of(
                [hit.id for hit in answer.hits],
                question.evidence,
                session_of,
                {
                    budget: shown_in(_block(answer, budget, scale, count_tokens), answer.hits)
                    for budget in scale.budgets
                },
            )
            asked.append(Asked(conversation.id, question, scores, seconds))
            told("asking", len(asked), data.questions)
    return tuple(asked), [f"in {count:,} answers: {note}" for note, count in notes.most_common()]


def _block(answer: Answer, budget: int, scale: Scale, count_tokens: CountTokens) -> str:
    """Return the block of this length; a shorter one than recall's own is composed as recall does it."""
    if budget == max(scale.budgets):
        return answer.block
    return compose(answer.hits, budget=budget, count_tokens=count_tokens)[0]


def shown_in(block: str, hits: Sequence[Hit]) -> set[str]:
    """Return the ids of the hits whose whole text stands in a block."""
    return {hit.id for hit in hits if (text := harmless(neutralise(" ".join(hit.text.split())))) and text in block}
