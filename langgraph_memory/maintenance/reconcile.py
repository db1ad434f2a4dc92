"""Reconciling compares the derived indexes with the truth and owes them whatever differs."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from langgraph_memory.knowledge.names import NameFinder, find_names
from langgraph_memory.knowledge.resolve import entity_key
from langgraph_memory.scope import Scope
from langgraph_memory.storage import entities, item_vectors, outbox, text_index, vectors
from langgraph_memory.storage.chroma_index import OWNERS, ChromaIndex
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.entries import spoken_terms
from langgraph_memory.storage.migrations import TEXT_INDEX, missing_tables
from langgraph_memory.storage.migrations.m001_initial import create_text_index
from langgraph_memory.storage.schema import entities as entities_table
from langgraph_memory.storage.schema import entries, facts, has_text, memories, mentions, scopes
from langgraph_memory.storage.schema import item_vectors as item_vectors_table
from langgraph_memory.storage.schema import outbox as outbox_table
from langgraph_memory.storage.schema import vectors as vectors_table
from langgraph_memory.storage.scopes import lineage
from langgraph_memory.text.tokenise import tokeniser_version

_CHUNK = 2_000


@dataclass(frozen=True, slots=True)
class Differences:
    """What was found to differ, now owed to the indexes.

    Attributes:
        unembedded: rows without a usable vector that nothing was going to embed.
        unindexed: rows missing from the vector index.
        foreign: rows of the vector index that the truth does not know.
        unwritten: rows missing from the text index, written at once.
        unlinked: memories whose names are not linked, and names without a vector.
    """

    unembedded: int = 0
    unindexed: int = 0
    foreign: int = 0
    unwritten: int = 0
    unlinked: int = 0


def reconcile(
    database: Database, model_id: int, index: ChromaIndex | None, find: NameFinder = find_names
) -> Differences:
    """Compare everything by id; the next flush pays what is owed.

    Args:
        find: finds the names that memories should be linked by.

    Raises:
        IndexUnavailable: the vector index cannot be read.
    """
    discard_unusable(database, model_id)
    present: set[int] = set()
    strangers: list[str] = []
    if index is not None:
        for owner in OWNERS:
            for page in index.ids(owner):
                present.update(int(name) for name in page if name.isdecimal())
                strangers += [name for name in page if not name.isdecimal()]
        index.delete(strangers)
    with database.read() as connection:
        unlinked = _unlinked(connection, find) | set(entities.unembedded(connection, model_id))
    with database.write() as connection:
        unwritten = _write_terms(connection, only_missing=True)
        owed = {
            stage: set(
                connection.execute(sa.select(outbox_table.c.owner_seq).where(outbox_table.c.stage == stage)).scalars()
            )
            for stage in ("embed", "index", "drop", "link")
        }
        embedded = set(
            connection.execute(
                sa.select(vectors_table.c.owner_seq).where(vectors_table.c.model_id == model_id)
            ).scalars()
        )
        with_text = {
            seq
            for table in (entries, memories)
            for seq in connection.execute(sa.select(table.c.seq).where(has_text(table.c.text))).scalars()
        }
        unembedded = with_text - embedded - owed["embed"]
        outbox.post(connection, sorted(unembedded), "embed")
        unlinked &= with_text | set(connection.scalars(sa.select(entities_table.c.seq)))  # what was erased meanwhile
        unlinked -= owed["link"]
        outbox.post(connection, sorted(unlinked), "link")
        unindexed: set[int] = set()
        foreign: set[int] = set()
        if index is not None:
            unindexed = (embedded & with_text) - present - owed["index"] - owed["embed"]
            foreign = present - with_text - owed["drop"]
            outbox.post(connection, sorted(unindexed), "index")
            outbox.post(connection, sorted(foreign), "drop")
    return Differences(len(unembedded), len(unindexed), len(foreign) + len(strangers), unwritten, len(unlinked))


def discard_unusable(database: Database, model_id: int) -> int:
    """Delete stored vectors that no search could use, so that their texts lack one again; return of how many rows."""
    with database.read() as connection:
        owners = vectors.unusable(connection, model_id)
        item_seqs = vectors.unusable(connection, model_id, item_vectors_table.c.item_seq)
    if owners or item_seqs:
        with database.write() as connection:
            vectors.discard(connection, model_id, owners)
            item_vectors.discard(connection, model_id, item_seqs)
    return len(owners) + len(item_seqs)


def owe_everything(database: Database, model_name: str) -> None:
    """Stamp the store with a model, owe a vector to every row that has none from it, and owe all links anew."""
    with database.write() as connection:
        vectors.set_current_model(connection, model_name)
        item_vectors.set_complete(connection, None)  # the store embeds its items anew when it is next searched
        connection.execute(sa.delete(outbox_table).where(outbox_table.c.stage != "drop"))
        for table in (entries, memories):
            connection.execute(
                sa.insert(outbox_table).from_select(
                    ["owner_seq", "stage", "claimed_until"],
                    sa.select(table.c.seq, sa.literal("embed"), sa.literal(0)).where(has_text(table.c.text)),
                )
            )
        for owners in (memories.c.seq, entities_table.c.seq):
            connection.execute(
                sa.insert(outbox_table).from_select(
                    ["owner_seq", "stage", "claimed_until"], sa.select(owners, sa.literal("link"), sa.literal(0))
                )
            )


def owe_index(database: Database, model_id: int) -> None:
    """Owe every vector in SQL to the vector index; what is on its way to be embedded comes there by itself."""
    underway = sa.select(outbox_table.c.owner_seq).where(outbox_table.c.stage == "embed")
    embedded = sa.select(vectors_table.c.owner_seq).where(vectors_table.c.model_id == model_id)
    with database.write() as connection:
        connection.execute(
            sa.update(outbox_table)
            .where(outbox_table.c.stage == "index", outbox_table.c.owner_seq.not_in(embedded))
            .values(stage="embed", claimed_until=0)
        )
        connection.execute(sa.delete(outbox_table).where(outbox_table.c.stage == "index"))
        connection.execute(
            sa.insert(outbox_table).from_select(
                ["owner_seq", "stage", "claimed_until"],
                sa.select(vectors_table.c.owner_seq, sa.literal("index"), sa.literal(0)).where(
                    vectors_table.c.model_id == model_id,
                    vectors_table.c.owner_seq.not_in(underway),
                    vectors_table.c.owner_seq.not_in(sa.select(entities_table.c.seq)),
                ),
            )
        )


def renew_text_index(database: Database, *, force: bool = False) -> bool:
    """Write the text index anew where it is lost, or was cut by other rules than today's; say whether it was."""
    wanted = tokeniser_version()
    with database.read() as connection:
        present = connection.execute(sa.select(facts.c.value).where(facts.c.name == "tokeniser")).scalar_one_or_none()
        lost = TEXT_INDEX in missing_tables(connection)
    if present == wanted and not force and not lost:
        return False
    with database.write() as connection:
        if TEXT_INDEX in missing_tables(connection):
            create_text_index(connection)
        if present is not None or force or lost:
            connection.exec_driver_sql("DELETE FROM text_index")
            _write_terms(connection, only_missing=False)
        connection.execute(sa.delete(facts).where(facts.c.name == "tokeniser"))
        connection.execute(sa.insert(facts).values(name="tokeniser", value=wanted))
    return present is not None or lost


def _write_terms(connection: sa.Connection, *, only_missing: bool) -> int:
    """Index the terms of all rows, or of those that the text index lacks; return how many."""
    written = 0
    lineages = {
        row.id: lineage(connection, Scope.from_path(row.path))
        for row in connection.execute(sa.select(scopes.c.id, scopes.c.path)).all()
    }
    for table, speaker in ((entries, entries.c.speaker), (memories, memories.c.actor)):
        last = 0
        while True:
            rows = connection.execute(
                sa.select(table.c.seq, table.c.scope_id, speaker.label("speaker"), table.c.observed_at, table.c.text)
                .where(table.c.seq > last)
                .order_by(table.c.seq)
                .limit(_CHUNK)
            ).all()
            if not rows:
                break
            known = text_index.terms_of(connection, [row.seq for row in rows]) if only_missing else {}
            missing = [row for row in rows if row.seq not in known]
            text_index.put(
                connection,
                [
                    text_index.IndexedText(
                        row.seq, lineages[row.scope_id], spoken_terms(row.speaker, row.observed_at, row.text)
                    )
                    for row in missing
                ],
            )
            written += len(missing)
            last = rows[-1].seq
    return written


def _unlinked(connection: sa.Connection, find: NameFinder) -> set[int]:
    """Return the memories that name something without being linked to it."""
    found: set[int] = set()
    last = 0
    while True:
        rows = connection.execute(
            sa.select(memories.c.seq, memories.c.text)
            .where(memories.c.seq > last)
            .order_by(memories.c.seq)
            .limit(_CHUNK)
        ).all()
        if not rows:
            return found
        last = rows[-1].seq
        known: dict[int, set[str]] = {}
        linked = (
            sa.select(mentions.c.memory_seq, entities_table.c.key)
            .join(entities_table, entities_table.c.seq == mentions.c.entity_seq)
            .where(mentions.c.memory_seq.between(rows[0].seq, last))
        )
        for memory_seq, key in connection.execute(linked):
            known.setdefault(memory_seq, set()).add(key)
        for row in rows:
            names = {entity_key(name.text) for name in find(row.text)}
            if not names <= known.get(row.seq, set()):
                found.add(row.seq)
