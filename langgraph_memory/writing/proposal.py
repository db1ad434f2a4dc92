"""A proposal is a memory before it is one: what its author said, not yet numbered, hashed or dated."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from langchain_core.utils.uuid import uuid7

from langgraph_memory.clock import as_utc
from langgraph_memory.records import MemoryRecord
from langgraph_memory.scope import Scope
from langgraph_memory.text.normalise import clean, content_hash


@dataclass(frozen=True, slots=True)
class Proposal:
    """A memory to add, as `Memory.add` takes it; times with their zone, which the record has in UTC."""

    text: str
    kind: str = "fact"
    actor: str = "user"
    session_id: str | None = None
    observed_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    importance: float | None = None
    novelty: float | None = None
    data: Mapping[str, Any] | None = None
    schema: str | None = None
    pinned: bool = False
    private: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)
    evidence: Sequence[str] = ()

    def key(self, text: str) -> str:
        """Return the key of its exact duplicates, once its text is cleaned."""
        return key_of(text, self.schema, self.data, private_to=clean(self.actor) if self.private else None)

    def record(self, text: str, scope: Scope, now: datetime, *, seq: int) -> MemoryRecord:
        """Return the record that this proposal becomes, with its text cleaned."""
        observed = as_utc(self.observed_at or now)
        return MemoryRecord(
            id=str(uuid7()),
            seq=seq,
            scope=scope,
            text=text,
            kind=self.kind,
            actor=clean(self.actor),
            hash=self.key(text),
            recorded_at=now,
            observed_at=observed,
            valid_from=as_utc(self.valid_from or observed),
            valid_inferred=self.valid_from is None,
            valid_to=self.valid_to and as_utc(self.valid_to),
            expires_at=self.expires_at and as_utc(self.expires_at),
            session_id=self.session_id,
            importance=self.importance,
            novelty=self.novelty,
            data=self.data,
            schema=self.schema,
            pinned=self.pinned,
            private=self.private,
            tier="long" if self.pinned else "short",
            metadata=self.metadata,
        )


def key_of(text: str, schema: str | None, data: Mapping[str, Any] | None, *, private_to: str | None = None) -> str:
    """Return the key of exact duplicates: of a plain memory the hash of its text, of a document that of all it holds.

    A document is its schema and its fields, whatever sentence it is found by, so it never equals a plain memory. Nor
    does a private memory equal what others say.

    Args:
        private_to: whose it is, where it is private.
    """
    if private_to is not None:
        held = json.dumps(["private", private_to, key_of(text, schema, data)])
        return hashlib.md5(f"\0{held}".encode(), usedforsecurity=False).hexdigest()
    if schema is None:
        return content_hash(text)
    held = json.dumps([schema, data or {}], sort_keys=True, separators=(",", ":"), default=repr)
    return hashlib.md5(f"\0{held}".encode(), usedforsecurity=False).hexdigest()


def story(record: MemoryRecord) -> dict[str, Any]:
    """Return what a person wants to see of a record in its history, and what an undo needs."""
    return {
        "text": record.text,
        "kind": record.kind,
        "retired_at": None if record.retired_at is None else record.retired_at.isoformat(),
        "retired_by": record.retired_by,
        "reason": record.reason,
        "reinforced": record.reinforced,
        "supersedes": record.supersedes,
    }
