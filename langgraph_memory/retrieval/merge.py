"""Merging makes one ranking of what several searches found for one question."""

from __future__ import annotations

from collections.abc import Mapping

SUB_QUERY = 0.9
"""What the score of a sub-query's hit is multiplied by: what was asked comes before what was asked on its behalf."""


def damped(signals: Mapping[str, float], by: float) -> dict[str, float]:
    """Return the signals of a hit whose score is multiplied, so that `explain` still adds up.

    Args:
        by: what it is multiplied by, 0 or more.
    """
    if "final" in signals:  # a formula that is no sum: what is left of it is a signal of its own
        left = {"relevance": by * signals.get("relevance", signals["final"])}
        return {**signals, **left, **({"diversity": by * signals["diversity"]} if "diversity" in signals else {})}
    return {name: value if name.startswith("raw_") else by * value for name, value in signals.items()}
