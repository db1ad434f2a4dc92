"""The items of a session move from one store to another by export and ingest, and none of them changes on the way."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from hypothesis import example, given
from hypothesis import strategies as st

from langgraph_memory import Memory
from langgraph_memory.errors import InvalidInput
from langgraph_memory.sessions.plain import MAX_DEPTH
from langgraph_memory.settings import Settings
from langgraph_memory.testing.embedder import HashEmbedder
from langgraph_memory.toolkits import Sealing

LARGEST = 10**4_300 - 1
"""Python writes down no longer whole number."""


class Rolled:
    """A cipher as LangGraph's checkpoint ciphers are."""

    def __init__(self) -> None:
        self._fernet = Fernet(Fernet.generate_key())

    def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
        return "k1", self._fernet.encrypt(plaintext)

    def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
        return self._fernet.decrypt(ciphertext)


texts = st.text(st.characters(codec=None) | st.sampled_from("\0\ud83d\ude00\udc80\n\u2028\ufeff"), max_size=8)
numbers = (
    st.integers() | st.sampled_from([LARGEST, -LARGEST, 10**3_000]) | st.floats(allow_nan=False, allow_infinity=False)
)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
ids = st.sampled_from(["a", "b", "__fake_id__", "", "\ud83d", "nul \0"]) | values
roles = st.sampled_from(["user", "assistant", "system", "developer", "tool", "boss"])
said = st.fixed_dictionaries({"role": roles, "content": values}, optional={"id": ids, "type": st.just("message")})
parts = st.fixed_dictionaries(
    {"type": st.sampled_from(["input_text", "output_text", "refusal", "input_image", "tool_use"]), "text": texts},
    optional={"annotations": values, "name": values, "input": values, "id": ids},
)
written = st.fixed_dictionaries({"role": roles, "content": st.lists(parts, max_size=3)}, optional={"id": ids})
done = st.fixed_dictionaries(
    {
        "type": st.sampled_from(
            ["function_call", "function_call_output", "web_search_call", "mcp_list_tools", "reasoning", "compaction"]
        )
    },
    optional={
        "id": ids,
        "call_id": ids,
        "name": texts,
        "arguments": texts | st.sampled_from(['{"a": 1}', '"5"', "[1", "null"]),
        "output": values,
        "tool_calls": values,
        "speaker": values,
        "observed_at": values,
        "extra": values,
    },
)
items = st.lists(said | written | done | st.dictionaries(texts, values, max_size=4), max_size=6)


def deep(levels: int) -> Any:
    """Return that many lists inside each other."""
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@given(items, st.booleans(), st.integers(0, 2))
@example([{"role": "user", "content": deep(MAX_DEPTH - 3)}, {"type": "new", "x": deep(MAX_DEPTH - 3)}], False, 0)
def test_the_items_of_a_session_come_out_of_an_export_as_they_went_in(
    given_items: list[dict[str, Any]], sealed: bool, popped: int
) -> None:
    seal = Sealing(Rolled()) if sealed else None
    with folders() as (here, there), opened(here) as one, opened(there) as other:
        session = one.session("t", scope=("acme", "ana"), seal=seal).blocking
        session.add_items(given_items)
        for _ in range(popped):
            session.pop_item()
        kept = session.get_items()
        one.export(scope="acme", path=here / "out.jsonl")
        assert other.ingest(here / "out.jsonl", scope="moved").refusals == ()
        moved = other.session("t", scope=("moved", "ana"), seal=seal).blocking
        assert moved.get_items() == kept
        again = [other.ingest(here / "out.jsonl", scope="moved"), one.ingest(here / "out.jsonl", scope="acme")]
        assert [(report.messages_added, report.refusals) for report in again] == [(0, ())] * 2
        assert (moved.get_items(), session.get_items()) == (kept, kept)


@pytest.mark.parametrize("sealed", [False, True])
def test_an_item_that_no_entry_can_hold_is_refused_when_it_is_added(memory: Memory, sealed: bool) -> None:
    session = memory.session("t", scope="acme", seal=Sealing(Rolled()) if sealed else None).blocking
    for item in ({"role": "user", "content": deep(MAX_DEPTH)}, {"type": "new", "x": deep(MAX_DEPTH - 2)}):
        with pytest.raises(InvalidInput, match="Item 1 is nested deeper than 98 levels"):
            session.add_items([{"role": "user", "content": "hello"}, item])
    with pytest.raises(InvalidInput, match="Item 0 holds something"):
        session.add_items([{"role": "user", "content": LARGEST + 1}])
    assert session.get_items() == []


@contextmanager
def folders() -> Iterator[tuple[Path, Path]]:
    with tempfile.TemporaryDirectory() as root:
        yield Path(root) / "here", Path(root) / "there"


def opened(folder: Path) -> Memory:
    return Memory(folder, embeddings=HashEmbedder(), settings=Settings(background=False))
