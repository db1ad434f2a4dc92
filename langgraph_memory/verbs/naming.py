"""The verbs about names: which things memories mention, and which names mean the same thing."""

from __future__ import annotations

from langgraph_memory import arguments
from langgraph_memory.knowledge.aliases import merge_entities, unmerge_entity
from langgraph_memory.records import Report
from langgraph_memory.scope import Scope, ScopeLike
from langgraph_memory.storage.entities import Entity, list_entities
from langgraph_memory.twins import in_thread
from langgraph_memory.verbs.opened import Opened

BY_HAND = "user"


class NamingVerbs(Opened):
    """Shows the entities that memories mention, and lets a person correct which names are one."""

    def entities(self, *, scope: ScopeLike, limit: int | None = None, offset: int = 0) -> list[Entity]:
        """Return the named things that live memories of the scope, or inside it, mention; the most mentioned first.

        Memories of the last moments may not be linked yet; `flush` first to see those too.

        Args:
            scope: whose memory.
            limit: how many at most.
            offset: how many to pass over.
        """
        count, passed = arguments.maybe_number("limit", limit), arguments.number("offset", offset)
        with self._parts.database.read() as connection:
            return list_entities(connection, Scope.of(scope), now=self._now(), limit=count, offset=passed)

    def merge_entities(self, name: str, into: str, *, scope: ScopeLike, reason: str | None = None) -> Report:
        """Take two names of exactly this scope for one thing: the first becomes an alias of the second.

        Returns:
            `added` where it was done, `skipped` with the reason where not. `unmerge_entity` takes it back.
        """
        given = arguments.name_of("name", name, "Bob"), arguments.name_of("into", into, "Robert Miller")
        why = arguments.maybe_words("reason", reason, "the same person")
        parts = self._parts
        outcome = merge_entities(parts.database, self._clock, Scope.of(scope), *given, actor=BY_HAND, reason=why)
        return Report(added=(outcome,)) if outcome.id else Report(skipped=(outcome,))

    def unmerge_entity(self, name: str, *, scope: ScopeLike) -> Report:
        """Let an alias stand for itself again, with what had been merged into it; no rule merges the two again.

        Returns:
            `restored` where it was done, `skipped` with the reason where not.
        """
        parts, given = self._parts, arguments.name_of("name", name, "Bob")
        outcome = unmerge_entity(parts.database, self._clock, Scope.of(scope), given)
        return Report(restored=(outcome,)) if outcome.id else Report(skipped=(outcome,))

    aentities = in_thread(entities)
    amerge_entities = in_thread(merge_entities)
    aunmerge_entity = in_thread(unmerge_entity)
