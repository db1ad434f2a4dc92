"""What a run decided, item by item, as values: nobody has written anything yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langgraph_memory.editing.documents import Document


@dataclass(frozen=True, slots=True)
class Create:
    """A document to create.

    Attributes:
        value: clean by its schema.
        attempts: model answers that it took; more than 1 means that it was repaired.
    """

    schema: str
    value: dict[str, Any]
    attempts: int = 1


@dataclass(frozen=True, slots=True)
class Update:
    """A document to change.

    Attributes:
        id: the document's own id.
        value: the new value, whole.
        before: the value that it replaces.
        patches: what led from one to the other, in order; a repair counts as the fields that it set.
        reason: the model's words; None where it gave none.
    """

    id: str
    schema: str
    value: dict[str, Any]
    before: dict[str, Any]
    patches: tuple[Mapping[str, Any], ...]
    reason: str | None = None
    attempts: int = 1


@dataclass(frozen=True, slots=True)
class Delete:
    """A document to delete, with the value that it had."""

    id: str
    schema: str
    value: dict[str, Any]
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Unwritten:
    """Something that the model asked for and that will not be written.

    Attributes:
        tool: what it called.
        reason: why not. Numbers in it are those that the model was shown.
        id: the document that it is about; None for a new one, or where none was found.
        schema: the schema of the document; None where that is not known.
        value: the last value, or the arguments of the call.
        attempts: model answers that it took.
    """

    tool: str
    reason: str
    id: str | None = None
    schema: str | None = None
    value: Any = None
    attempts: int = 1


@dataclass(frozen=True, slots=True)
class Edits:
    """What a run decided; every call of the model is in one of the lists.

    Attributes:
        creates: new documents, in the order of the calls.
        updates: changed documents, each once, in the order of the first change.
        deletes: documents to delete.
        skipped: calls that change nothing.
        refused: calls, and single patches, that are not permitted or point nowhere.
        failed: calls that did not fit their schema and could not be repaired.
        documents: the documents given, as they are after all this; new ones have no id yet and are not among them.
        done: whether the model said that nothing more is to be written.
        notes: what the reader should know about the run as a whole.
        cut: whether the model failed in a later turn, broke off, or called nothing at all, so that what it (still)
            wanted is not known.
    """

    creates: tuple[Create, ...] = ()
    updates: tuple[Update, ...] = ()
    deletes: tuple[Delete, ...] = ()
    skipped: tuple[Unwritten, ...] = ()
    refused: tuple[Unwritten, ...] = ()
    failed: tuple[Unwritten, ...] = ()
    documents: tuple[Document, ...] = ()
    done: bool = False
    notes: tuple[str, ...] = ()
    cut: bool = False
