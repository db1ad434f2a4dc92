"""The real `langgraph dev` serves every graph, our store and our checkpointer, and blocks its loop nowhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient
from postgres import free_port

ROOT = Path(__file__).parents[2]
ANA = {"user_id": "ana"}

MODELS = '''
from langgraph_memory.testing import ScriptedChatModel

def reply(messages):
    """Do as the user says; answer from the prompt only."""
    text = str(messages[-1].text)
    if messages[-1].type == "human" and "Remember: " in text:
        return ScriptedChatModel.call("manage_memory", action="create", content=text.split("Remember: ", 1)[1])
    return "In Oslo." if "Oslo" in text else "I see."

chat = ScriptedChatModel([reply] * 1_000)
'''


@dataclass(frozen=True)
class Server:
    client: SyncLangGraphClient
    folder: Path
    log: Path

    def ask(self, graph: str, thread_id: str, text: str) -> str:
        given = {"messages": [{"role": "user", "content": text}]}
        state: Any = self.client.runs.wait(thread_id, graph, input=given, context=ANA)
        return str(state["messages"][-1]["content"])

    def thread(self) -> str:
        return str(self.client.threads.create()["thread_id"])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("studio")
    shutil.copytree(ROOT / "graphs", home / "graphs")
    shutil.copy(ROOT / "langgraph.json", home)
    (home / "models.py").write_text(MODELS, encoding="utf-8")
    port, log = free_port(), home / "server.log"
    environment = {
        **os.environ,
        "LANGGRAPH_MEMORY": str(home / "memory"),
        "LANGGRAPH_MEMORY_MODEL": str(home / "models.py") + ":chat",
        "LANGSMITH_TRACING": "false",
    }
    command = [Path(sys.executable).with_name("langgraph"), "dev", "--no-browser", "--no-reload", "--port", str(port)]
    with log.open("w") as stream:
        process = subprocess.Popen(command, cwd=home, env=environment, stdout=stream, stderr=subprocess.STDOUT)
    try:
        url = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + 60
        while not _answers(url):
            assert process.poll() is None and time.monotonic() < deadline, log.read_text()[-4_000:]
            time.sleep(0.1)  # another program starts; there is nothing to wait on but its port
        with get_sync_client(url=url) as client:
            yield Server(client, home, log)
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/ok").is_success
    except httpx.TransportError:
        return False


def test_every_graph_is_drawn_with_its_schemas(server: Server) -> None:
    found = {assistant["graph_id"]: assistant["assistant_id"] for assistant in server.client.assistants.search()}
    assert set(found) == {"agent", "recall", "deepen", "remember", "manage", "review", "consolidate", "compact"}
    expected = {
        "agent": {"MemoryMiddleware.before_agent", "CompactionMiddleware.before_model", "tools"},
        "recall": {"recall", "answer"},
        "deepen": {"analyse", "search", "judge", "deepen", "compose"},
        "remember": {"gather", "extract", "gate", "persist", "record"},
        "manage": {"propose", "review", "apply"},
        "review": {"HumanInTheLoopMiddleware.after_model", "MemoryMiddleware.after_agent"},
        "consolidate": set(),
        "compact": {"compact"},
    }
    for name, assistant_id in found.items():
        drawn = {str(node["id"]) for node in server.client.assistants.get_graph(assistant_id)["nodes"]}
        assert expected[name] <= drawn, name
        schemas = server.client.assistants.get_schemas(assistant_id)
        fields: Any = (schemas["context_schema"] or {}).get("properties", {})
        assert fields, name


def test_the_agent_remembers_from_thread_to_thread(server: Server) -> None:
    assert server.ask("agent", server.thread(), "My sister Ida lives in Oslo.") == "In Oslo."
    later = server.thread()
    assert server.ask("agent", later, "Where does my sister Ida live?") == "In Oslo."
    state: Any = server.client.threads.get_state(later)
    assert state["values"]["memory_recall"]["hits"][0]["text"] == "My sister Ida lives in Oslo."
    assert len(server.client.threads.get_history(later)) > 3
    assert (server.folder / "memory" / "checkpoints.sqlite3").exists()


def test_without_a_user_nobody_is_served(server: Server) -> None:
    given = {"messages": [{"role": "user", "content": "Hello"}]}
    answer: Any = server.client.runs.wait(server.thread(), "agent", input=given, raise_error=False)
    assert "Whose memory is it?" in str(answer)


def test_the_memory_panel_reads_and_writes_our_store(server: Server) -> None:
    store = server.client.store
    store.put_item(("notes", "ana"), key="tea", value={"text": "Ana drinks sencha."})
    assert store.get_item(("notes", "ana"), key="tea")["value"] == {"text": "Ana drinks sencha."}
    [found] = store.search_items(("notes",), query="sencha")["items"]
    assert found["key"] == "tea" and found["score"] > 0
    assert ["notes", "ana"] in store.list_namespaces(prefix=["notes"])["namespaces"]
    store.delete_item(("notes", "ana"), key="tea")
    assert store.search_items(("notes",))["items"] == []


def test_a_write_waits_for_a_person_and_is_resumed_over_http(server: Server) -> None:
    thread_id = server.thread()
    given = {"messages": [{"role": "user", "content": "Remember: Ida plays the cello."}]}
    stopped: Any = server.client.runs.wait(thread_id, "review", input=given, context=ANA)
    assert stopped["__interrupt__"][0]["value"]["action_requests"][0]["name"] == "manage_memory"
    memories = ("@memories", "ana")
    assert not any("cello" in item["value"]["text"] for item in server.client.store.search_items(memories)["items"])
    resume = {"resume": {"decisions": [{"type": "approve"}]}}
    server.client.runs.wait(thread_id, "review", command=resume, context=ANA)  # type: ignore[arg-type]
    assert [
        item["value"]["text"]
        for item in server.client.store.search_items(memories)["items"]
        if "cello" in item["value"]["text"]
    ] == ["Ida plays the cello."]


def test_compact_leaves_a_summary_and_the_end(server: Server) -> None:
    thread_id = server.thread()
    said = [{"role": "user" if turn % 2 == 0 else "assistant", "content": f"Line {turn}."} for turn in range(12)]
    context = {**ANA, "keep": 2}
    state: Any = server.client.runs.wait(thread_id, "compact", input={"messages": said}, context=context)
    assert len(state["messages"]) < 6 and state["messages"][-1]["content"] == "Line 11."


def test_a_question_is_asked_deeply_step_by_step(server: Server) -> None:
    server.ask("agent", server.thread(), "My sailing boat is called Petrel.")
    given = {"query": "What is my sailing boat called?", "scope": ["ana"]}
    state: Any = server.client.runs.wait(server.thread(), "deepen", input=given, context={"max_calls": 0})
    assert "Petrel" in state["answer"]["block"] and state["asked"] == [given["query"]]
    assert state["usage"]["calls"] == 0


def test_a_cron_is_kept_and_taken_back(server: Server) -> None:
    thread_id = server.thread()
    server.ask("agent", thread_id, "I was born in Bergen.")
    cron: Any = server.client.crons.create(
        "remember", schedule="* * * * *", input={"scope": ["ana"], "thread_id": thread_id}
    )
    assert cron["cron_id"] in {found["cron_id"] for found in server.client.crons.search()}
    server.client.crons.delete(cron["cron_id"])


def test_nothing_blocked_the_loop(server: Server) -> None:
    log = server.log.read_text(encoding="utf-8")
    assert "BlockingError" not in log and "Blocking call" not in log
