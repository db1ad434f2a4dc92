"""The things that memory is made of, as frozen values that travel between the parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Literal

from langgraph_memory.scope import Scope

Role = Literal["user", "assistant", "system", "tool"]
Tier = Literal["short", "long"]

MESSAGE = "message"
"""The kind of a hit that is what somebody said; no memory has it."""

SEALED = "sealed"
"""The key in an entry's `extra` under which an item stands that is kept encrypted."""

UTC_OFFSET = "utc_offset"
"""Key of an entry's `extra`: how many minutes the zone in which it was said is ahead of UTC; left out for UTC."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message as somebody said it, before it is recorded.

    Attributes:
        role: who speaks, in the field's four words.
        text: what a person would read: text blocks joined, other blocks as placeholders like `[image]`.
        content: the content exactly as given (text, list of blocks, or None), JSON-plain.
        id: the message's own id, or None where it came without one.
        speaker: a name to show and search by; the role where no name is known.
        observed_at: when it was said, with its zone (UTC where it has none); None means when it is recorded.
        extra: JSON-plain rest worth keeping (tool_calls, tool_call_id, status, import provenance).
    """

    role: Role
    text: str
    content: Any
    id: str | None = None
    speaker: str | None = None
    observed_at: datetime | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Entry:
    """One recorded message: verbatim, append-only, ordered by `seq`.

    Attributes:
        seq: global order of recording, given by the database.
        position: 0-based place in its session.
        message_id: the message's own id, or a stable derived one.
        recorded_at: when we stored it; `observed_at` is when it was said. Both UTC.
        extra: the message's own, and `utc_offset` in minutes where it was said in another zone than UTC.
        replaced_by: the `seq` of a later entry with the same message id and other content, else None.
        retired_at: when it was forgotten: hidden from recall and listings, not destroyed.
    """

    seq: int
    scope: Scope
    session_id: str
    position: int
    message_id: str
    role: Role
    speaker: str
    text: str
    content: Any
    observed_at: datetime
    recorded_at: datetime
    extra: Mapping[str, Any] = field(default_factory=dict)
    replaced_by: int | None = None
    retired_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation: a LangGraph thread in a scope, with its size and span."""

    scope: Scope
    session_id: str
    entries: int
    started_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """A sentence that somebody said, true during one interval and believed during another.

    Intervals are half-open and in UTC. `retired_at` closes belief, `valid_to` closes truth, `expires_at`
    hides. A record is never overwritten: a correction is a successor that `supersedes` it.

    Attributes:
        id: UUIDv7 text.
        seq: order of belief, given by the database.
        hash: md5 of the normalised text, or of all that a document or private memory is; unique among the live
            records of a scope.
        evidence: message ids that the sentence rests on.
        importance, novelty: 0..1, None where never measured.
        reinforced: how many times it was asserted again.
        private: only recalled for its actor, or where private memories are asked for.
    """

    id: str
    seq: int
    scope: Scope
    text: str
    kind: str
    actor: str
    hash: str
    recorded_at: datetime
    observed_at: datetime
    valid_from: datetime
    valid_inferred: bool = True
    valid_to: datetime | None = None
    retired_at: datetime | None = None
    retired_by: str | None = None
    reason: str | None = None
    supersedes: str | None = None
    expires_at: datetime | None = None
    session_id: str | None = None
    data: Mapping[str, Any] | None = None
    schema: str | None = None
    subject: str | None = None
    relation: str | None = None
    object: str | None = None
    importance: float | None = None
    novelty: float | None = None
    reinforced: int = 0
    tier: Tier = "short"
    pinned: bool = False
    private: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)
    evidence: tuple[str, ...] = ()

    def is_live(self, now: datetime) -> bool:
        """Say whether it is believed, unexpired and true at `now`.

        Belief is not compared with the clock, nor is a `valid_from` that was only inferred: another process's clock
        may be ahead of this one's.
        """
        return (
            self.retired_at is None
            and (self.expires_at is None or now < self.expires_at)
            and (self.valid_inferred or self.valid_from <= now)
            and (self.valid_to is None or now < self.valid_to)
        )


@dataclass(frozen=True, slots=True)
class Change:
    """One line of a memory's history: what was done to it, by whom, when, with its state before and after.

    Attributes:
        batch: names what was written together and can be undone together.
    """

    at: datetime
    action: str
    actor: str
    memory_id: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    reason: str | None = None
    batch: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one item of a write.

    Attributes:
        id: the memory or message it is about; None where nothing exists of it.
        text: the text given.
        reason: why it was skipped, refused or failed; None where it simply succeeded.
        of: the existing record that made it a duplicate.
    """

    id: str | None
    text: str
    reason: str | None = None
    of: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """What the chat model was asked: calls, and tokens where the provider counts them."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
        )


@dataclass(frozen=True, slots=True)
class Report:
    """What a write did, item by item; nothing given is missing from it.

    Attributes:
        batches: names what was written together, for `undo`; empty where nothing was.
        usage: what it cost.
        notes: what the reader should know about the run as a whole, such as messages that still wait.
    """

    added: tuple[Outcome, ...] = ()
    reinforced: tuple[Outcome, ...] = ()
    skipped: tuple[Outcome, ...] = ()
    refused: tuple[Outcome, ...] = ()
    failed: tuple[Outcome, ...] = ()
    retired: tuple[Outcome, ...] = ()
    restored: tuple[Outcome, ...] = ()
    batches: tuple[str, ...] = ()
    usage: Usage = Usage()
    notes: tuple[str, ...] = ()

    def __add__(self, other: Report) -> Report:
        both = {field.name: getattr(self, field.name) + getattr(other, field.name) for field in fields(self)}
        return Report(**{**both, "batches": tuple(dict.fromkeys(both["batches"]))})

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of what now stands for the items given: added, reinforced or restored."""
        return tuple(item.id for item in (*self.added, *self.reinforced, *self.restored) if item.id is not None)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an erasure destroyed: rows counted by kind, so that a person can show that it was done."""

    scope: Scope
    at: datetime
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A line said just before or after a hit, to make the hit readable."""

    message_id: str
    position: int
    speaker: str
    text: str
    said_at: datetime


@dataclass(frozen=True, slots=True)
class Hit:
    """One recalled line, with the reasons for its rank.

    Attributes:
        id: the memory's id, or the message's own id where the hit is something said.
        text: the sentence, verbatim.
        score: comparable within one answer only; 0..1 with the default recipe.
        signals: every ingredient of the score by name.
        kind: `message`, or the memory's kind.
        speaker: who said it.
        said_at: when it was said, UTC.
        entry_ids: ids of the messages that it rests on.
        scope: whose memory it is.
        session_id: the thread it was said in, and `position` its 0-based place there; None for memories.
        before, after: lines around it, in order.
    """

    id: str
    text: str
    score: float
    signals: Mapping[str, float]
    kind: str
    speaker: str
    said_at: datetime
    entry_ids: tuple[str, ...]
    scope: Scope
    session_id: str | None = None
    position: int | None = None
    before: tuple[Neighbour, ...] = ()
    after: tuple[Neighbour, ...] = ()


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that was asked and not found, so that nobody mistakes silence for a no."""

    asked: str
    reason: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What recall found.

    Attributes:
        query: the question as asked.
        hits: best first.
        block: the fenced text for a prompt; empty where nothing was found.
        gaps: what was asked and not found.
        tokens: estimated size of `block`.
        notes: what the reader should know about this answer, such as lines not yet embedded.
        usage: what the chat model was asked; nothing unless the recall was a deep one.
    """

    query: str
    hits: Sequence[Hit] = ()
    block: str = ""
    gaps: Sequence[Gap] = ()
    tokens: int = 0
    notes: Sequence[str] = ()
    usage: Usage = Usage()
