"""Measures recording and recall speed, without the embedding model's own time.

    python tests/benchmarks/speed.py [--large] [--million] [--save]

Lines are made up from a fixed vocabulary with Zipf-like frequencies; vectors come from a fast hashing embedder with
as many dimensions as the bundled one, which reads questions word by word as that one does. Every number is a median
over one run on this machine.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from results import save

from langgraph_memory import Memory
from langgraph_memory.models.ports import QuestionWords
from langgraph_memory.settings import Settings
from langgraph_memory.testing.embedder import HashEmbedder
from langgraph_memory.text.tokenise import index_terms

_SYLLABLES = "ba do ke li mu na po ri sa te vu wo xi ya zu".split()
_ENDINGS = "lor min tak ves rin dom pel gus nor".split()
WORDS = [f"{a}{b}{c}" for c in _ENDINGS for a in _SYLLABLES for b in _SYLLABLES]
WEIGHTS = [1 / (rank + 1) for rank in range(len(WORDS))]


def lines(count: int, seed: int) -> list[str]:
    """Return made-up lines of 5 to 30 words."""
    chance = random.Random(seed)
    return [" ".join(chance.choices(WORDS, WEIGHTS, k=chance.randint(5, 30))) for _ in range(count)]


def median_ms(action: Callable[[int], object], times: int) -> float:
    """Return the median milliseconds of an action."""
    taken = []
    for turn in range(times):
        started = time.perf_counter()
        action(turn)
        taken.append((time.perf_counter() - started) * 1000)
    return statistics.median(taken)


measured: dict[str, tuple[float, str]] = {}


def report(what: str, value: float, unit: str) -> None:
    print(f"{what:<66}{value:>12,.2f} {unit}", flush=True)
    measured[what] = (round(value, 2), unit)


def recording(folder: Path) -> None:
    with Memory(folder, embeddings=HashEmbedder(384), settings=Settings(background=False)) as memory:
        said = lines(2_000, seed=1)
        turn = median_ms(
            lambda i: memory.record(
                [("user", said[2 * i]), ("assistant", said[2 * i + 1])], scope=("u", "1"), thread_id="turns"
            ),
            500,
        )
        report("record a two-message turn", turn, "ms")
        with_ids = [{"role": "user", "content": text, "id": f"m{i}"} for i, text in enumerate(lines(20_000, seed=2))]
        started = time.perf_counter()
        memory.record(with_ids, scope=("u", "2"), thread_id="bulk")
        report("record 20,000 messages in one call", len(with_ids) / (time.perf_counter() - started), "messages/s")


class Table:
    """Directions of index terms, made up."""

    def __init__(self) -> None:
        rows = np.random.default_rng(0).normal(size=(len(WORDS) + 1, 64)).astype(np.float32)
        rows[-1] = 0
        self.directions = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)
        self._rows = {index_terms(word)[0]: row for row, word in enumerate(WORDS)}

    def rows(self, terms: Sequence[str]) -> NDArray[np.int32]:
        return np.array([self._rows.get(term, len(WORDS)) for term in terms], dtype=np.int32)


class Reader(HashEmbedder):
    """The hashing embedder, and words; what it has read is kept, so that nobody's clock runs for it."""

    def __init__(self) -> None:
        super().__init__(384)
        self._table = Table()
        self._read: dict[str, QuestionWords] = {}

    def question_words(self, text: str) -> QuestionWords:
        if text not in self._read:
            words = tuple(text.split())
            rows = self._table.rows([index_terms(word)[0] for word in words])
            self._read[text] = QuestionWords(words, self._table.directions[rows])
        return self._read[text]

    def term_directions(self) -> Table:
        return self._table


def recall(folder: Path, scopes: int, per_scope: int, *, indexed: bool = True) -> None:
    size = f"{scopes * per_scope:,} lines in {scopes:,} scope{'s' * (scopes > 1)}"
    with Memory(folder, embeddings=Reader(), settings=Settings(background=False)) as memory:
        for number in range(scopes):
            said = [("user" if i % 2 else "assistant", text) for i, text in enumerate(lines(per_scope, seed=number))]
            memory.record(said, scope=("u", number), thread_id="t")
        started = time.perf_counter()
        if indexed:
            memory.flush()
        while memory._parts.indexer.embed_some():
            pass
        rate = scopes * per_scope / (time.perf_counter() - started)
        report(f"embed by hashing{' and index' if indexed else ''} {size}", rate, "lines/s")
    questions = [" ".join(line.split()[:10]) for line in lines(300, seed=99)]
    reader = Reader()
    for question in questions:
        reader.question_words(question)
    with Memory(folder, embeddings=reader, settings=Settings(background=False)) as memory:
        started = time.perf_counter()
        memory.recall(questions[0], scope=("u", 0))
        report(f"first recall after opening, {size}", 1000 * (time.perf_counter() - started), "ms")
        for number in range(min(scopes, 20)):
            memory.recall(questions[0], scope=("u", number))
        gc.collect()
        embedder = median_ms(lambda i: memory._parts.embedder.embed_query(questions[i]), 300)
        warm = median_ms(lambda i: memory.recall(questions[i], scope=("u", i % min(scopes, 20))), 300)
        report(f"recall, {size}", warm - embedder, "ms")
        if scopes > 100:
            cold = median_ms(lambda i: memory.recall(questions[i], scope=("u", 50 + i)), 300)
            report(f"first recall in a scope, {size}", cold - embedder, "ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", action="store_true", help="write the numbers to results.json")
    parser.add_argument("--large", action="store_true", help="also 100,000 lines in one scope")
    parser.add_argument("--million", action="store_true", help="also 1,000,000 lines in 10,000 scopes")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        recording(root / "a")
        recall(root / "b", scopes=1, per_scope=10_000)
        recall(root / "c", scopes=1_000, per_scope=100)
        if arguments.large:
            recall(root / "d", scopes=1, per_scope=100_000)
        if arguments.million:
            recall(root / "e", scopes=10_000, per_scope=100, indexed=False)
    if arguments.save:
        save("speed", measured)


if __name__ == "__main__":
    main()
