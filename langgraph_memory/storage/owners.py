"""Owners are the rows that have a text to embed and index: entries and memories, seen alike by `seq`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy.engine import Connection

from langgraph_memory.clock import from_micros
from langgraph_memory.scope import Scope
from langgraph_memory.storage.chroma_index import IndexRow, Owner
from langgraph_memory.storage.schema import entries, memories, scopes, sessions
from langgraph_memory.storage.scopes import lineage
from langgraph_memory.text.line import spoken_line

_CHUNK = 5_000


@dataclass(frozen=True, slots=True)
class OwnedText:
    """What the derived indexes need to know of one row."""

    owner: Owner
    seq: int
    scope_ids: tuple[int, ...]
    scope: str
    session: str
    speaker: str
    kind: str
    observed_at: int
    text: str

    @property
    def line(self) -> str:
        """The text as it is embedded."""
        return spoken_line(self.speaker, from_micros(self.observed_at), self.text)


def owned_texts(connection: Connection, seqs: Sequence[int]) -> dict[int, OwnedText]:
    """Return the texts of these rows; one that was erased meanwhile is missing."""
    found: dict[int, OwnedText] = {}
    lineages: dict[str, tuple[int, ...]] = {}
    for start in range(0, len(seqs), _CHUNK):
        _read_texts(connection, list(seqs[start : start + _CHUNK]), found, lineages)
    return found


def _read_texts(
    connection: Connection, seqs: list[int], found: dict[int, OwnedText], lineages: dict[str, tuple[int, ...]]
) -> None:
    queries: dict[Owner, sa.Select[tuple[object, ...]]] = {
        "entries": sa.select(
            entries.c.seq,
            entries.c.speaker,
            entries.c.observed_at,
            entries.c.text,
            sa.literal("message").label("kind"),
            sessions.c.thread_id.label("session"),
            scopes.c.path,
        )
        .join(sessions, sessions.c.id == entries.c.session_id)
        .join(scopes, scopes.c.id == entries.c.scope_id)
        .where(entries.c.seq.in_(seqs)),
        "memories": sa.select(
            memories.c.seq,
            memories.c.actor.label("speaker"),
            memories.c.observed_at,
            memories.c.text,
            memories.c.kind,
            sa.func.coalesce(memories.c.session_id, "").label("session"),
            scopes.c.path,
        )
        .join(scopes, scopes.c.id == memories.c.scope_id)
        .where(memories.c.seq.in_(seqs)),
    }
    for owner, query in queries.items():
        for row in connection.execute(query).mappings():
            path = row["path"]
            if path not in lineages:
                lineages[path] = tuple(lineage(connection, Scope.from_path(path)))
            found[row["seq"]] = OwnedText(
                owner=owner,
                seq=row["seq"],
                scope_ids=lineages[path],
                scope=path,
                session=row["session"],
                speaker=row["speaker"],
                kind=row["kind"],
                observed_at=row["observed_at"],
                text=row["text"],
            )


def existing(connection: Connection, seqs: Sequence[int]) -> set[int]:
    """Return which of these rows still exist."""
    found: set[int] = set()
    for start in range(0, len(seqs), _CHUNK):
        some = list(seqs[start : start + _CHUNK])
        for table in (entries, memories):
            found.update(connection.execute(sa.select(table.c.seq).where(table.c.seq.in_(some))).scalars())
    return found


def index_row(text: OwnedText, vector: NDArray[np.float32]) -> IndexRow:
    """Return the row for the vector index: the vector, and what a person wants to see beside it."""
    return IndexRow(
        owner=text.owner,
        seq=text.seq,
        vector=vector,
        text=text.text,
        scope_ids=text.scope_ids,
        metadata={
            "scope": text.scope,
            "session": text.session,
            "speaker": text.speaker,
            "kind": text.kind,
            "said_at": from_micros(text.observed_at).isoformat(),
        },
    )
