"""Stands between Trustcall and the chat model: it answers first with the call to mend, and understands what comes back.

Trustcall swallows every error of the model and asks again, drops a patch of which one part does not fit, and fails on
an answer without a tool call. So the guard remembers the first error and refuses to go on, carries the patches out
itself and hands Trustcall the finished result, and ends the repair where an answer holds no call.
"""

from __future__ import annotations

import asyncio
import contextvars
import copy
import logging
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import langsmith
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.messages.tool import tool_call
from pydantic import BaseModel, ConfigDict

from langgraph_memory.editing.calls import Call, read_calls
from langgraph_memory.editing.patches import apply
from langgraph_memory.editing.schemas import Schema
from langgraph_memory.errors import ModelError
from langgraph_memory.models.chat import CallBudget, Chat

_EDITS, _NAME = "PatchFunctionErrors", "PatchFunctionName"  # Trustcall's two tools for repairs
_INNER_TOOLS = ", PatchDoc, PatchFunctionErrors"  # it lists them among the tools that a wrong name may be mended to
_silent: contextvars.ContextVar[bool] = contextvars.ContextVar("langgraph_memory_repairs", default=False)


class Guard:
    """The chat model as Trustcall sees it, for one call to mend.

    Attributes:
        name, args: the call as it stands.
        asked: how often the chat model was asked.
        problem: the first error of the chat model, or of Trustcall, as it was raised.
    """

    def __init__(
        self, call: Call, schemas: Sequence[Schema], messages: Sequence[BaseMessage], chat: Chat, budget: CallBudget
    ) -> None:
        self.schemas = tuple(schemas)
        self.name, self.args = call.name, copy.deepcopy(call.args)
        self.asked = 0
        self.problem: Exception | None = None
        self.reason = ""
        self._call = call
        self._messages = [message.model_copy(deep=True) for message in messages]
        self._chat, self._budget = chat, budget
        self._begun = False
        self._unapplied: tuple[str, ...] = ()
        self._outside = contextvars.copy_context()  # model calls are seen by whoever watches the run around

    def bind_tools(self, tools: Sequence[Any], *, tool_choice: Any = None, **_: Any) -> _Bound:
        """Return the model with Trustcall's tools bound."""
        return _Bound(self, tools, tool_choice)

    def ask(self, messages: Sequence[BaseMessage], tools: Sequence[Any], choice: Any) -> AIMessage:
        """Return the call to mend at first, and then the model's patches for it."""
        if not self._begun:
            return self._first()
        prompt = self._prompt(messages)
        try:
            answer = self._outside.copy().run(
                self._chat.call_tools, prompt, tools, tool_choice=choice, budget=self._budget
            )
        except Exception as problem:
            self.problem = problem
            raise
        return self._understood(answer)

    async def aask(self, messages: Sequence[BaseMessage], tools: Sequence[Any], choice: Any) -> AIMessage:
        """Async twin of `ask`."""
        if not self._begun:
            return self._first()
        prompt = self._prompt(messages)
        call = self._chat.acall_tools(prompt, tools, tool_choice=choice, budget=self._budget)
        try:
            answer = await asyncio.create_task(call, context=self._outside.copy())
        except Exception as problem:
            self.problem = problem
            raise
        return self._understood(answer)

    def stopped(self, problem: Exception) -> None:
        """Note that Trustcall itself gave up; the call stays as it stands."""
        self.reason = f"{type(problem).__name__}: {problem}"

    def verdict(self) -> str:
        """Return why the repair ended before its time; empty where it did not.

        Raises:
            Exception: what the chat model raised, if that was no `ModelError`: a fault of the program.
        """
        if self.problem is not None and not isinstance(self.problem, ModelError):
            raise self.problem
        return str(self.problem or self.reason)

    def _first(self) -> AIMessage:
        self._begun = True
        return _calling(self._call.id, self.name, self.args)

    def _prompt(self, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
        """Return the caller's prompt, the call as it stands, and Trustcall's message on what is wrong with it."""
        if self.problem is not None:
            raise self.problem  # never ask a model again that has failed
        last = max(place for place, message in enumerate(messages) if isinstance(message, AIMessage))
        tail = [message.model_copy(deep=True) for message in messages[last:]]
        for message in tail:
            if isinstance(message, ToolMessage):
                text = str(message.content).replace(_INNER_TOOLS, "")
                lost = f"\n\nNot applied of your last answer: {'; '.join(self._unapplied)}" if self._unapplied else ""
                message.content = text + lost
        self.asked += 1
        return [*(message.model_copy(deep=True) for message in self._messages), *tail]

    def _understood(self, answer: AIMessage) -> AIMessage:
        """Return the model's answer as the one operation that Trustcall cannot misunderstand."""
        calls, _ = read_calls(answer)
        if not calls:
            self.reason = "the model answered the repair without a tool call"
            raise _NoCall(self.reason)
        self._unapplied = ()
        names = [schema.name for schema in self.schemas]
        for call in calls:
            if call.name == _NAME and call.args.get("fixed_name"):
                self.name = str(call.args["fixed_name"])
            elif call.name in names:  # the whole call again, instead of a patch
                self.name, self.args = call.name, copy.deepcopy(call.args)
            elif call.name != _NAME:
                patched = apply(self.args, call.args.get("patches"))
                self.args = patched.value
                self._unapplied += patched.problems if call.problem is None else (call.problem,)
        whole = {"op": "replace", "path": "", "value": copy.deepcopy(self.args)}
        fixed: Any = {"json_doc_id": self._call.id}
        edited = tool_call(name=_EDITS, args={**fixed, "planned_edits": "", "patches": [whole]}, id="edited")
        renamed = tool_call(name=_NAME, args={**fixed, "reasoning": [], "fixed_name": self.name}, id="renamed")
        return AIMessage("", tool_calls=[edited, renamed])  # in this order: Trustcall's edit brings the old name back


class _Bound:
    """The guard with tools bound, as far as Trustcall uses a model."""

    def __init__(self, guard: Guard, tools: Sequence[Any], choice: Any) -> None:
        self._guard, self._tools, self._choice = guard, tools, choice

    def invoke(self, messages: Sequence[BaseMessage], config: Any = None) -> AIMessage:
        return self._guard.ask(messages, self._tools, self._choice)

    async def ainvoke(self, messages: Sequence[BaseMessage], config: Any = None) -> AIMessage:
        return await self._guard.aask(messages, self._tools, self._choice)


class _NoCall(Exception):
    """The answer holds no tool call; Trustcall would fail on it."""


def judges(schemas: Sequence[Schema]) -> list[type[BaseModel]]:
    """Return each schema as the pydantic class that Trustcall wants, with our schema as the judge."""
    return [_judge(schema) for schema in schemas]


def _judge(schema: Schema) -> type[BaseModel]:
    def model_validate(cls: type[BaseModel], value: Any, /, **_: Any) -> BaseModel:
        fault = schema.validate(value)[1]
        if fault is not None:
            raise ValueError(fault)
        return cls.model_construct()

    def model_json_schema(cls: type[BaseModel], /, **_: Any) -> dict[str, Any]:
        return copy.deepcopy(dict(schema.json_schema))

    members = {
        "__doc__": schema.description,
        "__module__": __name__,
        "model_config": ConfigDict(extra="allow"),
        "model_validate": classmethod(model_validate),
        "model_json_schema": classmethod(model_json_schema),
    }
    judge: type[BaseModel] = types.new_class(schema.name, (BaseModel,), exec_body=lambda space: space.update(members))
    return judge


def _calling(call_id: str, name: str, args: dict[str, Any]) -> AIMessage:
    return AIMessage("", tool_calls=[tool_call(name=name, args=copy.deepcopy(args), id=call_id)])


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Trustcall's inner steps from being traced, and its log from showing what people said."""
    logger = logging.getLogger("extraction")
    if not any(isinstance(known, _Unlogged) for known in logger.filters):
        logger.addFilter(_Unlogged())
    token = _silent.set(True)
    try:
        with langsmith.tracing_context(enabled=False):
            yield
    finally:
        _silent.reset(token)


class _Unlogged(logging.Filter):
    """Drops what is logged during a repair: its outcome is reported by the call itself."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not _silent.get()
