"""Turns what a user passes as `embeddings=` into an embedder."""

from __future__ import annotations

from inspect import getattr_static
from typing import TYPE_CHECKING, cast

from langgraph_memory.errors import InvalidInput
from langgraph_memory.models.bundled import BundledEmbedder
from langgraph_memory.models.langchain import LangChainEmbedder
from langgraph_memory.models.ports import Embedder

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

_ABSENT = object()
_PORT = ("name", "dimension", "thresholds", "embed_documents", "embed_query")
_LANGCHAIN = ("embed_documents", "embed_query")


def as_embedder(embeddings: Embedder | Embeddings | None) -> Embedder:
    """Return an embedder for `embeddings`, without calling any model.

    Args:
        embeddings: None for the bundled one; an `Embedder`, returned as it is; or a LangChain `Embeddings`.

    Raises:
        InvalidInput: it is none of these.
    """
    if embeddings is None:
        return BundledEmbedder()
    if not isinstance(embeddings, type):
        if _has(embeddings, _PORT):
            return cast(Embedder, embeddings)
        if _has(embeddings, _LANGCHAIN):
            return LangChainEmbedder(cast("Embeddings", embeddings))
    raise InvalidInput(f"embeddings= cannot be {_described(embeddings)}. {_hint(embeddings)}")


def _has(value: object, names: tuple[str, ...]) -> bool:
    # Not isinstance(value, Embedder): that reads the properties, and `dimension` may call the model.
    return all(getattr_static(value, name, _ABSENT) is not _ABSENT for name in names)


def _described(value: object) -> str:
    if isinstance(value, str):
        return f"the text {value!r}"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    return f"an object of type {type(value).__name__}"


def _hint(value: object) -> str:
    if isinstance(value, str):
        return f"Make a model of it first: langchain.embeddings.init_embeddings({value!r})."
    if isinstance(value, type):
        return f"Pass an object: {value.__name__}(...)."
    return (
        "Pass None for the bundled model, a LangChain Embeddings object, or an object with "
        f"{', '.join(_PORT)} (langgraph_memory.models.Embedder)."
    )
