from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings

from langgraph_memory.errors import EmbeddingError, InvalidInput
from langgraph_memory.models import (
    BundledEmbedder,
    Embedder,
    LangChainEmbedder,
    SimilarityThresholds,
    as_embedder,
    retry,
)


class Scripted(Embeddings):
    """Answers with [len, 1, 2] per text, or with what `answer` makes of the texts; notes every call."""

    def __init__(self, answer: Callable[[list[str]], Any] | None = None, model: str = "tiny-1") -> None:
        self.model = model
        self.calls: list[list[str]] = []
        self.answer = answer or (lambda texts: [[len(text), 1.0, 2.0] for text in texts])

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.calls.append(texts)
        rows: list[list[float]] = self.answer(texts)
        return rows

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


class Failing(Scripted):
    """Raises the given errors, one a call, before it answers."""

    def __init__(self, *errors: Exception) -> None:
        super().__init__()
        self.errors = list(errors)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if self.errors:
            self.calls.append(texts)
            raise self.errors.pop(0)
        return super().embed_documents(texts)


class RateLimitError(Exception):
    """Named like the SDKs name theirs."""


class StatusError(Exception):
    """Carries an HTTP status like the SDKs' errors do."""

    def __init__(self, status_code: int) -> None:
        super().__init__(f"HTTP {status_code}")
        self.status_code = status_code


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "FIRST_WAIT", 0.001)
    monkeypatch.setattr(retry, "JITTER", 0.001)


def test_rows_are_unit_float32_in_order() -> None:
    embedder = LangChainEmbedder(Scripted())
    rows = embedder.embed_documents(["a", "bbb"])
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows[1], np.array([3, 1, 2]) / math.sqrt(14), rtol=1e-6)
    np.testing.assert_allclose(embedder.embed_query("bbb"), rows[1])


def test_name_and_thresholds_can_be_given_or_follow_the_model() -> None:
    assert LangChainEmbedder(Scripted(model="tiny-2")).name == "Scripted:tiny-2"
    assert LangChainEmbedder(DeterministicFakeEmbedding(size=4)).name == "DeterministicFakeEmbedding"
    thresholds = SimilarityThresholds(0.4, 0.9, 0.95)
    named = LangChainEmbedder(Scripted(), name="mine", thresholds=thresholds)
    assert (named.name, named.thresholds) == ("mine", thresholds)
    assert LangChainEmbedder(Scripted()).thresholds == SimilarityThresholds(0.0, 0.95, 0.98)


def test_the_dimension_is_learnt_once() -> None:
    model = Scripted()
    embedder = LangChainEmbedder(model)
    assert model.calls == []
    assert [embedder.dimension, embedder.dimension] == [3, 3]
    assert len(model.calls) == 1
    already = Scripted()
    learnt = LangChainEmbedder(already)
    learnt.embed_documents(["a"])
    assert learnt.dimension == 3 and already.calls == [["a"]]


def test_blank_texts_are_not_sent_and_get_zero_rows() -> None:
    model = Scripted()
    embedder = LangChainEmbedder(model, dimension=3)
    rows = embedder.embed_documents(["", "a", " \n"])
    assert model.calls == [["a"]]
    assert rows.any(axis=1).tolist() == [False, True, False]
    assert not embedder.embed_query(" ").any()
    assert embedder.embed_documents([]).shape == (0, 3)
    assert embedder.embed_documents([""]).shape == (1, 3)
    assert len(model.calls) == 1


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda texts: [[1.0, 2.0, 3.0]], "1 vectors for 2 texts"),
        (lambda texts: [[math.nan, 1.0, 1.0] for _ in texts], "NaN or infinite"),
        (lambda texts: [[math.inf, 1.0, 1.0] for _ in texts], "NaN or infinite"),
        (lambda texts: [[1.0, 2.0], [1.0]], "unequal length"),
        (lambda texts: [["a"], ["b"]], "no numbers"),
        (lambda texts: [[], []], "shape"),
        (lambda texts: [[1.0] * 7 for _ in texts], "7 numbers per vector, 3 were expected"),
    ],
)
async def test_a_wrong_answer_is_an_error(answer: Callable[[list[str]], Any], message: str) -> None:
    embedder = LangChainEmbedder(Scripted(answer), dimension=3)
    with pytest.raises(EmbeddingError, match=message):
        embedder.embed_documents(["a", "b"])
    with pytest.raises(EmbeddingError, match=message):
        await embedder.aembed_documents(["a", "b"])


def test_a_changed_dimension_is_an_error() -> None:
    sizes = iter([3, 4])

    def answer(texts: list[str]) -> list[list[float]]:
        size = next(sizes)
        return [[1.0] * size for _ in texts]

    embedder = LangChainEmbedder(Scripted(answer))
    embedder.embed_query("a")
    with pytest.raises(EmbeddingError, match="4 numbers per vector, 3 were expected"):
        embedder.embed_query("a")


@pytest.mark.parametrize(
    "error", [ConnectionResetError(), TimeoutError(), RateLimitError(), StatusError(429), StatusError(503)]
)
async def test_passing_failures_are_tried_again(error: Exception) -> None:
    assert LangChainEmbedder(Failing(error, error)).embed_query("a").any()
    assert (await LangChainEmbedder(Failing(error, error)).aembed_query("a")).any()


async def test_after_the_last_try_the_original_error_is_raised() -> None:
    errors = [RateLimitError(n) for n in range(4)]
    model = Failing(*errors)
    with pytest.raises(RateLimitError) as caught:
        LangChainEmbedder(model).embed_documents(["a"])
    assert caught.value is errors[2] and len(model.calls) == retry.ATTEMPTS
    with pytest.raises(RateLimitError):
        await LangChainEmbedder(Failing(*errors)).aembed_documents(["a"])


@pytest.mark.parametrize(
    "error", [ValueError("bad input"), StatusError(401), StatusError(400), FileNotFoundError("key")]
)
def test_lasting_failures_are_raised_at_once(error: Exception) -> None:
    model = Failing(error)
    with pytest.raises(type(error)) as caught:
        LangChainEmbedder(model).embed_query("a")
    assert caught.value is error and len(model.calls) == 1


async def test_async_uses_the_models_own_methods() -> None:
    class Async(Scripted):
        async def aembed_query(self, text: str) -> list[float]:
            return [0.0, 0.0, 5.0]

        async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
            return [[0.0, 2.0, 0.0] for _ in texts]

    embedder = LangChainEmbedder(Async())
    assert (await embedder.aembed_query("a")).tolist() == [0, 0, 1]
    assert (await embedder.aembed_documents(["a", ""])).tolist() == [[0, 1, 0], [0, 0, 0]]
    fresh = LangChainEmbedder(Async())
    assert (await fresh.aembed_documents([])).shape == (0, 3)
    assert (await fresh.aembed_query("")).tolist() == [0, 0, 0]


def test_as_embedder_resolves() -> None:
    own = LangChainEmbedder(Scripted())
    assert isinstance(as_embedder(None), BundledEmbedder)
    assert as_embedder(own) is own
    model = Scripted()
    wrapped = as_embedder(model)
    assert isinstance(wrapped, LangChainEmbedder) and model.calls == []
    assert isinstance(wrapped, Embedder)


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("openai:text-embedding-3-small", r"init_embeddings\('openai:text-embedding-3-small'\)"),
        (Scripted, r"Pass an object: Scripted\(\.\.\.\)"),
        (BundledEmbedder, r"Pass an object: BundledEmbedder\(\.\.\.\)"),
        (42, "of type int.*Pass None for the bundled model"),
        (object(), "embed_documents, embed_query"),
    ],
)
def test_as_embedder_says_what_is_wrong(given: Any, hint: str) -> None:
    with pytest.raises(InvalidInput, match=hint):
        as_embedder(given)
