"""Every error that langgraph_memory raises, in one tree.

    LangGraphMemoryError
    ├── InvalidInput            what was given cannot be used; nothing was written
    │   ├── ScopeError          whose memory it is is missing or malformed
    │   ├── MessageError        a message has no usable shape
    │   ├── ImportFormatError   a file is in no format that we read
    │   └── ModelNeeded         this needs a chat model, and the memory was opened without one
    ├── ReadOnly                what was asked to write was made for reading
    ├── NotFound                no such memory or session in that scope
    ├── StorageError            the truth (SQL) cannot be read or written
    │   ├── ReadOnlyStorage     the folder or database refuses writes
    │   ├── StorageFull         no space left; the last write was rolled back
    │   └── SchemaTooNew        a newer version of this package wrote the database
    ├── IndexUnavailable        a derived index cannot be used; the truth is unharmed
    ├── EmbeddingError          the embedding model failed or is not the expected one
    │   └── EmbeddingMismatch   the store was embedded with another model
    ├── ModelError              the chat model failed, after retries where they made sense
    │   └── CallBudgetExhausted it was not called: the calls allowed are used up
    ├── SealBroken              an encrypted item of a session cannot be opened
    └── MemoryClosed            the memory was closed before this call

Each message says what happened, to what, and what to do next. A refusal of a single item is a value
in a report, never an exception. A call that works in several steps (`remember`, `drain`, `manage`) and fails in a later
one raises an error whose `report` tells what it had written before, with the batches to undo it by, and what it cost.
"""

from __future__ import annotations

from typing import Any

_LONGEST = 2_000  # characters of a message: what it quotes may be megabytes long


class LangGraphMemoryError(Exception):
    """Base of every error raised by this package; a message is bounded, whatever was given.

    Attributes:
        report: a `Report` of what the call wrote and spent before it failed, for `undo`; None where it had begun
            nothing.
    """

    report: Any = None

    def __init__(self, message: str = "") -> None:
        if len(message) > _LONGEST:
            message = f"{message[: _LONGEST - 500]} [...] {message[-500:]}"
        super().__init__(message)


class InvalidInput(LangGraphMemoryError, ValueError):
    """What was given cannot be used; nothing was written."""


class ScopeError(InvalidInput):
    """A scope is missing, empty or malformed, or no identity could be resolved."""


class MessageError(InvalidInput):
    """A message is in none of the accepted shapes."""


class ImportFormatError(InvalidInput):
    """A file is in no format that `ingest` reads."""


class ModelNeeded(InvalidInput):
    """This needs a chat model, and the memory was opened without one."""


class ReadOnly(LangGraphMemoryError, PermissionError):
    """What was asked to write was made for reading only; nothing was written."""


class NotFound(LangGraphMemoryError, LookupError):
    """No such memory, entry or session."""


class StorageError(LangGraphMemoryError):
    """The SQL database cannot be read or written."""


class ReadOnlyStorage(StorageError):
    """The folder or the database refuses writes."""


class StorageFull(StorageError):
    """No space is left; the write was rolled back and nothing acknowledged was lost."""


class SchemaTooNew(StorageError):
    """A newer version of this package wrote the database."""


class IndexUnavailable(LangGraphMemoryError):
    """A derived index cannot be used; the truth in SQL is unharmed and `reindex` rebuilds it."""


class EmbeddingError(LangGraphMemoryError):
    """The embedding model failed, or its files are not the expected ones."""


class EmbeddingMismatch(EmbeddingError):
    """The store was embedded with another model than the one given."""


class ModelError(LangGraphMemoryError):
    """The chat model failed, after retries where they made sense; its own error is the cause."""


class CallBudgetExhausted(ModelError):
    """The chat model was not called: the calls allowed are used up. What is left waits for the next run."""


class SealBroken(LangGraphMemoryError):
    """An encrypted item of a session cannot be opened; it is still stored, unchanged."""


class MemoryClosed(LangGraphMemoryError):
    """The memory was closed before this call."""
