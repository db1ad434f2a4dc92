"""What is known of kept checkpoints: how much there is, and what a pruning removed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CheckpointSizes:
    """How much a checkpointer keeps: threads, checkpoints of them, and bytes on disk."""

    threads: int
    checkpoints: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Pruned:
    """What a pruning removed.

    Attributes:
        threads: threads of which something was removed.
        checkpoints, writes: rows removed.
        bytes: of the content removed; the file shrinks by whole pages.
        left_whole: threads not touched because their state is rebuilt from older checkpoints (`DeltaChannel`).
    """

    threads: int = 0
    checkpoints: int = 0
    writes: int = 0
    bytes: int = 0
    left_whole: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """One checkpoint as far as pruning must know it.

    Attributes:
        namespace: empty for the graph itself, `node:task` for one call of a subgraph, `node` for a subgraph that
            keeps its state between calls.
        id: its id, in order of time.
        parent: the checkpoint before it.
        root: the graph's own checkpoint from which a subgraph was called.
        needs_parent: whether it reads what its parent keeps (checkpoints of LangGraph before 0.5).
        waits: whether an interrupt was written to it.
        is_delta: whether its state is rebuilt from older checkpoints.
    """

    namespace: str
    id: str
    parent: str | None = None
    root: str | None = None
    needs_parent: bool = False
    waits: bool = False
    is_delta: bool = False
