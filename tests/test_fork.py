"""A fork does not inherit an open memory: it is told so, hangs nowhere, and may open the memory again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import gc, os, signal, sys, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 advises against forking while threads run
from langgraph_memory import Memory, Settings
from langgraph_memory.errors import MemoryClosed
from langgraph_memory.testing.embedder import HashEmbedder

def open_memory():
    return Memory(sys.argv[1], embeddings=HashEmbedder())

def child(memory):
    for verb in (
        lambda: memory.record("I drink milk", scope="a", thread_id="t"),
        lambda: memory.add("Ana drinks milk.", scope="a"),
        lambda: memory.recall("what do I drink", scope="a"),
        lambda: memory.list(scope="a"),
        lambda: memory.sessions(scope="a"),
        lambda: memory.erase(scope="a"),
        lambda: memory.flush(),
        lambda: memory.doctor(),
    ):
        try:
            verb()
        except MemoryClosed as error:
            assert "another process" in str(error) and "Open it again" in str(error), error
        else:
            raise AssertionError("a verb worked in a fork")
    memory.close()
    with open_memory() as again:
        again.record("I drink milk", scope="a", thread_id="child")
        assert {hit.text for hit in again.recall("what do I drink", scope="a").hits} == {"I drink tea", "I drink milk"}
        again.flush()

memory = open_memory()
memory.record("I drink tea", scope="a", thread_id="t")
memory.recall("what do I drink", scope="a")
memory.flush()
pid = os.fork()
if pid == 0:
    signal.alarm(60)
    try:
        child(memory)
        memory = None
        gc.collect()
    except BaseException as error:
        print(type(error).__name__, error, flush=True)
        os._exit(1)
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
memory.record("I drink juice", scope="a", thread_id="t")
left = memory.flush().left
assert not left, left  # it is still the indexer of its folder
assert len(memory.recall("what do I drink", scope="a").hits) == 3
memory.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_is_told_to_open_the_memory_again(store_url: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, store_url], capture_output=True, text=True, timeout=120, cwd=tmp_path
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


AFTER_CLOSE = """
import os, signal, sys, warnings
warnings.simplefilter("ignore", DeprecationWarning)
from langgraph_memory import Memory
from langgraph_memory.testing.embedder import HashEmbedder

def open_memory():
    return Memory(sys.argv[1], embeddings=HashEmbedder())

with open_memory() as memory:
    memory.record("I drink tea", scope="a", thread_id="t")
    memory.flush()
pid = os.fork()
if pid == 0:
    signal.alarm(60)
    with open_memory() as again:
        again.record("I drink milk", scope="a", thread_id="child")
        left = again.flush().left
        found = len(again.recall("what do I drink", scope="a").hits)
        os._exit(0 if found == 2 and set(left) <= {"index"} else 1)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
with open_memory() as memory:
    assert not memory.flush().left  # the parent, whose Chroma is whole, pays what its child owed
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_of_a_process_that_used_chroma_hangs_nowhere(store_url: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", AFTER_CLOSE, store_url], capture_output=True, text=True, timeout=120, cwd=tmp_path
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
