"""A line with what stands around it: the fast arithmetic equals the plain one, and what is hidden counts nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langgraph_memory.retrieval.bm25 import windows
from langgraph_memory.retrieval.region import (
    DENSE_KERNEL,
    KINDRED_KERNEL,
    LEXICAL_KERNEL,
    LONG,
    MONOLOGUE,
    REACH,
    Region,
)
from langgraph_memory.retrieval.snapshot import Line, Snapshot

K1, B = 1.2, 1.0
TERMS = ["a", "b", "c", "d"]
Given = list[tuple[int, list[str], bool, str]]

lines = st.lists(
    st.tuples(
        st.integers(0, 2),  # session
        st.lists(st.sampled_from(TERMS), max_size=90),
        st.booleans(),  # shown
        st.sampled_from("xy"),  # speaker
    ),
    min_size=1,
    max_size=14,
)


def filled(given: Given) -> Snapshot:
    snapshot = Snapshot(8)
    for seq, (session, terms, _, speaker) in enumerate(given):
        snapshot.append([Line(seq, session, "user", "message", terms, 0, 0, speaker=speaker)])
    return snapshot


def region_of(given: Given) -> Region:
    shown = np.array([line[2] for line in given])
    return filled(given).region(np.flatnonzero(shown).astype(np.int32), shown)


def way_to(given: Given, place: int, distance: int) -> list[int]:
    """Return the lines from this one to that so far away in its session; empty where there is none or one is hidden."""
    same = [at for at, line in enumerate(given) if line[0] == given[place][0]]
    target = same.index(place) + distance
    if not 0 <= target < len(same):
        return []
    step = 1 if distance >= 0 else -1
    way = [same[at] for at in range(same.index(place), target + step, step)]
    return way if all(given[at][2] for at in way) else []


def weights(given: Given, place: int, kernel: Mapping[int, float]) -> dict[int, float]:
    def fade(at: int) -> float:
        return min(1.0, LONG / max(len(given[at][1]), 1))

    found = {place: 1.0}
    for distance, weight in kernel.items():
        way = way_to(given, place, distance)
        if way:
            alone = len({given[at][3] for at in way}) == 1
            found[way[-1]] = weight * (MONOLOGUE if alone else 1.0) * fade(place) * fade(way[-1])
    return found


@settings(max_examples=150, deadline=None)
@given(lines, st.lists(st.sampled_from(TERMS), min_size=1, max_size=3, unique=True))
def test_windows_score_as_the_formula_says(given: Given, query: list[str]) -> None:
    snapshot, region = filled(given), region_of(given)
    matched = snapshot.postings.match(query)
    if matched is None or not len(region):
        return
    lengths = region.gather(region.lengths, LEXICAL_KERNEL)
    mean = float(lengths.mean())
    held = region.gather(matched.counted(region.rows), LEXICAL_KERNEL)
    found = windows(held, matched.idf, lengths, mean, k1=K1, b=B)
    for at, row in enumerate(region.rows.tolist()):
        shares = weights(given, row, LEXICAL_KERNEL)
        length = sum(share * len(given[other][1]) for other, share in shares.items())
        expected = 0.0
        for term in query:
            holding = sum(term in line[1] for line in given)
            count = sum(share * given[other][1].count(term) for other, share in shares.items())
            if count:
                idf = math.log(1 + (len(given) - holding + 0.5) / (holding + 0.5))
                expected += idf * count * (K1 + 1) / (count + K1 * (1 - B + B * length / max(mean, 1.0)))
        assert found[at] == pytest.approx(expected, abs=1e-4)


@settings(max_examples=150, deadline=None)
@given(lines, st.data())
def test_means_and_greatest_take_in_what_stands_around(given: Given, data: st.DataObject) -> None:
    region = region_of(given)
    each = st.none() | st.floats(0, 1, width=32)
    values = data.draw(st.lists(each, min_size=len(given), max_size=len(given)))
    here = np.array([np.nan if values[row] is None else values[row] for row in region.rows], dtype=np.float32)
    mean = region.mean(here, DENSE_KERNEL)
    greatest = region.greatest(np.nan_to_num(here), KINDRED_KERNEL)
    for at, row in enumerate(region.rows.tolist()):
        shares = {o: s for o, s in weights(given, row, DENSE_KERNEL).items() if values[o] is not None}
        if values[row] is None:
            assert np.isnan(mean[at])
        else:
            total = sum(share * values[other] for other, share in shares.items())
            assert mean[at] == pytest.approx(total / sum(shares.values()), abs=1e-5)
        near = [share * (values[o] or 0.0) for o, share in weights(given, row, KINDRED_KERNEL).items()]
        assert greatest[at] == pytest.approx(max(near), abs=1e-6)


@settings(max_examples=100, deadline=None)
@given(lines, st.data())
def test_a_region_holds_its_lines_and_what_stands_around_them(given: Given, data: st.DataObject) -> None:
    shown = np.array([line[2] for line in given])
    rows = data.draw(st.lists(st.sampled_from(range(len(given))), unique=True))
    wanted = [row for row in rows if shown[row]]
    region = filled(given).region(np.array(sorted(wanted), dtype=np.int32), shown)
    reached = {at for row in wanted for step in range(-REACH, REACH + 1) for at in way_to(given, row, step)}
    assert set(region.rows.tolist()) == reached
    near = region.near(np.isin(region.rows, wanted))
    assert near.all()


def test_kernels_stay_within_reach() -> None:
    kernels = (LEXICAL_KERNEL, DENSE_KERNEL, KINDRED_KERNEL)
    assert all(abs(distance) <= REACH for kernel in kernels for distance in kernel)


def test_lines_that_do_not_follow_each_other_are_no_neighbours() -> None:
    snapshot = Snapshot(8)
    for seq, position in enumerate([1, 2, 4, 5]):
        snapshot.append([Line(seq, 1, "user", "message", ["a"], 0, 0, position=position)])
    shown = np.ones(4, dtype=np.bool_)
    assert snapshot.walk(0, 3, shown) == [1] and snapshot.walk(3, -3, shown) == [2]
    region = snapshot.region(np.arange(4, dtype=np.int32), shown)
    nearest = region.greatest(np.array([1, 0, 0, 0], dtype=np.float32), {-1: 0.5, -2: 0.5}).tolist()
    assert nearest == [1, 0.5 * MONOLOGUE, 0, 0]


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
    rows = snapshot.region(np.arange(4, dtype=np.int32), np.ones(4, dtype=np.bool_))
    assert rows.rows.tolist() == [0, 1, 2, 3]
    assert snapshot.brevity(rows, 20, 0.25).tolist() == pytest.approx([0.0, 1.0, 1.0, 1.0])
    assert snapshot.brevity(rows, 40, 0.5)[1] == pytest.approx(math.sqrt(0.5))
    assert snapshot.verbosity(rows, "assistant", 60, 0.5).tolist() == pytest.approx([1.0, 1.0, 0.5, 1.0])
