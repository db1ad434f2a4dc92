from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import pytest
from blockbuster import blockbuster_ctx
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langgraph.constants import TAG_NOSTREAM
from langgraph.errors import GraphInterrupt
from pydantic import PrivateAttr

from langgraph_memory.errors import CallBudgetExhausted, InvalidInput, ModelError
from langgraph_memory.models import retry
from langgraph_memory.models.chat import CallBudget, Chat, as_chat
from langgraph_memory.records import Usage
from langgraph_memory.testing import ScriptedChatModel

FORM = {
    "title": "extract",
    "description": "What to keep.",
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
}
QUESTION = [SystemMessage("Be brief."), HumanMessage("I live in Oslo.")]
FACTS = {"facts": ["lives in Oslo"]}
IN_TEXT = json.dumps(FACTS)
CALL = ScriptedChatModel.call("extract", **FACTS)
REFUSAL = ValueError("response_format is not supported")


class Native(ScriptedChatModel):
    """Has a schema mode of its own; notes how each call was asked for, and with which tags."""

    refuse_to_bind: type[Exception] | None = None

    _ways: list[str] = PrivateAttr(default_factory=list)
    _tags: list[list[str]] = PrivateAttr(default_factory=list)

    def __init__(self, replies: Any = (), **kwargs: Any) -> None:
        super().__init__(replies, profile={"structured_output": True}, **kwargs)

    @property
    def ways(self) -> list[str]:
        return self._ways

    @property
    def seen_tags(self) -> list[list[str]]:
        return self._tags

    def with_structured_output(self, schema: Any, **kwargs: Any) -> Runnable[Any, Any]:  # type: ignore[override]
        assert kwargs == {"method": "json_schema", "include_raw": True}
        wrapped: Runnable[Any, Any] = RunnableLambda(lambda raw: {"raw": raw, "parsed": None, "parsing_error": None})
        return self.bind(response_format=schema["title"]) | wrapped

    def bind_tools(self, tools: Any, *, tool_choice: Any = None, **kwargs: Any) -> Runnable[Any, AIMessage]:
        if self.refuse_to_bind is not None:
            raise self.refuse_to_bind("tools")
        return super().bind_tools(tools, tool_choice=tool_choice, **kwargs)

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Any:
        self._note(run_manager, kwargs)
        return super()._generate(messages, stop, run_manager, **kwargs)

    async def _agenerate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Any:
        self._note(run_manager, kwargs)
        return await super()._agenerate(messages, stop, run_manager, **kwargs)

    def _note(self, run_manager: Any, kwargs: dict[str, Any]) -> None:
        way = "native" if "response_format" in kwargs else "text"
        if kwargs.get("tools"):
            way = "tool" if kwargs["tool_choice"] else "free tool"
        self._ways.append(way)
        self._tags.append(run_manager.tags)


class Failed(Exception):
    """An SDK's error, with its status where that SDK keeps it."""

    def __init__(self, message: str = "failed", **places: Any) -> None:
        super().__init__(message)
        vars(self).update(places)


class Response:
    def __init__(self, status_code: int) -> None:
        self.status_code = status_code


class APITimeoutError(Exception):
    pass


class ThrottlingException(Failed):
    pass


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    for wait in ("FIRST_WAIT", "LONGEST_WAIT", "JITTER"):
        monkeypatch.setattr(retry, wait, 0.0)


@pytest.fixture(params=["sync", "async"])
def run(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """Call a method of a chat on each face; the async one may not block."""
    import asyncio

    def sync(chat: Chat, verb: str, *args: Any, **options: Any) -> Any:
        return getattr(chat, verb)(*args, **options)

    def awaited(chat: Chat, verb: str, *args: Any, **options: Any) -> Any:
        async def main() -> Any:
            with blockbuster_ctx():
                return await getattr(chat, f"a{verb}")(*args, **options)

        return asyncio.run(main())

    yield sync if request.param == "sync" else awaited


Run = Callable[..., Any]


def structured(run: Run, chat: Chat, budget: CallBudget | None = None) -> Any:
    return run(chat, "structured", QUESTION, FORM, budget=budget or CallBudget())


# The ways of asking.


def test_from_native_it_falls_to_tools_then_to_free_tools_then_to_text_and_keeps_what_worked(run: Run) -> None:
    model = Native([REFUSAL, ValueError("tool_choice?"), ValueError("no tools here"), IN_TEXT, IN_TEXT])
    chat, budget = Chat(model), CallBudget()
    assert structured(run, chat, budget).data == FACTS
    assert model.ways == ["native", "tool", "free tool", "text"]
    assert structured(run, chat, budget).data == FACTS
    assert model.ways[4:] == ["text"]
    assert budget.usage.calls == 5
    model.assert_exhausted()


@pytest.mark.parametrize(
    ("replies", "ways"),
    [
        ([IN_TEXT, IN_TEXT], ["native", "native"]),
        ([REFUSAL, CALL, CALL], ["native", "tool", "tool"]),
        ([REFUSAL, REFUSAL, CALL, CALL], ["native", "tool", "free tool", "free tool"]),
    ],
)
def test_the_first_way_that_works_is_kept(run: Run, replies: list[Any], ways: list[str]) -> None:
    model = Native(replies)
    chat = Chat(model)
    answers = [structured(run, chat) for _ in range(2)]
    assert [(answer.data, answer.problem) for answer in answers] == [(FACTS, None)] * 2
    assert model.ways == ways
    model.assert_exhausted()


@pytest.mark.parametrize(
    "refusal",
    [
        NotImplementedError(),
        ValueError("unknown field response_format"),
        TypeError("unexpected keyword argument 'tools'"),
        Failed("Schema is not supported", status_code=400),
        Failed("no such function", response=Response(404)),
        Failed("tools: extra field", code=422),
        Failed("tool use", response={"ResponseMetadata": {"HTTPStatusCode": 400}}),
    ],
    ids=repr,
)
def test_a_refused_way_leads_to_the_next(run: Run, refusal: Exception) -> None:
    model = Native([refusal, CALL])
    assert structured(run, Chat(model)).data == FACTS
    assert model.ways == ["native", "tool"]


@pytest.mark.parametrize(
    "failure",
    [
        ValueError("the moon is full"),
        RuntimeError("tools are broken"),
        Failed("bad request", status_code=400),
        Failed("wrong key for this tool", status_code=401),
        Failed("tool crashed", status_code=500),
        Failed("too long: maximum context length of tools and messages", status_code=400),
    ],
    ids=repr,
)
def test_any_other_failure_is_raised_at_once_and_nothing_is_given_up(run: Run, failure: Exception) -> None:
    model = Native([failure, IN_TEXT])
    chat = Chat(model)
    with pytest.raises(ModelError) as raised:
        structured(run, chat)
    assert raised.value.__cause__ is failure
    assert str(failure) in str(raised.value)
    structured(run, chat)
    assert model.ways == ["native", "native"]


def test_what_failed_altogether_gives_no_way_up(run: Run) -> None:
    model = Native([REFUSAL, REFUSAL, REFUSAL, RuntimeError("down"), IN_TEXT])
    chat = Chat(model)
    with pytest.raises(ModelError, match="down"):
        structured(run, chat)
    structured(run, chat)
    assert model.ways == ["native", "tool", "free tool", "text", "native"]


def test_a_model_that_cannot_bind_tools_is_asked_in_text(run: Run) -> None:
    model = Native([NotImplementedError(), IN_TEXT], refuse_to_bind=NotImplementedError)
    budget = CallBudget()
    assert structured(run, Chat(model), budget).data == FACTS
    assert model.ways == ["native", "text"]
    assert budget.usage.calls == 2


def test_a_model_without_a_profile_is_asked_by_tool_call(run: Run) -> None:
    model = ScriptedChatModel([CALL])
    assert structured(run, Chat(model)).data == FACTS
    assert (model.calls[0].tool_names, model.calls[0].tool_choice) == (("extract",), "extract")


def test_a_model_whose_profile_has_no_tools_is_asked_in_text(run: Run) -> None:
    model = ScriptedChatModel([f"```json\n{IN_TEXT}\n```"], profile={"tool_calling": False})
    assert structured(run, Chat(model)).data == FACTS
    (call,) = model.calls
    assert call.tools == ()
    assert [message.type for message in call.messages] == ["system", "human"]
    assert call.messages[1].text.startswith("I live in Oslo.\n\nAnswer with one JSON object")
    assert '"facts"' in call.text


@pytest.mark.parametrize("content", ["Hi", [{"type": "text", "text": "Hi"}]])
def test_the_schema_stands_in_the_last_question_or_after_the_answer(run: Run, content: Any) -> None:
    model = ScriptedChatModel([IN_TEXT, IN_TEXT], profile={"tool_calling": False})
    for messages in ([HumanMessage(content)], [HumanMessage(content), AIMessage("Yes?")]):
        run(Chat(model), "structured", messages, FORM, budget=CallBudget())
    assert [[message.type for message in call.messages] for call in model.calls] == [
        ["human"],
        ["human", "ai", "human"],
    ]
    assert all("JSON schema" in call.messages[-1].text for call in model.calls)


# Tools.


def test_a_refused_tool_choice_is_left_out_from_then_on_but_another_is_tried(run: Run) -> None:
    model = Native([Failed(status_code=400), CALL, CALL, CALL])
    chat = Chat(model)
    for choice in ("extract", "extract", "any"):
        run(chat, "call_tools", QUESTION, [FORM], tool_choice=choice, budget=CallBudget())
    assert model.ways == ["tool", "free tool", "free tool", "tool"]
    assert model.calls[3].tool_choice == "any"


def test_a_failure_that_is_not_the_tool_choices_gives_it_not_up(run: Run) -> None:
    model = Native([Failed(status_code=400), Failed("the question is wrong", status_code=400), CALL])
    chat = Chat(model)
    with pytest.raises(ModelError, match="the question is wrong"):
        run(chat, "call_tools", QUESTION, [FORM], tool_choice="extract", budget=CallBudget())
    run(chat, "call_tools", QUESTION, [FORM], tool_choice="extract", budget=CallBudget())
    assert model.ways == ["tool", "free tool", "tool"]


def test_a_prompt_that_is_too_long_is_not_sent_again(run: Run) -> None:
    model = Native([Failed("prompt is too long for tool use", status_code=400)])
    with pytest.raises(ModelError, match="too long"):
        run(Chat(model), "call_tools", QUESTION, [FORM], tool_choice="extract", budget=CallBudget())


# Failures.


@pytest.mark.parametrize(
    "failure",
    [
        ConnectionError("reset"),
        TimeoutError(),
        APITimeoutError(),
        Failed(status_code=429),
        Failed(response=Response(503)),
        Failed(code=429),
        Failed(response={"ResponseMetadata": {"HTTPStatusCode": 503}}),
        ThrottlingException(response={"ResponseMetadata": {"HTTPStatusCode": 400}}),
    ],
    ids=repr,
)
def test_what_passes_is_tried_three_times_and_each_is_counted(run: Run, failure: Exception) -> None:
    budget = CallBudget()
    model = ScriptedChatModel([failure, failure, "Yes.", failure, failure, failure])
    assert run(Chat(model), "ask", QUESTION, budget=budget).text == "Yes."
    assert budget.usage.calls == 3
    with pytest.raises(ModelError, match="It was asked 3 times") as raised:
        run(Chat(model), "ask", QUESTION, budget=budget)
    assert raised.value.__cause__ is failure
    assert budget.usage.calls == 6
    model.assert_exhausted()


@pytest.mark.parametrize(
    "failure", [Failed(status_code=401), Failed(status_code=500), Failed(code=1006), KeyError("x")], ids=repr
)
def test_what_does_not_pass_is_tried_once(run: Run, failure: Exception) -> None:
    model = ScriptedChatModel([failure])
    with pytest.raises(ModelError, match="Check its name, key and settings") as raised:
        run(Chat(model), "ask", QUESTION, budget=CallBudget())
    assert raised.value.__cause__ is failure


def test_a_long_error_is_told_in_short_with_the_models_name(run: Run) -> None:
    class Named(ScriptedChatModel):
        model_name: str = "tiny-1"

    with pytest.raises(ModelError, match=r"Failed: <html> x.*\(model tiny-1\)") as raised:
        run(Chat(Named([Failed("<html>\n  x" + "y" * 9000)])), "ask", QUESTION, budget=CallBudget())
    assert len(str(raised.value)) < 800


def test_an_answer_that_is_no_message_is_a_failure(run: Run) -> None:
    class Odd(Native):
        def with_structured_output(self, schema: Any, **kwargs: Any) -> Runnable[Any, Any]:  # type: ignore[override]
            return RunnableLambda(lambda _: {"facts": []})

    with pytest.raises(ModelError, match="it answered with NoneType"):
        structured(run, Chat(Odd()))


@pytest.mark.parametrize("signal", [GraphInterrupt(), AssertionError("beyond the script")], ids=repr)
def test_signals_and_failed_tests_pass_as_they_are(run: Run, signal: Exception) -> None:
    with pytest.raises(type(signal)) as raised:
        run(Chat(ScriptedChatModel([signal])), "ask", QUESTION, budget=CallBudget())
    assert raised.value is signal


# Counting.


def test_a_used_up_budget_stops_before_the_call(run: Run) -> None:
    model, budget = ScriptedChatModel(["one", "two"]), CallBudget(2)
    for left in (1, 0):
        run(Chat(model), "ask", QUESTION, budget=budget)
        assert budget.left == left
    with pytest.raises(CallBudgetExhausted, match="All 2 model calls"):
        run(Chat(model), "ask", QUESTION, budget=budget)
    assert budget.usage.calls == 2


def test_a_budget_stops_repeats_and_other_ways_as_well(run: Run) -> None:
    passing, refusing = ScriptedChatModel([TimeoutError(), TimeoutError()]), Native([REFUSAL, REFUSAL])
    with pytest.raises(CallBudgetExhausted):
        run(Chat(passing), "ask", QUESTION, budget=CallBudget(2))
    with pytest.raises(CallBudgetExhausted):
        structured(run, Chat(refusing), CallBudget(2))
    passing.assert_exhausted()
    refusing.assert_exhausted()


def test_tokens_are_added_up_where_they_are_told(run: Run) -> None:
    def told(tokens: int) -> AIMessage:
        usage = {"input_tokens": tokens, "output_tokens": 1, "total_tokens": tokens + 1}
        return AIMessage(IN_TEXT, usage_metadata=usage)

    chat, budget = Chat(Native([told(10), told(20), IN_TEXT])), CallBudget()
    for _ in range(3):
        structured(run, chat, budget)
    assert budget.usage == Usage(calls=3, input_tokens=30, output_tokens=2)
    assert budget.left is None


def test_threads_that_share_a_budget_never_overdraw_it() -> None:
    budget = CallBudget(50)

    def draw(_: int) -> bool:
        try:
            budget.take()
        except CallBudgetExhausted:
            return False
        spent = {"input_tokens": 2, "output_tokens": 1, "total_tokens": 3}
        budget.spend(AIMessage("", usage_metadata=spent))
        return True

    with ThreadPoolExecutor(16) as pool:
        taken = sum(pool.map(draw, range(400)))
    assert taken == 50
    assert budget.usage == Usage(50, 100, 50)


# What the model gets.


def test_every_call_is_kept_out_of_the_users_stream(run: Run) -> None:
    model = Native([REFUSAL, REFUSAL, REFUSAL, IN_TEXT, TimeoutError(), "Yes."])
    structured(run, Chat(model))
    run(Chat(model), "ask", QUESTION, budget=CallBudget())
    assert len(model.seen_tags) == 6
    assert all(TAG_NOSTREAM in tags for tags in model.seen_tags)


def test_the_messages_given_are_copies_each_time(run: Run) -> None:
    def spoil(messages: list[BaseMessage]) -> str:
        messages[0].content = "spoiled"
        messages[1].additional_kwargs["spoiled"] = True
        raise TimeoutError

    model = ScriptedChatModel([spoil, spoil, "Yes."])
    given = [message.model_copy(deep=True) for message in QUESTION]
    run(Chat(model), "ask", given, budget=CallBudget())
    assert given == QUESTION
    assert all(one.messages == other.messages for one, other in pairwise(model.calls))


async def test_the_blocking_face_works_where_a_loop_runs() -> None:
    assert Chat(ScriptedChatModel([CALL])).structured(QUESTION, FORM, budget=CallBudget()).data == FACTS


# What is read of an answer.


def answered(message: AIMessage | str) -> tuple[Any, str | None]:
    answer = Chat(ScriptedChatModel([message])).structured(QUESTION, FORM, budget=CallBudget())
    return answer.data, answer.problem


def calling(*args: Any, **options: Any) -> AIMessage:
    calls = [{"type": "tool_call", "name": "extract", "args": one, "id": str(at)} for at, one in enumerate(args)]
    return AIMessage("", tool_calls=calls, **options)


@pytest.mark.parametrize("where", ["finish_reason", "stop_reason", "done_reason"])
@pytest.mark.parametrize("reason", ["length", "max_tokens", "MAX_TOKENS"])
def test_of_an_answer_that_was_cut_the_half_written_item_is_dropped(where: str, reason: str) -> None:
    data, problem = answered(calling({"facts": ["whole", "hal"]}, response_metadata={where: reason}))
    assert data == {"facts": ["whole"]}
    assert problem is not None and "length limit" in problem


def test_text_that_was_cut_is_read_as_far_as_it_goes() -> None:
    data, problem = answered(AIMessage('{"facts": ["whole", "hal', response_metadata={"finish_reason": "length"}))
    assert data == {"facts": ["whole"]}
    assert problem == "it was cut off; the last item may be missing; its length limit was reached"


def test_a_refusal_of_the_model_is_told() -> None:
    data, problem = answered(AIMessage("", additional_kwargs={"refusal": "I cannot do this."}))
    assert data is None
    assert problem == "there is no JSON in it; the model refused: I cannot do this."


def test_prose_is_no_answer() -> None:
    assert answered("There is nothing to keep.") == (None, "there is no JSON in it")


def test_several_tool_calls_are_joined_list_by_list() -> None:
    assert answered(calling({"facts": ["a"]}, {"facts": ["b"], "more": [1]})) == (
        {"facts": ["a", "b"], "more": [1]},
        None,
    )


def test_calls_that_are_no_lists_become_a_list() -> None:
    assert answered(calling({"fact": "a"}, {"fact": "b"})) == ([{"fact": "a"}, {"fact": "b"}], None)


def test_a_damaged_tool_call_is_read_as_far_as_it_goes() -> None:
    broken = {"type": "invalid_tool_call", "name": "extract", "args": '{"facts": ["b", "c', "id": "2", "error": None}
    data, problem = answered(calling({"facts": ["a"]}, invalid_tool_calls=[broken]))
    assert data == {"facts": ["a", "b"]}
    assert problem == "it was cut off; the last item may be missing"


@pytest.mark.parametrize("args", [None, ""])
def test_where_a_tool_call_is_empty_the_text_counts(args: str | None) -> None:
    empty = {"type": "invalid_tool_call", "name": "extract", "args": args, "id": "1", "error": None}
    assert answered(AIMessage(IN_TEXT, invalid_tool_calls=[empty])) == (FACTS, None)


@pytest.mark.parametrize("key", ["arguments", "parameters", "args", "input"])
@pytest.mark.parametrize("written", [FACTS, IN_TEXT], ids=["object", "text"])
def test_a_tool_call_that_was_written_out_is_unwrapped(key: str, written: Any) -> None:
    assert answered(json.dumps({"name": "extract", key: written})) == (FACTS, None)


# Which models there are.


def test_a_chat_and_none_are_returned_as_they_are_and_a_model_is_wrapped() -> None:
    model = ScriptedChatModel()
    chat = as_chat(model)
    assert chat is not None and chat.model is model
    assert as_chat(chat) is chat
    assert as_chat(None) is None


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("nobody:tiny-1", "cannot be opened"),
        ("just-a-name", "cannot be opened"),
        ("  ", "is a name such as"),
        (7, "not 7"),
        (ScriptedChatModel, "the class ScriptedChatModel"),
        (ScriptedChatModel().with_retry(), "itself, not what with_retry"),
    ],
    ids=repr,
)
def test_what_is_no_chat_model_is_refused_in_words(model: Any, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        as_chat(model)


def test_a_missing_package_is_named() -> None:
    with pytest.raises(InvalidInput, match=r"needs a package that is missing: .*langchain.mistralai"):
        as_chat("mistralai:tiny-1")
