from __future__ import annotations

import numpy as np
import pytest

from langgraph_memory.retrieval.entity import EntityView, Match, boosts, linked_rows
from langgraph_memory.retrieval.mem0 import entity_boost


def test_mentions_follow_aliases_and_count_once() -> None:
    view = EntityView(2)
    for seq, key in ((1, "bob"), (2, "robert"), (3, "carol")):
        view.add(seq, key)
    view.mention(10, 1)
    view.mention(10, 2)
    view.mention(11, 2)
    assert view.memories_of(1) == {10} and view.memories_of(2) == {10, 11}
    view.set_aliases({1: 2})
    assert view.named("bob") == [2]
    assert view.memories_of(2) == {10, 11}
    view.set_aliases({})
    assert view.named("bob") == [1] and view.memories_of(1) == {10}


def test_size_grows_with_what_is_held() -> None:
    view = EntityView(4)
    assert not view and view.nbytes == 0
    view.add(1, "bob")
    view.mention(10, 1)
    before = view.nbytes
    view.set_vectors({1: np.ones(4, dtype=np.float32), 99: np.ones(4, dtype=np.float32)})
    assert view.nbytes == before + 16 and view.waiting == {} and len(view) == 1


def test_links_are_live_memories_and_rows_are_those_at_hand() -> None:
    view = EntityView(2)
    view.add(1, "bob")
    for memory in (10, 11, 12):
        view.mention(memory, 1)
    live = np.array([True, False, True])
    assert linked_rows([Match(1, 0.8)], view, {10: 0, 11: 1, 12: 2}, live) == [(0.8, 2, [0, 1, 2])]
    assert linked_rows([Match(1, 0.8)], view, {10: 0}, None) == [(0.8, 3, [0])]


def test_a_line_takes_the_greatest_of_its_boosts() -> None:
    found = boosts([(1.0, 1, [0, 1]), (0.6, 1, [1, 2]), (1.0, 5, [])], 4, 0.5)
    assert found.tolist() == pytest.approx([0.5, 0.5, entity_boost(0.6, 1), 0.0])
