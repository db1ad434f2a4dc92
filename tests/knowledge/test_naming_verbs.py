"""People see which things memories mention, and say which names mean the same."""

from __future__ import annotations

from langgraph_memory import Memory

ANA = ("acme", "ana")


def names(memory: Memory) -> list[tuple[str, tuple[str, ...], int]]:
    return [(entity.name, entity.aliases, entity.links) for entity in memory.entities(scope=ANA)]


def test_entities_are_listed_merged_and_set_apart_again(memory: Memory) -> None:
    memory.add("Yesterday Robert Miller met Zoe in Oslo.", scope=ANA)
    memory.add("Bobby paints boats in Oslo.", scope=ANA)
    memory.add("Elsewhere, Greta sails.", scope=("acme", "bob"))
    memory.flush()
    assert ("Oslo", (), 2) in names(memory) and "Greta" not in str(names(memory))
    merged = memory.merge_entities("Bobby", "Robert Miller", scope=ANA, reason="his nickname")
    assert merged.added[0].text == "Bobby"
    assert ("Robert Miller", ("Bobby",), 2) in names(memory)
    again = memory.merge_entities("Bobby", "Robert Miller", scope=ANA)
    assert again.skipped[0].reason == "'Bobby' and 'Robert Miller' are one entity already"
    assert memory.unmerge_entity("Bobby", scope=ANA).restored
    assert ("Bobby", (), 1) in names(memory) and ("Robert Miller", (), 1) in names(memory)
    assert memory.unmerge_entity("Bobby", scope=ANA).skipped[0].reason == "'Bobby' is no alias of another name"
    assert "nothing in" in (memory.merge_entities("Nobody", "Oslo", scope=ANA).skipped[0].reason or "")
    assert [entity.name for entity in memory.entities(scope=ANA, limit=1)] == ["Oslo"]
