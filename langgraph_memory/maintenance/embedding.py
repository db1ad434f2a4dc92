"""Embedding a batch: the texts that the model refuses are found and left out, so that they hold up no others."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.models.ports import Embedder
from langgraph_memory.models.retry import is_transient
from langgraph_memory.storage.owners import OwnedText

logger = logging.getLogger(__name__)


def embed(embedder: Embedder, texts: Sequence[OwnedText]) -> tuple[dict[int, NDArray[np.float32]], set[int]]:
    """Return vectors by `seq`, and the rows whose text the model refuses while it takes others.

    Raises:
        Exception: the model's own error, where it is the model that fails and not a text.
    """
    if not texts:
        return {}, set()
    try:
        rows = embedder.embed_documents([text.line for text in texts])
        return {text.seq: row for text, row in zip(texts, rows, strict=True)}, set()
    except Exception as error:
        if is_transient(error) or not _works(embedder):
            raise
    if len(texts) == 1:
        logger.warning("Row %d was not embedded and is found by its words only.", texts[0].seq)
        return {}, {texts[0].seq}
    half = len(texts) // 2
    left, left_refused = embed(embedder, texts[:half])
    right, right_refused = embed(embedder, texts[half:])
    return {**left, **right}, left_refused | right_refused


def _works(embedder: Embedder) -> bool:
    """Say whether the model works at all, asked with a harmless text."""
    try:
        embedder.embed_documents(["hello"])
    except Exception:
        return False
    return True
