"""Opening Chroma, and turning whatever it throws into errors of ours."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from langgraph_memory.errors import IndexUnavailable

if TYPE_CHECKING:
    from chromadb.api import ClientAPI


class ServerAway(IndexUnavailable):
    """The Chroma server does not answer; its index may be in the best of order."""


_used_in: set[int] = set()
"""Processes, of this one's line of forks, that have used an embedded Chroma."""


def is_forked() -> bool:
    """Say whether an embedded Chroma was used before this process was forked off: its threads did not come along."""
    return bool(_used_in - {os.getpid()})


def folder_client(folder: Path) -> ClientAPI:
    """Open or create an embedded Chroma in a folder that this process has to itself."""
    with chroma_errors(str(folder)):
        import chromadb

        _used_in.add(os.getpid())
        return chromadb.PersistentClient(path=str(folder), settings=_settings())


def server_client(url: str) -> ClientAPI:
    """Reach a Chroma server.

    Raises:
        ServerAway: it does not answer.
    """
    import chromadb

    parts = urlsplit(url)
    with chroma_errors(f"the server {url}"):
        return chromadb.HttpClient(
            host=parts.hostname or "localhost",
            port=parts.port or (443 if parts.scheme == "https" else 8000),
            ssl=parts.scheme == "https",
            settings=_settings(),
        )


def close_client(client: ClientAPI) -> None:
    """Let go of its files or its connections; one that is broken may refuse even that."""
    with suppress(Exception):
        client.close()  # type: ignore[attr-defined]
    for part in (client, getattr(client, "_admin_client", None)):
        # Chroma 1.5.9 leaves the HTTP connections of a closed client open, its own and its inner client's.
        session = getattr(getattr(part, "_server", None), "_session", None)
        if session is not None:
            session.close()


@contextmanager
def chroma_errors(what: str) -> Iterator[None]:
    """Turn whatever Chroma throws, a panic of its Rust core included, into one error of ours."""
    try:
        yield
    except IndexUnavailable:
        raise
    except BaseException as error:
        if type(error).__module__.partition(".")[0] in {"httpx", "httpcore"} or "Could not connect" in str(error):
            raise ServerAway(f"Chroma does not answer for {what}: {error}. Check that `chroma run` is up.") from error
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            raise IndexUnavailable(f"Chroma cannot use {what}: {type(error).__name__}: {error}") from error
        raise


def _settings() -> Any:
    from chromadb.config import Settings

    return Settings(anonymized_telemetry=False)
