"""Memory: one object over one folder (or PostgreSQL), with every verb in a blocking and an async form."""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from langgraph_memory.clock import Clock, system_clock
from langgraph_memory.models import Embedder, as_embedder
from langgraph_memory.parts import open_parts
from langgraph_memory.retrieval.compose import CountTokens
from langgraph_memory.settings import Settings
from langgraph_memory.text.tokens import estimate_tokens
from langgraph_memory.twins import in_thread
from langgraph_memory.verbs.reading import ReadingVerbs
from langgraph_memory.verbs.upkeep import UpkeepVerbs
from langgraph_memory.verbs.writing import WritingVerbs

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.tools import BaseTool


class Memory(WritingVerbs, ReadingVerbs, UpkeepVerbs):
    """Keeps what was said, word for word, and recalls the right few lines of it.

    Open it once per process and share it between threads and tasks. Several processes may open the same folder.

    Args:
        location: a folder (created where missing) or `postgresql://user@host/name`.
        chroma: URL of a Chroma server; by default Chroma is embedded in the folder, and with PostgreSQL every
            search is exact from SQL.
        embeddings: any LangChain `Embeddings` or an `Embedder`; by default the bundled one, which needs no network.
        reindex: embed everything anew where the store was embedded with another model.
        settings: numbers to change.
        clock: returns the present; for tests and replays.
        count_tokens: estimates tokens for budgets; by default a conservative rule of thumb.

    Raises:
        StorageError: the location cannot be opened; the subclass says why.
        EmbeddingMismatch: the store was embedded with another model.
    """

    def __init__(
        self,
        location: str | os.PathLike[str],
        *,
        chroma: str | None = None,
        embeddings: Embedder | Embeddings | None = None,
        reindex: bool = False,
        settings: Settings | None = None,
        clock: Clock = system_clock,
        count_tokens: CountTokens = estimate_tokens,
    ) -> None:
        self.settings = settings or Settings()
        self._clock = clock
        self._closed = False
        self._all_parts = open_parts(
            location,
            chroma=chroma,
            embedder=as_embedder(embeddings),
            reindex=reindex,
            settings=self.settings,
            clock=clock,
            count_tokens=count_tokens,
        )
        # The thread must not outlive the interpreter, nor the object that nobody closed.
        self._finalizer = weakref.finalize(self, self._all_parts.close)
        if self.settings.background:
            self._all_parts.worker.wake()  # an earlier process may have left something

    def tools(self) -> Sequence[BaseTool]:
        """Return the tools that let a model search this memory by itself."""
        from langgraph_memory.agent.tools import search_memory_tool

        return [search_memory_tool(self)]

    def close(self) -> None:
        """Stop upkeep and let go of the files. What is still owed to the indexes is done at the next open."""
        self._closed = True
        self._finalizer()

    aclose = in_thread(close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
