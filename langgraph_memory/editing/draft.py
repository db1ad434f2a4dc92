"""A draft is the set of documents as a run changes it, before anybody writes it down."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langgraph_memory.editing.documents import Aliases, Document
from langgraph_memory.editing.edits import Create, Delete, Update
from langgraph_memory.editing.keep import same
from langgraph_memory.errors import InvalidInput


@dataclass(eq=False, slots=True)
class Sheet:
    """One document as it stands; two sheets are never equal, however alike their values.

    Attributes:
        document: what was given; None for one that this run creates.
        patches, reasons: what was done to it so far, in order.
        attempts: the most model answers that one of its calls took.
    """

    schema: str
    value: dict[str, Any]
    document: Document | None = None
    patches: list[Mapping[str, Any]] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    attempts: int = 1

    @property
    def id(self) -> str | None:
        """The document's own id, where it has one."""
        return None if self.document is None else self.document.id

    @property
    def begun(self) -> bool:
        """Whether it is only what a document starts from."""
        return self.document is not None and self.document.begun

    @property
    def reason(self) -> str | None:
        """All reasons given, each once."""
        return "; ".join(dict.fromkeys(self.reasons)) or None


class Draft:
    """Documents that exist and documents to be, each found by the number that the model was shown.

    Raises:
        InvalidInput: two documents have one id, or a value is no JSON object.
    """

    def __init__(self, documents: Iterable[Document]) -> None:
        self._sheets: list[Sheet] = []
        seen: set[str] = set()
        for document in documents:
            if document.id in seen:
                raise InvalidInput(f"Two documents have the id {document.id!r}; give each document once.")
            if not isinstance(document.value, Mapping):
                raise InvalidInput(f"The document {document.id!r} must hold a JSON object.")
            seen.add(document.id)
            self._sheets.append(Sheet(document.schema, copy.deepcopy(dict(document.value)), document))
        self._aliases = Aliases(self._sheets)
        self._changed: list[Sheet] = []
        self._deleted: list[Sheet] = []

    def __len__(self) -> int:
        return len(self._sheets) - len(self._deleted)

    def shown(self) -> list[tuple[int, str, dict[str, Any]]]:
        """Return number, schema and value of every document that was given."""
        return [
            (self._aliases.show(sheet), sheet.schema, sheet.value)
            for sheet in self._sheets
            if sheet.document is not None
        ]

    def number(self, sheet: Sheet) -> int:
        """Return the number of the sheet, which from now on is accepted."""
        return self._aliases.show(sheet)

    def find(self, given: Any, *, lone: bool) -> tuple[Sheet, None] | tuple[None, str]:
        """Return the sheet that the model means, or why there is none; see `Aliases.find`."""
        return self._aliases.find(given, lone=lone)

    def equal(self, schema: str, value: Any) -> Sheet | None:
        """Return a document that says exactly this already."""
        live = (sheet for sheet in self._sheets if sheet not in self._deleted and sheet.schema == schema)
        return next((sheet for sheet in live if same(sheet.value, value)), None)

    def only(self, schema: str) -> Sheet | None:
        """Return the first document of a schema, for schemas of which there is but one."""
        return next((sheet for sheet in self._sheets if sheet.schema == schema and sheet not in self._deleted), None)

    def create(self, schema: str, value: dict[str, Any], attempts: int) -> Sheet:
        """Add a document; it has no number before `number` is asked for."""
        sheet = Sheet(schema, copy.deepcopy(value), attempts=attempts)
        self._sheets.append(sheet)
        return sheet

    def update(
        self,
        sheet: Sheet,
        value: dict[str, Any],
        patches: Sequence[Mapping[str, Any]],
        reason: str | None,
        attempts: int,
    ) -> None:
        """Give a document its next value."""
        sheet.value = copy.deepcopy(value)
        sheet.patches.extend(patches)
        sheet.reasons.extend([reason] if reason else [])
        sheet.attempts = max(sheet.attempts, attempts)
        if sheet not in self._changed:
            self._changed.append(sheet)

    def delete(self, sheet: Sheet, reason: str | None) -> None:
        """Take a document away; its number stays known as that of a deleted one."""
        sheet.reasons = [reason] if reason else []
        self._deleted.append(sheet)
        self._aliases.drop(sheet)

    def creates(self) -> tuple[Create, ...]:
        """Return the new documents, with what was changed in them later."""
        new = (sheet for sheet in self._sheets if sheet.document is None and sheet not in self._deleted)
        return tuple(Create(sheet.schema, copy.deepcopy(sheet.value), sheet.attempts) for sheet in new)

    def updates(self) -> tuple[Update, ...]:
        """Return the documents that are different now, each once."""
        return tuple(
            Update(
                id=sheet.document.id,
                schema=sheet.schema,
                value=copy.deepcopy(sheet.value),
                before=copy.deepcopy(dict(sheet.document.value)),
                patches=tuple(copy.deepcopy(sheet.patches)),
                reason=sheet.reason,
                attempts=sheet.attempts,
            )
            for sheet in self._changed
            if sheet.document is not None and sheet not in self._deleted and not self._as_before(sheet)
        )

    def unchanged(self) -> list[Sheet]:
        """Return the documents whose changes cancel out."""
        return [sheet for sheet in self._changed if sheet not in self._deleted and self._as_before(sheet)]

    def deletes(self) -> tuple[Delete, ...]:
        """Return the documents that existed and are to go."""
        return tuple(
            Delete(sheet.document.id, sheet.schema, copy.deepcopy(dict(sheet.document.value)), sheet.reason)
            for sheet in self._deleted
            if sheet.document is not None
        )

    def documents(self) -> tuple[Document, ...]:
        """Return the documents that were given and stay, as they are now."""
        return tuple(
            Document(sheet.document.id, sheet.schema, copy.deepcopy(sheet.value))
            for sheet in self._sheets
            if sheet.document is not None and sheet not in self._deleted
        )

    def taken_back(self) -> int:
        """Return how many documents were created and deleted again."""
        return sum(sheet.document is None for sheet in self._deleted)

    def _as_before(self, sheet: Sheet) -> bool:
        return sheet.document is not None and same(sheet.value, sheet.document.value)
