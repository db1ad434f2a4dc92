"""A session for code that does not await, with branches: other conversations that begin with what this one said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from sqlalchemy.engine import Connection

from langgraph_memory.clock import from_micros, to_micros
from langgraph_memory.errors import InvalidInput, NotFound
from langgraph_memory.records import Report
from langgraph_memory.sessions.recorder import check_thread
from langgraph_memory.storage import entries, session_heads, session_items
from langgraph_memory.storage.entries import SessionRow
from langgraph_memory.storage.scopes import intern
from langgraph_memory.storage.session_heads import Head
from langgraph_memory.text.normalise import clean
from langgraph_memory.toolkits.item_thread import ItemThread
from langgraph_memory.toolkits.item_view import Shown, View, view

MAIN = "main"
"""The name of the conversation that branches come from."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch of a conversation.

    Attributes:
        thread_id: the thread it is; `memory.session` opens it.
        from_turn: the turn that it does not share any more, counted from 1.
        deleted_at: when it was deleted; its name stays taken.
    """

    name: str
    thread_id: str
    from_turn: int
    created_at: datetime
    deleted_at: datetime | None = None


class BlockingSession(ItemThread):
    """The four verbs and branches on one thread, blocking; `ItemSession` is its awaited face."""

    def branch(self, name: str, *, from_turn: int | None = None) -> Self:
        """Begin another conversation with what was said here before a turn.

        What is shared is stored once and recalled once. Whatever is added, popped or cleared in one of the two
        changes nothing in the other; what is forgotten or erased by name is gone from both.

        Args:
            name: of the branch; it is never given twice, not even after it was deleted.
            from_turn: the turn (user message shown here, counted from 1) that the branch begins anew; by default it
                shares all.

        Returns:
            the branch's session; its thread is `thread#name`.

        Raises:
            InvalidInput: the name is blank or taken, or there is no such turn.
        """
        if not isinstance(name, str) or not name.strip() or name == MAIN:
            raise InvalidInput(f"A branch needs a name of its own, not {name!r}. Write for example branch('draft').")
        database, now = self._open(), to_micros(self._clock())
        with database.write() as connection:
            lineage = intern(connection, self._scope)
            here = entries.open_session(connection, lineage[-1], clean(self.session_id), now)
            came_from = session_items.branch_of(connection, here.id)
            root = here.id if came_from is None else came_from.root_row
            root_thread = self.session_id if came_from is None else self._root_thread(came_from.name)
            thread_id = _thread(root_thread, name)
            check_thread(thread_id)
            taken = {row.name for row in session_items.branches_of(connection, root)}
            if clean(name) in taken or session_items.find_session(connection, self._scope, thread_id) is not None:
                raise InvalidInput(f"A branch {name!r} of {root_thread!r} exists or existed. Take another name.")
            seen = view(connection, self._scope, here.id)
            kept, turn = _before(seen.shown, from_turn)
            new = entries.open_session(connection, lineage[-1], clean(thread_id), now)
            self._share(connection, here.id, new.id, seen, kept)
            session_items.add_branch(connection, new.id, root, clean(name), turn, now)
        return self._beside(thread_id)

    def branches(self) -> list[Branch]:
        """Return the branches of the conversation that this one is, or came from; deleted ones too, oldest first."""
        with self._open().read() as connection:
            here = session_items.find_session(connection, self._scope, self.session_id)
            if here is None:
                return []
            root, thread = self._root(connection, here)
            rows = session_items.branches_of(connection, root)
        return [
            Branch(
                row.name,
                _thread(thread, row.name),
                row.from_turn,
                from_micros(row.created_at),
                None if row.deleted_at is None else from_micros(row.deleted_at),
            )
            for row in rows
        ]

    def delete_branch(self, name: str) -> Report:
        """Delete a branch: what only it showed is forgotten; what it shared stays where it came from.

        Returns:
            `retired` with what nobody sees any more.

        Raises:
            InvalidInput: it is the main conversation, or the one at hand.
            NotFound: there is no such branch.
        """
        if name == MAIN:
            raise InvalidInput("The main conversation is no branch. clear_session() empties it, erase() destroys it.")
        with self._open().write() as connection:
            here = session_items.find_session(connection, self._scope, self.session_id)
            rows = [] if here is None else session_items.branches_of(connection, self._root(connection, here)[0])
            row = next((row for row in rows if row.name == name and row.deleted_at is None), None)
            if here is None or row is None:
                raise NotFound(f"{self.session_id!r} has no branch {name!r}. branches() lists them.")
            if row.session_row == here.id:
                raise InvalidInput(f"The branch {name!r} is the one at hand. Delete it from another session.")
            report = self._empty(connection, row.session_row)
            session_items.mark_deleted(connection, row.session_row, to_micros(self._clock()))
        return report

    def _beside(self, thread_id: str) -> Self:
        """Return a session like this one on another thread."""
        return type(self)(
            thread_id,
            self._scope,
            database=self._open,
            clock=self._clock,
            added=self._added,
            session_settings=self.session_settings,
            seal=self._seal,
        )

    def _share(self, connection: Connection, here: int, new: int, seen: View, kept: Sequence[Shown]) -> None:
        """Let a branch show what is kept, with what the kept part of the head stands for."""
        seqs = [shown.entry.seq for shown in kept if shown.entry is not None]
        head = [seen.head.items[shown.place] for shown in kept if shown.place is not None]
        if head:
            first_left = next((one.entry.seq for one in seen.shown[len(kept) :] if one.entry is not None), None)
            behind = {shown.entry.seq for shown in kept if shown.entry is not None and shown.place is None}
            everything = session_items.visible(connection, here, covered=True)
            covered = [seq for seq in everything if seq not in behind and (first_left is None or seq < first_left)]
            seqs = sorted({*seqs, *covered})
            session_heads.write(connection, new, Head(1, head))
            session_heads.cover(connection, new, covered)
        session_items.share(connection, new, seqs)

    def _root(self, connection: Connection, here: SessionRow) -> tuple[int, str]:
        """Return the row and the thread of the conversation that the branches came from."""
        branch = session_items.branch_of(connection, here.id)
        return (here.id, self.session_id) if branch is None else (branch.root_row, self._root_thread(branch.name))

    def _root_thread(self, name: str) -> str:
        return self.session_id[: -len(_thread("", name))]


def _thread(root: str, name: str) -> str:
    return f"{root}#{name}"


def _before(shown: Sequence[Shown], from_turn: int | None) -> tuple[Sequence[Shown], int]:
    """Return what was said before a turn, and the turn's number; what a compaction wrote is no turn."""
    turns = [place for place, one in enumerate(shown) if one.entry is not None and one.entry.role == "user"]
    if from_turn is None:
        return shown, len(turns) + 1
    if isinstance(from_turn, bool) or not isinstance(from_turn, int) or not 1 <= from_turn <= len(turns):
        raise InvalidInput(f"There is no turn {from_turn!r}: the conversation has {len(turns)}, counted from 1.")
    return shown[: turns[from_turn - 1]], from_turn
