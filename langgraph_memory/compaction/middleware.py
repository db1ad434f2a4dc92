"""CompactionMiddleware keeps the conversation of an agent made with `create_agent` within the model's window."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents import AgentState
from langchain.agents.middleware import AgentMiddleware, ExtendedModelResponse, ModelRequest, ModelResponse
from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models import BaseChatModel
from langgraph.runtime import Runtime
from langgraph.types import Command, TracePolicy, omit_payload

from langgraph_memory import arguments
from langgraph_memory.agent.identity import ScopeSource
from langgraph_memory.agent.ports import check_memory
from langgraph_memory.agent.state import state_with
from langgraph_memory.compaction.evict import check_limit
from langgraph_memory.compaction.limits import Size, Trigger, read_keep, read_trigger
from langgraph_memory.compaction.measure import CountTokens
from langgraph_memory.compaction.read_tool import read_message_tool
from langgraph_memory.compaction.rules import Rules
from langgraph_memory.compaction.state import COMPACTION_CHANNEL, MemoryCompaction
from langgraph_memory.compaction.step import Compacted, CompactingMemory, CompactStep, OnFailure
from langgraph_memory.errors import InvalidInput
from langgraph_memory.models.chat import Chat, as_chat
from langgraph_memory.text.tokens import estimate_tokens
from langgraph_memory.unportable import Unportable

_DEFAULT_NAME = "CompactionMiddleware"

TRIGGER: Trigger = ("tokens", 30_000)
"""A quarter of a window of 128,000 tokens: models attend worse to long histories, and every token is paid each turn."""

KEEP: Size = ("messages", 20)
"""About the last four turns with their tools, word for word (LangChain's SummarizationMiddleware keeps as many)."""

EVICT_OVER = 80_000
"""Characters, about 20,000 tokens of a tool's result, above which only its ends stay (agentscope has the same)."""

SUMMARY_TOKENS = 1_024


def compact_step(
    memory: CompactingMemory,
    scope: ScopeSource | None,
    *,
    model: str | BaseChatModel | Chat | None,
    trigger: Trigger,
    keep: Size,
    window: int | None,
    evict_over: int | None,
    record: bool,
    extract: bool,
    on_failure: OnFailure,
    summary_tokens: int,
    count_tokens: CountTokens,
    source: str,
    channel: str = COMPACTION_CHANNEL,
) -> CompactStep:
    """Return the step with checked options; see `CompactionMiddleware`."""
    check_memory(memory)
    arguments.maybe_number("window", window, least=1)
    arguments.flag("record", record)
    arguments.flag("extract", extract)
    arguments.counter("count_tokens", count_tokens)
    if on_failure not in ("keep", "digest"):
        raise InvalidInput(f'on_failure is "keep" or "digest", not {on_failure!r}.')
    if extract and not record:
        raise InvalidInput("extract=True needs record=True: memory distils only what it has recorded.")
    if isinstance(summary_tokens, bool) or not isinstance(summary_tokens, int) or summary_tokens < 32:
        raise InvalidInput(f"summary_tokens is a whole number of at least 32, not {summary_tokens!r}.")
    check_limit(evict_over)
    chat = as_chat(model)
    profile = (chat.model.profile or {}) if chat else {}
    window = window if window is not None else profile.get("max_input_tokens")
    rules = Rules(
        read_trigger(trigger, window),
        read_keep(keep, window),
        evict_over if record else None,
        summary_tokens,
        count_tokens,
    )
    return CompactStep(memory, rules, scope, chat, record, extract, on_failure, source=source, channel=channel)


class CompactionMiddleware(Unportable, AgentMiddleware[Any, Any, Any]):
    """Shortens a long conversation to a running summary and its end, after memory has taken down what leaves.

    Before each model call, once `trigger` is reached:

    * all messages that leave are recorded in memory, word for word, each once, so that they are still found;
    * the summary so far and the messages that leave become one new summary, in at most one model call (asked again
      only where a provider fails in passing). Without `model`, rules choose sentences of people, and it says so;
    * the window becomes: system messages, the summary, the newest message of a person, calls that wait for a result,
      and the end that `keep` says. A call of tools is never parted from its results.

    All of it is one update of the state: a crash leaves the old conversation or the new one. Where memory cannot be
    written, or the model fails or answers nothing, the history stays as it is, and the channel `memory_compaction` and
    a `memory.compacted` event say why; it is tried again some messages later.

    Tool results longer than `evict_over` give way to their two ends and the id of the message, under which
    `read_message`, a tool that the agent gets, reads all of it. Where the model refuses the prompt as too long
    (`ContextOverflowError`), the conversation is compacted at once and the call is made once more.

    It may stand anywhere in the list of middleware, also beside `MemoryMiddleware`: neither records twice, and recalled
    text gets into no summary.

    Args:
        memory: a `Memory`, which stays yours to close.
        model: who summarises: a name such as `"openai:gpt-5-mini"` or any LangChain chat model; None for rules.
        scope: whose memory, as for `MemoryMiddleware`.
        trigger: `("tokens", n)`, `("messages", n)` or `("fraction", f)` of the window; a dict of sizes that must all be
            reached; or a list, of which any one is enough. Tokens are estimated, whatever providers report.
        keep: the least that stays of the end, in the same sizes.
        window: tokens that the agent's model takes; by default as `model`'s profile says. Only fractions need it.
        evict_over: characters; None to leave tool results alone.
        record: False to write nothing to memory, here or in an overflow; then nothing is evicted either.
        extract: also distil the conversation into memories before it leaves, with memory's own model if it has one.
        on_failure: `"keep"` the history when the model fails, or let rules write a `"digest"`.
        summary_tokens: that the summary may take; longer ones are cut.
        name: name of its node in the graph. Two of them in one agent need two names; where a name is given, the channel
            is called `memory_compaction_<name>`.
        count_tokens: estimates the tokens of a text.

    Raises:
        InvalidInput: at once, for an option that makes no sense; at a call, when it has no `thread_id`.
        ScopeError: at a call, when nobody said whose memory it is.
    """

    # The hook gets the whole conversation; the model call's own span shows it already.
    trace_policy = TracePolicy(process_inputs=omit_payload)

    def __init__(
        self,
        memory: CompactingMemory,
        *,
        model: str | BaseChatModel | None = None,
        scope: ScopeSource | None = None,
        trigger: Trigger = TRIGGER,
        keep: Size = KEEP,
        window: int | None = None,
        evict_over: int | None = EVICT_OVER,
        record: bool = True,
        extract: bool = False,
        on_failure: OnFailure = "keep",
        summary_tokens: int = SUMMARY_TOKENS,
        name: str = _DEFAULT_NAME,
        count_tokens: CountTokens = estimate_tokens,
    ) -> None:
        super().__init__()
        self._name = arguments.words("name", name, "compaction")
        self._channel = COMPACTION_CHANNEL + ("" if name == _DEFAULT_NAME else f"_{name}")
        self.state_schema = state_with({self._channel: MemoryCompaction})
        self._step = compact_step(
            memory,
            scope,
            model=model,
            trigger=trigger,
            keep=keep,
            window=window,
            evict_over=evict_over,
            record=record,
            extract=extract,
            on_failure=on_failure,
            summary_tokens=summary_tokens,
            count_tokens=count_tokens,
            source=name,
            channel=self._channel,
        )
        self.tools = [read_message_tool(memory, scope=scope)] if record and evict_over is not None else []

    @property
    def name(self) -> str:
        """The name of this middleware in the graph."""
        return self._name

    def before_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Compact the conversation where it is large enough."""
        return self._update(self._step(state, runtime))

    async def abefore_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Async twin of `before_model`."""
        return self._update(await self._step.acall(state, runtime))

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """Compact and call once more where the model refuses the prompt as too long."""
        try:
            return handler(request)
        except ContextOverflowError:
            done = self._step(request.state, request.runtime, request.messages, force=True)
            if done is None or done.window is None:
                raise
        return self._answered(request, done, handler(request.override(messages=done.window)))  # type: ignore[arg-type]

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """Async twin of `wrap_model_call`."""
        try:
            return await handler(request)
        except ContextOverflowError:
            done = await self._step.acall(request.state, request.runtime, request.messages, force=True)
            if done is None or done.window is None:
                raise
        answer = await handler(request.override(messages=done.window))  # type: ignore[arg-type]
        return self._answered(request, done, answer)

    def _update(self, done: Compacted | None) -> dict[str, Any] | None:
        return None if done is None else done.update(self._channel)

    def _answered(
        self, request: ModelRequest[Any], done: Compacted, answer: ModelResponse[Any]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """Keep what was compacted, unless another middleware had changed the prompt: then it was for this call only."""
        if request.messages != request.state["messages"]:
            return answer
        update = done.update(self._channel)
        # Applied after the answer itself, so the answer is named again; it keeps its id and its one place.
        update["messages"] = [*update["messages"], *answer.result]
        return ExtendedModelResponse(answer, Command(update=update))
