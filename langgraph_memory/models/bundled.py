"""Embeds text with two small models that come with `pip install`: no key, no network, no torch."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import RLock
from typing import Protocol

import numpy as np

from langgraph_memory.models import minilm
from langgraph_memory.models.language import Reader, readable, reader_for
from langgraph_memory.models.minilm import MiniLM
from langgraph_memory.models.multilingual import Multilingual
from langgraph_memory.models.ports import QuestionWords, SimilarityThresholds, Vector, Vectors
from langgraph_memory.models.words import WordTable

QUERY_CACHE = 512
"""Questions kept as they were read, least recently used dropped first: some MB, and one recall may ask for a text
twice."""

# Measured on our own texts: 30 facts with a question each in English, Chinese, French, Spanish and German; 20
# paraphrases, 14 near opposites and 10 reprints in English and Chinese. Unrelated pairs average .06 (95 % of them are
# below .21 in English, .28 in Chinese), the right fact for a question .50 in one language and .43 across two. A floor
# of .15 keeps 97 % of either and drops 85 % of the wrong facts. Paraphrases score .64 to .98 (median .87),
# reprints that differ in case or punctuation .75 to 1.0 (median .98). But so do opposites (.79 to .998, median .92):
# "Berlin to Munich" and back .998, 500 and 900 euros .92, "likes" and "does not like" .86. Hence the two upper numbers
# are high, and a fold still needs a guard for negation, numbers and direction.
_THRESHOLDS = SimilarityThresholds(floor=0.15, restatement=0.95, duplicate=0.98)


_Read = tuple[Vector, QuestionWords | None]


class _Model(Protocol):
    def encode(self, texts: Sequence[str]) -> Vectors: ...


class BundledEmbedder:
    """The default `Embedder`: English by MiniLM, other languages by a multilingual encoder, in one 384-number space.

    Each text goes to the model that reads its language better (`language.reader_for`), so a Chinese question finds an
    English memory, and English recall is exactly MiniLM's. A model is loaded, and its files are checked, when the first
    text needs it: .3 s and 200 MB for English, .8 s and 95 MB for the rest. Safe to share between threads.

    A text with nothing to read (blank, symbols or emoji alone, letters no vocabulary knows) gets a zero row, similar to
    nothing. Every other row has unit length. Only the first 2,000 characters (256 word pieces in English) are read.

    Raises:
        EmbeddingError: at first use, when a model file is missing or is not the expected one.
    """

    name = "bundled-minilm-use-1"
    dimension = minilm.DIMENSION
    thresholds = _THRESHOLDS

    def __init__(self) -> None:
        self._loading = RLock()
        self._queries: OrderedDict[str, _Read] = OrderedDict()
        self._queries_lock = RLock()
        self._models: dict[Reader, _Model] = {}
        self._words: frozenset[str] | None = None
        self._table: WordTable | None = None

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return one float32 row per text, in order, shape `(n, 384)`.

        Raises:
            EmbeddingError: a model cannot be loaded.
        """
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        seen = [readable(text) for text in texts]
        groups: dict[Reader, list[int]] = {}
        for index, text in enumerate(seen):
            if any(map(str.isalnum, text)):
                groups.setdefault(reader_for(text, self._english_words()), []).append(index)
        for reader, indices in groups.items():
            rows[indices] = self._model(reader).encode([seen[i] for i in indices])
        return rows

    def embed_query(self, text: str) -> Vector:
        """Return the float32 vector of `text`, shape `(384,)`; the last `QUERY_CACHE` ones are remembered.

        Raises:
            EmbeddingError: a model cannot be loaded.
        """
        return self._read(text)[0].copy()

    def question_words(self, text: str) -> QuestionWords | None:
        """Return the words of an English text with the directions they have in it; None for any other text.

        Raises:
            EmbeddingError: a model cannot be loaded.
        """
        return self._read(text)[1]

    def term_directions(self) -> WordTable:
        """Return the table of English index terms.

        Raises:
            EmbeddingError: its file is missing or changed.
        """
        with self._loading:
            if self._table is None:
                self._table = WordTable()
            return self._table

    def _read(self, text: str) -> _Read:
        key = readable(text)
        with self._queries_lock:
            known = self._queries.get(key)
            if known is not None:
                self._queries.move_to_end(key)
                return known
        read = self._read_anew(key)
        with self._queries_lock:
            self._queries[key] = read
            while len(self._queries) > QUERY_CACHE:
                self._queries.popitem(last=False)
        return read

    def _read_anew(self, text: str) -> _Read:
        """Read a question once for both its vector and its words, where the model that reads it can."""
        if any(map(str.isalnum, text)) and reader_for(text, self._english_words()) is Reader.ENGLISH:
            reading = self._english().read_words(text)
            if reading is not None:
                directions = self.term_directions().project(reading.pieces)
                return reading.vector, QuestionWords(reading.words, directions)
        return self.embed_documents([text])[0], None

    def _english(self) -> MiniLM:
        model = self._model(Reader.ENGLISH)
        assert isinstance(model, MiniLM)
        return model

    def _english_words(self) -> frozenset[str]:
        with self._loading:
            if self._words is None:
                self._words = minilm.english_words()
            return self._words

    def _model(self, reader: Reader) -> _Model:
        with self._loading:
            if reader not in self._models:
                self._models[reader] = MiniLM() if reader is Reader.ENGLISH else Multilingual()
            return self._models[reader]
