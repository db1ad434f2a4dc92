"""Finding the memory, message or evidence that a person names, and saying plainly where there is none."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.engine import Connection

from langgraph_memory.errors import NotFound
from langgraph_memory.records import Entry, MemoryRecord
from langgraph_memory.scope import Scope
from langgraph_memory.storage import entries, memories


def find_memory(connection: Connection, memory_id: str, scope: Scope | None) -> MemoryRecord | None:
    """Return the memory with this id, where it lies inside the scope (or no scope is given)."""
    record = memories.by_id(connection, memory_id)
    return record if record is not None and (scope is None or scope.contains(record.scope)) else None


def find_message(connection: Connection, message_id: str, scope: Scope | None, thread_id: str | None) -> Entry:
    """Return the message with this id inside the scope.

    Raises:
        NotFound: there is none, or more than one; or no scope is given.
    """
    if scope is None:
        raise NotFound(f"There is no memory {message_id}. For a message, say whose it is: scope=(...).")
    found = entries.find(connection, scope, message_id, thread_id)
    if not found:
        raise NotFound(f"There is neither a memory nor a message {message_id}{where(scope)}.")
    if len(found) > 1:
        places = ", ".join(f"{entry.scope} / {entry.session_id}" for entry in found)
        raise NotFound(f"The message id {message_id} stands in several conversations ({places}). Give thread_id too.")
    return found[0]


def find_sources(
    connection: Connection, scope: Scope, evidence: Sequence[str], thread_id: str | None
) -> tuple[list[int], str | None]:
    """Return the `seq` of the evidence named, and a remark about what could not be found."""
    seqs: list[int] = []
    unknown: list[str] = []
    for source in evidence:
        found = entries.find(connection, scope, source, thread_id)
        memory = None if found else find_memory(connection, source, scope)
        if found:
            seqs.append(found[0].seq)
        elif memory is not None:
            seqs.append(memory.seq)
        else:
            unknown.append(source)
    return seqs, f"unknown evidence: {', '.join(unknown)}" if unknown else None


def where(scope: Scope | None) -> str:
    """Return the words that name the scope, where there is one, at the end of a sentence."""
    return "" if scope is None else f" in {scope}"
