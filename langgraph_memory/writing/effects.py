"""What of a record's history still has effect, once undoing, and undoing of undoing, is taken into account."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph_memory.storage.journal import Line


def in_effect(lines: Sequence[Line]) -> frozenset[int]:
    """Return the numbers of the lines that nobody has taken back; an undo that was taken back takes nothing back.

    Args:
        lines: of one record, oldest first.
    """
    taken_back: set[int] = set()
    standing: set[int] = set()
    for line in reversed(lines):  # what undoes a line comes after it
        if line.seq not in taken_back:
            standing.add(line.seq)
            if line.undoes is not None:
                taken_back.add(line.undoes)
    return frozenset(standing)


def retirements(lines: Sequence[Line]) -> dict[int, int | None]:
    """Return, for the time after each line, the line by which the record was retired; None where it was believed.

    To undo a restoration is to return to the retirement before it, not to retire once more.
    """
    after: dict[int, int | None] = {}
    before: dict[int, int | None] = {}
    restored: set[int] = set()
    here: int | None = None
    for line in lines:
        before[line.seq] = here
        if line.change.action == "retired":
            here = before[line.undoes] if line.undoes in restored and line.undoes is not None else line.seq
        elif line.change.action != "reinforced":
            here = None
            if line.change.action == "restored":
                restored.add(line.seq)
        after[line.seq] = here
    return after


def said_since(lines: Sequence[Line], seq: int) -> bool:
    """Say whether the record was said again after a line, and that still has effect."""
    standing = in_effect(lines)
    return any(
        line.seq > seq and line.change.action == "reinforced" and line.undoes is None and line.seq in standing
        for line in lines
    )
