"""The items of a thread: get, add, pop and clear them, over the entries that memory recalls from."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from sqlalchemy.engine import Connection

from langgraph_memory import arguments
from langgraph_memory.clock import Clock, to_micros
from langgraph_memory.errors import InvalidInput, SealBroken
from langgraph_memory.records import Entry, Outcome, Report
from langgraph_memory.scope import Scope
from langgraph_memory.storage import entries, session_heads, session_items
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.entries import NewEntry, SessionRow
from langgraph_memory.storage.scopes import intern
from langgraph_memory.storage.session_heads import Head
from langgraph_memory.text.normalise import clean
from langgraph_memory.toolkits.item_view import Shown, view
from langgraph_memory.toolkits.items import GivenItem, item_of, read_items
from langgraph_memory.toolkits.sealing import Sealing
from langgraph_memory.writing.ledger import Ledger

ACTOR = "session"
"""Who took an item out, in history."""

_PAGE = 64  # entries looked at for the newest readable item

_log = logging.getLogger(__name__)


class SessionSettings(Protocol):
    """The settings of a session, as far as they are looked at: how many items are given where nobody says."""

    limit: int | None


class ItemThread:
    """The four verbs on one thread, blocking.

    Attributes:
        session_id: the thread's id.
        session_settings: whose `limit` holds where `get_items` is given none.
        unreadable: sealed items that the last reading left out, each with the reason.
    """

    def __init__(
        self,
        thread_id: str,
        scope: Scope,
        *,
        database: Callable[[], Database],
        clock: Clock,
        added: Callable[[Report, str], Report],
        session_settings: SessionSettings | None = None,
        seal: Sealing | None = None,
    ) -> None:
        self.session_id = thread_id
        self.session_settings = session_settings
        self.unreadable: tuple[Outcome, ...] = ()
        self._scope = scope
        self._open = database
        self._clock = clock
        self._added = added
        self._seal = seal

    def get_items(self, limit: int | None = None) -> list[Any]:
        """Return the last `limit` items, in the order in which they were added; all of them where nobody sets one.

        Args:
            limit: how many at most; by default what `session_settings` says.

        Raises:
            InvalidInput: the limit is no whole number of at least 0.
            SealBroken: a sealed item cannot be opened, and the seal does not say `skip`.
        """
        count = self._limit(limit)
        with self._open().read() as connection:
            session = session_items.find_session(connection, self._scope, self.session_id)
            found = [] if session is None else self._shown(connection, session.id, count)
        return [item for _, item in self._readable(found)]

    def add_items(self, items: Sequence[Mapping[str, Any]]) -> Report:
        """Append items, all or none; what users and assistants say can be recalled at once.

        An item with an id that stands there already, and is equal, is not added again. Items without ids are never
        taken for each other: two equal ones are two.

        Returns:
            `added` and `skipped`, by message id.

        Raises:
            InvalidInput: an item is no dict, or holds something that JSON does not know; nothing was added.
        """
        given = read_items(items, self._seal)
        if not given:
            return Report()
        database, now = self._open(), to_micros(self._clock())
        with database.write() as connection:
            lineage = intern(connection, self._scope)
            session = entries.open_session(connection, lineage[-1], clean(self.session_id), now)
            added, skipped = self._sorted_out(connection, session, given)
            new = [_new_entry(name, item, now) for name, item in added]
            if new:
                first = database.take_seqs(connection, len(new))
                entries.append(connection, lineage=lineage, session=session, first_seq=first, new=new, now=now)
        report = Report(
            added=tuple(Outcome(name, item.message.text) for name, item in added),
            skipped=tuple(Outcome(name, text, reason="already there", of=name) for name, text in skipped),
        )
        return self._added(report, self.session_id)

    def pop_item(self) -> Any:
        """Take the newest item out and return it; None where there is none.

        It is forgotten, not destroyed: `memory.restore` brings it back. The `messages` of a LangGraph state are not
        touched. Of several processes that pop at once, each gets another item.

        Raises:
            SealBroken: it is sealed and cannot be opened, and the seal does not say `skip`; it stays.
        """
        with self._open().write() as connection:
            session = session_items.find_session(connection, self._scope, self.session_id)
            readable = None if session is None else self._newest_readable(connection, session.id)
            if session is None or readable is None:
                return None
            shown, item = readable
            if shown.entry is not None:
                self._take_out(connection, session.id, [shown.entry])
            else:
                head = session_heads.read(connection, session.id)
                kept = [one for place, one in enumerate(head.items) if place != shown.place]
                session_heads.write(connection, session.id, Head(head.generation + 1, kept))
            return item

    def clear_session(self) -> Report:
        """Take every item out; each is forgotten, not destroyed: `memory.restore` brings it back, `erase` destroys.

        So is what a compaction has summarised; the summary itself is gone.

        Returns:
            `retired` with what nobody sees any more; what a branch still shows is not among it.
        """
        with self._open().write() as connection:
            session = session_items.find_session(connection, self._scope, self.session_id)
            if session is None:
                return Report()
            return self._empty(connection, session.id)

    def _limit(self, limit: int | None) -> int | None:
        settings: Any = self.session_settings
        if limit is None and settings is not None:
            limit = settings.get("limit") if isinstance(settings, Mapping) else getattr(settings, "limit", None)
        try:
            return arguments.maybe_number("limit", limit)
        except InvalidInput as error:
            raise InvalidInput(f"{error} A limit of at least 0 gives so many items; leave it out for all.") from None

    def _shown(self, connection: Connection, session_row: int, limit: int | None = None) -> list[Shown]:
        return view(connection, self._scope, session_row, limit).shown

    def _readable(self, found: Sequence[Shown]) -> list[tuple[Shown, Any]]:
        """Return what is shown with its items; those that cannot be opened are told of as the seal says."""
        read: list[tuple[Shown, Any]] = []
        broken: list[Outcome] = []
        for shown in found:
            try:
                read.append((shown, shown.item(self._seal)))
            except SealBroken as error:
                broken.append(Outcome(shown.name, "", reason=str(error)))
        self.unreadable = tuple(broken)
        if broken:
            told = f"{len(broken)} of {len(found)} items of {self.session_id!r} cannot be read: {broken[0].reason}."
            if self._seal is None or self._seal.unreadable == "raise":
                raise SealBroken(
                    f"{told} Open the session with the cipher they were sealed with, or with "
                    "Sealing(..., unreadable='skip') to leave them out; they are still stored."
                )
            _log.warning("%s They are left out.", told)
        return read

    def _newest_readable(self, connection: Connection, session_row: int) -> tuple[Shown, Any] | None:
        limit = _PAGE if self._seal is not None and self._seal.unreadable == "skip" else 1
        while True:
            found = self._shown(connection, session_row, limit)
            readable = self._readable(found)
            if readable or len(found) < limit:
                return readable[-1] if readable else None
            limit *= 4

    def _sorted_out(
        self, connection: Connection, session: SessionRow, given: Sequence[GivenItem]
    ) -> tuple[list[tuple[str, GivenItem]], list[tuple[str, str]]]:
        """Return what is new, each with the message id it gets, and what stands there already."""
        named = [item for item in given if item.item_id is not None]
        ids = [clean(item.item_id) for item in named if item.item_id is not None]
        digests = [item.digest for item in named]
        there = entries.by_seq(connection, self._scope, session_items.same(connection, session.id, digests, ids))
        standing: list[tuple[str, Any]] = []
        for entry in there.values():
            try:
                standing.append((entry.message_id, item_of(entry, self._seal)))
            except SealBroken:
                continue  # whatever it says, this one is kept beside it
        taken = set(entries.known_by_id(connection, session, ids)) if ids else set()
        added: list[tuple[str, GivenItem]] = []
        skipped: list[tuple[str, str]] = []
        for item in given:
            name = f"{session.entries + len(added)}-{item.digest[:12]}"
            if item.item_id is not None:
                twin = next((other for other, present in standing if present == dict(item.item)), None)
                if twin is not None:
                    skipped.append((twin, item.message.text))
                    continue
                if clean(item.item_id) not in taken:
                    name = clean(item.item_id)
                    taken.add(name)
                standing.append((name, dict(item.item)))
            added.append((name, item))
        return added, skipped

    def _empty(self, connection: Connection, session_row: int) -> Report:
        """Take out everything that a session has, and what its head stands for."""
        seqs = session_items.visible(connection, session_row, covered=True)
        session_heads.uncover(connection, session_row)
        found = entries.by_seq(connection, self._scope, seqs)
        return self._take_out(connection, session_row, [found[seq] for seq in seqs])

    def _take_out(self, connection: Connection, session_row: int, shown: Sequence[Entry]) -> Report:
        nobodys = set(session_items.take_out(connection, session_row, [entry.seq for entry in shown]))
        ledger = Ledger(self._open(), connection, self._clock)
        forgotten = [entry for entry in shown if entry.seq in nobodys]
        now = to_micros(self._clock())
        for entry in forgotten:
            ledger.show_entry(entry, now, actor=ACTOR, reason=None)
        return Report(retired=tuple(Outcome(entry.message_id, entry.text) for entry in forgotten))


def _new_entry(message_id: str, given: GivenItem, now: int) -> NewEntry:
    message = given.message
    return NewEntry(
        message_id=message_id,
        digest=given.digest,
        role=message.role,
        speaker=clean(message.speaker or message.role),
        text=clean(message.text),
        content=message.content,
        extra=message.extra,
        observed_at=now,
    )
