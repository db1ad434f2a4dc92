"""The entities of one scope, held in memory for recall: their names, aliases, vectors, and what mentions them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.retrieval.mem0 import entity_boost
from langgraph_memory.retrieval.region import Scores

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = re.compile(rf"[@#]?[^\W{_UNSPACED}]+(?:\+\+|[+#](?!\w))?")
_RUN = re.compile(f"[{_UNSPACED}]+")

MOST_WORDS = 8
"""Words of a name that is looked for in a question, as many as the rules put into one."""

MOST_CHARACTERS = 12
"""The same for scripts without spaces."""


@dataclass(frozen=True, slots=True)
class Match:
    """An entity that a question names.

    Attributes:
        entity: its `seq`; of aliases, that of the entity they stand for.
        similarity: 1 where the question gives one of its names, else the cosine of the nearest name.
    """

    entity: int
    similarity: float


class EntityView:
    """Entities by name; grows as they are linked, and is read anew after an erasure."""

    def __init__(self, dimension: int) -> None:
        self.newest = 0  # `seq` of the youngest entity held
        self.waiting: dict[int, str] = {}  # those without a vector so far, with their keys
        self._by_key: dict[str, list[int]] = {}  # several where scopes inside this one know the same name
        self._aliases: dict[int, int] = {}
        self._trees: dict[int, list[int]] | None = None
        self._mentions: dict[int, set[int]] = {}
        self._count = 0
        self._seqs: list[int] = []
        self._keys: list[str] = []
        self._vectors = np.empty((0, dimension), dtype=np.float32)

    def __len__(self) -> int:
        return len(self._by_key)

    @property
    def nbytes(self) -> int:
        """Rough size in memory: 300 bytes a name, 60 a mention, and the vectors."""
        return 300 * len(self._by_key) + 60 * self._count + self._vectors.nbytes

    def add(self, seq: int, key: str) -> None:
        """Add an entity by its key."""
        self._by_key.setdefault(key, []).append(seq)
        self.waiting[seq] = key
        self.newest = max(self.newest, seq)
        self._trees = None

    def set_aliases(self, aliases: Mapping[int, int]) -> None:
        """Say which entities stand for which others; this replaces what was said before."""
        if aliases != self._aliases:
            self._aliases = dict(aliases)
            self._trees = None

    def mention(self, memory: int, entity: int) -> None:
        """Note that a memory mentions an entity under this name."""
        memories = self._mentions.setdefault(entity, set())
        self._count -= len(memories)
        memories.add(memory)
        self._count += len(memories)

    def set_vectors(self, vectors: Mapping[int, NDArray[np.float32]]) -> None:
        """Give entities the vectors of their names."""
        fresh = [seq for seq in vectors if seq in self.waiting]
        if fresh:
            self._vectors = np.concatenate((self._vectors, np.stack([vectors[seq] for seq in fresh])))
            self._seqs += fresh
            self._keys += [self.waiting.pop(seq) for seq in fresh]

    def root(self, seq: int) -> int:
        """Return the entity that this one stands for in the end."""
        while seq in self._aliases:
            seq = self._aliases[seq]
        return seq

    def named(self, key: str) -> list[int]:
        """Return the entities of which this key is a name."""
        return [self.root(seq) for seq in self._by_key.get(key, ())]

    def standing_in(self, text: str) -> list[str]:
        """Return the known keys that stand in a normalised text as whole words, longest first where they overlap."""
        found: list[str] = []
        end = 0
        for start, stop in spans(text):
            if start >= end and text[start:stop] in self._by_key:
                found.append(text[start:stop])
                end = stop
        return found

    @property
    def has_vectors(self) -> bool:
        """Whether any name has a vector to compare with."""
        return bool(self._seqs)

    def nearest(self, vector: NDArray[np.float32], floor: float) -> list[tuple[str, int, float]]:
        """Return the known keys whose vector has a cosine of `floor` or more to this one, each with its entity."""
        cosines = self._vectors @ vector
        return [
            (self._keys[row], self.root(self._seqs[row]), min(1.0, float(cosines[row])))
            for row in np.flatnonzero(cosines >= floor)
        ]

    def memories_of(self, root: int) -> set[int]:
        """Return the `seq` of the memories that mention an entity under any of its names."""
        if self._trees is None:
            self._trees = {}
            for alias in self._aliases:
                self._trees.setdefault(self.root(alias), []).append(alias)
        found = self._mentions.get(root, set())
        for alias in self._trees.get(root, ()):
            found = found | self._mentions.get(alias, set())
        return found


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where a name may stand in a normalised text: from left to right, and longer ones first."""
    words = list(_WORD.finditer(text))
    for at, word in enumerate(words):
        starts = [word.start(), word.start() + 1] if word[0][0] in "@#" else [word.start()]
        for start in starts:
            for last in reversed(words[at : at + MOST_WORDS]):
                yield start, last.end()
                bare = last[0].rstrip("+#")
                if 2 < len(bare) < len(last[0]):  # Disney+ is Disney, C++ is not C
                    yield start, last.start() + len(bare)
    for run in _RUN.finditer(text):
        for start in range(run.start(), run.end() - 1):
            for stop in range(min(run.end(), start + MOST_CHARACTERS), start + 1, -1):
                yield start, stop


def linked_rows(
    asked: Sequence[Match], view: EntityView, rows: Mapping[int, int], live: NDArray[np.bool_] | None
) -> list[tuple[float, int, list[int]]]:
    """Return for each entity its similarity, how many live memories mention it, and the rows of those that are here.

    Args:
        rows: row by `seq` of a memory.
        live: which rows count as links; None where the view holds live memories only, and not all of them as rows.
    """
    found = []
    for match in asked:
        memories = view.memories_of(match.entity)
        here = [rows[seq] for seq in memories if seq in rows]
        links = len(memories) if live is None else int(live[here].sum())
        found.append((match.similarity, links, here))
    return found


def boosts(linked: Sequence[tuple[float, int, Sequence[int]]], size: int, weight: float) -> Scores:
    """Return each line's boost: the greatest of those of the entities it mentions.

    Args:
        linked: for each entity that the question names, its similarity, how many memories mention it, and the rows
            of those memories.
        size: how many rows there are.
        weight: the most that a line may gain.
    """
    result: Scores = np.zeros(size, dtype=np.float32)
    for similarity, links, rows in linked:
        if rows:
            at = np.asarray(rows, dtype=np.int64)
            result[at] = np.maximum(result[at], np.float32(entity_boost(similarity, links, weight)))
    return result
