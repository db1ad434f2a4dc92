"""Merging by hand: a person says that two names mean one thing, or that they do not after all."""

from __future__ import annotations

from langgraph_memory.clock import Clock, to_micros
from langgraph_memory.knowledge.resolve import entity_key
from langgraph_memory.records import Outcome
from langgraph_memory.scope import Scope
from langgraph_memory.storage import entities
from langgraph_memory.storage.database import Database


def merge_entities(
    database: Database, clock: Clock, scope: Scope, name: str, into: str, *, actor: str, reason: str | None = None
) -> Outcome:
    """Take two names of exactly this scope for one entity; what mentions either then counts as a link of both.

    Args:
        name: the name that becomes an alias, with all its aliases.
        into: the name that it is an alias of.

    Returns:
        `id` is the number under which it can be undone and `of` the entity's `seq`; `id` is None, with the reason,
        where nothing was merged.
    """
    with database.write() as connection:
        ours = entities.by_key(connection, scope, entity_key(name))
        theirs = entities.by_key(connection, scope, entity_key(into))
        if ours is None or theirs is None:
            unknown = name if ours is None else into
            return Outcome(None, name, f"nothing in {scope} is known as {unknown!r}")
        seq = entities.merge(
            database, connection, ours.seq, theirs.seq, at=to_micros(clock()), actor=actor, reason=reason or "told so"
        )
        if seq is None:
            return Outcome(None, name, f"{name!r} and {into!r} are one entity already", str(theirs.seq))
        return Outcome(str(seq), name, of=str(theirs.seq))


def unmerge_entity(database: Database, clock: Clock, scope: Scope, name: str) -> Outcome:
    """Let a name stand for itself again, with what had been merged into it before; no rule merges the two again.

    Returns:
        `id` is the number of the merge that was undone; None, with the reason, where the name is no alias.
    """
    with database.write() as connection:
        entity = entities.by_key(connection, scope, entity_key(name))
        if entity is None:
            return Outcome(None, name, f"nothing in {scope} is known as {name!r}")
        seq = entities.merge_of(connection, entity.seq)
        if seq is None:
            return Outcome(None, name, f"{name!r} is no alias of another name")
        entities.unmerge(database, connection, seq, at=to_micros(clock()))
        return Outcome(str(seq), name, of=str(entity.seq))
