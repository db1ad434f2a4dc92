"""The tables as statements see them; the migrations create them and a test holds the two together.

Times are microseconds since 1970 UTC. JSON is text. `seq` numbers entries and memories in one order.
"""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()

_Big = sa.BigInteger
_Text = sa.Text

counters = sa.Table(
    "counters",
    metadata,
    sa.Column("name", _Text, primary_key=True),
    sa.Column("value", _Big, nullable=False),
)

facts = sa.Table(  # what is true of this store as a whole: its id, the embedding model in use
    "facts",
    metadata,
    sa.Column("name", _Text, primary_key=True),
    sa.Column("value", _Text, nullable=False),
)

scopes = sa.Table(
    "scopes",
    metadata,
    sa.Column("id", _Big, primary_key=True),
    sa.Column("path", _Text, nullable=False, unique=True),
    sa.Column("last_seq", _Big, nullable=False),  # newest row inside this scope or below
    sa.Column("changed_seq", _Big, nullable=False),  # newest retirement, restoration or replacement inside it
    sa.Column("erased_seq", _Big, nullable=False),  # newest erasure inside it
)

sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("id", _Big, primary_key=True),
    sa.Column("scope_id", _Big, nullable=False),
    sa.Column("thread_id", _Text, nullable=False),
    sa.Column("entries", _Big, nullable=False),
    sa.Column("started_at", _Big, nullable=False),
    sa.Column("last_at", _Big, nullable=False),
)

entries = sa.Table(
    "entries",
    metadata,
    sa.Column("seq", _Big, primary_key=True, autoincrement=False),
    sa.Column("scope_id", _Big, nullable=False),
    sa.Column("session_id", _Big, nullable=False),
    sa.Column("position", _Big, nullable=False),
    sa.Column("message_id", _Text, nullable=False),
    sa.Column("digest", _Text, nullable=False),
    sa.Column("role", _Text, nullable=False),
    sa.Column("speaker", _Text, nullable=False),
    sa.Column("text", _Text, nullable=False),
    sa.Column("content", _Text),  # JSON; null where it is just the text
    sa.Column("extra", _Text),
    sa.Column("observed_at", _Big, nullable=False),
    sa.Column("recorded_at", _Big, nullable=False),
    sa.Column("replaced_by", _Big),  # seq of the entry with the same message id and newer content
    sa.Column("retired_at", _Big),  # hidden by forget()
    sa.Column("changed_seq", _Big),  # newest replacement, retirement or restoration; null where there was none
)

memories = sa.Table(
    "memories",
    metadata,
    sa.Column("seq", _Big, primary_key=True, autoincrement=False),
    sa.Column("id", _Text, nullable=False, unique=True),
    sa.Column("scope_id", _Big, nullable=False),
    sa.Column("session_id", _Text),
    sa.Column("text", _Text, nullable=False),
    sa.Column("kind", _Text, nullable=False),
    sa.Column("actor", _Text, nullable=False),
    sa.Column("hash", _Text, nullable=False),
    sa.Column("data", _Text),
    sa.Column("schema", _Text),
    sa.Column("subject", _Text),
    sa.Column("relation", _Text),
    sa.Column("object", _Text),
    sa.Column("valid_from", _Big, nullable=False),
    sa.Column("valid_inferred", sa.Boolean, nullable=False),
    sa.Column("valid_to", _Big),
    sa.Column("recorded_at", _Big, nullable=False),
    sa.Column("observed_at", _Big, nullable=False),
    sa.Column("retired_at", _Big),
    sa.Column("retired_by", _Text),
    sa.Column("reason", _Text),
    sa.Column("supersedes", _Text),
    sa.Column("expires_at", _Big),
    sa.Column("importance", sa.Float),
    sa.Column("novelty", sa.Float),
    sa.Column("reinforced", _Big, nullable=False),
    sa.Column("tier", _Text, nullable=False),
    sa.Column("pinned", sa.Boolean, nullable=False),
    sa.Column("private", sa.Boolean, nullable=False),
    sa.Column("metadata", _Text),
    sa.Column("changed_seq", _Big, nullable=False),
)

evidence = sa.Table(
    "evidence",
    metadata,
    sa.Column("memory_seq", _Big, primary_key=True, autoincrement=False),
    sa.Column("source_seq", _Big, primary_key=True, autoincrement=False),  # an entry's or a memory's
)

journal = sa.Table(
    "journal",
    metadata,
    sa.Column("seq", _Big, primary_key=True, autoincrement=False),
    sa.Column("at", _Big, nullable=False),
    sa.Column("scope_id", _Big, nullable=False),
    sa.Column("memory_id", _Text, nullable=False),
    sa.Column("action", _Text, nullable=False),
    sa.Column("actor", _Text, nullable=False),
    sa.Column("reason", _Text),
    sa.Column("before", _Text),
    sa.Column("after", _Text),
    sa.Column("batch", _Text),  # what was written together and can be undone together
)

watermarks = sa.Table(  # up to where a job has read a session
    "watermarks",
    metadata,
    sa.Column("session_id", _Big, primary_key=True, autoincrement=False),
    sa.Column("job", _Text, primary_key=True),
    sa.Column("seq", _Big, nullable=False),
)

leases = sa.Table(  # one process at a time does this, until then
    "leases",
    metadata,
    sa.Column("name", _Text, primary_key=True),
    sa.Column("holder", _Text, nullable=False),
    sa.Column("until", _Big, nullable=False),
)

entities = sa.Table(  # a named thing in a scope, under each of its names
    "entities",
    metadata,
    sa.Column("seq", _Big, primary_key=True, autoincrement=False),
    sa.Column("scope_id", _Big, nullable=False),
    sa.Column("key", _Text, nullable=False),  # the normalised name; unique in the scope
    sa.Column("name", _Text, nullable=False),
    sa.Column("kind", _Text, nullable=False),
    sa.Column("merged_into", _Big),  # seq of the entity that this name is an alias of
)

merges = sa.Table(  # which entities were taken for one, and whether that was undone
    "merges",
    metadata,
    sa.Column("seq", _Big, primary_key=True, autoincrement=False),
    sa.Column("at", _Big, nullable=False),
    sa.Column("merged", _Big, nullable=False),
    sa.Column("into", _Big, nullable=False),
    sa.Column("actor", _Text, nullable=False),
    sa.Column("reason", _Text, nullable=False),
    sa.Column("undone_at", _Big),
)

mentions = sa.Table(
    "mentions",
    metadata,
    sa.Column("memory_seq", _Big, primary_key=True, autoincrement=False),
    sa.Column("entity_seq", _Big, primary_key=True, autoincrement=False),  # as it was named, whatever it is merged into
)

transcripts = sa.Table(  # one file of lines that another toolkit keeps of a conversation
    "transcripts",
    metadata,
    sa.Column("id", _Big, primary_key=True),
    sa.Column("scope_id", _Big, nullable=False),
    sa.Column("session_id", _Big, nullable=False),  # the session in which its text is recalled
    sa.Column("project", _Text, nullable=False),
    sa.Column("name", _Text, nullable=False),  # the toolkit's own session id
    sa.Column("subpath", _Text, nullable=False),  # empty for the main one
    sa.Column("lines", _Big, nullable=False),
    sa.Column("mtime", _Big, nullable=False),  # milliseconds; each write has a later one
    sa.Column("summary", _Text),  # JSON; the toolkit's own, folded in the append's transaction
)

transcript_lines = sa.Table(
    "transcript_lines",
    metadata,
    sa.Column("transcript_id", _Big, primary_key=True, autoincrement=False),
    sa.Column("position", _Big, primary_key=True, autoincrement=False),
    sa.Column("uuid", _Text),
    sa.Column("digest", _Text, nullable=False),
    sa.Column("body", _Text, nullable=False),  # JSON
)

branches = sa.Table(  # sessions that begin with what another one has said
    "branches",
    metadata,
    sa.Column("session_id", _Big, primary_key=True, autoincrement=False),
    sa.Column("root_id", _Big, nullable=False),
    sa.Column("name", _Text, nullable=False),  # never given twice
    sa.Column("from_turn", _Big, nullable=False),
    sa.Column("created_at", _Big, nullable=False),
    sa.Column("deleted_at", _Big),
)

session_items = sa.Table(  # where a session shows other entries than its own: those of a branch's beginning
    "session_items",
    metadata,
    sa.Column("session_id", _Big, primary_key=True, autoincrement=False),
    sa.Column("entry_seq", _Big, primary_key=True, autoincrement=False),
    sa.Column("hidden", sa.Boolean, nullable=False),  # its own, taken out of it while a branch still shows it
)

session_heads = sa.Table(  # what a compacted session shows first; see session_heads.py
    "session_heads",
    metadata,
    sa.Column("session_id", _Big, primary_key=True, autoincrement=False),
    sa.Column("generation", _Big, nullable=False),  # grows with each change of the head
    sa.Column("items", _Text, nullable=False),  # JSON list
)

session_covered = sa.Table(  # entries that a session's head stands for
    "session_covered",
    metadata,
    sa.Column("session_id", _Big, primary_key=True, autoincrement=False),
    sa.Column("entry_seq", _Big, primary_key=True, autoincrement=False),
)

models = sa.Table(
    "models",
    metadata,
    sa.Column("id", _Big, primary_key=True),
    sa.Column("name", _Text, nullable=False, unique=True),
    sa.Column("dimension", _Big, nullable=False),
)

vectors = sa.Table(
    "vectors",
    metadata,
    sa.Column("owner_seq", _Big, primary_key=True, autoincrement=False),
    sa.Column("model_id", _Big, primary_key=True, autoincrement=False),
    sa.Column("vector", sa.LargeBinary, nullable=False),  # float16, little-endian
)

items = sa.Table(  # an application's own keys and values, behind memory.store
    "items",
    metadata,
    sa.Column("seq", _Big, primary_key=True, autoincrement=False),
    sa.Column("namespace", _Text, nullable=False),  # labels, each followed by a dot, which no label holds
    sa.Column("key", _Text, nullable=False),
    sa.Column("value", _Text, nullable=False),  # JSON
    sa.Column("paths", _Text, nullable=False),  # JSON list: what of it is indexed
    sa.Column("texts", _Big, nullable=False),  # how many texts those paths lead to
    sa.Column("created_at", _Big, nullable=False),
    sa.Column("updated_at", _Big, nullable=False),
    sa.Column("ttl", _Big),  # microseconds to live after a put or a read that refreshes
    sa.Column("expires_at", _Big),
    sa.Column("changed_seq", _Big, nullable=False),  # number of the last put
)

item_vectors = sa.Table(
    "item_vectors",
    metadata,
    sa.Column("item_seq", _Big, primary_key=True, autoincrement=False),
    sa.Column("model_id", _Big, primary_key=True, autoincrement=False),
    sa.Column("place", _Big, primary_key=True, autoincrement=False),  # which of the item's texts
    sa.Column("digest", _Text, nullable=False),
    sa.Column("vector", sa.LargeBinary, nullable=False),  # float16, little-endian
)

recalls = sa.Table(  # counts, one row for each question that found the owner on one day
    "recalls",
    metadata,
    sa.Column("owner_seq", _Big, primary_key=True, autoincrement=False),
    sa.Column("query_hash", _Text, primary_key=True),
    sa.Column("day", _Big, primary_key=True, autoincrement=False),
    sa.Column("times", _Big, nullable=False),
    sa.Column("total", sa.Double, nullable=False),  # of the scores
    sa.Column("best", sa.Double, nullable=False),
    sa.Column("last_at", _Big, nullable=False),
)

outbox = sa.Table(
    "outbox",
    metadata,
    sa.Column("id", _Big, primary_key=True),
    sa.Column("owner_seq", _Big, nullable=False),
    sa.Column("stage", _Text, nullable=False),  # embed -> index; or drop
    sa.Column("claimed_until", _Big, nullable=False),
)

_BLANKS = "".join(chr(point) for point in range(0x3001) if chr(point).isspace())


def has_text(column: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
    """Return the condition "there is more than white space in it", as `str.strip` sees it."""
    return sa.func.trim(column, _BLANKS) != ""
