"""Hits are ranked rows read from the truth, which alone says what exists inside the scope."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy.engine import Connection

from langgraph_memory.records import Entry, Hit, MemoryRecord, Neighbour
from langgraph_memory.scope import Scope
from langgraph_memory.storage import entries, memories
from langgraph_memory.text.line import spoken_line


@dataclass(frozen=True, slots=True)
class Ranked:
    """Rows of the truth in order of rank, before they are read.

    Attributes:
        wordings: see `retrieval.snapshot.Line`.
        terms: every distinct term of the rows and of what stands around them; None where nobody took them along.
    """

    seqs: Sequence[int]
    scores: Sequence[float]
    signals: Sequence[dict[str, float]]
    before: Sequence[Sequence[int]]
    after: Sequence[Sequence[int]]
    wordings: Sequence[int]
    terms: Collection[str] | None = None


def read_hits(connection: Connection, scope: Scope, ranked: Ranked) -> list[Hit]:
    """Return the hits of a ranking, without what is no longer there."""
    signals = [dict(found) for found in ranked.signals]  # a ranking may be kept, and a caller may write into a hit
    around = {seq for seqs in (*ranked.before, *ranked.after) for seq in seqs}
    said = entries.by_seq(connection, scope, [*ranked.seqs, *around])
    known = memories.by_seq(connection, scope, [seq for seq in ranked.seqs if seq not in said])
    hits: list[Hit] = []
    for index, seq in enumerate(ranked.seqs):
        if seq in said:
            entry = said[seq]
            hits.append(
                _entry_hit(
                    entry,
                    ranked.scores[index],
                    signals[index],
                    before=[said[s] for s in ranked.before[index] if s in said],
                    after=[said[s] for s in ranked.after[index] if s in said],
                )
            )
        elif seq in known:
            hits.append(memory_hit(known[seq], ranked.scores[index], signals[index]))
    return hits


def taken(ranked: Ranked, places: Sequence[int]) -> Ranked:
    """Return the rows at these places, in this order."""
    return Ranked(
        seqs=[ranked.seqs[place] for place in places],
        scores=[ranked.scores[place] for place in places],
        signals=[ranked.signals[place] for place in places],
        before=[ranked.before[place] for place in places],
        after=[ranked.after[place] for place in places],
        wordings=[ranked.wordings[place] for place in places],
        terms=ranked.terms if len(places) == len(ranked.seqs) else None,
    )


def spoken_lines(connection: Connection, scope: Scope, seqs: Sequence[int]) -> dict[int, str]:
    """Return the rows that are still there as lines with who said what and when, by `seq`."""
    said = entries.by_seq(connection, scope, seqs)
    known = memories.by_seq(connection, scope, [seq for seq in seqs if seq not in said])
    lines = {seq: spoken_line(entry.speaker, entry.observed_at, entry.text) for seq, entry in said.items()}
    return lines | {seq: spoken_line(record.actor, record.observed_at, record.text) for seq, record in known.items()}


def lines_of(hit: Hit) -> Iterator[Hit | Neighbour]:
    """Yield the hit and the lines around it."""
    yield hit
    yield from (*hit.before, *hit.after)


def _entry_hit(
    entry: Entry, score: float, signals: dict[str, float], before: Sequence[Entry], after: Sequence[Entry]
) -> Hit:
    return Hit(
        id=entry.message_id,
        text=entry.text,
        score=score,
        signals=signals,
        kind="message",
        speaker=entry.speaker,
        said_at=entry.observed_at,
        entry_ids=(entry.message_id,),
        scope=entry.scope,
        session_id=entry.session_id,
        position=entry.position,
        before=tuple(map(_neighbour, before)),
        after=tuple(map(_neighbour, after)),
    )


def _neighbour(entry: Entry) -> Neighbour:
    return Neighbour(entry.message_id, entry.position, entry.speaker, entry.text, entry.observed_at)


def memory_hit(record: MemoryRecord, score: float, signals: dict[str, float]) -> Hit:
    """Return a memory as a hit."""
    return Hit(
        id=record.id,
        text=record.text,
        score=score,
        signals=signals,
        kind=record.kind,
        speaker=record.actor,
        said_at=record.observed_at,
        entry_ids=record.evidence,
        scope=record.scope,
        session_id=record.session_id,
    )
