"""Generated conversations: parallel tools, results late, doubled or orphaned, missing ids, pictures, summaries."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage

PICTURE = {"type": "image", "base64": "aGVsbG8=" * 50, "mime_type": "image/png"}
IDS = ["c1", "c2", "c3", "c4"]

ids = st.sampled_from([*IDS, ""])
texts = st.sampled_from(["", "yes", "Where is it?", "A longer sentence that says something. " * 6])


def call(name: str) -> Any:
    return {"type": "tool_call", "name": "look", "args": {"at": "sea"}, "id": name or None}


contents = st.one_of(texts, st.just([{"type": "text", "text": "Look:"}, PICTURE]))
humans = contents.map(HumanMessage)
summaries = texts.map(lambda text: HumanMessage(text, additional_kwargs={"lc_source": "summarization"}))
answers = st.builds(
    lambda text, names: AIMessage(text, tool_calls=[call(name) for name in names]),
    texts,
    st.lists(ids, max_size=3),
)
results = st.builds(lambda text, name: ToolMessage(text, tool_call_id=name), texts, ids)
anything = st.one_of(humans, answers, results, results, summaries, texts.map(SystemMessage))


@st.composite
def exchanges(draw: st.DrawFn) -> list[AnyMessage]:
    """Draw a question, calls of tools with some or all of their results, and an answer."""
    names = draw(st.lists(st.sampled_from(IDS), unique=True, min_size=1, max_size=3))
    answered = draw(st.permutations(names))[: draw(st.integers(0, len(names)))]
    turn: list[AnyMessage] = [HumanMessage("Where is it?"), AIMessage("", tool_calls=[call(name) for name in names])]
    return [*turn, *(ToolMessage("here", tool_call_id=name) for name in answered), AIMessage("There.")]


broken = st.lists(anything, max_size=14)
orderly = st.lists(exchanges(), min_size=1, max_size=5).map(
    lambda turns: [message for turn in turns for message in turn]
)
histories = st.one_of(broken, orderly, st.tuples(orderly, broken).map(lambda both: [*both[0], *both[1]]))


def faults(before: list[Any], after: list[Any]) -> list[str]:
    """Return what a compaction did wrong, by name; `after` is the window, whose messages are objects of `before`.

    Written from the messages alone and without our own code, so that any compaction can be judged by it. A result
    answers the newest call before it with its id.
    """
    kept = {id(message) for message in after}
    found = set()
    people = [one for one in before if isinstance(one, HumanMessage) and not one.additional_kwargs.get("lc_source")]
    if people and id(people[-1]) not in kept:
        found.add("last human message lost")
    if any(isinstance(one, SystemMessage) and id(one) not in kept for one in before):
        found.add("system message lost")
    for caller, results in calls_with_results(before):
        if len({id(one) in kept for one in [caller, *results]}) > 1:
            found.add("call split from its result")
        open_calls = {one["id"] for one in caller.tool_calls if one["id"]} - {one.tool_call_id for one in results}
        if open_calls and id(caller) not in kept:
            found.add("pending call lost")
    return sorted(found)


def calls_with_results(messages: list[Any]) -> list[tuple[AIMessage, list[ToolMessage]]]:
    """Return every message that calls tools, with the results that came for it."""
    found: list[tuple[AIMessage, list[ToolMessage]]] = []
    newest: dict[str, int] = {}
    for message in messages:
        if isinstance(message, AIMessage) and message.tool_calls:
            newest.update((one["id"], len(found)) for one in message.tool_calls if one["id"])
            found.append((message, []))
        elif isinstance(message, ToolMessage) and message.tool_call_id in newest:
            found[newest[message.tool_call_id]][1].append(message)
    return found
