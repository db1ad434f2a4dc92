"""Answers travel through graph state as plain JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from langgraph_memory.records import Answer, Gap, Hit, Neighbour, Usage
from langgraph_memory.scope import Scope


def plain_answer(answer: Answer) -> dict[str, Any]:
    """Return an answer as plain JSON."""
    return {
        "query": answer.query,
        "hits": [_plain_hit(hit) for hit in answer.hits],
        "block": answer.block,
        "gaps": [asdict(gap) for gap in answer.gaps],
        "tokens": answer.tokens,
        "notes": list(answer.notes),
        "usage": asdict(answer.usage),
    }


def read_answer(plain: Mapping[str, Any]) -> Answer:
    """Return the answer that `plain_answer` made plain, also after a round trip through JSON."""
    return Answer(
        query=plain["query"],
        hits=tuple(_hit(hit) for hit in plain["hits"]),
        block=plain["block"],
        gaps=tuple(Gap(**gap) for gap in plain["gaps"]),
        tokens=plain["tokens"],
        notes=tuple(plain["notes"]),
        usage=Usage(**plain["usage"]),
    )


def _plain_hit(hit: Hit) -> dict[str, Any]:
    return {
        **{name: getattr(hit, name) for name in ("id", "text", "score", "kind", "speaker", "session_id", "position")},
        "signals": dict(hit.signals),
        "said_at": hit.said_at.isoformat(),
        "entry_ids": list(hit.entry_ids),
        "scope": list(hit.scope.segments),
        **{side: [_plain_neighbour(line) for line in getattr(hit, side)] for side in ("before", "after")},
    }


def _hit(plain: Mapping[str, Any]) -> Hit:
    return Hit(
        **{
            **plain,
            "said_at": datetime.fromisoformat(plain["said_at"]),
            "entry_ids": tuple(plain["entry_ids"]),
            "scope": Scope(tuple(plain["scope"])),
            **{side: tuple(_neighbour(line) for line in plain[side]) for side in ("before", "after")},
        }
    )


def _plain_neighbour(line: Neighbour) -> dict[str, Any]:
    return {**asdict(line), "said_at": line.said_at.isoformat()}


def _neighbour(plain: Mapping[str, Any]) -> Neighbour:
    return Neighbour(**{**plain, "said_at": datetime.fromisoformat(plain["said_at"])})
