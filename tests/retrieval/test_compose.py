"""The block: within its budget whatever is found, grouped by conversation and day, the shorter of equals first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from langgraph_memory.records import Hit, Neighbour
from langgraph_memory.retrieval.compose import compose
from langgraph_memory.scope import Scope
from langgraph_memory.text.tokens import estimate_tokens

DAY = datetime(2026, 5, 8, 12, tzinfo=UTC)


def hit(text: str, *, score: float = 1.0, session: str = "t", position: int = 1, days: int = 0, after: str = "") -> Hit:
    said = DAY + timedelta(days=days)
    beside = (Neighbour(f"{session}-{position + 1}", position + 1, "Bob", after, said),) if after else ()
    return Hit(
        id=f"{session}-{position}",
        text=text,
        score=score,
        signals={},
        kind="message",
        speaker="Ana",
        said_at=said,
        entry_ids=(),
        scope=Scope.of("a"),
        session_id=session,
        position=position,
        after=beside,
    )


def block(hits: list[Hit], budget: int = 1_000) -> list[str]:
    """Return the lines of the block that stand below the note."""
    return compose(hits, budget=budget, count_tokens=estimate_tokens)[0].splitlines()[3:-1]


def test_a_day_stands_once_above_its_lines_in_the_order_they_were_said() -> None:
    hits = [
        hit("It is on the shelf.", position=5),
        hit("We met again.", position=9, days=1),
        hit("Where is the key?", score=0.4, position=3, after="Which key?"),
        hit("Long before.", score=0.3, session="s", days=-9),
    ]
    assert block(hits) == [
        "[2026-04-29]",
        "Ana: Long before.",
        "",
        "[2026-05-08]",
        "Ana: Where is the key?",
        "Bob: Which key?",
        "Ana: It is on the shelf.",
        "",
        "[2026-05-09]",
        "Ana: We met again.",
    ]


def test_of_two_that_score_alike_the_shorter_leaves_room_for_another() -> None:
    hits = [
        hit("word " * 60, score=0.90, position=1),
        hit("The first short one.", score=0.88, position=11),
        hit("The second short one.", score=0.87, position=21),
    ]
    assert block(hits, budget=100) == ["[2026-05-08]", "Ana: The first short one.", "Ana: The second short one."]


def test_a_far_better_hit_is_shown_however_long_it_is() -> None:
    hits = [hit("word " * 60, score=1.0), hit("Short.", score=0.3, position=11)]
    assert any(line.startswith("Ana: word word") for line in block(hits, budget=200))


texts = st.text(st.sampled_from("ab 记🎉\n<1."), max_size=80)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(texts, st.floats(0, 1), st.integers(-2, 2), st.sampled_from("st"), texts), max_size=8),
    st.integers(0, 300),
)
def test_no_block_is_larger_than_its_budget(found: list[tuple[str, float, int, str, str]], budget: int) -> None:
    hits = [
        hit(text, score=score, session=session, position=10 * place, days=days, after=after)
        for place, (text, score, days, session, after) in enumerate(found)
    ]
    text, tokens = compose(hits, budget=budget, count_tokens=estimate_tokens)
    assert tokens == estimate_tokens(text) <= budget
    assert (text, tokens) == compose(hits, budget=budget, count_tokens=estimate_tokens)
