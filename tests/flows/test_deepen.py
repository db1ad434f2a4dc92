"""A deep recall: takes long questions apart, searches again where too little was found, and asks a model only then."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from blockbuster import blockbuster_ctx

from langgraph_memory import Answer, Memory
from langgraph_memory.errors import InvalidInput
from langgraph_memory.flows.answers import plain_answer, read_answer
from langgraph_memory.retrieval.explain import explain
from langgraph_memory.retrieval.recipe import RECIPES
from langgraph_memory.retrieval.route import complexity_of, confidence_of, route
from langgraph_memory.testing import ScriptedChatModel

Open = Callable[..., Memory]

LONG = (
    "I was thinking of the party last summer, where everybody stayed until the morning and somebody had brought that "
    "wonderful soup, and now I would like to know in which town the brother of the woman who cooked it has a workshop?"
)
BARBARA, ULM = "The soup at the party was cooked by Barbara.", "Konrad mends violins in Ulm."


def queries(*texts: str, **more: Any) -> Any:
    return ScriptedChatModel.call("queries", queries=list(texts), **more)


def fill(memory: Memory, scope: Any = "a") -> None:
    for text in (BARBARA, ULM, "Barbara's brother is called Konrad."):
        memory.add(text, scope=scope)
    for number in range(12):
        memory.add(f"Somebody stayed at party number {number} until the morning of that day.", scope=scope)


def texts(answer: Answer) -> list[str]:
    return [hit.text for hit in answer.hits]


@pytest.mark.parametrize(
    ("confidence", "complexity", "budget", "expected"),
    [
        (0.9, 0.2, 1, "synthesise"),
        (0.3, 0.2, 1, "explore"),
        (0.3, 0.2, 0, "synthesise"),
        (0.65, 0.7, 1, "explore"),
        (0.65, 0.7, 0, "synthesise"),
        (0.65, 0.6, 1, "synthesise"),
        (0.7, 1.0, 1, "synthesise"),
    ],
)
def test_crewai_C13_confidence_complexity_and_budget_say_whether_to_search_again(
    confidence: float, complexity: float, budget: int, expected: str
) -> None:
    assert route(confidence, complexity, budget) == expected


def test_crewai_C13_it_is_searched_again_once_and_then_answered(open_memory: Open, folder: Path) -> None:
    model = ScriptedChatModel([queries("Barbara's brother Konrad")])
    memory = open_memory(folder, model=model)
    fill(memory)
    answer = memory.recall("Zebras in Quito?", scope="a", depth="deep")
    model.assert_exhausted()  # nothing of it was found before, nor after: once is enough
    assert answer.usage.calls == 1
    assert {gap.asked for gap in answer.gaps} & {"Zebras", "Quito", "Zebras in Quito?"}
    assert memory.recall("Who cooked the soup?", scope="a", depth="deep").usage.calls == 0  # found at once
    assert memory.recall("Zebras in Quito?", scope="a", depth="deep", max_calls=0).usage.calls == 0
    assert len(model.calls) == 1


def test_complexity_grows_with_length_words_and_questions() -> None:
    assert complexity_of("Where does Ana live?", 2) < 0.5
    assert complexity_of("x" * 200, 1) == pytest.approx(0.7)
    assert complexity_of("Wo? 哪里？", 1) == pytest.approx(0.7)
    assert complexity_of("short", 15) == pytest.approx(0.7)
    assert complexity_of("x" * 10_000, 500) == 1.0


def test_confidence_is_what_was_found_and_how_near() -> None:
    near = {"floor": 0.2, "near": 0.6}
    assert confidence_of(4, 0, 0.6, **near) == 1.0
    assert confidence_of(4, 0, 0.1, **near) == 0.5
    assert confidence_of(4, 0, None, **near) == 1.0
    assert confidence_of(4, 2, 0.4, **near) == pytest.approx(0.375)
    assert confidence_of(4, 9, 0.6, **near) == 0.0
    assert confidence_of(0, 0, 0.6, **near) == 1.0


def test_an_ordinary_recall_never_asks_the_model(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder, model=ScriptedChatModel())
    fill(memory)
    assert memory.recall(LONG, scope="a").usage.calls == 0
    assert memory.recall_many([LONG, "Zebras?"], scope="a")[1].usage.calls == 0


def test_crewai_C10_a_long_question_becomes_queries_and_places_inside_the_scope(
    open_memory: Open, folder: Path
) -> None:
    def answered(messages: Any) -> Any:
        told = str(messages[-1].content)
        assert LONG in told and "1. b" in told and "a / b" not in told and "elsewhere" not in told
        return queries("soup", "Barbara's brother", "violins in Ulm", "a fourth", places=[1, 99, "/elsewhere", True])

    model = ScriptedChatModel([answered])
    memory = open_memory(folder, model=model)
    memory.add(BARBARA, scope=("a", "b"))
    memory.add(ULM, scope=("a", "b"))
    memory.add("A violin in Ulm that is nobody's business.", scope="elsewhere")
    answer = memory.recall(LONG, scope="a", depth="deep", max_calls=1)
    model.assert_exhausted()
    assert set(texts(answer)) == {BARBARA, ULM}
    assert [note for note in answer.notes if "no place inside the scope" in note] == [
        f"{shown} of the model is no place inside the scope: it was not searched"
        for shown in ("'99'", "'/elsewhere'", "'True'")
    ]
    assert any("3 were searched for" in note for note in answer.notes)


def test_crewai_C10_without_the_queries_the_answer_is_not_found(open_memory: Open, folder: Path) -> None:
    model = ScriptedChatModel([queries("Who cooked the soup?", "Konrad mends violins")])
    memory = open_memory(folder, model=model)
    fill(memory)
    assert ULM not in texts(memory.recall(LONG, scope="a", limit=3))
    assert ULM in texts(memory.recall(LONG, scope="a", limit=3, depth="deep", max_calls=1))


def test_crewai_C11_a_deep_recall_sees_the_scope_and_what_lies_inside_it(open_memory: Open, store_url: str) -> None:
    memory = open_memory(store_url)
    memory.add("Tea at the top.", scope=("root", "a"))
    memory.add("Tea further in.", scope=("root", "a", "b"))
    memory.add("Tea next door.", scope=("root", "a2"))
    answer = memory.recall("tea", scope=("root", "a"), depth="deep")
    assert set(texts(answer)) == {"Tea at the top.", "Tea further in."}


def test_crewai_C12_the_25th_scope_is_searched_too(open_memory: Open, folder: Path) -> None:
    model = ScriptedChatModel([queries("number of the key", places=[1, 2])])
    memory = open_memory(folder, model=model)
    memory.add("The number of the key is 4711.", scope=("a", "child 0"))
    for number in range(1, 25):
        memory.add(f"Nothing of note, {number}.", scope=("a", f"child {number}"))
    assert "4711" in memory.recall("What is the number of the key?", scope="a", depth="deep").block
    question = "Please tell me, if you would be so kind, " * 5 + "the number of the key?"
    answer = memory.recall(question, scope="a", depth="deep", max_calls=1)
    assert "4711" in answer.block and "20. " in model.calls[0].text and "21. " not in model.calls[0].text


def test_searching_again_finds_something_new_with_the_model(open_memory: Open, folder: Path) -> None:
    def answered(messages: Any) -> Any:
        told = str(messages[-1].content)
        assert "Barbara" in told and "workplace" in told  # what was found, and what was not
        return queries("Where does Barbara's relative work?", "Konrad violins", "Barbara and her elusive workplace?")

    memory = open_memory(folder, model=ScriptedChatModel([answered]))
    fill(memory)
    question = "Barbara and her elusive workplace?"
    assert ULM not in texts(memory.recall(question, scope="a", limit=3))
    answer = memory.recall(question, scope="a", limit=3, depth="deep")
    assert ULM in texts(answer) and answer.usage.calls == 1
    assert any("searched for already" in note for note in answer.notes)
    for hit in answer.hits:
        assert sum(part.value for part in explain(hit).parts) == pytest.approx(hit.score, abs=1e-6)


def test_searching_again_finds_something_new_without_a_model(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder)
    for number in range(12):
        memory.add(f"Ana's boat in Oslo harbour needs paint, note {number}.", scope="a")
    memory.add(
        "We spoke for a long while about a great many other things, the weather and the neighbours and the price of "
        "bread, and also of a zeppelin.",
        scope="a",
    )
    question = "Ana's boat, Oslo harbour, paint: zeppelin hangar museum curator?"
    shallow = memory.recall(question, scope="a", limit=3)
    assert "zeppelin" not in shallow.block and "zeppelin" in {gap.asked for gap in shallow.gaps}
    deep = memory.recall(question, scope="a", limit=3, depth="deep")
    assert "zeppelin" in deep.block and deep.usage.calls == 0
    assert [gap.asked for gap in deep.gaps] == ["hangar", "museum", "curator"]


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=lambda recipe: recipe.name)
@pytest.mark.parametrize("diversity", [None, 0.5])
def test_scores_of_several_searches_still_add_up(
    open_memory: Open, folder: Path, recipe: Any, diversity: float | None
) -> None:
    memory = open_memory(folder, model=ScriptedChatModel([queries("Konrad violins", "soup party")]))
    fill(memory)
    mixed = replace(recipe, diversity=diversity)
    answer = memory.recall("Barbara and her elusive workplace?", scope="a", depth="deep", recipe=mixed)
    assert [hit.score for hit in answer.hits] == sorted((hit.score for hit in answer.hits), reverse=True)
    for hit in answer.hits:
        assert sum(part.value for part in explain(hit).parts) == pytest.approx(hit.score, abs=1e-6)


def test_crewai_C15_times_of_the_model_narrow_its_queries_and_bad_ones_are_told(
    open_memory: Open, folder: Path
) -> None:
    def recalled(**times: str) -> Answer:
        model = ScriptedChatModel([queries("violins", **times)])
        memory = open_memory(folder / "-".join(times.values()), model=model)
        for year in (2024, 2025):
            at = datetime(year, 5, 1, tzinfo=UTC)
            memory.add(f"Konrad mended violins in {year}.", scope="a", observed_at=at)
        return memory.recall("x " * 120, scope="a", depth="deep", max_calls=1)

    only_2025 = ["Konrad mended violins in 2025."]
    assert texts(recalled(said_after="2025-01-01")) == only_2025
    assert texts(recalled(said_after="2025-05-01T01:00:00+01:00")) == only_2025
    assert texts(recalled(said_before="2025-01-01T00:00:00")) == ["Konrad mended violins in 2024."]
    odd = recalled(said_after="last spring")
    assert len(odd.hits) == 2 and any("'last spring' of the model is no time" in note for note in odd.notes)


def test_a_model_that_fails_costs_no_answer(open_memory: Open, folder: Path) -> None:
    model = ScriptedChatModel([ValueError("no quota"), ValueError("no quota")])
    memory = open_memory(folder, model=model)
    fill(memory)
    answer = memory.recall(LONG, scope="a", depth="deep")
    assert BARBARA in texts(answer)
    assert any("without the model" in note and "no quota" in note for note in answer.notes)


@pytest.mark.parametrize("reply", ["", "no idea", '{"queries": "soup"}', '{"queries": [3, "", null, {}]}', "[[]]"])
def test_junk_of_the_model_is_told_and_harms_nothing(open_memory: Open, folder: Path, reply: str) -> None:
    memory = open_memory(folder, model=ScriptedChatModel([reply]))
    fill(memory)
    answer = memory.recall(LONG, scope="a", depth="deep", max_calls=1)
    assert BARBARA in texts(answer)


def test_a_deep_recall_counts_what_it_found_once(open_memory: Open, folder: Path) -> None:
    from langgraph_memory.storage import recalls

    memory = open_memory(folder, model=ScriptedChatModel([queries("Barbara's brother Konrad")]))
    fill(memory)
    memory.recall("Zebras of Konrad in Quito?", scope="a", depth="deep")
    memory.flush()
    parts = memory._parts
    (record,) = [record for record in memory.list(scope="a") if record.text.startswith("Barbara's")]
    with parts.database.read() as connection:
        assert [row.times for row in recalls.of(connection, record.seq)] == [1]


async def test_a_deep_recall_can_be_awaited(open_memory: Open, tmp_path: Path) -> None:
    def script() -> ScriptedChatModel:
        return ScriptedChatModel([queries("Who cooked the soup?"), queries("Konrad violins")])

    blocking, awaited = (open_memory(tmp_path / name, model=script()) for name in ("one", "two"))
    for memory in (blocking, awaited):
        fill(memory)
    one = blocking.recall(LONG, scope="a", depth="deep")
    with blockbuster_ctx():
        other = await awaited.arecall(LONG, scope="a", depth="deep")
    assert texts(one) == texts(other) and one.gaps == other.gaps and one.usage == other.usage
    assert one.usage.calls == 2
    assert texts(await awaited.arecall("soup", scope="a", depth="deep", max_calls=0))[0] == BARBARA


def test_options_hold_in_every_search(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder, model=ScriptedChatModel([queries("Konrad violins", "secret violins")]))
    fill(memory)
    memory.add("The secret violins of Konrad.", scope="a", actor="konrad", private=True)
    memory.add("Konrad's violins are an event.", scope="a", kind="event")
    answer = memory.recall("Quito zebras?", scope="a", depth="deep", kinds=["fact"], limit=5, budget=100)
    assert ULM in texts(answer) and len(answer.hits) <= 5 and answer.tokens <= 100
    assert "secret" not in answer.block and "event" not in answer.block
    with pytest.raises(InvalidInput, match="no depth 'abyss'"):
        memory.recall("x", scope="a", depth="abyss")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="max_calls"):
        memory.recall("x", scope="a", depth="deep", max_calls=-1)


def test_the_flow_can_be_drawn_and_run_by_itself_and_its_state_is_plain(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder)
    fill(memory)
    graph = memory.graph("deepen").compile()
    assert {"analyse", "search", "judge", "deepen", "compose"} <= set(graph.get_graph().nodes)
    assert set(graph.get_context_jsonschema()["properties"]) == {"max_calls"}
    state = graph.invoke({"query": "Who cooked the soup?", "scope": ["a"]})
    assert json.loads(json.dumps(state)) == state
    answer = read_answer(state["answer"])
    assert answer.hits[0].text == BARBARA and plain_answer(answer) == state["answer"]
    assert answer == memory.recall("Who cooked the soup?", scope="a")
    nothing = graph.invoke({"query": "Who cooked the soup?", "scope": ["nobody"]})
    assert nothing["answer"]["hits"] == [] and nothing["confidence"] == 0


def test_crewai_C30_no_hit_of_a_deep_recall_is_below_the_least_score(open_memory: Open, folder: Path) -> None:
    memory = open_memory(folder, model=ScriptedChatModel([queries("Konrad violins Ulm")]))
    fill(memory)
    least = 0.5
    answer = memory.recall(LONG, scope="a", depth="deep", min_score=least, max_calls=1)
    assert answer.hits and all(hit.score >= least for hit in answer.hits)


def test_a_pasted_document_is_not_sent_to_the_model_whole(open_memory: Open, folder: Path) -> None:
    model = ScriptedChatModel([queries("soup"), queries("violins")])
    memory = open_memory(folder, model=model)
    memory.add(BARBARA, scope="a")
    memory.recall("zebra quagga okapi " * 20_000, scope="a", depth="deep", max_calls=2)
    assert model.calls
    for call in model.calls:
        assert sum(len(message.text) for message in call.messages) < 20_000


@pytest.mark.parametrize("asked", ["violins", "mended violins"])
def test_crewai_C10_each_query_is_searched_in_the_places_that_the_model_names(
    open_memory: Open, folder: Path, asked: str
) -> None:
    def answered(messages: Any) -> Any:
        told = str(messages[-1].content)
        return queries(asked, places=[1 if "1. family" in told else 2])

    memory = open_memory(folder, model=ScriptedChatModel([answered]))
    memory.add(ULM, scope=("a", "family"))
    for number in range(30):
        memory.add(f"Violins, mended violins {number}.", scope=("a", "work"))
    answer = memory.recall(LONG, scope="a", depth="deep", limit=5, max_calls=1)
    assert ULM in texts(answer)  # thirty lines elsewhere in the scope would come before it
