"""Union makes one answer of several: each line once, one order, one block, one budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from langgraph_memory.clock import to_micros
from langgraph_memory.flows.hits import lines_of
from langgraph_memory.flows.request import LONGEST_QUERY
from langgraph_memory.records import MESSAGE, Answer, Gap, Hit, Usage
from langgraph_memory.retrieval.compose import CountTokens, compose
from langgraph_memory.retrieval.gaps import find_gaps
from langgraph_memory.retrieval.merge import damped
from langgraph_memory.storage.entries import spoken_terms
from langgraph_memory.text.asked import asked_words
from langgraph_memory.text.normalise import normalise

RAW = ("dense", "dense_window", "lexical", "lexical_window")
"""Channels whose raw number means the same in every scope, or nearly: BM25 weighs words by how rare they are in one."""

_NEAR = 1e-4


def union(
    answers: Sequence[Answer], *, limit: int, budget: int, count_tokens: CountTokens, least: float | None = None
) -> Answer:
    """Return one answer to the one question that several scopes were asked, hits by score.

    Args:
        answers: at least one, found with one recipe.
        limit: hits at most.
        budget: tokens that the block may take.
        count_tokens: estimates the tokens of a text.
        least: only hits with at least this score, by the scale of all scopes.
    """
    found = on_one_scale([answer.hits for answer in answers])
    hits = _once(sorted((hit for hits in found for hit in hits), key=lambda hit: -hit.score))
    hits = [hit for hit in hits if least is None or hit.score >= least][:limit]
    block, tokens = compose(hits, budget=budget, count_tokens=count_tokens)
    return Answer(
        query=answers[0].query,
        hits=tuple(hits),
        block=block,
        gaps=tuple(gaps_left(answers)),
        tokens=tokens,
        notes=tuple(dict.fromkeys(note for answer in answers for note in answer.notes)),
        usage=sum((answer.usage for answer in answers), Usage()),
    )


def side_by_side(found: Sequence[Sequence[Hit]]) -> list[Hit]:
    """Return what was found for several questions as one list, each line once.

    A score is measured by the best of its own question, so that one whose lines all score low is answered too.

    Args:
        found: the hits of each question, best first.
    """
    return _once(
        sorted((_by_the_best(hit, hits[0].score) for hits in found for hit in hits), key=lambda hit: -hit.score)
    )


def on_one_scale(found: Sequence[Sequence[Hit]]) -> list[list[Hit]]:
    """Return what several scopes hold with scores that can be compared.

    A search gives the best line of its own scope 1 in each channel, however little it says. Here a channel counts in
    each scope as much as its best raw number there comes to beside the best of all scopes; kindred words, which have no
    raw number, as much as the other channels on average. Scores that are no such sums are the same in every scope.
    """
    best = [
        {name: max((hit.signals.get(f"raw_{name}", 0.0) for hit in hits), default=0.0) for name in RAW}
        for hits in found
    ]
    most = {name: max(numbers[name] for numbers in best) for name in RAW}
    result = []
    for hits, numbers in zip(found, best, strict=True):
        factors = {name: max(0.0, numbers[name]) / most[name] for name in RAW if most[name] > 0}
        spoken = [factor for name, factor in factors.items() if any(name in hit.signals for hit in hits)]
        result.append([_scaled(hit, {**factors, "kindred": fmean(spoken)} if spoken else factors) for hit in hits])
    return result


def gaps_left(answers: Sequence[Answer]) -> list[Gap]:
    """Return the gaps of several answers that none of the others closes."""
    lines = [line for answer in answers for hit in answer.hits for line in lines_of(hit)]
    terms = {term for line in lines for term in spoken_terms(line.speaker, to_micros(line.said_at), line.text)}
    open_ = [
        {gap.asked: gap for gap in find_gaps(query, asked_words(query[:LONGEST_QUERY]), terms)}
        for query in dict.fromkeys(answer.query for answer in answers)
    ]
    return list({asked: gap for gaps in open_ for asked, gap in gaps.items()}.values())


def _once(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits without those whose line, or whose very words, stand before them."""
    seen: set[tuple[str | None, ...]] = set()
    kept: list[Hit] = []
    for hit in hits:
        session = hit.session_id if hit.kind == MESSAGE else None  # a memory says the same wherever it is kept
        itself, words = (hit.scope.path, session, hit.id), (session, hit.speaker, normalise(hit.text))
        if itself not in seen and words not in seen:
            kept.append(hit)
        seen |= {itself, words}
    return kept


def _scaled(hit: Hit, factors: Mapping[str, float]) -> Hit:
    parts = {name: value for name, value in hit.signals.items() if not name.startswith("raw_")}
    if abs(sum(parts.values()) - hit.score) > _NEAR or not any(name in factors for name in parts):
        return hit  # a formula that is no sum of channels
    scaled = {name: value * factors.get(name, 1.0) for name, value in parts.items()}
    return replace(hit, score=sum(scaled.values()), signals={**hit.signals, **scaled})


def _by_the_best(hit: Hit, best: float) -> Hit:
    if best <= 0:
        return hit
    return replace(hit, score=hit.score / best, signals=damped(hit.signals, 1 / best))
