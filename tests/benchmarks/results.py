"""Benchmark numbers are kept beside the scripts that measured them, for the README's table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("results.json")


def save(part: str, numbers: dict[str, Any]) -> None:
    """Replace the numbers of these names in one part of the file."""
    results = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    results.setdefault(part, {}).update(numbers)
    FILE.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
