"""What tests need to look into a store from below: its database, and an embedder that counts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from langgraph_memory.models.ports import Vector, Vectors
from langgraph_memory.storage.database import Database
from langgraph_memory.testing.embedder import HashEmbedder


class CountingEmbedder(HashEmbedder):
    """Counts the documents that it embeds, and fails where it is told to."""

    def __init__(self, dimension: int = 64) -> None:
        super().__init__(dimension)
        self.texts: list[str] = []
        self.failure: Exception | None = None

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        if self.failure is not None:
            raise self.failure
        self.texts += texts
        return super().embed_documents(texts)

    def embed_query(self, text: str) -> Vector:
        return super().embed_documents([text])[0]  # type: ignore[no-any-return]


def open_database(store_url: str) -> Database:
    """Open a store's database as `Memory` does."""
    return Database.open_url(store_url) if "://" in store_url else Database.open_folder(Path(store_url))
