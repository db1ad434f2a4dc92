"""Which namespaces a listing asks for: prefixes, suffixes, stars, depth and pages, all on whole labels."""

from __future__ import annotations

from collections.abc import Iterable

from langgraph.store.base import ListNamespacesOp, MatchCondition

from langgraph_memory.storage.items import Labels

STAR = "*"
"""Stands for exactly one label."""


def common_prefix(op: ListNamespacesOp) -> Labels:
    """Return the longest start that all namespaces asked for have in common, as far as prefixes say it."""
    longest: Labels = ()
    for condition in op.match_conditions or ():
        if condition.match_type == "prefix":
            labels = tuple(condition.path)
            fixed = labels[: labels.index(STAR)] if STAR in labels else labels
            longest = max(longest, fixed, key=len)
    return longest


def choose(op: ListNamespacesOp, namespaces: Iterable[Labels]) -> list[Labels]:
    """Return the page of namespaces that meet every condition: cut to the depth, each once, sorted by label."""
    found = {
        namespace[: op.max_depth]
        for namespace in namespaces
        if all(_meets(namespace, condition) for condition in op.match_conditions or ())
    }
    return sorted(found)[op.offset : op.offset + op.limit]


def _meets(namespace: Labels, condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in (STAR, label) for label, wanted in zip(part, path, strict=True))
