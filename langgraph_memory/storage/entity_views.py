"""Entity views hold the named things of a scope for recall: they follow the truth, or are read for one question."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from langgraph_memory.retrieval.entity import EntityView
from langgraph_memory.scope import Scope
from langgraph_memory.storage import vectors
from langgraph_memory.storage.entities import aliases_inside, live_at, root_of
from langgraph_memory.storage.schema import entities, memories, mentions
from langgraph_memory.storage.scopes import INSIDE, bounds, ids_inside

_CHUNK = 5_000


def follow_entities(connection: Connection, scope: Scope, view: EntityView, model_id: int, *, after: int) -> None:
    """Add what was linked or merged since; aliases are few and read anew, since an undone merge leaves no row."""
    for row in connection.execute(_NEW, {**bounds(scope), "after": view.newest}):
        view.add(row.seq, row.key)
    if not view:
        return
    view.set_aliases(aliases_inside(connection, scope))
    for memory_seq, entity_seq in connection.execute(_LINKED, {**bounds(scope), "after": after}):
        view.mention(memory_seq, entity_seq)
    if view.waiting:
        view.set_vectors(vectors.get(connection, model_id, sorted(view.waiting)))


def entities_named(
    connection: Connection, scope: Scope, keys: Sequence[str], *, now: int, known_at: int | None, as_of: int | None
) -> EntityView:
    """Return a view of only the entities with these keys, for a scope too large to be held.

    Names are not compared by meaning there, and only memories that are live at the given times (microseconds) count.
    """
    view = EntityView(0)
    inside = ids_inside(scope)
    named: dict[int, str] = {}
    for start in range(0, len(keys), _CHUNK):
        query = sa.select(entities.c.seq, entities.c.key).where(
            entities.c.scope_id.in_(inside), entities.c.key.in_(list(keys[start : start + _CHUNK]))
        )
        named.update((row.seq, row.key) for row in connection.execute(query))
    if not named:
        return view
    for seq, key in named.items():
        view.add(seq, key)
    aliases = aliases_inside(connection, scope)
    view.set_aliases(aliases)
    roots = {root_of(seq, aliases) for seq in named}
    members = sorted(roots | {seq for seq in aliases if root_of(seq, aliases) in roots})
    for start in range(0, len(members), _CHUNK):
        linked = (
            sa.select(mentions.c.memory_seq, mentions.c.entity_seq)
            .join(memories, memories.c.seq == mentions.c.memory_seq)
            .where(mentions.c.entity_seq.in_(members[start : start + _CHUNK]), live_at(now, known_at, as_of))
        )
        for memory_seq, entity_seq in connection.execute(linked):
            view.mention(memory_seq, entity_seq)
    return view


# Built once, as in `storage.lines`.
_after: sa.BindParameter[int] = sa.bindparam("after")
_NEW = (
    sa.select(entities.c.seq, entities.c.key)
    .where(entities.c.scope_id.in_(INSIDE), entities.c.seq > _after)
    .order_by(entities.c.seq)
)
_LINKED = (
    sa.select(mentions.c.memory_seq, mentions.c.entity_seq)
    .join(memories, memories.c.seq == mentions.c.memory_seq)
    .where(memories.c.scope_id.in_(INSIDE), memories.c.changed_seq > _after)
)
