"""Entities: named things of exactly one scope, under each of their names, what mentions them, and who is whose alias.

A mention stays with the entity under whose name it was made; `merged_into` says which other entity that one stands for.
So a merge changes one row, and undoing it brings back exactly what was before. The vectors of names lie in SQL beside
the others and are compared exactly: a scope knows hundreds of names, seldom thousands, which takes less than a
millisecond, where Chroma with a filter on the scope takes 6 ms and cannot tell an alias from its root.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from langgraph_memory.errors import InvalidInput
from langgraph_memory.scope import Scope
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.schema import entities, memories, mentions, merges, scopes
from langgraph_memory.storage.schema import vectors as vectors_table
from langgraph_memory.storage.scopes import INSIDE, bounds, ids_inside, lineage, touch
from langgraph_memory.text.normalise import clean

_CHUNK = 5_000


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing.

    Attributes:
        seq: its number in the store.
        name: as it was first written; `key` is the form in which names are compared.
        kind: `PROPER`, `IDENTIFIER`, `QUOTED` or `TOPIC`.
        aliases: its other names, oldest first.
        links: how many live memories mention it under any of its names.
    """

    seq: int
    scope: Scope
    key: str
    name: str
    kind: str
    aliases: tuple[str, ...] = ()
    links: int = 0


def obtain(
    database: Database, connection: Connection, scope_id: int, names: Mapping[str, tuple[str, str]], rank: Sequence[str]
) -> tuple[dict[str, int], list[int]]:
    """Return the entity of each key in exactly this scope, writing down those that are new.

    Args:
        names: the name as written and its kind, by key.
        rank: the kinds from the most to the least telling; an entity found as several keeps the first of them.

    Returns:
        `seq` by key, and the `seq` of the new ones.
    """
    known = {
        row.key: row
        for start in range(0, len(names), _CHUNK)
        for row in connection.execute(
            sa.select(entities.c.key, entities.c.seq, entities.c.kind).where(
                entities.c.scope_id == scope_id, entities.c.key.in_(list(names)[start : start + _CHUNK])
            )
        )
    }
    found = {key: int(row.seq) for key, row in known.items()}
    for key, row in known.items():
        kind = names[key][1]
        if kind in rank and (row.kind not in rank or rank.index(kind) < rank.index(row.kind)):
            connection.execute(sa.update(entities).where(entities.c.seq == row.seq).values(kind=kind))
    missing = [key for key in names if key not in found]
    if missing:
        first = database.take_seqs(connection, len(missing))
        rows = [
            {
                "seq": first + place,
                "scope_id": scope_id,
                "key": key,
                "name": clean(names[key][0]),
                "kind": names[key][1],
            }
            for place, key in enumerate(missing)
        ]
        connection.execute(sa.insert(entities), rows)
        found.update({key: first + place for place, key in enumerate(missing)})
    return found, [found[key] for key in missing]


def mention(connection: Connection, pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Note which memory mentions which entity, as it was named; return the pairs that are new."""
    wanted = list(dict.fromkeys(pairs))
    memory_seqs = list({memory for memory, _ in wanted})
    known = {
        (row.memory_seq, row.entity_seq)
        for start in range(0, len(memory_seqs), _CHUNK)
        for row in connection.execute(
            sa.select(mentions).where(mentions.c.memory_seq.in_(memory_seqs[start : start + _CHUNK]))
        )
    }
    new = [pair for pair in wanted if pair not in known]
    if new:
        rows = [{"memory_seq": memory, "entity_seq": entity} for memory, entity in new]
        connection.execute(sa.insert(mentions), rows)
    return new


def by_key(connection: Connection, scope: Scope, key: str) -> Entity | None:
    """Return the entity of exactly this scope that has the key, be it an alias."""
    query = _select().where(scopes.c.path == scope.path, entities.c.key == key)
    row = connection.execute(query).one_or_none()
    return None if row is None else _entity(row)


def by_seq(connection: Connection, seqs: Sequence[int]) -> dict[int, Entity]:
    """Return these entities, those that exist."""
    found: dict[int, Entity] = {}
    for start in range(0, len(seqs), _CHUNK):
        query = _select().where(entities.c.seq.in_(list(seqs[start : start + _CHUNK])))
        found.update((row.seq, _entity(row)) for row in connection.execute(query))
    return found


def keys_of(connection: Connection, scope_id: int) -> dict[int, str]:
    """Return every key of exactly this scope by `seq`."""
    query = sa.select(entities.c.seq, entities.c.key).where(entities.c.scope_id == scope_id)
    return {row.seq: row.key for row in connection.execute(query)}


def unembedded(connection: Connection, model_id: int) -> list[int]:
    """Return the entities whose name has no vector of this model."""
    done = sa.select(vectors_table.c.owner_seq).where(vectors_table.c.model_id == model_id)
    return list(
        connection.scalars(sa.select(entities.c.seq).where(entities.c.seq.not_in(done)).order_by(entities.c.seq))
    )


def list_entities(
    connection: Connection,
    scope: Scope,
    *,
    now: int,
    include_history: bool = False,
    limit: int | None = None,
    offset: int = 0,
) -> list[Entity]:
    """Return the entities of the scope and inside it, those with the most links first; aliases stand with their root.

    Args:
        now: the present, microseconds; a memory that is retired, expired or not true now is no link.
        include_history: also entities that no live memory mentions.
    """
    inside = ids_inside(scope)
    aliases = aliases_inside(connection, scope)
    rows = connection.execute(_select().where(entities.c.scope_id.in_(inside)).order_by(entities.c.seq)).all()
    linked: dict[int, set[int]] = {}
    live = (
        sa.select(mentions.c.entity_seq, mentions.c.memory_seq)
        .join(memories, memories.c.seq == mentions.c.memory_seq)
        .where(memories.c.scope_id.in_(inside), live_at(now))
    )
    for entity_seq, memory_seq in connection.execute(live):
        linked.setdefault(root_of(entity_seq, aliases), set()).add(memory_seq)
    others: dict[int, list[str]] = {}
    for row in rows:
        if row.seq in aliases:
            others.setdefault(root_of(row.seq, aliases), []).append(row.name)
    found = [
        _entity(row, tuple(others.get(row.seq, ())), len(linked.get(row.seq, ())))
        for row in rows
        if row.seq not in aliases and (include_history or row.seq in linked)
    ]
    found.sort(key=lambda entity: (-entity.links, entity.seq))
    return found[offset:] if limit is None else found[offset : offset + limit]


def merge(
    database: Database, connection: Connection, merged: int, into: int, *, at: int, actor: str, reason: str
) -> int | None:
    """Take two entities of one scope for one; return the number under which it can be undone.

    The root of the first one's chain becomes an alias of the second, so no chain ever closes to a ring. None where
    they are one already.

    Raises:
        InvalidInput: one of them does not exist, or they lie in different scopes.
    """
    found = by_seq(connection, [merged, into])
    if len(found) < len({merged, into}) or found[merged].scope != found[into].scope:
        raise InvalidInput("Only two entities of one scope can be merged.")
    top = root(connection, merged)
    if top == root(connection, into):
        return None
    seq = database.take_seqs(connection, 1)
    connection.execute(sa.update(entities).where(entities.c.seq == top).values(merged_into=into))
    connection.execute(
        sa.insert(merges).values(seq=seq, at=at, merged=top, into=into, actor=clean(actor), reason=clean(reason))
    )
    touch(connection, lineage(connection, found[into].scope), changed_seq=seq)
    return seq


def unmerge(database: Database, connection: Connection, merge_seq: int, *, at: int) -> bool:
    """Undo one merge: its alias stands for itself again, with everything that was merged into it. False: undone before.

    Raises:
        InvalidInput: there was no such merge.
    """
    row = connection.execute(sa.select(merges).where(merges.c.seq == merge_seq)).one_or_none()
    if row is None:
        raise InvalidInput(f"There is no merge {merge_seq}.")
    if row.undone_at is not None:
        return False
    connection.execute(sa.update(merges).where(merges.c.seq == merge_seq).values(undone_at=at))
    connection.execute(sa.update(entities).where(entities.c.seq == row.merged).values(merged_into=None))
    scope = by_seq(connection, [row.merged])[row.merged].scope
    touch(connection, lineage(connection, scope), changed_seq=database.take_seqs(connection, 1))
    return True


def merge_of(connection: Connection, alias: int) -> int | None:
    """Return the merge that makes this entity an alias, or None where it stands for itself."""
    query = sa.select(merges.c.seq).where(merges.c.merged == alias, merges.c.undone_at.is_(None))
    return connection.execute(query).scalar_one_or_none()


def set_apart(connection: Connection, scope_id: int) -> set[frozenset[int]]:
    """Return the pairs of this scope that were merged once and are so no more: no rule may merge them again."""
    query = (
        sa.select(merges.c.merged, merges.c["into"])
        .join(entities, entities.c.seq == merges.c.merged)
        .where(entities.c.scope_id == scope_id, merges.c.undone_at.is_not(None))
    )
    return {frozenset((row[0], row[1])) for row in connection.execute(query)}


def root(connection: Connection, seq: int) -> int:
    """Return the entity that this one stands for in the end."""
    while True:
        above = connection.execute(sa.select(entities.c.merged_into).where(entities.c.seq == seq)).scalar_one_or_none()
        if above is None:
            return seq
        seq = int(above)


def root_of(seq: int, aliases: Mapping[int, int]) -> int:
    """Return the entity that this one stands for in the end, by a table of aliases."""
    while seq in aliases:
        seq = aliases[seq]
    return seq


def aliases_inside(connection: Connection, scope: Scope) -> dict[int, int]:
    """Return which entity of the scope, or inside it, was merged into which."""
    return {row.seq: row.merged_into for row in connection.execute(_ALIASES, bounds(scope))}


def erase_in(connection: Connection, scope_ids: Sequence[int]) -> list[int]:
    """Delete the entities of exactly these scopes with their mentions and merges; return their `seq`.

    Their vectors and what is owed for them are the caller's to remove, as for every other owner.
    """
    gone = list(connection.scalars(sa.select(entities.c.seq).where(entities.c.scope_id.in_(list(scope_ids)))))
    for start in range(0, len(gone), _CHUNK):
        some = gone[start : start + _CHUNK]
        connection.execute(sa.delete(mentions).where(mentions.c.entity_seq.in_(some)))
        connection.execute(sa.delete(merges).where(sa.or_(merges.c.merged.in_(some), merges.c["into"].in_(some))))
    connection.execute(sa.delete(entities).where(entities.c.scope_id.in_(list(scope_ids))))
    return gone


def live_at(now: int, known_at: int | None = None, as_of: int | None = None) -> sa.ColumnElement[bool]:
    """Return the condition that `Snapshot.allowed` states, for a memory; times are microseconds."""
    true = now if as_of is None else as_of
    believed: sa.ColumnElement[bool] = memories.c.retired_at.is_(None)
    begun: sa.ColumnElement[bool] = memories.c.valid_from <= true
    if known_at is not None:
        believed = sa.and_(memories.c.recorded_at <= known_at, sa.or_(believed, memories.c.retired_at > known_at))
    if as_of is None:
        begun = sa.or_(memories.c.valid_inferred, begun)
    return sa.and_(
        believed,
        sa.or_(memories.c.expires_at.is_(None), memories.c.expires_at > true),
        begun,
        sa.or_(memories.c.valid_to.is_(None), memories.c.valid_to > true),
    )


def _select() -> sa.Select[Any]:
    return sa.select(
        entities.c.seq, entities.c.key, entities.c.name, entities.c.kind, entities.c.merged_into, scopes.c.path
    ).join(scopes, scopes.c.id == entities.c.scope_id)


def _entity(row: Any, aliases: tuple[str, ...] = (), links: int = 0) -> Entity:
    return Entity(row.seq, Scope.from_path(row.path), row.key, row.name, row.kind, aliases, links)


_ALIASES = sa.select(entities.c.seq, entities.c.merged_into).where(
    entities.c.scope_id.in_(INSIDE), entities.c.merged_into.is_not(None)
)
