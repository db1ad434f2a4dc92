"""Items: an application's own keys and values in namespaces, put, read, listed, expired and erased."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from langgraph_memory.storage.database import Database, load_json
from langgraph_memory.storage.schema import item_vectors, items

Labels = tuple[str, ...]

LONGEST_ADDRESS = 2_000
"""Bytes of a namespace and key together: PostgreSQL indexes no more than 2,700."""

_CHUNK = 5_000
_PAGE = 500
_DOT = "."
_AFTER_DOT = "/"  # the character after the dot: everything inside a namespace sorts before it


@dataclass(frozen=True, slots=True)
class Write:
    """One put, or the deletion of a key.

    Attributes:
        value: JSON text; None deletes.
        paths: JSON list of what is indexed, and `digests` of the texts found there, in order.
        ttl: microseconds to live.
    """

    namespace: Labels
    key: str
    value: str | None
    paths: str = "[]"
    digests: tuple[str, ...] = ()
    ttl: int | None = None


@dataclass(frozen=True, slots=True)
class StoredItem:
    """One item as it is read; times are microseconds."""

    seq: int
    namespace: Labels
    key: str
    value: dict[str, Any]
    created_at: int
    updated_at: int
    ttl: int | None


def to_path(namespace: Sequence[str]) -> str:
    """Return a namespace as text that ends in a dot, so that a prefix of labels is a prefix of text."""
    return "".join(label + _DOT for label in namespace)


def to_labels(path: str) -> Labels:
    """Return the namespace that `to_path` wrote."""
    return tuple(path.split(_DOT)[:-1])


def inside(prefix: Sequence[str]) -> sa.ColumnElement[bool]:
    """Return the condition "this `items` row lies in the namespace or in one below it"."""
    path = to_path(prefix)
    if not path:
        return sa.true()
    return sa.and_(items.c.namespace >= path, items.c.namespace < path[:-1] + _AFTER_DOT)


def write(
    database: Database,
    connection: Connection,
    writes: Sequence[Write],
    vectors: Mapping[str, bytes],
    *,
    model_id: int,
    now: int,
) -> None:
    """Put and delete, at most once per namespace and key; what is put keeps the time when it was first made.

    Args:
        vectors: by digest, one for each text of the puts.
    """
    present = _present(connection, writes)
    alive = {where: row for where, row in present.items() if row.expires_at is None or row.expires_at > now}
    puts = [one for one in writes if one.value is not None]
    kept = {alive[_where(one)].seq for one in puts if _where(one) in alive}
    _drop_vectors(connection, [row.seq for row in present.values()])
    _drop(connection, [row.seq for row in present.values() if row.seq not in kept])
    if not puts:
        return
    first = database.take_seqs(connection, len(puts))
    new: list[dict[str, Any]] = []
    changed: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    for number, one in enumerate(puts, start=first):
        known = alive.get(_where(one))
        seq = number if known is None else known.seq
        values = {
            "value": one.value,
            "paths": one.paths,
            "texts": len(one.digests),
            "updated_at": now,
            "ttl": one.ttl,
            "expires_at": None if one.ttl is None else now + one.ttl,
            "changed_seq": number,
        }
        if known is None:
            new.append({"seq": seq, "namespace": to_path(one.namespace), "key": one.key, "created_at": now, **values})
        else:
            changed.append({"row": seq, **values})
        rows += vector_rows(seq, model_id, one.digests, vectors)
    if new:
        connection.execute(_INSERT, new)
    if changed:
        connection.execute(_UPDATE, changed)
    if rows:
        connection.execute(_INSERT_VECTORS, rows)


def vector_rows(
    seq: int, model_id: int, digests: Sequence[str], vectors: Mapping[str, bytes]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of one item's vectors, one per text."""
    for place, digest in enumerate(digests):
        yield {"item_seq": seq, "model_id": model_id, "place": place, "digest": digest, "vector": vectors[digest]}


def get(connection: Connection, namespace: Sequence[str], keys: Sequence[str], *, now: int) -> dict[str, StoredItem]:
    """Return those of the items of exactly this namespace that exist and have not expired, by key."""
    found: dict[str, StoredItem] = {}
    for start in range(0, len(keys), _CHUNK):
        asked = {"path": to_path(namespace), "keys": list(keys[start : start + _CHUNK]), "now": now}
        found.update((row.key, _item(row)) for row in connection.execute(_GET, asked))
    return found


def by_seq(connection: Connection, prefix: Sequence[str], seqs: Sequence[int], *, now: int) -> dict[int, StoredItem]:
    """Return those of the items that lie inside the prefix and have not expired, by `seq`."""
    found: dict[int, StoredItem] = {}
    for start in range(0, len(seqs), _CHUNK):
        query = _READ.where(items.c.seq.in_(list(seqs[start : start + _CHUNK])), inside(prefix), _live(now))
        found.update((row.seq, _item(row)) for row in connection.execute(query))
    return found


def newest(
    connection: Connection, prefix: Sequence[str], *, now: int, limit: int | None = None, offset: int = 0
) -> Generator[StoredItem, None, None]:
    """Yield the items inside the prefix, the one put last first; close it where it is not read to the end."""
    query = _READ.where(inside(prefix), _live(now)).order_by(items.c.changed_seq.desc()).limit(limit).offset(offset)
    with connection.execute(query.execution_options(yield_per=_PAGE)) as rows:
        for row in rows:
            yield _item(row)


def namespaces(connection: Connection, prefix: Sequence[str], *, now: int) -> list[Labels]:
    """Return the namespaces inside the prefix that hold an item, each once."""
    query = sa.select(items.c.namespace).where(inside(prefix), _live(now)).distinct()
    return [to_labels(path) for path in connection.scalars(query)]


def refresh(connection: Connection, seqs: Sequence[int], *, now: int) -> None:
    """Give items their whole time to live again; what has expired stays so."""
    for start in range(0, len(seqs), _CHUNK):
        connection.execute(
            sa.update(items)
            .where(items.c.seq.in_(list(seqs[start : start + _CHUNK])), items.c.expires_at > now)
            .values(expires_at=now + items.c.ttl)
        )


def sweep(connection: Connection, *, now: int) -> int:
    """Delete what has expired, and return how many items that were."""
    gone = list(connection.scalars(sa.select(items.c.seq).where(items.c.expires_at <= now)))
    _drop_vectors(connection, gone)
    _drop(connection, gone)
    return len(gone)


def erase_inside(connection: Connection, prefix: Sequence[str]) -> tuple[int, int]:
    """Delete everything inside the prefix, and return how many items and vectors that were."""
    gone = list(connection.scalars(sa.select(items.c.seq).where(inside(prefix))))
    vectors = _drop_vectors(connection, gone)
    _drop(connection, gone)
    return len(gone), vectors


def _where(one: Write) -> tuple[str, str]:
    return to_path(one.namespace), one.key


def _present(connection: Connection, writes: Sequence[Write]) -> dict[tuple[str, str], Any]:
    keys: dict[str, list[str]] = {}
    for one in writes:
        keys.setdefault(to_path(one.namespace), []).append(one.key)
    found: dict[tuple[str, str], Any] = {}
    for path, wanted in keys.items():
        for start in range(0, len(wanted), _CHUNK):
            rows = connection.execute(_PRESENT, {"path": path, "keys": wanted[start : start + _CHUNK]})
            found.update(((path, row.key), row) for row in rows)
    return found


def _drop(connection: Connection, seqs: Sequence[int]) -> None:
    for start in range(0, len(seqs), _CHUNK):
        connection.execute(sa.delete(items).where(items.c.seq.in_(list(seqs[start : start + _CHUNK]))))


def _drop_vectors(connection: Connection, seqs: Sequence[int]) -> int:
    gone = 0
    for start in range(0, len(seqs), _CHUNK):
        some = item_vectors.c.item_seq.in_(list(seqs[start : start + _CHUNK]))
        gone += connection.execute(sa.delete(item_vectors).where(some)).rowcount
    return gone


def _live(now: int) -> sa.ColumnElement[bool]:
    return sa.or_(items.c.expires_at.is_(None), items.c.expires_at > now)


def _item(row: Any) -> StoredItem:
    return StoredItem(
        seq=row.seq,
        namespace=to_labels(row.namespace),
        key=row.key,
        value=load_json(row.value),
        created_at=row.created_at,
        updated_at=row.updated_at,
        ttl=row.ttl,
    )


_READ = sa.select(
    items.c.seq, items.c.namespace, items.c.key, items.c.value, items.c.created_at, items.c.updated_at, items.c.ttl
)
_AT = sa.and_(items.c.namespace == sa.bindparam("path"), items.c.key.in_(sa.bindparam("keys", expanding=True)))
_GET = _READ.where(_AT, sa.or_(items.c.expires_at.is_(None), items.c.expires_at > sa.bindparam("now")))
_PRESENT = sa.select(items.c.seq, items.c.key, items.c.expires_at).where(_AT)
_INSERT = sa.insert(items)
_UPDATE = sa.update(items).where(items.c.seq == sa.bindparam("row"))
_INSERT_VECTORS = sa.insert(item_vectors)
