"""Memory: one object over one folder (or PostgreSQL), with every verb in a blocking and an async form."""

from __future__ import annotations

import ctypes
import os
import weakref
from collections.abc import Sequence
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from langgraph_memory import arguments
from langgraph_memory.clock import Clock, system_clock
from langgraph_memory.errors import InvalidInput
from langgraph_memory.models import Embedder, Reranker, as_embedder
from langgraph_memory.parts import Parts, open_parts
from langgraph_memory.retrieval.compose import CountTokens
from langgraph_memory.settings import Settings
from langgraph_memory.text.tokens import estimate_tokens
from langgraph_memory.twins import in_thread
from langgraph_memory.unportable import Unportable
from langgraph_memory.verbs.checkpointing import CheckpointVerbs
from langgraph_memory.verbs.distilling import DistillingVerbs
from langgraph_memory.verbs.forgetting import ForgettingVerbs
from langgraph_memory.verbs.managing import ManagingVerbs
from langgraph_memory.verbs.naming import NamingVerbs
from langgraph_memory.verbs.reading import ReadingVerbs
from langgraph_memory.verbs.recalling import RecallingVerbs
from langgraph_memory.verbs.sessions import SessionVerbs
from langgraph_memory.verbs.slicing import SlicingVerbs
from langgraph_memory.verbs.upkeep import UpkeepVerbs
from langgraph_memory.verbs.writing import WritingVerbs

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel
    from langchain_core.tools import BaseTool
    from langgraph.graph import StateGraph

    from langgraph_memory.agent.nodes import MemoryNodes
    from langgraph_memory.flows.flow import Flow
    from langgraph_memory.models.chat import Chat
    from langgraph_memory.store import MemoryStore


class Memory(
    Unportable,
    SlicingVerbs,
    WritingVerbs,
    DistillingVerbs,
    ManagingVerbs,
    ForgettingVerbs,
    NamingVerbs,
    ReadingVerbs,
    RecallingVerbs,
    SessionVerbs,
    UpkeepVerbs,
    CheckpointVerbs,
):
    """Keeps what was said, word for word, distils it into memories, and recalls the right few lines.

    Open it once per process and share it between threads and tasks. Several processes may open the same folder. A
    forked process cannot use what its parent opened; it opens the memory again.

    Args:
        location: a folder (created where missing) or `postgresql://user@host/name`.
        chroma: URL of a Chroma server; by default Chroma is embedded in the folder, and with PostgreSQL every
            search is exact from SQL.
        model: the chat model that distils memories: `"openai:gpt-5-mini"` or any LangChain chat model. Without one,
            `remember` chooses sentences by rule.
        query_model: a chat model, perhaps a smaller one, that says what to search memory for before `remember` and
            `manage` write: one call more a run, where a scope holds more memories than `settings.known_limit`. Without
            one, the messages themselves are searched for.
        embeddings: any LangChain `Embeddings` or an `Embedder`; by default the bundled one, which needs no network.
        reranker: a cross-encoder or a service of yours that orders the best lines of every recall, but not of those
            with `depth="deep"`, of searches before something is written, or of `memory.store`; see
            `langgraph_memory.models.Reranker` and `settings.rerank_lines`.
        reindex: embed everything anew where the store was embedded with another model.
        instructions: your own, added to the prompts that write memories.
        schemas: typed documents that `remember` and `manage` may write: pydantic models, TypedDicts, JSON schemas.
            `manage` then creates these only, and no sentences; `schemas=[MEMORY, Person]`, with
            `langgraph_memory.MEMORY`, permits both. `remember` always writes sentences too.
        profiles: schemas of which each scope has exactly one document, which `manage` keeps up to date; or pairs of a
            schema and the value to start from. With profiles alone, `manage` creates no sentences either; add
            `schemas=[MEMORY]` for that.
        settings: numbers to change.
        clock: returns the present; for tests and replays.
        count_tokens: estimates tokens for budgets; by default a conservative rule of thumb.

    Raises:
        InvalidInput: an argument cannot be used.
        StorageError: the location cannot be opened; the subclass says why.
        EmbeddingMismatch: the store was embedded with another model.
    """

    def __init__(
        self,
        location: str | os.PathLike[str],
        *,
        chroma: str | None = None,
        model: str | BaseChatModel | None = None,
        query_model: str | BaseChatModel | None = None,
        embeddings: Embedder | Embeddings | None = None,
        reranker: Reranker | None = None,
        reindex: bool = False,
        instructions: str | None = None,
        schemas: Sequence[Any] = (),
        profiles: Sequence[Any] = (),
        settings: Settings | None = None,
        clock: Clock = system_clock,
        count_tokens: CountTokens = estimate_tokens,
    ) -> None:
        if not isinstance(settings, Settings | None):
            raise InvalidInput("settings is a Settings object. Write for example settings=Settings(limit=5).")
        if instructions is not None:
            arguments.name_of("instructions", instructions, "Remember what Ana eats.")
        self.settings = settings or Settings()
        self.instructions = instructions
        self._count_tokens = arguments.counter("count_tokens", count_tokens)
        self._clock = clock = arguments.clock("clock", clock)
        self._closed = False
        self._put_off: set[int] = set()
        self._process = os.getpid()
        self._all_parts = open_parts(
            arguments.place("location", location),
            chroma=arguments.web_address("chroma", chroma, "http://localhost:8000"),
            embedder=as_embedder(embeddings),
            reindex=arguments.flag("reindex", reindex),
            chat=_chat(model),
            query_chat=_query_chat(model, query_model),
            instructions=instructions,
            schemas=arguments.many("schemas", schemas, "[Person]"),
            profiles=arguments.many("profiles", profiles, "[UserProfile]"),
            settings=self.settings,
            clock=clock,
            count_tokens=self._count_tokens,
            reranker=_reranker(reranker),
        )
        # The thread must not outlive the interpreter, nor the object that nobody closed.
        self._finalizer = weakref.finalize(self, _let_go, self._all_parts, self._process)
        if self.settings.background:
            self._wake()  # an earlier process may have left something

    @cached_property
    def store(self) -> MemoryStore:
        """A LangGraph store over the same storage: an application's own keys and values, with search by meaning.

        Made when it is first asked for, with or without an event loop running; see `langgraph_memory.store`.
        """
        from langgraph_memory.store import MemoryStore  # LangGraph takes half a second to import

        parts = self._parts
        return MemoryStore(
            parts.database,
            parts.embedder,
            parts.model_id,
            parts.finder,
            self.settings,
            self._clock,
            lambda: self._parts,
        )

    def tools(self) -> Sequence[BaseTool]:
        """Return the tools that let a model search this memory, and write to it, by itself."""
        from langgraph_memory.agent.manage_tool import manage_memory_tool
        from langgraph_memory.agent.tools import search_memory_tool

        return [search_memory_tool(self, show_ids=True), manage_memory_tool(self)]

    @property
    def nodes(self) -> MemoryNodes:
        """The nodes for graphs that you draw yourself: `builder.add_node("recall", memory.nodes.recall())`."""
        from langgraph_memory.agent.nodes import MemoryNodes

        return MemoryNodes(self)

    def graph(self, name: Literal["remember", "manage", "consolidate", "deepen"]) -> StateGraph[Any, Any, Any, Any]:
        """Return one of the flows as an uncompiled graph: to draw, to compile with your checkpointer, or as a subgraph.

        Raises:
            ModelNeeded: it needs a chat model, and this memory was opened without one.
        """
        flow: Flow = self._flow(name)
        return flow.graph()

    def close(self) -> None:
        """Stop upkeep and let go of the files. What is still owed or undistilled is done after the next open.

        A model call in hand is waited for `settings.close_seconds`, and then dropped. Call `drain` before it to
        distil first.
        """
        self._closed = True
        if "store" in self.__dict__:
            self.store.stop_ttl_sweeper()
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


def _chat(model: str | BaseChatModel | None) -> Chat | None:
    if model is None:
        return None
    from langgraph_memory.models.chat import as_chat  # LangChain takes half a second to import

    return as_chat(model)


def _query_chat(model: object, query_model: str | BaseChatModel | None) -> Chat | None:
    if query_model is not None and model is None:
        raise InvalidInput("query_model searches for what the model writes. Give model= too, or leave it out.")
    return _chat(query_model)


def _reranker(reranker: object) -> Reranker | None:
    if reranker is None or (isinstance(reranker, Reranker) and not isinstance(reranker, type)):
        return reranker
    raise InvalidInput("reranker is an object with a name and scores(question, texts), such as a cross-encoder's.")


def _let_go(parts: Parts, process: int) -> None:
    """Close the parts in the process that opened them; a fork of it leaves its copy alone and never frees it.

    There, threads that are gone may hold the locks, and connections are the other process's: SQLite forbids even to
    close one (sqlite.org/howtocorrupt.html, 2.6).
    """
    if os.getpid() == process:
        parts.close()
    else:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(parts))
