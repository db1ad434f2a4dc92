"""A line with what stands around it: the fast arithmetic equals the plain one, and what is hidden counts nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langgraph_memory.retrieval.around import DENSE_KERNEL, FADE_FROM, LEXICAL_KERNEL, REACH, Around
from langgraph_memory.retrieval.snapshot import Line, Snapshot

K1, B = 1.2, 1.0
TERMS = ["a", "b", "c", "d"]

lines = st.lists(
    st.tuples(
        st.integers(0, 2),  # session
        st.lists(st.sampled_from(TERMS), max_size=60),
        st.booleans(),  # shown
        st.booleans(),  # embedded before the others were appended
    ),
    min_size=1,
    max_size=14,
)


def unit(seed: int) -> np.ndarray:
    vector = np.random.default_rng(seed).normal(size=8).astype(np.float32)
    return vector / np.linalg.norm(vector)


def filled(given: list[tuple[int, list[str], bool, bool]]) -> Snapshot:
    snapshot = Snapshot(8)
    for seq, (session, terms, _, early) in enumerate(given):
        vector = unit(seq) if early else None
        snapshot.append([Line(seq, session, "user", "message", terms, 0, 0, vector=vector)])
    for seq, (_, _, _, early) in enumerate(given):
        if not early:
            snapshot.set_vector(seq, unit(seq))
    return snapshot


def beside(given: list[tuple[int, list[str], bool, bool]], place: int, distance: int) -> int | None:
    """Return which line stands so far from this one in its session, None where a hidden one is on the way."""
    same = [at for at, line in enumerate(given) if line[0] == given[place][0]]
    target = same.index(place) + distance
    if not 0 <= target < len(same):
        return None
    way = same[min(same.index(place), target) : max(same.index(place), target) + 1]
    return same[target] if all(given[at][2] for at in way) else None


def fade(given: list[tuple[int, list[str], bool, bool]], place: int) -> float:
    return min(1.0, FADE_FROM / max(len(given[place][1]), 1))


def weights(given: list[tuple[int, list[str], bool, bool]], place: int, kernel: dict[int, float]) -> dict[int, float]:
    found = {place: 1.0}
    for distance, weight in kernel.items():
        other = beside(given, place, distance)
        if other is not None:
            found[other] = weight * fade(given, place) * fade(given, other)
    return found


@settings(max_examples=150, deadline=None)
@given(lines, st.lists(st.sampled_from(TERMS), min_size=1, max_size=3, unique=True))
def test_windows_score_as_the_formula_says(given: list[tuple[int, list[str], bool, bool]], query: list[str]) -> None:
    snapshot = filled(given)
    around = snapshot.around(np.array([line[2] for line in given]))
    window = snapshot.postings.scores(query, around, k1=K1, b=B).window
    shares = [weights(given, place, dict(LEXICAL_KERNEL)) for place in range(len(given))]
    lengths = [sum(share * len(given[other][1]) for other, share in row.items()) for row in shares]
    mean = max(sum(lengths) / len(lengths), 1.0)
    for place, row in enumerate(shares):
        expected = 0.0
        for term in query:
            holding = sum(term in line[1] for line in given)
            if not holding:
                continue
            held = sum(share * given[other][1].count(term) for other, share in row.items())
            idf = math.log(1 + (len(given) - holding + 0.5) / (holding + 0.5))
            if held:
                expected += idf * held * (K1 + 1) / (held + K1 * (1 - B + B * lengths[place] / mean))
        assert window[place] == pytest.approx(expected, abs=1e-4)


@settings(max_examples=150, deadline=None)
@given(lines)
def test_the_cosine_with_what_stands_around_is_that_with_the_weighted_sum(
    given: list[tuple[int, list[str], bool, bool]],
) -> None:
    snapshot = filled(given)
    around = snapshot.around(np.array([line[2] for line in given]))
    query = unit(999)
    found = snapshot.cosine_around(snapshot.cosine(query), around)
    for place in range(len(given)):
        row = weights(given, place, dict(DENSE_KERNEL))
        total = sum(share * unit(other) for other, share in row.items())
        assert found[place] == pytest.approx(float(query @ total / np.linalg.norm(total)), abs=1e-4)


def test_a_line_without_a_vector_has_no_cosine_and_lends_none() -> None:
    snapshot = Snapshot(8)
    snapshot.append([Line(seq, 1, "user", "message", ["a"], 0, 0) for seq in range(3)])
    snapshot.set_vector(0, unit(0))
    around = snapshot.around(np.ones(3, dtype=np.bool_))
    found = snapshot.cosine_around(snapshot.cosine(unit(0)), around)
    assert found[0] == pytest.approx(1.0) and np.isnan(found[1:]).all()


def test_kernels_stay_within_reach() -> None:
    assert all(abs(distance) <= REACH for kernel in (LEXICAL_KERNEL, DENSE_KERNEL) for distance in kernel)


def test_short_messages_and_long_assistants_count_less_and_memories_fully() -> None:
    snapshot = Snapshot(8)
    shown = [
        ("user", "message", 5, 5),
        ("user", "message", 25, 5),
        ("assistant", "message", 240, 5),
        ("memory", "fact", 3, 0),
    ]
    for seq, (role, kind, terms, header) in enumerate(shown):
        session = None if kind == "fact" else 1
        snapshot.append([Line(seq, session, role, kind, ["t"] * terms, 0, 0, header_terms=header)])
    assert snapshot.brevity(20, 0.25).tolist() == pytest.approx([0.0, 1.0, 1.0, 1.0])
    assert snapshot.brevity(40, 0.5)[1] == pytest.approx(math.sqrt(0.5))
    assert snapshot.verbosity("assistant", 60, 0.5).tolist() == pytest.approx([1.0, 1.0, 0.5, 1.0])


def test_a_session_may_be_walked_past_the_reach() -> None:
    n = 10
    previous = np.arange(-1, n - 1, dtype=np.int32)
    following = np.append(np.arange(1, n), -1).astype(np.int32)
    around = Around.of(previous, following, np.ones(n, dtype=np.float32))
    assert around.rows[-4].tolist() == [-1, -1, -1, -1, 0, 1, 2, 3, 4, 5]
    assert around.rows[2].tolist() == [2, 3, 4, 5, 6, 7, 8, 9, -1, -1]
