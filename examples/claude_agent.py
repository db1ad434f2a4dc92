"""Keep the sessions of the Claude Agent SDK in a memory: pip install claude-agent-sdk.

Runs offline: the lines that the SDK sends to its store while Claude works are played here.
"""

import asyncio
import tempfile
from uuid import uuid4

from claude_agent_sdk import (
    ClaudeAgentOptions,
    fork_session_via_store,
    get_session_messages_from_store,
    list_sessions_from_store,
    project_key_for_directory,
)

from langgraph_memory import Memory


def line(session_id, role, text):
    """Return one line of a transcript, as Claude writes it."""
    message = {"role": role, "content": text}
    return {"type": role, "uuid": str(uuid4()), "sessionId": session_id, "message": message}


async def main(folder):
    async with Memory(folder) as memory:
        store = memory.session_store(scope="alice")
        ClaudeAgentOptions(session_store=store)  # this is all that query() and ClaudeSDKClient need

        session_id = str(uuid4())
        question = line(session_id, "user", "We deploy on Thursdays, never on Fridays.")
        answer = {**line(session_id, "assistant", "Understood."), "parentUuid": question["uuid"]}
        await store.append({"project_key": project_key_for_directory(), "session_id": session_id}, [question, answer])

        fork = await fork_session_via_store(store, session_id)
        for info in await list_sessions_from_store(store):
            print("session: ", info.summary)
        print("messages:", len(await get_session_messages_from_store(store, fork.session_id)))
        answer = await memory.arecall("When do we deploy?", scope="alice")
        print("recalled:", [hit.text for hit in answer.hits if hit.speaker == "user"])


with tempfile.TemporaryDirectory() as where:
    asyncio.run(main(where))
