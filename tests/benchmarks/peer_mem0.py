"""Runs mem0 with inference off on a prepared job; started by peers.py with a Python that has mem0ai installed.

    PYTHON peer_mem0.py JOB STORE

JOB is a folder with job.json (lines, questions) and vectors.npz (of both); the answer goes to JOB/answer.json. STORE is
`chroma` or `qdrant`, both in a folder on this machine. Nothing of this package is imported here.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ |= {"MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "unused", "ANONYMIZED_TELEMETRY": "False"}
warnings.simplefilter("ignore")


class Lookup:
    """Stands where mem0 has its embedding model, and knows every text already."""

    def __init__(self, vectors: dict[str, list[float]]) -> None:
        self.vectors = {text.strip(): vector for text, vector in vectors.items()}

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self.vectors[text.strip()]  # mem0 strips what it is asked

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        return [self.embed(text) for text in texts]


class Warned(logging.Handler):
    """Keeps what mem0 warns of: it says which parts of its search are off."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: dict[str, None] = {}

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.setdefault(record.getMessage().split(". ")[0])


def main(job: Path, store: str) -> None:
    os.environ["MEM0_DIR"] = str(job / f"mem0-{store}")
    import numpy as np

    warned = Warned()
    logging.getLogger("mem0").addHandler(warned)
    from mem0 import Memory

    given = json.loads((job / "job.json").read_text(encoding="utf-8"))
    with np.load(job / "vectors.npz") as arrays:
        documents, queries = arrays["documents"].tolist(), arrays["queries"].tolist()
    texts = [line["text"] for line in given["lines"]]
    asked = [question["text"] for question in given["questions"]]
    place: dict[str, Any] = {"path": str(job / f"store-{store}"), "collection_name": "lines"}
    if store == "qdrant":
        place |= {"embedding_model_dims": len(documents[0]), "on_disk": True}
    memory = Memory.from_config(
        {"vector_store": {"provider": store, "config": place}, "history_db_path": str(job / f"history-{store}.db")}
    )
    memory.embedding_model = Lookup(dict(zip(texts, documents, strict=True)))

    started = time.perf_counter()
    for line in given["lines"]:
        memory.add(line["text"], user_id=line["conversation"], metadata={"key": line["key"]}, infer=False)
    filling = time.perf_counter() - started

    memory.embedding_model = Lookup(dict(zip(asked, queries, strict=True)))
    ranked, seconds = [], []
    for question in given["questions"]:
        started = time.perf_counter()
        found = memory.search(
            question["text"], filters={"user_id": question["conversation"]}, top_k=given["depth"], threshold=0.0
        )
        seconds.append(time.perf_counter() - started)
        ranked.append([item["metadata"]["key"] for item in found["results"]])
    answer = {
        "version": version("mem0ai"),
        "filling": filling,
        "seconds": seconds,
        "ranked": ranked,
        "warnings": list(warned.messages),
    }
    (job / "answer.json").write_text(json.dumps(answer), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
