"""Identity decides which of the messages given are already recorded, so that nothing is written twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple


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
        generated: whether a run made it; a replay of that run makes it again, under another id.
    """

    message_id: str | None
    digest: str
    observed_at: int | None
    generated: bool = False

    def repeats(self, entry: Known) -> bool:
        """Whether it may be this entry once more: the same content, and the same time where it has one."""
        return self.digest == entry.digest and self.observed_at in (None, entry.observed_at)


@dataclass(frozen=True, slots=True)
class Stored:
    """One recorded version of a message with an id; `replaced_by` is the `seq` of the one that stands instead."""

    seq: int
    digest: str
    replaced_by: int | None = None


class Version(NamedTuple):
    """A version of a message: a recorded one by its `seq`, or which of this call's new messages, counted from 0."""

    number: int
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class New:
    """Record it."""

    message_id: str


@dataclass(frozen=True, slots=True)
class Duplicate:
    """It stands as this entry already."""

    message_id: str


@dataclass(frozen=True, slots=True)
class Again:
    """It was recorded and then replaced; now it is the current version again."""

    message_id: str


Decision = New | Duplicate | Again


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do with the messages of one call.

    Attributes:
        decisions: one for each message, in order.
        replaced: which versions stand in the place of others from now on, as far as that changes; None for one that
            is current again.
    """

    decisions: Sequence[Decision]
    replaced: Mapping[Version, Version | None]


class _Versions:
    """The versions of one message id, followed through a call; the one said last is current."""

    __slots__ = ("_after", "_before", "_by_digest", "current")

    def __init__(self, stored: Sequence[Stored]) -> None:
        self._by_digest = {version.digest: Version(version.seq) for version in stored}
        self._before = {
            Version(version.seq): None if version.replaced_by is None else Version(version.replaced_by)
            for version in stored
        }
        self.current: Version | None = None
        for version, after in self._before.items():
            if after is None:
                self.current = version
        self._after: dict[Version, Version | None] = {}

    def say(self, digest: str, fresh: int) -> Version:
        """Make the version with this content the current one; a content never said gets the number `fresh`."""
        version = self._by_digest.get(digest)
        if version is None:
            version = self._by_digest[digest] = Version(fresh, is_new=True)
        if version != self.current:
            if self.current is not None:
                self._after[self.current] = version
            self._after[version] = None
            self.current = version
        return version

    def changed(self) -> dict[Version, Version | None]:
        """Return what stands in the place of what, where that is not so already."""
        return {version: after for version, after in self._after.items() if self._before.get(version) != after}


def decide(
    given: Sequence[Given],
    *,
    known: Mapping[str, Sequence[Stored]],
    tail: Sequence[Known],
    runs_from: Callable[[str], Sequence[Sequence[Known]]],
    next_position: int,
    behind: Callable[[str], Sequence[Known]] = lambda _: (),
) -> Verdict:
    """Decide for each message, in order, whether it is new.

    A message with an id is the same when id and content are, and replaces the current version when only the id
    is. The version said last is the current one: an edit that is taken back makes the old version current again,
    and so does a fork or a repeated call. Messages without ids are aligned with the end of the session: the longest
    run that both ends the session and begins the list is already recorded. So a caller may give the whole history
    each time, only the new turn, or repeat a call that may have failed. A list of several messages that stands whole
    anywhere in the session is such a repetition too; a single line without id or time that is not the last one said
    counts as said again. What a run generates behind a recorded message, word for word as it stands there already, is
    that run replayed, whatever its id.

    Args:
        given: the messages in the order in which they were said.
        known: the recorded versions by message id, oldest first.
        tail: the last entries of the session, as many as there are messages.
        runs_from: finds the recorded runs, as long as the list, that start with a digest.
        next_position: the place in the session that the first new message will get.
        behind: finds what stands directly behind a recorded message, by its id.
    """
    recorded = _already_recorded(given, tail, runs_from)
    versions: dict[str, _Versions] = {}
    said: list[tuple[str, Version | None]] = []  # None: it repeats an entry without an id of its own
    fresh = 0
    for index, message in enumerate(given):
        message_id = message.message_id
        if message_id is None:
            if index < len(recorded):
                said.append((recorded[index].message_id, None))
                continue
            message_id = f"{next_position + fresh}-{message.digest[:12]}"
        elif message.generated and said and not known.get(message_id) and message_id not in versions:
            before, version = said[-1]
            if version is None or not version.is_new:
                replayed = next((entry for entry in behind(before) if message.repeats(entry)), None)
                if replayed is not None:
                    said.append((replayed.message_id, None))
                    continue
        if message_id not in versions:
            versions[message_id] = _Versions(known.get(message_id, ()))
        version = versions[message_id].say(message.digest, fresh)
        said.append((message_id, version))
        fresh += version == Version(fresh, is_new=True)
    replaced: dict[Version, Version | None] = {}
    for each in versions.values():
        replaced.update(each.changed())
    return Verdict(_decisions(said, replaced), replaced)


def _decisions(
    said: Sequence[tuple[str, Version | None]], replaced: Mapping[Version, Version | None]
) -> list[Decision]:
    decisions: list[Decision] = []
    told: set[Version] = set()
    for message_id, version in said:
        decision: Decision = Duplicate(message_id)
        if version is not None and version not in told:
            told.add(version)
            if version.is_new:
                decision = New(message_id)
            elif version in replaced and replaced[version] is None:
                decision = Again(message_id)
        decisions.append(decision)
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
