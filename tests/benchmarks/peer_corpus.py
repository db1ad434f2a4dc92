"""What every system under comparison gets: the same lines, the same questions, and the same vectors of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from langchain_core.embeddings import Embeddings

from langgraph_memory.evaluation import DataSet, Question, Turn
from langgraph_memory.evaluation.datasets import UNDATED
from langgraph_memory.models.bundled import BundledEmbedder
from langgraph_memory.models.ports import QuestionWords, SimilarityThresholds, TermDirections, Vector, Vectors
from langgraph_memory.text.line import spoken_line


@dataclass(frozen=True)
class Line:
    """One turn as it is indexed; `key` is unique in the data set."""

    key: str
    conversation: str
    turn: Turn

    @cached_property
    def text(self) -> str:
        """Who said it, when, and what: what this package embeds, so that the others get no less."""
        return spoken_line(self.turn.speaker, self.turn.said_at or UNDATED, self.turn.text)


class Corpus:
    """The lines and questions of a data set, embedded once."""

    def __init__(self, data: DataSet) -> None:
        self.data = data
        self.lines = [
            Line(f"{number}-{turn.id}", conversation.id, turn)
            for number, conversation in enumerate(data.conversations)
            for turn in conversation.turns
        ]
        self.questions: list[tuple[str, Question]] = [
            (conversation.id, question) for conversation in data.conversations for question in conversation.questions
        ]
        self.embedder = Lookup(self.lines, [question.text for _, question in self.questions])

    @cached_property
    def vectors(self) -> Vectors:
        return self.embedder.embed_documents([line.text for line in self.lines])


class Lookup:
    """The bundled embedder, whose work was done before anybody's clock started."""

    def __init__(self, lines: Sequence[Line], questions: Sequence[str]) -> None:
        self._model = BundledEmbedder()
        texts = list(dict.fromkeys(line.text for line in lines))
        self._documents = dict(zip(texts, self._model.embed_documents(texts), strict=True))
        self._queries = {text: self._model.embed_query(text[:4000]) for text in dict.fromkeys(questions)}
        self._words = {text: self._model.question_words(text[:4000]) for text in self._queries}
        self.name: str = self._model.name
        self.dimension: int = self._model.dimension
        self.thresholds: SimilarityThresholds = self._model.thresholds

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        new = [text for text in texts if text not in self._documents]
        made = dict(zip(new, self._model.embed_documents(new), strict=True)) if new else {}
        rows = [self._documents[text] if text in self._documents else made[text] for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.dimension)

    def embed_query(self, text: str) -> Vector:
        return self._queries[text] if text in self._queries else self._model.embed_query(text)

    def question_words(self, text: str) -> QuestionWords | None:
        return self._words[text] if text in self._words else self._model.question_words(text)

    def term_directions(self) -> TermDirections:
        return self._model.term_directions()


class LangChainLookup(Embeddings):
    """The same for systems that take LangChain embeddings."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [list(map(float, row)) for row in self._lookup.embed_documents(texts)]

    def embed_query(self, text: str) -> list[float]:
        return list(map(float, self._lookup.embed_query(text)))
