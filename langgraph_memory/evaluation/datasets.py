"""What a data set is: conversations of turns, and questions whose evidence is among the turns."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from langgraph_memory.errors import InvalidInput
from langgraph_memory.records import Message

UNDATED = datetime(2026, 12, 2, tzinfo=UTC)
"""The day of a turn without a date. Days are searched too, so that with the day of the run in its place the same data
would give other numbers tomorrow."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One line of a conversation.

    Attributes:
        id: unique in its conversation.
        session: which sitting of the conversation it belongs to.
        said_at: with its zone; None where the data set has no date for it.
    """

    id: str
    session: str
    speaker: str
    text: str
    role: Literal["user", "assistant"] = "user"
    said_at: datetime | None = None

    @property
    def message(self) -> Message:
        """The turn as memory records it."""
        return Message(
            role=self.role,
            text=self.text,
            content=self.text,
            id=self.id,
            speaker=self.speaker,
            observed_at=self.said_at or UNDATED,
        )


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a conversation.

    Attributes:
        id: unique in its conversation.
        evidence: ids of the turns that answer it; never empty.
        category: the data set's own word for its kind; empty where it has none.
        asked_at: when it is asked, with its zone; None where that does not matter.
    """

    id: str
    text: str
    evidence: frozenset[str]
    category: str = ""
    asked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns in order, and the questions about them."""

    id: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something of the file that is not measured.

    Attributes:
        what: a whole `question`; one piece of `evidence`, of which others are left; or a `turn`, or several.
        conversation: where it belongs; empty where that is not known.
        where: the place in it in words, such as `question 12`.
        reason: why.
        line: 1-based line of the file; None where it is not known.
    """

    what: Literal["question", "evidence", "turn"]
    conversation: str
    where: str
    reason: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class DataSet:
    """Everything that a file, or a folder of files, holds.

    Attributes:
        format: the name under `loaders.FORMATS`.
        left_out: what the file holds and cannot be measured, each with its reason.
    """

    name: str
    conversations: tuple[Conversation, ...]
    format: str = ""
    left_out: tuple[LeftOut, ...] = field(default=(), repr=False)

    @property
    def turns(self) -> int:
        """How many turns there are."""
        return sum(len(conversation.turns) for conversation in self.conversations)

    @property
    def questions(self) -> int:
        """How many questions there are."""
        return sum(len(conversation.questions) for conversation in self.conversations)

    def part(self, first: int, last: int) -> DataSet:
        """Return the data set with the conversations from number `first` to number `last` only, counted from 0.

        Raises:
            InvalidInput: it has none of those.
        """
        chosen = self.conversations[first : last + 1] if 0 <= first <= last else ()
        if not chosen:
            raise InvalidInput(
                f"{self.name} has no conversations {first} to {last}: it has {len(self.conversations):,}, counted "
                "from 0."
            )
        names = {conversation.id for conversation in chosen}
        left_out = tuple(left for left in self.left_out if left.conversation in names)
        return DataSet(self.name, chosen, self.format, left_out)
