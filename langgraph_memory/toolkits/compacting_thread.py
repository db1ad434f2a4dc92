"""A session that is compacted: its items give way to fewer in one step, and all that was said is still recalled."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from langgraph_memory.clock import to_micros
from langgraph_memory.errors import InvalidInput
from langgraph_memory.events import reason
from langgraph_memory.storage import session_heads, session_items
from langgraph_memory.storage.session_heads import SEQ, Head
from langgraph_memory.toolkits.blocking_session import BlockingSession
from langgraph_memory.toolkits.item_compaction import Compacted, Compactor, ItemCompaction, open_calls
from langgraph_memory.toolkits.item_view import Shown, View, view
from langgraph_memory.toolkits.items import read_items, to_written

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Seen:
    """The history as a compaction was given it.

    Attributes:
        view: all of it.
        given: what could be read, with the items.
    """

    view: View
    given: Sequence[tuple[Shown, Any]]

    @property
    def items(self) -> list[Any]:
        """The items given."""
        return [item for _, item in self.given]


class CompactingThread(BlockingSession):
    """A session with `run_compaction`, blocking; `CompactingSession` is its awaited face.

    Attributes:
        compaction: when, and by whom.
        compacted: what the last call of `run_compaction` came to; None before the first.
    """

    def __init__(self, *args: Any, compaction: ItemCompaction, compact: Compactor, **options: Any) -> None:
        super().__init__(*args, **options)
        self.compaction = compaction
        self.compacted: Compacted | None = None
        self.compact = compact

    def run_compaction(self, args: Mapping[str, Any] | None = None) -> Compacted:
        """Compact the history where it is due.

        The items given away are hidden from this session and stay in memory, where they are recalled as before. It is
        one transaction: whoever reads meanwhile, or after a crash, sees the old history or the new one. Items added
        while the compactor works stand behind what it returned.

        Args:
            args: as the SDK gives them; `force` compacts whatever the conditions say.

        Returns:
            what it came to. A compactor that raises, or returns nothing usable, changes nothing: it is logged, and
            told here.

        Raises:
            InvalidInput: `compact` is an async function; await `CompactingSession.run_compaction` for those.
            StorageError: the database cannot be read or written; nothing has changed.
            SealBroken: a sealed item cannot be opened, and the seal does not say `skip`.
        """
        seen = self.look(args)
        if isinstance(seen, Compacted):
            return seen
        try:
            answer = self.compact(seen.items)
        except Exception as error:
            return self.failed(seen, error)
        if inspect.isawaitable(answer):
            if inspect.iscoroutine(answer):
                answer.close()
            raise InvalidInput("The compactor is an async function: write `await session.run_compaction()`.")
        return self.put(seen, answer)

    def look(self, args: Mapping[str, Any] | None) -> Seen | Compacted:
        """Return what is to be compacted, or why nothing is."""
        force = _force(args)
        with self._open().read() as connection:
            session = session_items.find_session(connection, self._scope, self.session_id)
            whole = View(Head(), []) if session is None else view(connection, self._scope, session.id)
        seen = Seen(whole, self._readable(whole.shown))
        items = seen.items
        if not items or not (force or self.compaction.is_due(items)):
            return self._told(Compacted("not due", len(items), len(items)))
        if waiting := open_calls(items):
            why = f"the outputs of {', '.join(waiting)} are still to come"
            return self._told(Compacted("waiting", len(items), len(items), why))
        return seen

    def put(self, seen: Seen, answer: Any) -> Compacted:
        """Let the answer take the place of what was seen, unless that has changed meanwhile."""
        try:
            given = read_items(answer, self._seal)
            if not given:
                raise InvalidInput("it returned no items, and a history is never emptied by a compaction")
        except InvalidInput as error:
            return self.failed(seen, error)
        if [item.item for item in given] == seen.items:
            return self._told(Compacted("not due", len(given), len(given), "the compactor left all as it was"))
        now = to_micros(self._clock())
        with self._open().write() as connection:
            session = session_items.find_session(connection, self._scope, self.session_id)
            present = View(Head(), []) if session is None else view(connection, self._scope, session.id)
            there = {shown.entry.seq for shown in present.shown if shown.entry is not None}
            sent = [shown.entry.seq for shown, _ in seen.given if shown.entry is not None]
            if session is None or present.head.generation != seen.view.head.generation or not there.issuperset(sent):
                why = "the history was changed while the compactor worked"
                return self._told(Compacted("overtaken", len(seen.given), len(seen.given), why))
            head = [*self._unread(seen), *self._placed(seen, given, now)]
            session_heads.write(connection, session.id, Head(present.head.generation + 1, head))
            session_heads.cover(connection, session.id, sent)
        return self._told(Compacted("compacted", len(seen.given), len(given)))

    def failed(self, seen: Seen, error: Exception) -> Compacted:
        """Tell that the compactor failed; the history stays."""
        _log.warning("%r was not compacted, and its history stays as it is: %s", self.session_id, reason(error))
        return self._told(Compacted("failed", len(seen.given), len(seen.given), reason(error)))

    def _unread(self, seen: Seen) -> list[Mapping[str, Any]]:
        """Return what of the head nobody could read: it was not given to the compactor, so it stays."""
        read = {shown.place for shown, _ in seen.given}
        return [
            seen.view.head.items[shown.place]
            for shown in seen.view.shown
            if shown.place is not None and shown.place not in read
        ]

    def _placed(self, seen: Seen, given: Sequence[Any], now: int) -> list[Mapping[str, Any]]:
        """Return the answer as a head keeps it: what was returned as it was is no copy but the thing itself."""
        placed: list[Mapping[str, Any]] = []
        begin = 0
        for new in given:
            found = next((n for n in range(begin, len(seen.given)) if seen.given[n][1] == dict(new.item)), None)
            if found is None:
                placed.append(to_written(new, now))
                continue
            shown = seen.given[found][0]
            placed.append({SEQ: shown.entry.seq} if shown.entry is not None else shown.written or {})
            begin = found + 1
        return placed

    def _told(self, outcome: Compacted) -> Compacted:
        self.compacted = outcome
        return outcome

    def _beside(self, thread_id: str) -> Self:
        return type(self)(
            thread_id,
            self._scope,
            database=self._open,
            clock=self._clock,
            added=self._added,
            session_settings=self.session_settings,
            seal=self._seal,
            compaction=self.compaction,
            compact=self.compact,
        )


def _force(args: Mapping[str, Any] | None) -> bool:
    if args is not None and not isinstance(args, Mapping):
        raise InvalidInput(f'args is a dict such as {{"force": True}}, not {args!r:.80}.')
    if args and args.get("compaction_mode") == "previous_response_id":
        raise InvalidInput("This session compacts the items that it holds, not a response that a server holds.")
    return bool(args and args.get("force"))
