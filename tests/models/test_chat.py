"""A chat model is asked in the best way it takes; every call is counted, and every failure is told as it was."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from blockbuster import blockbuster_ctx
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.constants import TAG_NOSTREAM
from pydantic import PrivateAttr

from langgraph_memory.errors import CallBudgetExhausted, InvalidInput, ModelError
from langgraph_memory.models import retry
from langgraph_memory.models.chat import CallBudget, Chat, as_chat
from langgraph_memory.testing import ScriptedChatModel

FORM = {"title": "answer", "type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
ASKED = [HumanMessage("How many?")]
USAGE = {"input_tokens": 10, "output_tokens": 3, "total_tokens": 13}
called = AIMessage("", tool_calls=[{"type": "tool_call", "name": "answer", "args": {"n": 7}, "id": "1"}])


class Status(Exception):
    """An error of a provider's client."""

    def __init__(self, code: int, message: str = "bad request") -> None:
        super().__init__(message)
        self.status_code = code


class Provider(BaseChatModel):
    """Answers by how it is asked: `native`, `choice` (a forced tool), `tool` or `text`; notes the order of the ways."""

    answers: dict[str, Any]
    _ways: list[str] = PrivateAttr(default_factory=list)
    _seen: list[list[BaseMessage]] = PrivateAttr(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "provider"

    @property
    def ways(self) -> list[str]:
        return self._ways

    def bind_tools(self, tools: Sequence[Any], *, tool_choice: Any = None, **kwargs: Any) -> Any:
        return self.bind(way="choice" if tool_choice else "tool")

    def with_structured_output(self, schema: Any, **kwargs: Any) -> Any:
        assert kwargs == {"method": "json_schema", "include_raw": True}
        return self.bind(way="native")

    def _generate(self, messages: list[BaseMessage], *_: Any, way: str = "text", **__: Any) -> ChatResult:
        self._ways.append(way)
        self._seen.append(messages)
        reply = self.answers[way]
        if isinstance(reply, list):
            reply = reply.pop(0)
        if isinstance(reply, Exception):
            raise reply
        message = AIMessage(reply) if isinstance(reply, str) else reply
        return ChatResult(generations=[ChatGeneration(message=message)])


def ask(model: BaseChatModel, face: str = "sync", budget: CallBudget | None = None, times: int = 1) -> Any:
    chat, spend = Chat(model), budget or CallBudget()
    answer: Any = None
    for _ in range(times):
        if face == "sync":
            answer = chat.structured(ASKED, FORM, budget=spend)
        else:
            answer = asyncio.run(chat.astructured(ASKED, FORM, budget=spend))
    return answer


FACES = pytest.mark.parametrize("face", ["sync", "async"])


@FACES
def test_the_native_way_is_first_where_the_model_has_it(face: str) -> None:
    model = Provider(answers={"native": '{"n": 7}'}, profile={"structured_output": True})
    assert ask(model, face, times=2).data == {"n": 7}
    assert model.ways == ["native", "native"]


@FACES
@pytest.mark.parametrize(
    "refusal",
    [
        NotImplementedError("no such method"),
        Status(400, "response_format is not supported"),
        Status(422, "unknown argument"),
        ValueError("this model has no tool calling"),
    ],
)
def test_a_way_that_is_refused_is_given_up_for_the_next_and_not_tried_again(face: str, refusal: Exception) -> None:
    answers = {"native": refusal, "choice": refusal, "tool": refusal, "text": 'Well: {"n": 7}'}
    model = Provider(answers=answers, profile={"structured_output": True})
    assert ask(model, face, times=2).data == {"n": 7}
    assert model.ways == ["native", "choice", "tool", "text", "text"]
    assert "JSON schema" in str(model._seen[-1][-1].content)


def test_a_tool_that_cannot_be_forced_is_offered() -> None:
    model = Provider(answers={"choice": Status(400, "tool_choice is not supported"), "tool": called})
    assert ask(model, times=2).data == {"n": 7}
    assert model.ways == ["choice", "tool", "tool"]


@FACES
@pytest.mark.parametrize(
    "error", [ValueError("out of order"), Status(401, "no key"), Status(400, "context length exceeded, 9000 tools")]
)
def test_any_other_error_is_raised_at_once_as_it_was(face: str, error: Exception) -> None:
    model = Provider(answers={"choice": error})
    budget = CallBudget()
    with pytest.raises(ModelError, match=str(error)) as raised:
        ask(model, face, budget)
    assert raised.value.__cause__ is error
    assert budget.usage.calls == 1


@FACES
def test_a_passing_failure_is_tried_again_and_counted(monkeypatch: pytest.MonkeyPatch, face: str) -> None:
    monkeypatch.setattr(retry, "FIRST_WAIT", 0)
    monkeypatch.setattr(retry, "JITTER", 0)
    busy = Status(429, "slow down")
    budget = CallBudget()
    assert ask(Provider(answers={"choice": [busy, ConnectionError("lost"), called]}), face, budget).data == {"n": 7}
    assert budget.usage.calls == 3
    with pytest.raises(ModelError, match=r"slow down.*asked 3 times"):
        ask(Provider(answers={"choice": busy}), face)


@FACES
def test_the_budget_stops_before_the_call(face: str) -> None:
    model = Provider(answers={"choice": called})
    budget = CallBudget(1)
    ask(model, face, budget)
    with pytest.raises(CallBudgetExhausted, match="All 1 model calls"):
        ask(model, face, budget)
    assert len(model.ways) == 1 and budget.left == 0


def test_tokens_are_added_up_and_messages_are_copies() -> None:
    def spoil(messages: list[BaseMessage]) -> AIMessage:
        messages[0].content = "spoilt"
        return AIMessage("fine", usage_metadata=USAGE)

    budget, asked = CallBudget(), [HumanMessage("How many?")]
    chat = Chat(ScriptedChatModel([spoil, spoil]))
    assert chat.ask(asked, budget=budget).text == "fine"
    asyncio.run(chat.aask(asked, budget=budget))
    assert asked[0].content == "How many?"
    assert (budget.usage.calls, budget.usage.input_tokens, budget.usage.output_tokens) == (2, 20, 6)


def test_internal_calls_are_never_streamed_to_a_user() -> None:
    class Tags(BaseCallbackHandler):
        seen: list[Any]

        def on_chat_model_start(self, *_: Any, tags: Any = None, **__: Any) -> None:
            self.seen.append(tags)

    handler = Tags()
    handler.seen = []
    Chat(ScriptedChatModel(["hi"], callbacks=[handler])).ask(ASKED, budget=CallBudget())
    assert handler.seen and TAG_NOSTREAM in handler.seen[0]


async def test_the_awaited_face_never_blocks_the_loop() -> None:
    with blockbuster_ctx():
        answer = await Chat(ScriptedChatModel([called])).astructured(ASKED, FORM, budget=CallBudget())
    assert answer.data == {"n": 7}


def test_what_was_odd_about_an_answer_is_told() -> None:
    cut = AIMessage('{"n": 7', response_metadata={"finish_reason": "length"})
    assert "length limit" in (ask(Provider(answers={"choice": cut})).problem or "")
    refused = AIMessage("", additional_kwargs={"refusal": "I must not"})
    answer = ask(Provider(answers={"choice": refused}))
    assert answer.data is None and "the model refused: I must not" in answer.problem


def test_several_calls_are_one_answer() -> None:
    calls = [
        {"type": "tool_call", "name": "answer", "args": {"items": [number]}, "id": str(number)} for number in (1, 2)
    ]
    assert ask(Provider(answers={"choice": AIMessage("", tool_calls=calls)})).data == {"items": [1, 2]}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nobody:model", "cannot be opened"),
        (ScriptedChatModel, "not the class ScriptedChatModel"),
        (7, "not 7"),
        ("  ", "not '  '"),
        (ScriptedChatModel([]).with_retry(), "Give the chat model itself"),
    ],
)
def test_what_is_no_model_is_said(given: Any, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        as_chat(given)
