"""Memories: sentences that are added, retired and restored; what was done to each stands in the journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from langgraph_memory.clock import from_micros, to_micros
from langgraph_memory.records import MemoryRecord
from langgraph_memory.scope import Scope
from langgraph_memory.storage import evidence, outbox, text_index
from langgraph_memory.storage.database import dump_json, load_json
from langgraph_memory.storage.entities import live_at
from langgraph_memory.storage.entries import spoken_terms
from langgraph_memory.storage.schema import evidence as evidence_table
from langgraph_memory.storage.schema import journal, memories, scopes
from langgraph_memory.storage.scopes import INSIDE, bounds, ids_inside, touch
from langgraph_memory.text.normalise import clean


class Known(NamedTuple):
    """What is read of many memories at once."""

    id: str
    text: str
    observed_at: datetime
    schema: str | None


PROFILE = "profile"
"""The kind of a record that is one document a scope and schema."""

_MOMENTS = ("valid_from", "valid_to", "recorded_at", "observed_at", "retired_at", "expires_at")
_JSON = ("data", "metadata")
_FIELDS = tuple(column.name for column in memories.c if column.name not in {"scope_id", "changed_seq"})
_PLAIN = tuple(name for name in _FIELDS if name not in {*_MOMENTS, *_JSON})
_fields = attrgetter(*_FIELDS)


def insert(connection: Connection, new: Sequence[tuple[list[int], MemoryRecord]]) -> None:
    """Store new records under their own `seq`, each with the lineage of its scope: rows, terms, debts to the indexes.

    The database refuses a second live record with the same hash in one scope (an `IntegrityError`), which
    callers in the same transaction rule out by `live_with_hash`.
    """
    connection.execute(
        _INSERT,
        [{"scope_id": lineage[-1], "changed_seq": record.seq, **_columns(record)} for lineage, record in new],
    )
    text_index.put(
        connection,
        [
            text_index.IndexedText(
                record.seq, lineage, spoken_terms(record.actor, to_micros(record.observed_at), record.text)
            )
            for lineage, record in new
        ],
    )
    outbox.post(connection, [record.seq for _, record in new], "embed", "link")
    newest = {lineage[-1]: (lineage, record.seq) for lineage, record in new}
    for lineage, seq in newest.values():
        touch(connection, lineage, last_seq=seq)


def change(connection: Connection, lineage: list[int], seq: int, changed_seq: int, values: Mapping[str, Any]) -> None:
    """Close, reopen or reinforce a record; its text, kind and times of origin never change."""
    storable = {name: _storable(value) for name, value in values.items()}
    connection.execute(sa.update(memories).where(memories.c.seq == seq).values(changed_seq=changed_seq, **storable))
    touch(connection, lineage, changed_seq=changed_seq)


def live_with_hash(
    connection: Connection, scope_id: int, text_hash: str, valid_from: datetime, valid_to: datetime | None
) -> MemoryRecord | None:
    """Return the unretired record of exactly this scope that says the same of a common time, expired or not.

    The same sentence about another time ("Ana lives in Oslo", until 2020 and again now) is another memory.
    """
    asked = {"scope": scope_id, "hash": text_hash, "begin": to_micros(valid_from)}
    if valid_to is None:
        found = _records(connection, _TWIN, asked)
    else:
        found = _records(connection, _TWIN_BEFORE, {**asked, "end": to_micros(valid_to)})
    return found[0] if found else None


def taken_hashes(connection: Connection, scope_id: int, hashes: Sequence[str]) -> set[str]:
    """Return which of these hashes an unretired record of exactly this scope has, of whatever time."""
    found: set[str] = set()
    for start in range(0, len(hashes), 5_000):
        asked = {"scope": scope_id, "hashes": list(hashes[start : start + 5_000])}
        found.update(connection.execute(_TAKEN, asked).scalars())
    return found


def live_profile(connection: Connection, scope: Scope, schema: str) -> MemoryRecord | None:
    """Return the one live profile of exactly this scope and schema."""
    return _first(
        connection,
        _select().where(
            scopes.c.path == scope.path,
            memories.c.schema == schema,
            memories.c.kind == PROFILE,
            memories.c.retired_at.is_(None),
            memories.c.valid_to.is_(None),
        ),
    )


def by_id(connection: Connection, memory_id: str) -> MemoryRecord | None:
    """Return the record with this id, retired or not."""
    return _first(connection, _select().where(memories.c.id == clean(memory_id)))


def by_seq(connection: Connection, scope: Scope, seqs: Sequence[int]) -> dict[int, MemoryRecord]:
    """Return those of the records that lie inside the scope, by `seq`."""
    found: dict[int, MemoryRecord] = {}
    for start in range(0, len(seqs), 5_000):
        asked = {**bounds(scope), "seqs": list(seqs[start : start + 5_000])}
        found.update((record.seq, record) for record in _records(connection, _BY_SEQ, asked))
    return found


def texts(connection: Connection, scope: Scope, seqs: Sequence[int]) -> dict[int, Known]:
    """Return those of the records that lie in exactly this scope, by `seq`."""
    found: dict[int, Known] = {}
    for start in range(0, len(seqs), 5_000):
        rows = connection.execute(_TEXTS, {"path": scope.path, "seqs": list(seqs[start : start + 5_000])})
        found.update({row.seq: Known(row.id, row.text, from_micros(row.observed_at), row.schema) for row in rows})
    return found


def list_records(
    connection: Connection,
    scope: Scope,
    *,
    include_history: bool,
    kinds: Sequence[str] | None,
    now: int,
    limit: int | None,
    offset: int,
) -> list[MemoryRecord]:
    """Return the records inside the scope in order of belief; live ones only unless history is asked for."""
    query = _select().where(memories.c.scope_id.in_(ids_inside(scope)))
    if not include_history:
        query = query.where(live_at(now))
    if kinds is not None:
        query = query.where(memories.c.kind.in_(list(kinds)))
    return _records(connection, query.order_by(memories.c.seq).limit(limit).offset(offset))


def standing(connection: Connection, scope: Scope, *, now: int, known_at: int | None = None) -> list[MemoryRecord]:
    """Return the live profiles and pinned memories of exactly this scope, profiles first, then in order of belief.

    What a model merely calls a profile is none: a person or a developer says what stands in every prompt.

    Args:
        known_at: those that were believed at this time, microseconds.
    """
    query = _select().where(
        scopes.c.path == scope.path,
        sa.or_(memories.c.pinned, memories.c.kind == PROFILE),
        sa.not_(memories.c.private),  # they stand before whoever asks
        live_at(now, known_at),
    )
    found = _records(connection, query.order_by(memories.c.kind != PROFILE, memories.c.seq))
    return [one for one in found if one.pinned or one.schema is not None or "extracted_by" not in one.metadata]


def list_live(connection: Connection, scope: Scope, *, now: datetime) -> list[MemoryRecord]:
    """Return the live records of exactly this scope in order of belief, without private ones.

    A model is shown them, and writes for everybody in the scope.
    """
    found = list_records(connection, scope, include_history=False, kinds=None, now=to_micros(now), limit=None, offset=0)
    return [record for record in found if record.scope == scope and not record.private]


def are_more(connection: Connection, scope: Scope, count: int, *, now: int) -> bool:
    """Say whether there are more live records of exactly this scope than so many."""
    query = (
        sa.select(memories.c.seq)
        .join(scopes, scopes.c.id == memories.c.scope_id)
        .where(scopes.c.path == scope.path, live_at(now))
        .offset(count)
        .limit(1)
    )
    return connection.execute(query).first() is not None


def newest_live(
    connection: Connection, scope: Scope | None, *, now: int, limit: int, offset: int
) -> list[MemoryRecord]:
    """Return live records inside the scope, or of all scopes, the newest belief first."""
    query = _select().where(live_at(now))
    if scope is not None:
        query = query.where(memories.c.scope_id.in_(ids_inside(scope)))
    return _records(connection, query.order_by(memories.c.seq.desc()).limit(limit).offset(offset))


def live_scopes(connection: Connection, *, now: int) -> list[Scope]:
    """Return the scopes that have live records of their own."""
    query = sa.select(scopes.c.path).where(scopes.c.id.in_(sa.select(memories.c.scope_id).where(live_at(now))))
    return [Scope.from_path(path) for path in connection.scalars(query)]


def resting_on(connection: Connection, seq: int, batch: str) -> list[MemoryRecord]:
    """Return the records that this batch wrote or strengthened and that rest on the record with this `seq`."""
    written = sa.select(journal.c.memory_id).where(journal.c.batch == batch)
    query = (
        _select()
        .join(evidence_table, evidence_table.c.memory_seq == memories.c.seq)
        .where(evidence_table.c.source_seq == seq, memories.c.id.in_(written))
    )
    return _records(connection, query.order_by(memories.c.seq))


def superseding(connection: Connection, scope: Scope, memory_id: str) -> list[MemoryRecord]:
    """Return the records of exactly this scope that say of themselves that they correct this one."""
    query = _select().where(scopes.c.path == scope.path, memories.c.supersedes == memory_id)
    return _records(connection, query.order_by(memories.c.seq))


def _select() -> sa.Select[Any]:
    return sa.select(memories, scopes.c.path).join(scopes, scopes.c.id == memories.c.scope_id)


def _first(connection: Connection, query: sa.Select[Any]) -> MemoryRecord | None:
    found = _records(connection, query.limit(1))
    return found[0] if found else None


def _records(
    connection: Connection, query: sa.Select[Any], given: Mapping[str, Any] | None = None
) -> list[MemoryRecord]:
    rows = connection.execute(query, given).all()
    sources = evidence.ids_of(connection, [row.seq for row in rows])
    return [_record(row, sources.get(row.seq, ())) for row in rows]


def _columns(record: MemoryRecord) -> dict[str, Any]:
    plain = {name: _storable(getattr(record, name)) for name in _PLAIN}
    for name in _MOMENTS:
        moment = getattr(record, name)
        plain[name] = None if moment is None else to_micros(moment)
    for name in _JSON:
        value = getattr(record, name)
        plain[name] = dump_json(dict(value)) if value else None
    return plain


def _storable(value: Any) -> Any:
    return clean(value) if isinstance(value, str) else value


def _record(row: Any, sources: tuple[str, ...]) -> MemoryRecord:
    fields = dict(zip(_FIELDS, _fields(row), strict=True))
    for name in _MOMENTS:
        fields[name] = None if fields[name] is None else from_micros(fields[name])
    fields["data"] = load_json(fields["data"])
    fields["metadata"] = load_json(fields["metadata"]) or {}
    return MemoryRecord(scope=Scope.from_path(row.path), evidence=sources, **fields)


# Statements of every written memory are built once: putting one together costs more than SQLite takes to run it.
_INSERT = sa.insert(memories)
_TWIN = (
    _select()
    .where(
        memories.c.scope_id == sa.bindparam("scope"),
        memories.c.hash == sa.bindparam("hash"),
        memories.c.retired_at.is_(None),
        sa.or_(memories.c.valid_to.is_(None), memories.c.valid_to > sa.bindparam("begin")),
    )
    .order_by(memories.c.valid_to.is_not(None), memories.c.seq)
    .limit(1)
)
_seqs: sa.BindParameter[Any] = sa.bindparam("seqs", expanding=True)
_BY_SEQ = _select().where(memories.c.scope_id.in_(INSIDE), memories.c.seq.in_(_seqs))
_TEXTS = (
    sa.select(memories.c.seq, memories.c.id, memories.c.text, memories.c.observed_at, memories.c.schema)
    .join(scopes, scopes.c.id == memories.c.scope_id)
    .where(scopes.c.path == sa.bindparam("path"), memories.c.seq.in_(_seqs))
)
_TAKEN = sa.select(memories.c.hash).where(
    memories.c.scope_id == sa.bindparam("scope"),
    memories.c.hash.in_(sa.bindparam("hashes", expanding=True)),
    memories.c.retired_at.is_(None),
)
_TWIN_BEFORE = _TWIN.where(memories.c.valid_from < sa.bindparam("end"))
