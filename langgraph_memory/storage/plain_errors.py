"""What a database's driver says, in plain words: what happened, to which file or server, and what to do."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from langgraph_memory.errors import ReadOnlyStorage, StorageError, StorageFull

_NEAR_LIMIT = 65_536
"""Bytes before a limit at which the next write may hit it: a page of our own takes 4 KiB, of SQLite at most this."""


def locked(label: str, seconds: float) -> str:
    """Return what to say of a file that another program kept locked for so many seconds."""
    return (
        f"{label} stayed locked for {round(seconds, 1):g} s: another program holds a write open. "
        "Close it and repeat; nothing was written. Settings(lock_seconds=...) says how long to wait."
    )


def in_plain_words(error: DBAPIError, label: str, seconds: float) -> StorageError:
    """Return the storage error that says in plain words what the driver's error, after so many seconds, means."""
    cause = error.orig
    code = str(getattr(cause, "sqlite_errorname", "") or getattr(cause, "sqlstate", "") or "")
    said = " ".join(str(cause).split())
    if code.startswith("SQLITE_READONLY") or code in {"25006", "42501"}:
        return ReadOnlyStorage(f"{label} cannot be written: it or its folder is read-only. Nothing was recorded.")
    if code.startswith("SQLITE_CANTOPEN"):
        return ReadOnlyStorage(f"{label} cannot be opened: check that the folder exists and may be written.")
    if code in {"SQLITE_FULL", "53100"}:
        return StorageFull(f"{label}: no space is left. The last write was rolled back; free some space and repeat it.")
    if code.startswith("SQLITE_BUSY"):
        return StorageError(locked(label, seconds))
    if code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return StorageError(f"{label} is damaged or is no SQLite file ({said}). Restore it from a backup or an export.")
    if said.startswith("no such table") or code == "42P01":
        return StorageError(f"{label} is damaged ({said}). doctor() names what is missing and what to do about it.")
    if code.startswith("SQLITE_IOERR") and _is_at_size_limit(label):
        return StorageFull(
            f"{label} has grown to the size that a file of this process may have (ulimit -f). The last write was "
            "rolled back; raise the limit and repeat it."
        )
    if code == "SQLITE_IOERR_WRITE":
        return StorageError(
            f"{label} cannot be written ({said}). The last write was rolled back; check the disk, and the quota on it, "
            "then repeat."
        )
    if code.startswith("SQLITE_IOERR"):
        return StorageError(f"{label} cannot be read or written ({said}). Check the disk, then repeat.")
    if isinstance(error, sa.exc.OperationalError) and not code.startswith("SQLITE"):
        return StorageError(
            f"{label} cannot be reached ({said}). Check that PostgreSQL runs there and that user, password and "
            "database are right, then repeat; a write that was under way was rolled back."
        )
    return StorageError(f"{label}: {said}")


def _is_at_size_limit(path: str) -> bool:
    """Say whether the file or its log is as large as this process may make one; SQLite does not tell."""
    try:
        import resource
    except ImportError:  # Windows knows no such limit
        return False
    most = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    sizes = [file.stat().st_size for file in (Path(path), Path(f"{path}-wal")) if file.exists()]
    return most != resource.RLIM_INFINITY and max(sizes, default=0) > most - _NEAR_LIMIT
