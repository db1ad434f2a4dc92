from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from langgraph_memory.knowledge.asked import MOST_ASKED, asked_entities, possible_keys
from langgraph_memory.retrieval.entity import EntityView
from langgraph_memory.testing.embedder import HashEmbedder

EMBEDDER = HashEmbedder(256)


def view(*keys: str, embedded: bool = True) -> EntityView:
    made = EntityView(EMBEDDER.dimension)
    for seq, key in enumerate(keys, 1):
        made.add(seq, key)
    if embedded:
        made.set_vectors(dict(enumerate(EMBEDDER.embed_documents(keys), 1)))
    return made


class Counting:
    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def __call__(self, names: Sequence[str]) -> NDArray[np.float32]:
        self.calls.append(list(names))
        return EMBEDDER.embed_documents(names)


def asked(query: str, known: EntityView, embed: Counting | None = None) -> dict[int, float]:
    found = asked_entities(query, known, floor=0.4, embed=embed or Counting())
    return {match.entity: round(match.similarity, 3) for match in found}


@pytest.mark.parametrize(
    "query",
    ["where does alice live", "Where does ALICE live?", "alice's address", "tell me about (alice)", "关于alice的事"],
)
def test_a_known_name_counts_in_any_spelling_and_costs_no_call(query: str) -> None:
    embed = Counting()
    assert asked(query, view("alice", "bob"), embed) == {1: 1.0}
    assert embed.calls == []


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("我昨天和张伟见面", "张伟"), ("is c++ faster", "c++"), ("ask @ana", "@ana"), ("ask @ana", "ana"),
        ("we use node.js here", "node.js"), ("the museum of modern art?", "museum of modern art"),
        ("iPhone 15是什么时候买的", "iphone 15"), ("서울에서 뭐 했어", "서울"),
    ],
)  # fmt: skip
def test_known_names_are_seen_in_every_script(query: str, key: str) -> None:
    assert asked(query, view(key)) == {1: 1.0}


@pytest.mark.parametrize(("query", "key"), [("the party", "art"), ("c++ code", "c"), ("gpt-51", "gpt-5")])
def test_a_part_of_a_word_is_not_the_name(query: str, key: str) -> None:
    assert asked(query, view(key)) == {}


def test_of_names_that_overlap_the_longest_counts() -> None:
    assert asked("i love new york city", view("york", "new york city", "new york")) == {2: 1.0}


def test_an_alias_is_what_it_stands_for() -> None:
    known = view("robert", "bob", "bobby")
    known.set_aliases({2: 1, 3: 2})
    assert asked("does bobby ski", known) == {1: 1.0}


def test_unknown_names_are_compared_in_one_call() -> None:
    embed = Counting()
    known = view("alice", "alice smith", "carol stone")
    found = asked("Did Alice Jones meet Carol King and Alice?", known, embed)
    assert embed.calls == [["Alice Jones", "Carol King"]]
    assert found[1] == 1.0 and 0.4 <= found[3] < 1
    assert asked("Did Dora meet Emil?", known) == {}


def test_a_question_that_is_but_a_name_has_its_vector_already() -> None:
    embed = Counting()
    vector = EMBEDDER.embed_query("Alice Jones")
    found = asked_entities("Alice Jones?", view("alice smith"), floor=0.2, embed=embed, vector=vector)
    assert [match.entity for match in found] == [1] and embed.calls == []


def test_names_with_other_numbers_are_not_near() -> None:
    assert asked("Is GPT-5 out?", view("gpt-4")) == {}


def test_without_vectors_nothing_is_compared() -> None:
    embed = Counting()
    assert asked("Did Alice Jones call?", view("alice smith", embedded=False), embed) == {}
    assert embed.calls == []
    assert asked_entities("Did Alice Jones call?", view("alice smith"), floor=0.5, embed=None) == []


def test_no_more_than_eight_names_are_looked_up() -> None:
    letters = [f"{letter}name" for letter in "abcdefghijkl"]
    assert len(asked(" ".join(letters), view(*letters))) == MOST_ASKED


def test_possible_keys_hold_every_way_of_naming() -> None:
    keys = possible_keys("Did the Beatles play 北京市 with @ana?")
    assert {"beatles", "北京市", "北京", "@ana", "ana", "play"} <= set(keys)
