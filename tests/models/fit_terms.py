"""Makes `minilm_terms.npz` again from the model and its vocabulary; not a test.

Run: python tests/models/fit_terms.py out.npz
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from langgraph_memory.models.minilm import VOCABULARY, MiniLM
from langgraph_memory.models.words import unit
from langgraph_memory.text.tokenise import index_terms

NUMBERS = 64


def terms_of(pieces: list[str]) -> dict[str, list[int]]:
    """Return the index terms that single pieces of the vocabulary stand for, each with its pieces."""
    found: dict[str, list[int]] = {}
    for number, piece in enumerate(pieces):
        if (piece.isalpha() and len(piece) > 1) or piece.isdigit():
            terms = index_terms(piece)
            if len(terms) == 1:
                found.setdefault(terms[0], []).append(number)
    return found


def main(target: str) -> None:
    """Read each word alone, average the words of a term, keep the strongest directions as bytes."""
    pieces = VOCABULARY.locate().read_text(encoding="utf-8").split("\n")
    model = MiniLM()
    terms = terms_of(pieces)
    names = sorted(terms)
    alone = {number: unit(model.read(piece_ids(number))[1:2])[0] for name in names for number in terms[name]}
    directions = unit(np.stack([np.mean([alone[number] for number in terms[name]], axis=0) for name in names]))
    projection = np.linalg.svd(directions, full_matrices=False)[2][:NUMBERS].T.astype(np.float16)
    kept = unit(directions @ projection.astype(np.float32))
    scaled = np.round(kept / np.abs(kept).max() * 127).astype(np.int8)
    np.savez_compressed(
        Path(target),
        terms=np.frombuffer("\n".join(names).encode("utf-8"), dtype=np.uint8),
        projection=projection,
        directions=scaled,
    )
    print(f"{len(names):,} terms")


def piece_ids(number: int) -> list[int]:
    """Return a vocabulary entry as a text of its own: [CLS], it, [SEP]."""
    return [101, number, 102]


if __name__ == "__main__":
    main(sys.argv[1])
