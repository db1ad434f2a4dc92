"""Rows of the mem0 acceptance list that verbatim memory and single records already answer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from langgraph_memory import Memory, Recipe, Settings
from langgraph_memory.errors import ScopeError
from langgraph_memory.testing import FrozenClock, HashEmbedder

QUIET = Settings(background=False)
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def test_mem0_M18_one_users_rows_never_reach_another(tmp_path: Path) -> None:
    with Memory(tmp_path, embeddings=HashEmbedder(), settings=QUIET) as memory:
        memory.add("Alice keeps bees.", scope="a")
        memory.add("Bob keeps bees.", scope="b")
        assert [hit.text for hit in memory.recall("Who keeps bees?", scope="a").hits] == ["Alice keeps bees."]
        assert [hit.text for hit in memory.recall("Who keeps bees?", scope="  b  ").hits] == ["Bob keeps bees."]
        for missing in ((), "", "   ", (" ", "x")):
            with pytest.raises(ScopeError):
                memory.recall("Who keeps bees?", scope=missing)


def test_mem0_M20_a_line_found_by_its_words_alone_is_returned(tmp_path: Path) -> None:
    class Deaf(HashEmbedder):
        """Sees no likeness between a question and anything."""

        def embed_query(self, text: str):  # type: ignore[no-untyped-def]
            return super().embed_query("something else entirely, in other words")

    with Memory(tmp_path, embeddings=Deaf(256), settings=QUIET) as memory:
        memory.record([("user", "The router is a Zyxel VMG8825."), ("user", "Fine weather.")], scope="a", thread_id="t")
        (best, *_) = memory.recall("VMG8825", scope="a").hits
        assert best.text == "The router is a Zyxel VMG8825."
        words, meaning = (
            best.signals.get(name, 0.0) + best.signals.get(f"{name}_window", 0.0) for name in ("lexical", "dense")
        )
        assert words > meaning


def test_mem0_M23_expiry_hides_and_saying_it_again_brings_it_back(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    with Memory(tmp_path, embeddings=HashEmbedder(), settings=QUIET, clock=clock) as memory:
        midnight = datetime(2026, 5, 2, tzinfo=UTC)
        first = memory.add("The gate code is 4711.", scope="a", expires_at=midnight)
        clock.advance(timedelta(hours=11, minutes=59))
        assert memory.recall("gate code", scope="a").hits  # valid through the day
        clock.advance(timedelta(minutes=1))
        assert not memory.recall("gate code", scope="a").hits
        assert not memory.list(scope="a")
        assert memory.recall("gate code", scope="a", include_history=True).hits
        again = memory.add("The gate code is 4711.", scope="a")
        assert again.added and again.ids != first.ids
        assert [hit.id for hit in memory.recall("gate code", scope="a").hits] == list(again.ids)


def test_mem0_M25_history_holds_every_event_in_order_with_both_texts(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    with Memory(tmp_path, embeddings=HashEmbedder(), settings=QUIET, clock=clock) as memory:
        (first,) = memory.add("Alice lives in Bergen.", scope="a", actor="alice").ids
        clock.advance(timedelta(days=1))
        (second,) = memory.update(first, text="Alice lives in Oslo.", actor="bob").ids
        clock.advance(timedelta(days=1))
        memory.forget(second, actor="carol", reason="asked to")
        old, new = memory.history(first), memory.history(second)
        assert [(change.action, change.actor) for change in old] == [("added", "alice"), ("retired", "bob")]
        assert [(change.action, change.actor) for change in new] == [("added", "bob"), ("retired", "carol")]
        assert old[0].after is not None and old[0].after["text"] == "Alice lives in Bergen."
        assert new[0].after is not None and new[0].after["text"] == "Alice lives in Oslo."
        assert new[0].after["supersedes"] == first
        assert [change.at - NOON for change in (*old, *new)] == [timedelta(days=d) for d in (0, 1, 1, 2)]
        assert new[1].before is not None and new[1].before["retired_at"] is None
        assert new[1].after is not None and new[1].after["retired_at"] == (NOON + timedelta(days=2)).isoformat()


def test_mem0_M12_every_name_for_a_role_is_read(tmp_path: Path) -> None:
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

    with Memory(tmp_path, embeddings=HashEmbedder(), settings=QUIET) as memory:
        memory.record(
            [
                {"role": "human", "content": "one"},
                {"role": "ai", "content": "two"},
                {"role": "assistant", "content": "three"},
                {"role": "system", "content": "four"},
                {"role": "tool", "content": "five", "tool_call_id": "c1"},
                HumanMessage("six"),
                AIMessage("seven"),
                SystemMessage("eight"),
                ToolMessage("nine", tool_call_id="c2"),
            ],
            scope="a",
            thread_id="t",
        )
        assert [(entry.role, entry.text) for entry in memory.entries("t", scope="a")] == [
            ("user", "one"),
            ("assistant", "two"),
            ("assistant", "three"),
            ("system", "four"),
            ("tool", "five"),
            ("user", "six"),
            ("assistant", "seven"),
            ("system", "eight"),
            ("tool", "nine"),
        ]
        lexical: Recipe | str = "lexical"
        assert not memory.recall("five nine", scope="a", recipe=lexical).hits  # tools are kept, and asked for by name
        found = memory.recall("five nine", scope="a", roles=("tool",), recipe=lexical).hits
        assert {hit.text for hit in found} == {"five", "nine"}
