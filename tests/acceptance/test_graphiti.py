"""Rows of the Graphiti acceptance list on time and isolation that single records already answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from langgraph_memory import Memory, Settings
from langgraph_memory.retrieval.recipe import RRF
from langgraph_memory.testing import FrozenClock, HashEmbedder

QUIET = Settings(background=False)
NOW = datetime(2026, 6, 1, tzinfo=UTC)


def year(number: int) -> datetime:
    return datetime(number, 1, 1, tzinfo=UTC)


def works_at(memory: Memory, when: datetime | None = None, known: datetime | None = None) -> list[str]:
    answer = memory.recall("Where does Zhang work?", scope="z", as_of=when, known_at=known)
    return sorted(hit.text for hit in answer.hits)


def test_graphiti_G11_a_future_end_does_not_end_it_today(tmp_path: Path) -> None:
    with Memory(tmp_path, embeddings=HashEmbedder(), settings=QUIET, clock=FrozenClock(NOW)) as memory:
        memory.add("Zhang works at A.", scope="z", valid_from=year(2024), valid_to=year(2099))
        assert works_at(memory) == ["Zhang works at A."]
        assert works_at(memory, year(2100)) == []


def test_graphiti_G12_a_future_start_is_not_yet_true(tmp_path: Path) -> None:
    with Memory(tmp_path, embeddings=HashEmbedder(), settings=QUIET, clock=FrozenClock(NOW)) as memory:
        memory.add("Zhang works at A.", scope="z", valid_from=year(2020))
        memory.add("Zhang works at B.", scope="z", valid_from=year(2099))
        assert works_at(memory) == ["Zhang works at A."]
        assert "Zhang works at B." in works_at(memory, year(2099))


def test_graphiti_G15_as_of_reads_the_timeline_and_a_boundary_belongs_to_the_new(tmp_path: Path) -> None:
    with Memory(tmp_path, embeddings=HashEmbedder(), settings=QUIET, clock=FrozenClock(NOW)) as memory:
        memory.add("Zhang works at A.", scope="z", valid_from=year(2020), valid_to=year(2022))
        memory.add("Zhang works at B.", scope="z", valid_from=year(2022), valid_to=year(2024))
        memory.add("Zhang works at C.", scope="z", valid_from=year(2024))
        assert works_at(memory, year(2019)) == []
        assert works_at(memory, year(2021)) == ["Zhang works at A."]
        assert works_at(memory, year(2022)) == ["Zhang works at B."]
        assert works_at(memory, year(2022) - timedelta(microseconds=1)) == ["Zhang works at A."]
        assert works_at(memory, year(2025)) == ["Zhang works at C."]


def test_graphiti_G18_one_instant_in_three_zones_is_one_instant(tmp_path: Path) -> None:
    with Memory(tmp_path, embeddings=HashEmbedder(), settings=QUIET, clock=FrozenClock(NOW)) as memory:
        shanghai = datetime(2024, 3, 1, 0, 30, tzinfo=timezone(timedelta(hours=8)))
        zulu = datetime(2024, 2, 29, 16, 30, tzinfo=UTC)
        naive = datetime(2024, 2, 29, 16, 30)
        for moment in (shanghai, zulu, naive):
            (memory_id,) = memory.add(f"Seen at {moment.isoformat()}.", scope="z", valid_from=moment).ids
            assert memory.get(memory_id).valid_from == zulu
            assert memory.get(memory_id).valid_from.utcoffset() == timedelta(0)
        assert len(memory.recall("Seen", scope="z", as_of=shanghai).hits) == 3
        assert not memory.recall("Seen", scope="z", as_of=zulu - timedelta(microseconds=1)).hits


def test_graphiti_G32_twenty_writers_and_readers_never_cross(tmp_path: Path) -> None:
    with Memory(tmp_path, embeddings=HashEmbedder(), settings=QUIET) as memory:

        def work(number: int) -> set[str]:
            mine = f"tenant-{number % 2}"
            for turn in range(5):
                memory.record([("user", f"{mine} says {number} {turn}")], scope=("org", mine), thread_id=f"t{number}")
            return {hit.text.split()[0] for hit in memory.recall("says", scope=("org", mine), limit=50).hits}

        with ThreadPoolExecutor(20) as pool:
            seen = list(pool.map(work, range(20)))
        assert seen == [{f"tenant-{number % 2}"} for number in range(20)]


class GivenCosines(HashEmbedder):
    """Puts each text, by its last letter, at the cosine given to every question, which ends with no such letter."""

    def __init__(self, **cosines: float) -> None:
        super().__init__(64)
        self._cosines = cosines

    def embed_documents(self, texts: Sequence[str]) -> Any:
        rows = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[0] = self._cosines.get(text[-1], 1.0)
            row[1] = np.sqrt(1 - row[0] ** 2)
        return rows


@pytest.mark.parametrize(
    ("dense", "k", "expected"),
    [  # by words A, B, C
        ({"B": 0.9, "D": 0.5}, 1, {"B": 1.5, "A": 1.0, "D": 0.5, "C": 1 / 3}),
        ({"B": 0.9, "D": 0.5}, 60, {"B": 1 / 61 + 1 / 60, "A": 1 / 60, "D": 1 / 61, "C": 1 / 62}),
        ({"D": 0.9, "E": 0.5}, 1, {"A": 1.0, "D": 1.0, "B": 0.5, "E": 0.5, "C": 1 / 3}),
    ],
    ids=["k=1", "k=60", "ties"],
)
def test_graphiti_G36_a_recall_by_places_has_the_reference_values(
    store_url: str, open_memory: Callable[..., Memory], dense: dict[str, float], k: int, expected: dict[str, float]
) -> None:
    memory = open_memory(store_url, embeddings=GivenCosines(**dict.fromkeys("ABCDE", 0.0) | dense))
    for text in ("tea tea tea A", "tea tea of B", "tea of lore C", "lore D", "lore E"):
        memory.add(text, scope="z")
    hits = memory.recall("tea", scope="z", recipe=replace(RRF, rrf_k=k)).hits
    assert [(hit.text[-1], hit.score) for hit in hits] == [
        (letter, pytest.approx(score, abs=1e-6)) for letter, score in expected.items()
    ]
    for hit in hits:
        assert hit.score == pytest.approx(hit.signals.get("lexical", 0) + hit.signals.get("dense", 0), abs=1e-6)
    named = memory.recall("tea", scope="z", recipe="rrf").hits
    assert sorted(hit.text[-1] for hit in named) == sorted(expected)
