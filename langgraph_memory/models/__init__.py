"""The models behind memory: the ports, the bundled embedder, and the adapter for LangChain's."""

from langgraph_memory.models.bundled import BundledEmbedder
from langgraph_memory.models.langchain import LangChainEmbedder
from langgraph_memory.models.ports import Embedder, Reranker, SimilarityThresholds
from langgraph_memory.models.resolve import as_embedder

__all__ = ["BundledEmbedder", "Embedder", "LangChainEmbedder", "Reranker", "SimilarityThresholds", "as_embedder"]
