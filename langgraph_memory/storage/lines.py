"""Lines are the rows of the truth as recall searches them: loaded by scope, or by number, or as far as they changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy.engine import Connection

from langgraph_memory.retrieval.snapshot import PRIVATE, Line, Snapshot
from langgraph_memory.retrieval.visibility import FOREVER
from langgraph_memory.scope import Scope
from langgraph_memory.storage import text_index, vectors
from langgraph_memory.storage.entries import spoken_terms
from langgraph_memory.storage.schema import entries, has_text, memories, scopes
from langgraph_memory.storage.scopes import INSIDE, bounds, ids_inside

TELLING = 6
"""Terms from which on a message says the same in every session of a scope: recall shows it once however often one
speaker said it. What is shorter (`Yes, please.`) means what stands around it, and is the same only within a session."""

_CHUNK = 5_000
_DAY = 86_400_000_000  # microseconds


def count_lines(connection: Connection, scope: Scope) -> int:
    """Return how many rows there are inside the scope."""
    inside = ids_inside(scope)
    return sum(
        connection.execute(
            sa.select(sa.func.count()).select_from(table).where(table.c.scope_id.in_(inside))
        ).scalar_one()
        for table in (entries, memories)
    )


def load_lines(connection: Connection, scope: Scope, model_id: int, *, after: int) -> Iterator[list[Line]]:
    """Yield the scope's lines recorded after a `seq`, ascending, in chunks."""
    while True:
        asked = {**bounds(scope), "after": after}
        found = _rows(connection, _ENTRIES_AFTER, _MEMORIES_AFTER, asked)[:_CHUNK]
        if not found:
            return
        yield _lines(connection, model_id, found)
        after = found[-1]["seq"]


def lines_of(connection: Connection, scope: Scope, model_id: int, seqs: Sequence[int]) -> list[Line]:
    """Return these rows as lines, those that lie inside the scope, ascending."""
    found: list[Line] = []
    for start in range(0, len(seqs), _CHUNK):
        asked = {**bounds(scope), "seqs": list(seqs[start : start + _CHUNK])}
        found += _lines(connection, model_id, _rows(connection, _ENTRIES_OF, _MEMORIES_OF, asked))
    return sorted(found, key=lambda line: line.seq)


def apply_changes(connection: Connection, scope: Scope, snapshot: Snapshot, *, after: int) -> None:
    """Note on a snapshot what was retired, restored, replaced or closed after a `seq`."""
    asked = {**bounds(scope), "after": after}
    for row in connection.execute(_CHANGED_MEMORIES, asked):
        snapshot.change(row.seq, valid_from=row.valid_from, **_ends(row))
    for entry in connection.execute(_CHANGED_ENTRIES, asked):
        snapshot.change(entry.seq, gone_at=_entry_end(entry))


def _rows(
    connection: Connection, said: sa.Select[Any], known: sa.Select[Any], asked: Mapping[str, Any]
) -> list[dict[str, Any]]:
    found = [_entry_row(row) for row in connection.execute(said, asked)]
    found += [_memory_row(row) for row in connection.execute(known, asked)]
    return sorted(found, key=lambda row: row["seq"])


def _lines(connection: Connection, model_id: int, found: Sequence[dict[str, Any]]) -> list[Line]:
    seqs = [row["seq"] for row in found]
    terms = text_index.terms_of(connection, seqs)
    embedded = vectors.get(connection, model_id, seqs)
    return [_line(row, terms.get(row["seq"], ()), embedded.get(row["seq"])) for row in found]


def _line(row: dict[str, Any], terms: Sequence[str], vector: NDArray[np.float32] | None) -> Line:
    scope_id = row.pop("scope_id", None)
    speaker = row.get("speaker")
    said = terms[row.get("header_terms", 0) :]
    where = f"scope {scope_id}" if len(said) >= TELLING else row["session"]
    wording = 0 if speaker is None or not said else _number(f"{where} {speaker}", said)
    return Line(terms=terms, vector=vector, wording=wording, **row)


def _number(place: str, said: Sequence[str]) -> int:
    """Return a number of 63 bits, the same in every process."""
    digest = blake2b(" ".join((place, *said)).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def _entry_row(row: Any) -> dict[str, Any]:
    return {
        "seq": row.seq,
        "scope_id": row.scope_id,
        "session": row.session_id,
        "position": row.position,
        "role": row.role,
        "speaker": row.speaker,
        "kind": "message",
        "recorded_at": row.recorded_at,
        "valid_from": min(row.observed_at, row.recorded_at),  # what was said is never in the future
        "valid_inferred": True,
        "gone_at": _entry_end(row),
        "needs_vector": not row.blank,
        "header_terms": _header_terms(row.speaker, row.observed_at // _DAY),
        "own": row.own,
    }


@lru_cache(maxsize=4_096)
def _header_terms(speaker: str, day: int) -> int:
    """Return how many terms of a line say who spoke on which day."""
    return len(spoken_terms(speaker, day * _DAY, ""))


def _memory_row(row: Any) -> dict[str, Any]:
    return {
        "seq": row.seq,
        "session": None,
        "role": PRIVATE + row.actor if row.private else "memory",
        "kind": row.kind,
        "recorded_at": row.recorded_at,
        "valid_from": row.valid_from,
        "valid_inferred": row.valid_inferred,
        "own": row.own,
        **_ends(row),
    }


def _entry_end(row: Any) -> int:
    """Return until when an entry was shown; one that was replaced counts as never said that way."""
    if row.replaced_by is not None:
        return 0
    return FOREVER if row.retired_at is None else int(row.retired_at)


def _ends(row: Any) -> dict[str, int]:
    return {
        "valid_to": FOREVER if row.valid_to is None else row.valid_to,
        "gone_at": FOREVER if row.retired_at is None else row.retired_at,
        "expires_at": FOREVER if row.expires_at is None else row.expires_at,
    }


# Statements of every recall after a write are built once: putting one together costs more than SQLite takes to run it.
_own_id = sa.select(scopes.c.id).where(scopes.c.path == sa.bindparam("low")).scalar_subquery()
_said = sa.select(
    entries.c.seq,
    entries.c.scope_id,
    entries.c.session_id,
    entries.c.position,
    entries.c.role,
    entries.c.speaker,
    entries.c.recorded_at,
    entries.c.observed_at,
    entries.c.replaced_by,
    entries.c.retired_at,
    sa.not_(has_text(entries.c.text)).label("blank"),
    (entries.c.scope_id == _own_id).label("own"),
).where(entries.c.scope_id.in_(INSIDE))
_known = sa.select(
    memories.c.seq,
    memories.c.kind,
    memories.c.actor,
    memories.c.private,
    memories.c.recorded_at,
    memories.c.valid_from,
    memories.c.valid_inferred,
    memories.c.valid_to,
    memories.c.retired_at,
    memories.c.expires_at,
    (memories.c.scope_id == _own_id).label("own"),
).where(memories.c.scope_id.in_(INSIDE))
_after: sa.BindParameter[int] = sa.bindparam("after")
_ENTRIES_AFTER = _said.where(entries.c.seq > _after).order_by(entries.c.seq).limit(_CHUNK)
_MEMORIES_AFTER = _known.where(memories.c.seq > _after).order_by(memories.c.seq).limit(_CHUNK)
_ENTRIES_OF = _said.where(entries.c.seq.in_(sa.bindparam("seqs", expanding=True)))
_MEMORIES_OF = _known.where(memories.c.seq.in_(sa.bindparam("seqs", expanding=True)))
_CHANGED_MEMORIES = sa.select(
    memories.c.seq, memories.c.valid_from, memories.c.valid_to, memories.c.retired_at, memories.c.expires_at
).where(memories.c.scope_id.in_(INSIDE), memories.c.changed_seq > _after)
_CHANGED_ENTRIES = sa.select(entries.c.seq, entries.c.replaced_by, entries.c.retired_at).where(
    entries.c.scope_id.in_(INSIDE), entries.c.changed_seq > _after
)
