"""The linker notes which named things a memory mentions, off the path of whoever writes; nothing is lost if it fails.

It pays the outbox stage `link`, which every new memory owes from the transaction that wrote it. A memory's task finds
the names in its text and needs no model. Each name seen for the first time in a scope owes a task of its own: its
vector, and the question whether it means what another name means.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy.engine import Connection

from langgraph_memory.clock import Clock, to_micros
from langgraph_memory.knowledge.names import Name, NameFinder, find_names, refusal
from langgraph_memory.knowledge.resolve import NameIndex, choose, entity_key
from langgraph_memory.knowledge.spans import KINDS
from langgraph_memory.models.ports import Embedder
from langgraph_memory.records import Outcome
from langgraph_memory.scope import Scope
from langgraph_memory.storage import crash_points, entities, outbox, vectors
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.entities import Entity
from langgraph_memory.storage.outbox import Task
from langgraph_memory.storage.schema import memories, scopes
from langgraph_memory.storage.schema import outbox as outbox_table
from langgraph_memory.storage.scopes import lineage, touch

logger = logging.getLogger(__name__)

ACTOR = "job:link"
"""Who merges names by rule, in the log of merges."""

LINK_BATCH = 64
"""Tasks of one step, about 10 ms without and 0.2 s with new names: a kill loses no more work than this."""

CLAIM_MICROS = 120_000_000
"""A claim older than two minutes belongs to a process that died."""

AWAY_MICROS = 60_000_000
"""Where the embedding model is away, the worker tries again after a minute, and `flush` at once."""

RETRY_MICROS = outbox.LONGEST_CLAIM
"""A text in which names cannot be found, or a name that the model refuses, is tried again after ten minutes."""

_CHUNK = 1_000

_NONE: Mapping[int, Sequence[str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Linked:
    """What linking did.

    Attributes:
        mentions: how many mentions are new.
        refused: proposed names that name nothing, each with the reason; `of` is the `seq` of the memory.
    """

    mentions: int = 0
    refused: tuple[Outcome, ...] = ()


class Linker:
    """Links memories to entities; safe to run in several processes at once, since every step is idempotent.

    Args:
        model_id: the number of the embedder's model in this store.
        find_names: the rules that see names; any `NameFinder`.
    """

    def __init__(
        self,
        database: Database,
        embedder: Embedder,
        model_id: int,
        clock: Clock,
        find_names: NameFinder = find_names,
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._model_id = model_id
        self._clock = clock
        self.find_names = find_names
        self._lock = threading.Lock()
        self.trouble: str | None = None
        """What went wrong last and holds something up, in words."""

    def link_ids(self, ids: Sequence[str], proposed: Mapping[str, Sequence[str]] | None = None) -> Linked:
        """Link memories by id at once; see `link`."""
        given = proposed or {}
        with self._database.read() as connection:
            found = connection.execute(_BY_ID, {"ids": list(ids)}).all()
        texts = {row.seq: row.text for row in found}
        return self._link(texts, {row.seq: given[row.id] for row in found if row.id in given})

    def link(self, seqs: Sequence[int], proposed: Mapping[int, Sequence[str]] = _NONE) -> Linked:
        """Link these memories at once and pay what they owed; no model is called.

        What is already linked stays: a name that only a model proposed stands nowhere else.

        Args:
            proposed: names that a model gave for what a memory is about, by the memory's `seq`.

        Raises:
            Exception: what the finder of names raised; the memories that are not linked stay owed.
        """
        linked = Linked(0, ())
        for start in range(0, len(seqs), _CHUNK):
            with self._database.read() as connection:
                texts = _texts(connection, seqs[start : start + _CHUNK])
            some = self._link(texts, proposed)
            linked = Linked(linked.mentions + some.mentions, linked.refused + some.refused)
        return linked

    def _link(self, texts: Mapping[int, str], proposed: Mapping[int, Sequence[str]]) -> Linked:
        refused: list[Outcome] = []
        named: dict[int, list[Name]] = {}
        for seq, text in texts.items():
            reasons = {name.strip(): refusal(name.strip()) for name in proposed.get(seq, ())}
            refused += [Outcome(None, name, why, str(seq)) for name, why in reasons.items() if why is not None]
            fit = [Name(name, "TOPIC") for name, why in reasons.items() if why is None]
            named[seq] = [*self.find_names(text), *fit]
        with self._database.write() as connection:
            return Linked(self._write(connection, named), tuple(refused))

    def link_some(self, *, overtake: bool = False) -> int:
        """Pay the oldest link tasks; return how many were settled. A failure is noted in `trouble`, never raised.

        Args:
            overtake: also what another process has claimed; at worst a name is looked for twice.
        """
        with self._database.read() as connection:
            if not outbox.any_owed(connection, ["link"]):
                self.trouble = None
                return 0
        with self._lock:
            tasks = self._claim(overtake)
            if not tasks:
                return 0
            try:
                return self._pay(tasks)
            except BaseException:
                with self._database.write() as connection:
                    outbox.release(connection, tasks)
                raise

    def _claim(self, overtake: bool) -> list[Task]:
        now = to_micros(self._clock())
        with self._database.write() as connection:
            if vectors.current_model(connection) not in (None, self._embedder.name):
                self.trouble = "the store was embedded anew with another model, whose process links names"
                return []
            return outbox.claim(connection, ["link"], LINK_BATCH, now + CLAIM_MICROS * overtake, now + CLAIM_MICROS)

    def _pay(self, tasks: Sequence[Task]) -> int:
        owners = [task.owner_seq for task in tasks]
        with self._database.read() as connection:
            texts = _texts(connection, owners)
            new = entities.by_seq(connection, owners)
        named: dict[int, list[Name]] = {}
        failed: set[int] = set()
        for seq, text in texts.items():
            try:
                named[seq] = list(self.find_names(text))
            except Exception as error:
                failed.add(seq)
                self._tell(f"names cannot be found in memory {seq}: {type(error).__name__}: {error}")
        crash_points.reach("names found")
        with self._database.write() as connection:
            self._write(connection, named)
        away, refused = self._compare(list(new.values()))
        done = [task for task in tasks if task.owner_seq not in failed | away | refused]
        now = to_micros(self._clock())
        with self._database.write() as connection:
            outbox.settle(connection, done)
            outbox.postpone(connection, [t for t in tasks if t.owner_seq in failed | refused], now + RETRY_MICROS)
            outbox.postpone(connection, [t for t in tasks if t.owner_seq in away], now + AWAY_MICROS)
        return len(done)

    def _write(self, connection: Connection, named: Mapping[int, Sequence[Name]]) -> int:
        """Write entities and mentions, and settle what these memories owed; one erased meanwhile is passed over."""
        rows = connection.execute(
            sa.select(memories.c.seq, memories.c.scope_id, scopes.c.path)
            .join(scopes, scopes.c.id == memories.c.scope_id)
            .where(memories.c.seq.in_(list(named)))
            .order_by(memories.c.seq)
        ).all()
        written = 0
        for scope_id, path in dict.fromkeys((row.scope_id, row.path) for row in rows):
            ours = {row.seq: named[row.seq] for row in rows if row.scope_id == scope_id}
            written += self._write_scope(connection, scope_id, path, ours)
        connection.execute(
            sa.delete(outbox_table).where(outbox_table.c.stage == "link", outbox_table.c.owner_seq.in_(list(named)))
        )
        return written

    def _write_scope(
        self, connection: Connection, scope_id: int, path: str, named: Mapping[int, Sequence[Name]]
    ) -> int:
        names: dict[str, tuple[str, str]] = {}
        for name in sorted(
            (name for found in named.values() for name in found), key=lambda name: KINDS.index(name.kind)
        ):
            names.setdefault(entity_key(name.text), (name.text, name.kind))
        seqs, new = entities.obtain(self._database, connection, scope_id, names, KINDS)
        outbox.post(connection, new, "link")
        pairs = [(memory, seqs[entity_key(name.text)]) for memory, found in named.items() for name in found]
        fresh = entities.mention(connection, pairs)
        if fresh:
            changed = self._database.take_seqs(connection, 1)
            linked = sorted({memory for memory, _ in fresh})
            connection.execute(sa.update(memories).where(memories.c.seq.in_(linked)).values(changed_seq=changed))
            touch(connection, lineage(connection, Scope.from_path(path)), changed_seq=changed)
        return len(fresh)

    def _compare(self, new: Sequence[Entity]) -> tuple[set[int], set[int]]:
        """Embed names and merge those that mean what another of their scope means.

        Returns:
            those for which the model was away, and those that it refuses.
        """
        with self._database.read() as connection:
            done = vectors.get(connection, self._model_id, [entity.seq for entity in new])
        missing = [entity for entity in new if entity.seq not in done]
        if not missing:
            return set(), set()
        try:
            fresh, refused = self._embed(missing)
        except Exception as error:
            self._tell(f"names cannot be embedded: {type(error).__name__}: {error}")
            return {entity.seq for entity in missing}, set()
        crash_points.reach("names embedded")
        with self._database.write() as connection:
            still = entities.by_seq(connection, list(fresh))  # an erased name must not come back as a vector
            vectors.put(connection, self._model_id, {seq: row for seq, row in fresh.items() if seq in still})
            for scope in dict.fromkeys(entity.scope for entity in still.values()):
                self._merge(connection, scope, {seq for seq, entity in still.items() if entity.scope == scope}, fresh)
        return set(), refused

    def _embed(self, new: Sequence[Entity]) -> tuple[dict[int, NDArray[np.float32]], set[int]]:
        """Return vectors by `seq`, and the names that the model refuses while it takes others."""
        try:
            rows = self._embedder.embed_documents([entity.name for entity in new])
            return {entity.seq: row for entity, row in zip(new, rows, strict=True)}, set()
        except Exception as error:
            if len(new) == 1:
                raise
            logger.warning("Names could not be embedded together (%s); they are tried one by one.", error)
        found: dict[int, NDArray[np.float32]] = {}
        refused: set[int] = set()
        for place, entity in enumerate(new):
            try:
                found[entity.seq] = self._embedder.embed_documents([entity.name])[0]
            except Exception as error:
                if not found and place:  # two in a row at the beginning: the model itself fails
                    raise
                refused.add(entity.seq)
                self._tell(f"the embedding model refuses the name {entity.name!r}: {error}")
        return found, refused

    def _merge(
        self, connection: Connection, scope: Scope, new: set[int], fresh: Mapping[int, NDArray[np.float32]]
    ) -> None:
        scope_id = lineage(connection, scope)[-1]
        keys = entities.keys_of(connection, scope_id)
        index = NameIndex(keys)
        apart = entities.set_apart(connection, scope_id)
        for seq in sorted(new):
            # Of two names of one batch the younger becomes the alias.
            rivals = [rival for rival in index.rivals(seq) if rival < seq or rival not in new]
            stored = vectors.get(connection, self._model_id, rivals)
            cosines = {rival: float(np.dot(row, fresh[seq])) for rival, row in stored.items()}
            while (into := choose(cosines)) is not None:
                ours, theirs = (seq, entities.root(connection, seq)), (into, entities.root(connection, into))
                if not any(frozenset((one, other)) in apart for one in ours for other in theirs):
                    reason = f"names with a cosine of {cosines[into]:.3f}"
                    at = to_micros(self._clock())
                    entities.merge(self._database, connection, seq, into, at=at, actor=ACTOR, reason=reason)
                    break
                del cosines[into]  # a person has set these two apart
        touch(connection, lineage(connection, scope), changed_seq=self._database.take_seqs(connection, 1))

    def _tell(self, trouble: str) -> None:
        logger.warning("Entities are not linked yet and will be tried again: %s", trouble)
        self.trouble = trouble


def _texts(connection: Connection, seqs: Sequence[int]) -> dict[int, str]:
    query = sa.select(memories.c.seq, memories.c.text).where(memories.c.seq.in_(list(seqs)))
    return {row.seq: row.text for row in connection.execute(query.order_by(memories.c.seq))}


_BY_ID = sa.select(memories.c.id, memories.c.seq, memories.c.text).where(
    memories.c.id.in_(sa.bindparam("ids", expanding=True))
)
