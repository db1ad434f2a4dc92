"""A conversation while its file is read: what can be measured is kept, what cannot is written down."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from langgraph_memory.errors import ImportFormatError
from langgraph_memory.evaluation.datasets import Conversation, LeftOut, Question, Turn
from langgraph_memory.importing import Refusal
from langgraph_memory.importing.documents import Source, Value

Line = Callable[[], int | None]
"""Finds the 1-based line of something in the file; asked only where something is left out."""


@dataclass
class Draft:
    """One conversation, growing."""

    id: str
    turns: dict[str, Turn] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    def add(self, turn: Turn) -> str:
        """Add a turn, and return why not: the second with an id cannot be told from the first. Empty where it was."""
        if turn.id in self.turns:
            return f"There is a turn {turn.id} before it."
        self.turns[turn.id] = turn
        return ""

    def ask(
        self,
        id: str,
        text: object,
        evidence: Iterable[str],
        *,
        where: str,
        line: Line,
        category: str = "",
        asked_at: datetime | None = None,
    ) -> None:
        """Add a question, if any of its evidence exists; call it when all turns are there."""
        named = list(dict.fromkeys(evidence))
        found = [name for name in named if name in self.turns]
        missing = ", ".join(name for name in named if name not in self.turns)
        if not isinstance(text, str) or not text.strip():
            self.leave_out("question", where, "It has no text.", line)
        elif not named:
            self.leave_out("question", where, "It names no evidence.", line)
        elif not found:
            self.leave_out("question", where, f"Its evidence does not exist: {missing}.", line)
        else:
            if missing:
                self.leave_out("evidence", where, f"This part of its evidence does not exist: {missing}.", line)
            self.questions.append(Question(id, text, frozenset(found), category, asked_at))

    def leave_out(self, what: Literal["question", "evidence", "turn"], where: str, reason: str, line: Line) -> None:
        """Write down what cannot be measured, and why."""
        self.left_out.append(LeftOut(what, self.id, where, reason, line()))

    def finished(self) -> Conversation:
        """Return the conversation as it travels."""
        return Conversation(self.id, tuple(self.turns.values()), tuple(self.questions))


def whole(source: Source) -> Iterator[Value]:
    """Yield the values of a file of which nothing is broken.

    Raises:
        ImportFormatError: a part is no JSON. Half a data set gives numbers that compare with nothing.
    """
    for value in source.values():
        if isinstance(value, Refusal):
            raise ImportFormatError(
                f"{source.path}, {value.where}: {value.reason} A data set is measured whole or not at all: mend the "
                "file, or copy it again."
            )
        yield value
