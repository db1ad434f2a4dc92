"""What a session shows: its head, written by a compaction, and then the entries that the head does not stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.engine import Connection

from langgraph_memory.records import Entry
from langgraph_memory.scope import Scope
from langgraph_memory.storage import entries, session_heads, session_items
from langgraph_memory.storage.session_heads import SEQ, Head
from langgraph_memory.toolkits.items import item_of, written_item
from langgraph_memory.toolkits.sealing import Sealing


@dataclass(frozen=True, slots=True)
class Shown:
    """One item that a session shows: an entry, or one that a compaction wrote.

    Attributes:
        entry: None where a compaction wrote it.
        written: as the head keeps it; None for an entry.
        place: in the head, counted from 0; None where it stands behind it.
    """

    entry: Entry | None
    written: Mapping[str, Any] | None = None
    place: int | None = None

    @property
    def name(self) -> str:
        """What tells it apart: the message id of an entry."""
        return self.entry.message_id if self.entry is not None else f"head-{self.place}"

    def item(self, seal: Sealing | None) -> Any:
        """Return the item itself.

        Raises:
            SealBroken: it is sealed and cannot be opened.
        """
        if self.entry is not None:
            return item_of(self.entry, seal)
        return written_item(self.written or {}, seal)


@dataclass(frozen=True, slots=True)
class View:
    """What a session shows at one moment: its head, and the last items in order."""

    head: Head
    shown: list[Shown]


def view(connection: Connection, scope: Scope, session_row: int, limit: int | None = None) -> View:
    """Return the last `limit` items that a session shows; all of them for None."""
    head = session_heads.read(connection, session_row)
    behind = session_items.visible(connection, session_row, limit)
    left = None if limit is None else limit - len(behind)
    named = [item[SEQ] for item in head.items if SEQ in item]
    there = session_items.shown_of(connection, session_row, named) if named and (left is None or left) else set()
    found = entries.by_seq(connection, scope, [*there, *behind])
    first = [
        Shown(None, item, place) if SEQ not in item else Shown(found[item[SEQ]], place=place)
        for place, item in enumerate(head.items)
        if SEQ not in item or item[SEQ] in there
    ]
    if left is not None:
        first = first[max(0, len(first) - left) :]
    return View(head, [*first, *(Shown(found[seq]) for seq in behind)])
