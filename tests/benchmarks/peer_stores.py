"""The systems under comparison that run in this process, each behind the same three verbs."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from peer_corpus import Corpus, LangChainLookup

from langgraph_memory import Memory
from langgraph_memory.evaluation.run import fill, scope_of
from langgraph_memory.settings import Settings

DEPTH = 50


class Peer(Protocol):
    """A system that is filled once and searched many times."""

    def fill(self) -> None:
        """Take in every line."""
        ...

    def search(self, conversation: str, question: str) -> Sequence[str]:
        """Return keys of lines of this conversation, best first."""
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...


class Ours:
    """This package, with its default recipe."""

    def __init__(self, corpus: Corpus, folder: Path) -> None:
        self._data = corpus.data
        self._scopes = {c.id: scope_of(corpus.data, c) for c in corpus.data.conversations}
        self._keys = {(line.conversation, line.turn.id): line.key for line in corpus.lines}
        self._memory = Memory(folder, embeddings=corpus.embedder, settings=Settings(background=False))

    def fill(self) -> None:
        fill(self._memory, self._data, lambda stage, done, total: None)

    def search(self, conversation: str, question: str) -> Sequence[str]:
        answer = self._memory.recall(question, scope=self._scopes[conversation], limit=DEPTH)
        return [self._keys[conversation, hit.id] for hit in answer.hits]

    def close(self) -> None:
        self._memory.close()


class Chroma:
    """One collection for all conversations, which a filter tells apart."""

    def __init__(self, corpus: Corpus, folder: Path) -> None:
        import chromadb
        from chromadb.config import Settings as ChromaSettings

        client = chromadb.PersistentClient(str(folder), ChromaSettings(anonymized_telemetry=False))
        self._corpus = corpus
        self._collection = client.create_collection(
            "lines", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )

    def fill(self) -> None:
        lines, vectors = self._corpus.lines, self._corpus.vectors
        for start in range(0, len(lines), 500):
            part = lines[start : start + 500]
            self._collection.add(
                ids=[line.key for line in part],
                embeddings=vectors[start : start + 500],
                documents=[line.text for line in part],
                metadatas=[{"conversation": line.conversation} for line in part],
            )

    def search(self, conversation: str, question: str) -> Sequence[str]:
        found = self._collection.query(
            query_embeddings=[self._corpus.embedder.embed_query(question)],
            where={"conversation": conversation},
            n_results=DEPTH,
            include=["documents"],
        )
        return found["ids"][0]

    def close(self) -> None:
        pass


class LangGraphStore:
    """LangGraph's InMemoryStore with its vector index, a namespace for each conversation."""

    def __init__(self, corpus: Corpus, folder: Path) -> None:
        from langgraph.store.memory import InMemoryStore

        self._corpus = corpus
        embed = LangChainLookup(corpus.embedder)
        self._store = InMemoryStore(index={"dims": corpus.embedder.dimension, "embed": embed, "fields": ["text"]})

    def fill(self) -> None:
        from langgraph.store.base import PutOp

        self._store.batch([PutOp((line.conversation,), line.key, {"text": line.text}) for line in self._corpus.lines])

    def search(self, conversation: str, question: str) -> Sequence[str]:
        return [item.key for item in self._store.search((conversation,), query=question, limit=DEPTH)]

    def close(self) -> None:
        pass


class FullText:
    """SQLite's FTS5 as it comes: any word of the question, ranked by its own bm25()."""

    tokenizer = "unicode61"

    def __init__(self, corpus: Corpus, folder: Path) -> None:
        folder.mkdir()
        self._corpus = corpus
        self._connection = sqlite3.connect(folder / "lines.sqlite")
        columns = "text, key UNINDEXED, conversation UNINDEXED"
        self._connection.execute(f"CREATE VIRTUAL TABLE lines USING fts5({columns}, tokenize = '{self.tokenizer}')")

    def fill(self) -> None:
        with self._connection:
            self._connection.executemany(
                "INSERT INTO lines VALUES (?, ?, ?)",
                [(line.text, line.key, line.conversation) for line in self._corpus.lines],
            )

    def search(self, conversation: str, question: str) -> Sequence[str]:
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", question)))
        if not words:
            return []
        rows = self._connection.execute(
            "SELECT key FROM lines WHERE lines MATCH ? AND conversation = ? ORDER BY rank LIMIT ?",
            (words, conversation, DEPTH),
        )
        return [key for (key,) in rows]

    def close(self) -> None:
        self._connection.close()


class StemmedFullText(FullText):
    """The same with English stems."""

    tokenizer = "porter unicode61"


OURS = "langgraph-memory"
PEERS = {
    OURS: Ours,
    "raw Chroma": Chroma,
    "LangGraph InMemoryStore": LangGraphStore,
    "SQLite FTS5, unicode61": FullText,
    "SQLite FTS5, porter": StemmedFullText,
}
