"""MemoryMiddleware gives an agent made with `create_agent` a memory that outlives its threads."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents import AgentState
from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langgraph.runtime import Runtime
from langgraph.types import TracePolicy, omit_payload

from langgraph_memory import arguments
from langgraph_memory.agent.identity import ScopeSource
from langgraph_memory.agent.inject import with_memory
from langgraph_memory.agent.ports import AgentMemory, check_memory
from langgraph_memory.agent.recalling import RecallStep
from langgraph_memory.agent.recording import OnWriteError, RecordStep
from langgraph_memory.agent.standing import StandingStep, with_standing
from langgraph_memory.agent.state import (
    RECALL_CHANNEL,
    RECORD_CHANNEL,
    STANDING_CHANNEL,
    MemoryRecall,
    MemoryRecord,
    StandingMemory,
    state_with,
)
from langgraph_memory.retrieval.compose import CountTokens
from langgraph_memory.text.tokens import estimate_tokens
from langgraph_memory.unportable import Unportable

_DEFAULT_NAME = "MemoryMiddleware"

STANDING_BUDGET = 512
"""Tokens of the system prompt: about 25 sentences, paid at every call but cached by most providers."""


class MemoryMiddleware(Unportable, AgentMiddleware[Any, Any, Any]):
    """Recalls before each turn, shows what it found to the model, and records the turn after it.

    * Before the agent runs, memory is asked with the text of the newest human message. What it finds goes to the
      state channel `memory_recall`, without lines that the conversation still shows. A search that fails leaves an
      `error` there and in a `memory.recalled` event, and the turn goes on without memory.
    * At the first turn of a thread, the scope's profiles and pinned memories are noted in `memory_standing`. They stand
      behind the system prompt in every call of the thread, unchanged, so that its prompt keeps its bytes; what changes
      meanwhile comes by recall, and a new thread begins with it.
    * At each model call, the found block stands before the text of that human message, in a copy: recalled text is
      never part of the `messages` state, and everything before the question keeps its bytes for prompt caches.
    * After the agent ran, all new messages are recorded word for word, each once. A write that fails is logged as an
      error and reported in the channel `memory_record` and in a `memory.recorded` event; the answer is kept, and the
      next turn tries again.

    A run that names an old checkpoint in its config, to replay or fork the thread there, recalls what was known when
    the thread went on from it, by what was recorded of it, and where nothing was in this scope, by its checkpoints.
    Where the checkpointer cannot list them, and at later turns of a fork, which name none, it sees the present.

    Put it last in the list of middleware: what trims or rewrites the prompt then runs outside of it and cannot drop
    the block, and it records first when the turn is over. A `SummarizationMiddleware` may stand anywhere. Of a turn so
    long that it is summarised before it ends, the question and what is left are recorded; let it keep as many messages
    as a turn has where the steps between matter too. A turn that fails is recorded together with the next one.

    Args:
        memory: a `Memory`, which stays yours to close.
        scope: whose memory: a scope, a template such as `("acme", "{user_id}")`, or a function from the `Runtime` to
            a scope. By default the call's `user_id`; see `langgraph_memory.agent.identity.resolve_scope`.
        name: name of its nodes in the graph. Two of them in one agent need two names; where a name is given, the
            channels are called `memory_recall_<name>` and so on.
        limit: hits at most; by default `memory.settings.limit`.
        budget: tokens that the block may take; by default `memory.settings.budget`.
        standing_budget: tokens that profiles and pinned memories may take in the system prompt; 0 to leave them out.
        record: False for a memory that this agent only reads.
        on_write_error: `"keep"` the answer, or `"raise"` what went wrong.
        count_tokens: estimates tokens for the budget.

    Raises:
        ScopeError: at a call, when nobody said whose memory it is; never a default.
        InvalidInput: at a call, when it has no `thread_id`; at once, for an option that makes no sense.
    """

    # The hooks get the whole conversation; the model call's own span shows it already.
    trace_policy = TracePolicy(process_inputs=omit_payload)

    def __init__(
        self,
        memory: AgentMemory,
        *,
        scope: ScopeSource | None = None,
        name: str = _DEFAULT_NAME,
        limit: int | None = None,
        budget: int | None = None,
        standing_budget: int = STANDING_BUDGET,
        record: bool = True,
        on_write_error: OnWriteError = "keep",
        count_tokens: CountTokens = estimate_tokens,
    ) -> None:
        super().__init__()
        check_memory(memory)
        self._name = arguments.words("name", name, "work")
        arguments.flag("record", record)
        ending = "" if name == _DEFAULT_NAME else f"_{name}"
        self._recall_channel, self._record_channel = RECALL_CHANNEL + ending, RECORD_CHANNEL + ending
        self._standing_channel = STANDING_CHANNEL + ending
        self.state_schema = state_with(
            {
                self._recall_channel: MemoryRecall,
                self._record_channel: MemoryRecord,
                self._standing_channel: StandingMemory,
            }
        )
        self.tools = []
        self._recall = RecallStep(memory, scope, limit, budget, name, count_tokens)
        self._standing = StandingStep(memory, scope, standing_budget, name, self._standing_channel, count_tokens)
        self._record = (
            RecordStep(memory, scope, on_write_error, name, self._record_channel, self._recall_channel)
            if record
            else None
        )

    @property
    def name(self) -> str:
        """The name of this middleware in the graph."""
        return self._name

    def before_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any]:
        """Recall what the newest human message is about."""
        self._check(runtime)
        return {**self._standing(state, runtime), self._recall_channel: self._recall(state, runtime)}

    async def abefore_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any]:
        """Async twin of `before_agent`."""
        self._check(runtime)
        standing = await self._standing.acall(state, runtime)
        return {**standing, self._recall_channel: await self._recall.acall(state, runtime)}

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Show what was recalled, for this call only."""
        return handler(self._shown(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Async twin of `wrap_model_call`."""
        return await handler(self._shown(request))

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Record what was said in this turn."""
        return None if self._record is None else {self._record_channel: self._record(state, runtime)}

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Async twin of `after_agent`."""
        return None if self._record is None else {self._record_channel: await self._record.acall(state, runtime)}

    def _check(self, runtime: Runtime[Any]) -> None:
        if self._record is not None:
            self._record.destination(runtime)  # what could not be recorded must not be answered first

    def _shown(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        recall: Any = request.state.get(self._recall_channel)
        standing: Any = request.state.get(self._standing_channel)
        changes: dict[str, Any] = {}
        if standing and standing["block"]:
            changes["system_message"] = with_standing(request.system_message, standing)
        if recall and recall["block"]:
            changes["messages"] = with_memory(request.messages, recall)
        return request.override(**changes) if changes else request
