from __future__ import annotations

import pytest

from langgraph_memory.models import BundledEmbedder


@pytest.fixture(scope="session")
def bundled() -> BundledEmbedder:
    """One loaded embedder for all tests that do not look at loading."""
    return BundledEmbedder()
