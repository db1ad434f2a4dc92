"""Rows of the Graphiti acceptance list on time and isolation that single records already answer."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from langgraph_memory import Memory, Settings
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
