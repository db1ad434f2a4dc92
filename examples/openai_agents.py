"""Give an agent of the OpenAI Agents SDK a session that is also a memory: pip install openai-agents.

Runs offline with a model that is played here.
"""

import asyncio
import tempfile

from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from langgraph_memory import Memory

set_tracing_disabled(True)


class PlayedModel(Model):
    """Stands in for a model: it knows only what it is shown."""

    async def get_response(self, system_instructions, input, *args, **kwargs):
        """Answer from the items shown."""
        shown = input if isinstance(input, str) else " ".join(str(item.get("content")) for item in input)
        text = "On platform 4." if "platform 4" in shown else "I will remember."
        content = ResponseOutputText(type="output_text", text=text, annotations=[])
        item = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[content])
        return ModelResponse(output=[item], usage=Usage(), response_id=None)

    def stream_response(self, *args, **kwargs):
        """Nothing here is streamed."""
        raise NotImplementedError


async def main(folder):
    agent = Agent(name="guide", model=PlayedModel())
    async with Memory(folder) as memory:
        await Runner.run(agent, "My train leaves from platform 4.", session=memory.session("monday", scope="alice"))

    async with Memory(folder) as memory:  # another process: the session goes on where it was
        session = memory.session("monday", scope="alice")
        print("continued:", (await Runner.run(agent, "Where was my train?", session=session)).final_output)

        # Another conversation: what was said in the first one is recalled.
        answer = await memory.arecall("Which platform does my train leave from?", scope="alice")
        print("recalled: ", answer.hits[0].text)


with tempfile.TemporaryDirectory() as where:
    asyncio.run(main(where))
