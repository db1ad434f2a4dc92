"""Pruning checkpoints: what may go goes, and a thread goes on as if nothing had happened."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.channels.delta import DeltaChannel
from langgraph.graph import MessagesState, StateGraph
from langgraph.types import Command, interrupt

from langgraph_memory import Memory
from langgraph_memory.checkpoints.keep import made_at, to_remove
from langgraph_memory.checkpoints.records import Place
from langgraph_memory.errors import InvalidInput


def thread(name: str) -> Any:
    return {"configurable": {"thread_id": name}}


def chat(memory: Memory, turns: int, *names: str) -> Any:
    """Return a graph that has had so many turns in each thread."""
    graph = StateGraph(MessagesState).add_node("say", lambda state: {"messages": ["yes"]}).set_entry_point("say")
    app = graph.compile(checkpointer=memory.checkpointer())
    for name in names:
        for turn in range(turns):
            app.invoke({"messages": [f"question {turn}"]}, thread(name))
    return app


def test_the_newest_stay_and_the_thread_goes_on(memory: Memory) -> None:
    app = chat(memory, 4, "a", "b")
    before = len(list(app.get_state_history(thread("a"))))
    done = memory.prune_checkpoints(keep_last=2)
    assert (done.threads, done.checkpoints) == (2, 2 * (before - 2)) and done.writes > 0 and done.bytes > 0
    history = list(app.get_state_history(thread("a")))
    assert len(history) == 2 and history[-1].parent_config is None
    assert len(app.invoke({"messages": ["and now?"]}, thread("a"))["messages"]) == 10


def test_one_thread_only(memory: Memory) -> None:
    app = chat(memory, 2, "a", "b")
    assert memory.prune_checkpoints(thread_id="a").threads == 1
    assert len(list(app.get_state_history(thread("a")))) == 1 < len(list(app.get_state_history(thread("b"))))
    assert memory.prune_checkpoints(thread_id="nope").threads == 0


def test_only_what_is_older(memory: Memory) -> None:
    app = chat(memory, 2, "a")
    before = len(list(app.get_state_history(thread("a"))))
    assert memory.prune_checkpoints(older_than=timedelta(hours=1)).checkpoints == 0
    middle = list(app.get_state_history(thread("a")))[3]
    moment = datetime.fromisoformat(str(middle.created_at))
    assert 0 < memory.prune_checkpoints(older_than=moment).checkpoints < before - 1
    assert memory.prune_checkpoints(older_than=datetime.now(UTC) + timedelta(days=1)).checkpoints > 0


@pytest.mark.parametrize("inside_a_subgraph", [False, True])
def test_an_interrupt_can_still_be_answered(memory: Memory, inside_a_subgraph: bool) -> None:
    ask: Any = lambda state: {"messages": [interrupt("really?")]}  # noqa: E731
    node = StateGraph(MessagesState).add_node("ask", ask).set_entry_point("ask").compile() if inside_a_subgraph else ask
    graph = StateGraph(MessagesState).add_node("say", lambda state: {"messages": ["yes"]}).add_node("ask", node)
    app = graph.set_entry_point("say").add_edge("say", "ask").compile(checkpointer=memory.checkpointer())
    app.invoke({"messages": ["?"]}, thread("a"))
    assert memory.prune_checkpoints().checkpoints > 0
    state = app.get_state(thread("a"))
    assert [one.value for one in state.interrupts] == ["really?"]
    assert app.invoke(Command(resume="sure"), thread("a"))["messages"][-1].content == "sure"


def test_finished_calls_of_subgraphs_go_with_the_step_that_made_them(memory: Memory) -> None:
    inner = StateGraph(MessagesState).add_node("say", lambda state: {"messages": ["yes"]}).set_entry_point("say")
    graph = StateGraph(MessagesState).add_node("inner", inner.compile()).set_entry_point("inner")
    app = graph.compile(checkpointer=memory.checkpointer())
    for _ in range(3):
        app.invoke({"messages": ["?"]}, thread("a"))
    memory.prune_checkpoints()
    assert [one.config["configurable"]["checkpoint_ns"] for one in memory.checkpointer().list(thread("a"))] == [""]


def test_a_thread_rebuilt_from_older_checkpoints_is_left_whole(memory: Memory) -> None:
    class State(TypedDict):
        log: Annotated[list[str], DeltaChannel(lambda old, new: [*old, *(word for some in new for word in some)])]

    graph = StateGraph(State).add_node("say", lambda state: {"log": ["yes"]}).set_entry_point("say")
    app = graph.compile(checkpointer=memory.checkpointer())
    for _ in range(3):
        app.invoke({"log": ["?"]}, thread("a"))
    done = memory.prune_checkpoints()
    assert done.checkpoints == 0 and done.left_whole == ("a",)
    assert app.get_state(thread("a")).values["log"] == ["?", "yes"] * 3
    with pytest.raises(NotImplementedError, match="DeltaChannel"):
        memory.checkpointer().prune(["a"])


async def test_the_async_twin_and_what_cannot_be_used(memory: Memory) -> None:
    assert (await memory.aprune_checkpoints()).checkpoints == 0
    for wrong in ({"keep_last": 0}, {"older_than": timedelta(-1)}, {"older_than": 30}, {"thread_id": " "}):
        with pytest.raises(InvalidInput):
            memory.prune_checkpoints(**wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        memory.checkpointer().prune("abc")
    with pytest.raises(InvalidInput, match="keep_latest"):
        memory.checkpointer().prune(["abc"], strategy="everything")


def test_a_pruned_folder_gets_smaller(memory: Memory, store_url: str) -> None:
    chat(memory, 40, "a")
    before = memory.checkpointer().sizes()
    memory.prune_checkpoints()
    after = memory.checkpointer().sizes()
    assert before is not None and after is not None
    assert (after.threads, after.checkpoints) == (1, 1)
    if "://" not in store_url:
        assert after.bytes < before.bytes / 2


def test_an_open_interrupt_of_an_older_branch_is_kept() -> None:
    line = [Place("", "1"), Place("", "2", "1", waits=True), Place("", "3", "1"), Place("", "4", "3")]
    assert [place.id for place in to_remove(line, 1)] == ["1", "3"]
    answered = [Place("", "1", waits=True), Place("", "2", "1")]
    assert [place.id for place in to_remove(answered, 1)] == ["1"]


def test_an_id_that_tells_no_time_is_never_too_old() -> None:
    assert made_at("1ef4f797-8335-6428-8001-8a1503f9b875") == datetime(2024, 7, 31, 20, 14, 19, 804164, tzinfo=UTC)
    assert made_at("not a uuid") is None
    places = [Place("", "a"), Place("", "b", "a")]
    assert to_remove(places, 1, datetime.now(UTC)) == [] and len(to_remove(places, 1)) == 1
