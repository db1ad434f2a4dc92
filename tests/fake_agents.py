"""Stand-ins for what the other toolkits would reach over the network: a model for openai-agents, a CLI for Claude."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from agents import Model, ModelResponse, Usage
from claude_agent_sdk import Transport
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText


def message(text: str, id: str = "__fake_id__") -> ResponseOutputMessage:
    content = ResponseOutputText(text=text, type="output_text", annotations=[], logprobs=[])
    return ResponseOutputMessage(id=id, type="message", role="assistant", status="completed", content=[content])


def call(name: str, call_id: str, **arguments: Any) -> ResponseFunctionToolCall:
    text = json.dumps(arguments)
    return ResponseFunctionToolCall(type="function_call", name=name, call_id=call_id, arguments=text, id="__fake_id__")


class ScriptedModel(Model):
    """Answers from a list, one answer a call, each with a response id, and keeps what it was asked."""

    def __init__(self, *script: Any) -> None:
        self.script = list(script)
        self.asked: list[list[Any]] = []

    async def get_response(self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any) -> ModelResponse:
        self.asked.append([{"role": "user", "content": input}] if isinstance(input, str) else list(input))
        step = self.script.pop(0)
        step = step(self.asked[-1]) if callable(step) else step
        return ModelResponse(
            output=step if isinstance(step, list) else [step], usage=Usage(), response_id=f"resp_{len(self.asked)}"
        )

    def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        raise AssertionError("nobody streams here")


class ScriptedCli(Transport):
    """Says what the Claude command line would say: frames for the store, messages, a result; waits where told to."""

    def __init__(self, *frames: Any) -> None:
        self._frames = frames
        self._asked: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def connect(self) -> None: ...

    async def write(self, data: str) -> None:
        self._asked.put_nowait(json.loads(data))

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        request = (await self._asked.get())["request_id"]
        yield {"type": "control_response", "response": {"subtype": "success", "request_id": request, "response": {}}}
        await self._asked.get()
        for frame in self._frames:
            if callable(frame):
                await frame()
            else:
                yield frame

    async def close(self) -> None: ...

    def is_ready(self) -> bool:
        return True

    async def end_input(self) -> None: ...


def mirrored(path: Any, *entries: dict[str, Any]) -> dict[str, Any]:
    """Return the frame by which the command line tells of lines that it wrote."""
    return {"type": "transcript_mirror", "filePath": str(path), "entries": list(entries)}


def result(session_id: str) -> dict[str, Any]:
    """Return the message that ends a turn."""
    times = {"duration_ms": 1, "duration_api_ms": 1, "num_turns": 1}
    return {"type": "result", "subtype": "success", "is_error": False, "session_id": session_id, **times}
