"""A chat model as memory uses it: structured answers from whatever it can do, counted, retried, never silent."""

from __future__ import annotations

import threading
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.constants import TAG_NOSTREAM
from langgraph.errors import GraphBubbleUp

from langgraph_memory.errors import CallBudgetExhausted, InvalidInput, LangGraphMemoryError, ModelError
from langgraph_memory.models import retry
from langgraph_memory.models.answers import Structured, asking_for, read
from langgraph_memory.models.own import own_model
from langgraph_memory.records import Usage

Mode = Literal["native", "tool", "text"]
"""How a structured answer is asked for: in the provider's own schema mode, as a tool call, or in words."""
MODES: tuple[Mode, ...] = ("native", "tool", "text")

Result = TypeVar("Result")
Messages: TypeAlias = Sequence[BaseMessage]

_INTERNAL: RunnableConfig = {"tags": [TAG_NOSTREAM], "run_name": "memory"}
_NOT_OURS = (LangGraphMemoryError, GraphBubbleUp, AssertionError)  # ours already, LangGraph's signals, a failed test
_LONGEST_REASON = 500  # characters of a provider's error: some answer with a web page
_REFUSED = frozenset({400, 404, 422, 501})
_WAYS = ("schema", "tool", "response_format", "function", "argument", "json", "support")
_TOO_LONG = ("context length", "context_length", "context window", "too long", "too many tokens")

_NOTHING = Usage()


class CallBudget:
    """How often a run may call the model, and what it has spent; safe to share between threads.

    Args:
        limit: calls at most; None for no limit.
        spent: what an earlier step of the run has spent of it.
    """

    def __init__(self, limit: int | None = None, *, spent: Usage = _NOTHING) -> None:
        self.limit = limit
        self._usage = spent
        self._lock = threading.Lock()

    @property
    def usage(self) -> Usage:
        """What was spent so far."""
        return self._usage

    @property
    def left(self) -> int | None:
        """Calls still allowed; None for no limit."""
        return None if self.limit is None else max(0, self.limit - self._usage.calls)

    def take(self) -> None:
        """Count one call before it is made.

        Raises:
            CallBudgetExhausted: no call is left.
        """
        with self._lock:
            if self.limit is not None and self._usage.calls >= self.limit:
                raise CallBudgetExhausted(f"All {self.limit} model calls of this run are used up.")
            self._usage += Usage(calls=1)

    def spend(self, message: AIMessage) -> None:
        """Count the tokens of an answer, where the provider tells them."""
        counted = message.usage_metadata
        if counted is not None:
            with self._lock:
                self._usage += Usage(0, counted["input_tokens"], counted["output_tokens"])


class Chat:
    """One chat model behind three ways to ask; every call is counted, tagged as internal, and retried where sensible.

    Internal calls carry `TAG_NOSTREAM`, so that no run streams them to its user. What the model can do is taken from
    its profile and its class; what its provider refuses is not tried again by this object.

    Args:
        model: any LangChain chat model; it is given copies of the messages.
    """

    def __init__(self, model: BaseChatModel) -> None:
        self.model = model
        self._mode: Mode = _best_mode(model)
        self._refused_choices: frozenset[str] = frozenset()

    def ask(self, messages: Messages, *, budget: CallBudget) -> AIMessage:
        """Return the model's answer.

        Raises:
            ModelError: it failed, after `models.retry`'s tries; the cause is its own error.
            CallBudgetExhausted: no call is left.
        """
        return _finished(self._ask(self.model, messages, budget, blocking=True))

    async def aask(self, messages: Messages, *, budget: CallBudget) -> AIMessage:
        """Async twin of `ask`."""
        return await self._ask(self.model, messages, budget, blocking=False)

    def call_tools(
        self, messages: Messages, tools: Sequence[Any], *, tool_choice: str | None = None, budget: CallBudget
    ) -> AIMessage:
        """Return the model's answer with these tools bound; for errors see `ask`.

        Where a provider does not take `tool_choice`, it is asked once more without.
        """
        return _finished(self._call_tools(messages, tools, tool_choice, budget, blocking=True))

    async def acall_tools(
        self, messages: Messages, tools: Sequence[Any], *, tool_choice: str | None = None, budget: CallBudget
    ) -> AIMessage:
        """Async twin of `call_tools`."""
        return await self._call_tools(messages, tools, tool_choice, budget, blocking=False)

    def structured(self, messages: Messages, schema: Mapping[str, Any], *, budget: CallBudget) -> Structured:
        """Return an answer in the form of a JSON schema, unvalidated; for errors see `ask`.

        A way of asking that the provider refuses is given up for the next simpler one.

        Args:
            messages: the prompt.
            schema: of an object, with `title` (letters, digits, `_` and `-`) and `description`.
            budget: counts the calls.
        """
        return _finished(self._structured(messages, schema, budget, blocking=True))

    async def astructured(self, messages: Messages, schema: Mapping[str, Any], *, budget: CallBudget) -> Structured:
        """Async twin of `structured`."""
        return await self._structured(messages, schema, budget, blocking=False)

    # Written once for both faces: where `blocking`, nothing suspends, and the coroutine runs straight to its end.

    async def _structured(
        self, messages: Messages, schema: Mapping[str, Any], budget: CallBudget, *, blocking: bool
    ) -> Structured:
        form = {"title": "answer", "description": "The answer.", **schema}
        for mode in MODES[MODES.index(self._mode) : -1]:
            try:
                if mode == "native":
                    answer = await self._ask(self._native(form), messages, budget, blocking=blocking)
                else:
                    answer = await self._call_tools(messages, [form], form["title"], budget, blocking=blocking)
            except ModelError as error:
                if not _is_refusal(error.__cause__):
                    raise
            else:
                self._mode = mode  # only what worked is kept: not every 400 that names a tool is a refusal
                return read(answer, form)
        answer = await self._ask(self.model, asking_for(form, messages), budget, blocking=blocking)
        self._mode = "text"
        return read(answer, form)

    async def _call_tools(
        self, messages: Messages, tools: Sequence[Any], choice: str | None, budget: CallBudget, *, blocking: bool
    ) -> AIMessage:
        if choice is not None and choice not in self._refused_choices:
            try:
                return await self._ask(self._bound(tools, tool_choice=choice), messages, budget, blocking=blocking)
            except ModelError as error:
                if not _is_refused_choice(error.__cause__):
                    raise
        answer = await self._ask(self._bound(tools), messages, budget, blocking=blocking)
        if choice is not None:
            self._refused_choices |= {choice}
        return answer

    async def _ask(
        self, model: Runnable[Any, Any], messages: Messages, budget: CallBudget, *, blocking: bool
    ) -> AIMessage:
        def copied() -> list[BaseMessage]:  # a provider's adapter may change what it is given
            return [message.model_copy(deep=True) for message in messages]

        def once() -> Any:
            budget.take()
            return model.invoke(copied(), config=_INTERNAL)

        async def aonce() -> Any:
            budget.take()
            return await model.ainvoke(copied(), config=_INTERNAL)

        with self._failing():
            answer = retry.call(once) if blocking else await retry.acall(aonce)
            message = answer.get("raw") if isinstance(answer, Mapping) else answer
            if not isinstance(message, AIMessage):
                raise RuntimeError(f"it answered with {type(message).__name__}, not with a message")
        budget.spend(message)
        return message

    def _native(self, form: dict[str, Any]) -> Runnable[Any, Any]:
        with self._failing():
            return self.model.with_structured_output(form, method="json_schema", include_raw=True)

    def _bound(self, tools: Sequence[Any], **choice: Any) -> Runnable[Any, Any]:
        with self._failing():
            return self.model.bind_tools(tools, **choice)

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Turn what the model raises into a `ModelError`."""
        try:
            yield
        except _NOT_OURS:
            raise
        except Exception as error:
            told = " ".join(str(error).split())[:_LONGEST_REASON]
            hint = "Check its name, key and settings, or use a model that can do this."
            if retry.is_transient(error):
                hint = f"It was asked {retry.ATTEMPTS} times; try again later."
            name = getattr(self.model, "model_name", None) or getattr(self.model, "model", type(self.model).__name__)
            raise ModelError(f"The chat model failed: {type(error).__name__}: {told} (model {name}). {hint}") from error


def as_chat(model: str | BaseChatModel | Chat | None) -> Chat | None:
    """Return a model as a `Chat`, by its name where that is given (or `./file.py:name`, as `langgraph.json` writes it).

    None stays None.

    Raises:
        InvalidInput: the provider is unknown, its package or key is missing, or it is no chat model.
    """
    if model is None or isinstance(model, Chat):
        return model
    if isinstance(model, str) and ".py:" in model:
        model = own_model(model.strip())
    if isinstance(model, str) and model.strip():
        from langchain.chat_models import init_chat_model

        try:
            model = init_chat_model(model.strip())
        except ImportError as error:
            raise InvalidInput(f"The chat model {model!r} needs a package that is missing: {error}") from error
        except Exception as error:
            raise InvalidInput(f"The chat model {model!r} cannot be opened: {error}") from error
    if not isinstance(model, BaseChatModel):
        given = f"the class {model.__name__}" if isinstance(model, type) else f"{model!r:.80}"
        raise InvalidInput(
            f'model= is a name such as "openai:gpt-5-mini" or a LangChain chat model, not {given}. Give the chat model '
            "itself, not what with_retry(), bind_tools() or with_fallbacks() make of it."
        )
    return Chat(model)


def _finished(steps: Coroutine[Any, Any, Result]) -> Result:
    """Run steps that never suspend; an event loop that this thread may have is left alone."""
    try:
        steps.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    raise RuntimeError("a blocking call was suspended")


def _best_mode(model: BaseChatModel) -> Mode:
    profile = model.profile or {}
    if profile.get("structured_output"):
        return "native"
    can_call = type(model).bind_tools is not BaseChatModel.bind_tools and profile.get("tool_calling") is not False
    return "tool" if can_call else "text"


def _is_refusal(cause: BaseException | None) -> bool:
    """Say whether a provider refuses the way of asking, rather than the question."""
    return isinstance(cause, NotImplementedError) or (_names_a_way(cause) and _is_refused_choice(cause))


def _is_refused_choice(cause: BaseException | None) -> bool:
    """Say whether an error may come from `tool_choice`: adapters and servers say so in every way."""
    if any(word in str(cause).lower() for word in _TOO_LONG):
        return False
    if isinstance(cause, TypeError | ValueError) and _names_a_way(cause):
        return True
    return isinstance(cause, NotImplementedError) or retry.status_of(cause) in _REFUSED


def _names_a_way(cause: BaseException | None) -> bool:
    return any(word in str(cause).lower() for word in _WAYS)
