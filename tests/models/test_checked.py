"""Answers of a user's own embedder are checked in one place."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from stores import CountingEmbedder

from langgraph_memory.errors import EmbeddingError
from langgraph_memory.models.checked import checked


class Answering(CountingEmbedder):
    """Answers every call with the same."""

    def __init__(self, answer: Any, dimension: int = 3) -> None:
        super().__init__(dimension)
        self.answer = answer

    def embed_documents(self, texts: Any) -> Any:
        return self.answer

    def embed_query(self, text: str) -> Any:
        return self.answer[0]


class Awaited(Answering):
    async def aembed_documents(self, texts: Any) -> Any:
        return self.answer

    async def aembed_query(self, text: str) -> Any:
        return self.answer[0]


WRONG = [
    ([[1.0, 0.0, 0.0]], "testing-hash-3 returned 1 vectors for 2 texts"),
    ([[1.0, 0.0]] * 2, "2 numbers per vector, 3 were expected"),
    ([[1.0, 0.0], [1.0]], "unequal length"),
    ([[math.nan, 0.0, 0.0]] * 2, "NaN"),
    ([[1e300, 1e300, 0.0]] * 2, "NaN or infinite"),
    (np.ones((2, 1, 3)), "shape"),
    (None, "an object of type NoneType"),
]


@pytest.mark.parametrize(("answer", "message"), WRONG)
async def test_a_wrong_answer_of_any_embedder_is_an_error_that_names_it(answer: Any, message: str) -> None:
    with pytest.raises(EmbeddingError, match=message):
        checked(Answering(answer)).embed_documents(["a", "b"])
    with pytest.raises(EmbeddingError, match=message):
        await checked(Awaited(answer)).aembed_documents(["a", "b"])  # type: ignore[attr-defined]


async def test_a_query_vector_is_checked_too() -> None:
    with pytest.raises(EmbeddingError, match="2 numbers per vector"):
        checked(Answering([[1.0, 0.0]])).embed_query("a")
    with pytest.raises(EmbeddingError, match="2 numbers per vector"):
        await checked(Awaited([[1.0, 0.0]])).aembed_query("a")  # type: ignore[attr-defined]


def test_rows_that_are_not_of_unit_length_are_scaled_and_zeros_stay() -> None:
    rows = checked(Answering([[3.0, 0.0, 4.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])).embed_documents(["a", "b", "c"])
    np.testing.assert_allclose(rows, [[0.6, 0.0, 0.8], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]], rtol=1e-6)
    assert rows.dtype == np.float32


@pytest.mark.parametrize("dimension", [0, "3", True])
def test_a_dimension_that_no_vector_has_is_an_error(dimension: Any) -> None:
    embedder = Answering([])
    embedder._dimension = dimension
    with pytest.raises(EmbeddingError, match="a positive int is needed"):
        checked(embedder).embed_documents([])
