from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from langgraph_memory import Memory
from langgraph_memory.testing import FrozenClock, HashEmbedder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def memory(folder: Path) -> Iterator[Memory]:
    with Memory(folder, embeddings=HashEmbedder(), clock=FrozenClock()) as opened:
        yield opened
