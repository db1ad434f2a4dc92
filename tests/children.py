"""Run functions in child processes that share nothing with the test but the store."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterable
from typing import Any

# A fork server starts from a clean interpreter, as spawn does, but imports the package only once for all children.
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    ["langgraph_memory.memory", "langgraph_memory.testing.embedder", "hypothesis", "pytest", "psycopg"]
)

TIMEOUT = 120
"""Seconds after which a child counts as hung."""


class Child:
    """One child process; `result` waits for what its function returned."""

    def __init__(self, function: Callable[..., Any], *args: Any) -> None:
        self._here, there = CONTEXT.Pipe()
        self.process = CONTEXT.Process(target=_run, args=(there, function, args), daemon=True)
        self.process.start()
        there.close()

    def result(self) -> Any:
        """Return what the function returned; raise where it failed or died."""
        try:
            if not self._here.poll(TIMEOUT):
                raise AssertionError("the child process hangs")
            kind, value = self._here.recv()
        except EOFError:
            raise AssertionError("the child process died") from None
        finally:
            self.end()
        if kind == "error":
            raise AssertionError(f"in the child process:\n{value}")
        return value

    def send(self, value: object) -> None:
        """Give a function that asks for it (see `wait_for_parent`) its sign to go on."""
        self._here.send(value)

    def receive(self) -> Any:
        """Wait for what the function says meanwhile."""
        if not self._here.poll(TIMEOUT):
            raise AssertionError("the child process says nothing")
        kind, value = self._here.recv()
        assert kind == "said", value
        return value

    def exitcode(self) -> int | None:
        """Wait for the end and return the exit code, negative where a signal killed it."""
        self.process.join(TIMEOUT)
        code = self.process.exitcode
        self.end()
        return code

    def kill(self) -> None:
        """End it the hard way (SIGKILL)."""
        self.process.kill()
        self.exitcode()

    def end(self) -> None:
        """Let go of the process once it has ended."""
        self.process.join(TIMEOUT)
        self._here.close()


def run_all(function: Callable[..., Any], arguments: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Run a function in one child per tuple of arguments, all at once; return their results in order."""
    children = [Child(function, *args) for args in arguments]
    return [child.result() for child in children]


def barrier(parties: int) -> Any:
    """Return a barrier that children can be given as an argument."""
    return CONTEXT.Barrier(parties)


def run_script(text: str, *args: object) -> str:
    """Run a Python text in a fresh interpreter and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", text, *map(str, args)], capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


_parent: Any = None


def say(value: object) -> None:
    """In a child: tell the parent something."""
    _parent.send(("said", value))


def wait_for_parent() -> Any:
    """In a child: wait until the parent sends something."""
    return _parent.recv()


def _run(connection: Any, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    global _parent
    _parent = connection
    try:
        answer = ("done", function(*args))
    except BaseException:
        answer = ("error", traceback.format_exc())
    connection.send(answer)
    connection.close()
