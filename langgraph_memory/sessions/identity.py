"""Identity decides which of the messages given are already recorded, so that nothing is written twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Known = tuple[str, str]
"""`(message_id, digest)` of a recorded entry."""


@dataclass(frozen=True, slots=True)
class New:
    """Record it.

    Attributes:
        replaces: the `seq` of a recorded entry with the same id and other content.
        replaces_earlier: the same within one call: which of this call's new messages, counted from 0.
    """

    message_id: str
    replaces: int | None = None
    replaces_earlier: int | None = None


@dataclass(frozen=True, slots=True)
class Duplicate:
    """It stands as this entry already."""

    message_id: str


Decision = New | Duplicate


def decide(
    ids: Sequence[str | None],
    digests: Sequence[str],
    *,
    known: Mapping[str, Sequence[tuple[int, str]]],
    tail: Sequence[Known],
    runs_from: Callable[[str], Sequence[Sequence[Known]]],
    next_position: int,
) -> list[Decision]:
    """Decide for each message, in order, whether it is new.

    A message with an id is the same when id and content are, and replaces the recorded one when only the id
    is. Messages without ids are aligned with the end of the session: the longest run that both ends the
    session and begins the list is already recorded. So a caller may give the whole history each time, only
    the new turn, or repeat a call that may have failed. A list of several messages that stands whole anywhere
    in the session is such a repetition too; a single line without id or time that is not the last one said
    counts as said again.

    Args:
        ids: the messages' own ids, None where there is none.
        digests: what tells their contents apart.
        known: `(seq, digest)` of recorded entries by message id, oldest first.
        tail: the last entries of the session, as many as there are messages.
        runs_from: finds the recorded runs that start with a digest.
        next_position: the place in the session that the first new message will get.
    """
    recorded = _already_recorded(ids, digests, tail, runs_from)
    here: dict[str, list[tuple[int, str]]] = {}  # new in this call: which one, digest
    decisions: list[Decision] = []
    fresh = 0
    for index, (message_id, digest) in enumerate(zip(ids, digests, strict=True)):
        if message_id is None:
            if index < len(recorded):
                decisions.append(Duplicate(recorded[index][0]))
                continue
            message_id = f"{next_position + fresh}-{digest[:12]}"
        stored, earlier = known.get(message_id, ()), here.setdefault(message_id, [])
        if any(digest == other for _, other in (*stored, *earlier)):
            decisions.append(Duplicate(message_id))
            continue
        if earlier:
            decisions.append(New(message_id, replaces_earlier=earlier[-1][0]))
        else:
            decisions.append(New(message_id, replaces=stored[-1][0] if stored else None))
        earlier.append((fresh, digest))
        fresh += 1
    return decisions


def _already_recorded(
    ids: Sequence[str | None],
    digests: Sequence[str],
    tail: Sequence[Known],
    runs_from: Callable[[str], Sequence[Sequence[Known]]],
) -> Sequence[Known]:
    """Return the recorded entries that the beginning of the list repeats."""
    if all(message_id is not None for message_id in ids):
        return ()
    for length in range(min(len(tail), len(digests)), 0, -1):
        if [digest for _, digest in tail[-length:]] == list(digests[:length]):
            return tail[-length:]
    if len(digests) > 1:
        for run in runs_from(digests[0]):
            if [digest for _, digest in run] == list(digests):
                return run
    return ()
