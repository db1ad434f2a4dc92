"""Identity decides which of the messages given are already recorded, so that nothing is written twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Known:
    """A recorded entry, as far as identity looks at it; the time is in microseconds."""

    message_id: str
    digest: str
    observed_at: int


@dataclass(frozen=True, slots=True)
class Given:
    """A message to be recorded, as far as identity looks at it.

    Attributes:
        message_id: its own id, None where there is none.
        digest: what tells its content apart.
        observed_at: when it says that it was said, microseconds; None where it does not say.
    """

    message_id: str | None
    digest: str
    observed_at: int | None

    def repeats(self, entry: Known) -> bool:
        """Whether it may be this entry once more: the same content, and the same time where it has one."""
        return self.digest == entry.digest and self.observed_at in (None, entry.observed_at)


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
    given: Sequence[Given],
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
        given: the messages in the order in which they were said.
        known: `(seq, digest)` of recorded entries by message id, oldest first.
        tail: the last entries of the session, as many as there are messages.
        runs_from: finds the recorded runs, as long as the list, that start with a digest.
        next_position: the place in the session that the first new message will get.
    """
    recorded = _already_recorded(given, tail, runs_from)
    here: dict[str, list[tuple[int, str]]] = {}  # new in this call: which one, digest
    decisions: list[Decision] = []
    fresh = 0
    for index, message in enumerate(given):
        message_id, digest = message.message_id, message.digest
        if message_id is None:
            if index < len(recorded):
                decisions.append(Duplicate(recorded[index].message_id))
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
    given: Sequence[Given], tail: Sequence[Known], runs_from: Callable[[str], Sequence[Sequence[Known]]]
) -> Sequence[Known]:
    """Return the recorded entries that the beginning of the list repeats."""
    if all(message.message_id is not None for message in given):
        return ()
    for start in range(max(0, len(tail) - len(given)), len(tail)):
        overlap = range(start, len(tail))
        if all(given[place - start].repeats(tail[place]) for place in overlap):
            return tail[start:]
    if len(given) > 1:
        for run in runs_from(given[0].digest):
            if len(run) == len(given) and all(map(Given.repeats, given, run)):
                return run
    return ()
