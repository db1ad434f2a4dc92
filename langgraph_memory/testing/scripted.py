"""A chat model that says what the test tells it to, and remembers everything it was asked."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import PrivateAttr

Reply: TypeAlias = "str | AIMessage | BaseException | Callable[[list[BaseMessage]], str | AIMessage]"
"""A text, a message (for tool calls), an exception to raise, or a function from the prompt to a text or message."""


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """One call that the model got.

    Attributes:
        messages: the prompt, copied, so that later changes do not show.
        tools: the tools bound to the model, in OpenAI's form.
        tool_choice: which of them it was told to use.
    """

    messages: tuple[BaseMessage, ...]
    tools: tuple[dict[str, Any], ...]
    tool_choice: Any

    @property
    def tool_names(self) -> tuple[str, ...]:
        """The names of the tools bound to the model."""
        return tuple(tool["function"]["name"] for tool in self.tools)

    @property
    def text(self) -> str:
        """The whole prompt as text, one line a message, for simple assertions."""
        return "\n".join(f"{message.type}: {message.text}" for message in self.messages)


class ScriptedChatModel(BaseChatModel):
    """Answers with the given replies, one a call and in order; offline and deterministic.

    Works wherever a chat model does: sync and async, streamed word by word, with tools bound to it. A call beyond the
    script fails the test with an `AssertionError`.

        model = ScriptedChatModel(["Hello!", ScriptedChatModel.call("search_memory", query="tea"), "Green tea."])
        agent = create_agent(model, tools)
        ...
        assert "Kyoto" in model.calls[0].text
        model.assert_exhausted()

    Args:
        replies: what to answer; see `Reply`.
    """

    replies: Sequence[Any]

    _calls: list[ScriptedCall] = PrivateAttr(default_factory=list)
    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    def __init__(self, replies: Sequence[Reply] = (), **kwargs: Any) -> None:
        super().__init__(replies=list(replies), **kwargs)

    @staticmethod
    def call(name: str, /, *, call_id: str = "call-1", **args: Any) -> AIMessage:
        """Return a reply that calls one tool; every other keyword is an argument of the call, `id` too."""
        return AIMessage("", tool_calls=[{"type": "tool_call", "name": name, "args": args, "id": call_id}])

    @property
    def calls(self) -> list[ScriptedCall]:
        """Every call so far, in order."""
        return self._calls

    def assert_exhausted(self) -> None:
        """Fail unless every reply was asked for."""
        left = len(self.replies) - len(self._calls)
        if left:
            raise AssertionError(f"The model was called {len(self._calls)} times; {left} replies were never asked for.")

    def bind_tools(self, tools: Sequence[Any], *, tool_choice: Any = None, **kwargs: Any) -> Runnable[Any, AIMessage]:
        """Return the same model with tools; each call tells which."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], tool_choice=tool_choice, **kwargs)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next(messages, kwargs))])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next(messages, kwargs))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in _chunks(self._next(messages, kwargs)):
            if run_manager is not None:
                run_manager.on_llm_new_token(str(chunk.message.text), chunk=chunk)
            yield chunk

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in _chunks(self._next(messages, kwargs)):
            if run_manager is not None:
                await run_manager.on_llm_new_token(str(chunk.message.text), chunk=chunk)
            yield chunk

    def _next(self, messages: list[BaseMessage], kwargs: dict[str, Any]) -> AIMessage:
        call = ScriptedCall(
            tuple(message.model_copy(deep=True) for message in messages),
            tuple(kwargs.get("tools") or ()),
            kwargs.get("tool_choice"),
        )
        with self._lock:  # a model may be shared by parallel runs
            place = len(self._calls)
            self._calls.append(call)
        if place >= len(self.replies):
            raise AssertionError(
                f"The model was called {place + 1} times, but the script has {len(self.replies)} replies. "
                f"The last prompt was:\n{call.text}"
            )
        reply = self.replies[place]
        if callable(reply) and not isinstance(reply, BaseException | BaseMessage):
            reply = reply(messages)
        if isinstance(reply, BaseException):
            raise reply
        # A copy, because the framework gives each answer an id of its own.
        return AIMessage(reply) if isinstance(reply, str) else reply.model_copy(deep=True)


def _chunks(message: AIMessage) -> Iterator[ChatGenerationChunk]:
    """Cut a message into words; whatever is no text comes with the first piece."""
    words = re.findall(r"\S+\s*|\s+", message.content) if isinstance(message.content, str) else []
    first = AIMessageChunk(
        content=words[0] if words else message.content,
        id=message.id,
        name=message.name,
        additional_kwargs=message.additional_kwargs,
        response_metadata=message.response_metadata,
        usage_metadata=message.usage_metadata,
        tool_call_chunks=[
            {
                "type": "tool_call_chunk",
                "name": call["name"],
                "args": json.dumps(call["args"]),
                "id": call["id"],
                "index": index,
            }
            for index, call in enumerate(message.tool_calls)
        ],
        chunk_position=None if len(words) > 1 else "last",
    )
    yield ChatGenerationChunk(message=first)
    for place, word in enumerate(words[1:], start=2):
        position = "last" if place == len(words) else None
        yield ChatGenerationChunk(message=AIMessageChunk(content=word, id=message.id, chunk_position=position))
