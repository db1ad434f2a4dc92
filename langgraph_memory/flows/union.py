"""Union makes one answer of several: each line once, one order, one block, one budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

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


def union(answers: Sequence[Answer], *, limit: int, budget: int, count_tokens: CountTokens) -> Answer:
    """Return one answer to the one question that several scopes were asked, hits by score.

    Args:
        answers: at least one, found with one recipe, so that their scores mean the same.
        limit: hits at most.
        budget: tokens that the block may take.
        count_tokens: estimates the tokens of a text.
    """
    hits = _once(sorted((hit for answer in answers for hit in answer.hits), key=lambda hit: -hit.score))[:limit]
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


def _by_the_best(hit: Hit, best: float) -> Hit:
    if best <= 0:
        return hit
    return replace(hit, score=hit.score / best, signals=damped(hit.signals, 1 / best))
