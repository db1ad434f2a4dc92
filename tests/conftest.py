"""What every test may ask for: a store on each database, a memory on it, an embedder that needs no weights."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from postgres import Server, server_programs
from stores import CountingEmbedder, open_database

from langgraph_memory.memory import Memory
from langgraph_memory.settings import Settings
from langgraph_memory.storage.database import Database
from langgraph_memory.storage.migrations import migrate

settings.register_profile(
    "quick",
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("quick")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """A PostgreSQL server of our own."""
    programs = server_programs()
    if programs is None:
        if os.environ.get("REQUIRE_POSTGRES") == "1":
            pytest.fail("REQUIRE_POSTGRES=1, but initdb and postgres are neither on PATH nor in /usr/lib/postgresql")
        pytest.skip("PostgreSQL's server programs (initdb, postgres) are not installed")
    server = Server(programs)
    yield server
    server.stop()


@pytest.fixture
def postgres_url(postgres_server: Server) -> Iterator[str]:
    """The URL of an empty PostgreSQL database."""
    url = postgres_server.create()
    yield url
    postgres_server.drop(url)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a store may live, on each kind of database in turn."""
    return str(tmp_path / "memory") if request.param == "sqlite" else request.getfixturevalue("postgres_url")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a store on SQLite with an index on Chroma may live."""
    return tmp_path / "memory"


@pytest.fixture
def database(store_url: str) -> Iterator[Database]:
    """An empty store's database, migrated."""
    opened = open_database(store_url)
    migrate(opened)
    yield opened
    opened.close()


@pytest.fixture
def embedder() -> CountingEmbedder:
    """An embedder without weights."""
    return CountingEmbedder()


@pytest.fixture
def open_memory(embedder: CountingEmbedder) -> Iterator[Callable[..., Memory]]:
    """Open memories, without a background thread unless told; all are closed at the end."""
    opened: list[Memory] = []

    def open_(location: str | Path, **options: Any) -> Memory:
        options.setdefault("embeddings", embedder)
        options.setdefault("settings", Settings(background=False))
        memory = Memory(location, **options)
        opened.append(memory)
        return memory

    yield open_
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory: Callable[..., Memory], store_url: str) -> Memory:
    """An empty memory on each kind of database in turn."""
    return open_memory(store_url)
