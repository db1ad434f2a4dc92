"""The side-by-side count of faults is what it says: none of ours, and some of the stock way, on the same histories."""

from __future__ import annotations

import importlib.util
from pathlib import Path

PATH = Path(__file__).parents[1] / "benchmarks" / "cut_points.py"


def test_the_stock_cut_commits_faults_that_ours_does_not() -> None:
    spec = importlib.util.spec_from_file_location("cut_points", PATH)
    assert spec is not None and spec.loader is not None
    benchmark = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(benchmark)
    histories, found = benchmark.count(200)
    assert histories > 50 and not found["ours"]
    assert found["stock"]["last human message lost"] and found["stock"]["pending call lost"]
