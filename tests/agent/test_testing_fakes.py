from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool

from langgraph_memory.models import Embedder
from langgraph_memory.testing import FrozenClock, HashEmbedder, ScriptedChatModel


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


class TestScriptedChatModel:
    async def test_replies_in_order_sync_and_async(self) -> None:
        model = ScriptedChatModel(["One.", AIMessage("Two."), lambda messages: f"Got {messages[-1].text}"])
        assert model.invoke("a").text == "One."
        assert (await model.ainvoke("b")).text == "Two."
        assert model.invoke("c").text == "Got c"
        assert [call.messages[-1].text for call in model.calls] == ["a", "b", "c"]
        model.assert_exhausted()

    async def test_streams_words_with_the_same_result(self) -> None:
        text = "A heron  nests\nhere."
        chunks = list(ScriptedChatModel([text]).stream("a"))
        assert len(chunks) == 4 and "".join(chunk.text for chunk in chunks) == text
        assert "".join([chunk.text async for chunk in ScriptedChatModel([text]).astream("a")]) == text

    def test_streams_tool_calls(self) -> None:
        reply = ScriptedChatModel.call("add", call_id="x", a=1, b=2)
        chunks = list(ScriptedChatModel([reply]).stream("a"))
        assert [call for chunk in chunks for call in chunk.tool_calls] == reply.tool_calls

    def test_records_tools(self) -> None:
        model = ScriptedChatModel([ScriptedChatModel.call("add", a=1, b=2)])
        answer = model.bind_tools([add], tool_choice="add").invoke("1 + 2?")
        assert answer.tool_calls[0]["args"] == {"a": 1, "b": 2}
        assert model.calls[0].tool_names == ("add",) and model.calls[0].tool_choice == "add"

    def test_exceptions_are_raised_and_counted(self) -> None:
        model = ScriptedChatModel([TimeoutError("slow"), "Fine."])
        with pytest.raises(TimeoutError, match="slow"):
            model.invoke("a")
        assert model.invoke("a").text == "Fine."

    def test_an_extra_call_fails(self) -> None:
        model = ScriptedChatModel(["One."])
        model.invoke("a")
        with pytest.raises(AssertionError, match="called 2 times, but the script has 1 replies"):
            model.invoke("once more")

    def test_a_missing_call_fails(self) -> None:
        with pytest.raises(AssertionError, match="1 replies were never asked for"):
            ScriptedChatModel(["One."]).assert_exhausted()

    def test_prompts_and_replies_are_copies(self) -> None:
        reply, prompt = AIMessage("Hi."), HumanMessage("Hello.")
        model = ScriptedChatModel([reply])
        assert model.invoke([prompt]).id and reply.id is None
        prompt.content = "changed"
        assert model.calls[0].messages[0].content == "Hello."


class TestFrozenClock:
    def test_stands_still_until_told(self) -> None:
        clock = FrozenClock(datetime(2026, 5, 1))
        assert clock() == clock() == datetime(2026, 5, 1, tzinfo=UTC)
        assert clock.advance(timedelta(days=1), hours=2) == clock() == datetime(2026, 5, 2, 2, tzinfo=UTC)
        with pytest.raises(ValueError, match="forward"):
            clock.advance(days=-1)
        assert clock.set(datetime(2025, 1, 1)) == datetime(2025, 1, 1, tzinfo=UTC)


class TestHashEmbedder:
    def test_is_an_embedder(self) -> None:
        embedder = HashEmbedder(32)
        assert isinstance(embedder, Embedder)
        rows = embedder.embed_documents(["a heron", "", "…"])
        assert rows.shape == (3, 32) and rows.dtype == np.float32
        assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
        assert embedder.embed_documents([]).shape == (0, 32)

    def test_is_deterministic_and_likens_shared_words(self) -> None:
        query = HashEmbedder().embed_query("Where does the heron nest?")
        assert np.array_equal(query, HashEmbedder().embed_query("Where does the heron nest?"))
        near, far = HashEmbedder().embed_documents(["The heron nests here.", "Walrus tusks are ivory."])
        assert near @ query > 0.3 > far @ query
