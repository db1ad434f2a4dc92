"""Our own format, for conversations that you write down or export yourself, with questions of your own.

One JSON object a line. A line with a "text" is a turn, a line with a "question" is a question, others say where we are:

    {"conversation": "trip", "session": "May", "date": "2025-05-01"}
    {"id": "a1", "speaker": "Ana", "text": "I keep bees."}
    {"text": "How many hives?", "speaker": "assistant"}
    {"question": "What does Ana keep?", "evidence": ["a1"], "category": "pets", "asked_at": "2025-06-01"}
    {"question": "Who asked about hives?", "quotes": ["how many hives"]}

Only "text" and "question" with its "evidence" or "quotes" are needed. A conversation, a session and, within a session,
a date go on until another one is named. A turn without an id has its number in its session (`May:2`). Without a speaker
it is the role, and the role is `user` unless the speaker is called `assistant`. "evidence" names turns by their ids,
"quotes" by words that stand in no other turn of it, case and blanks aside. A "caption" says what a picture shows;
"answer" and "note" are for people. Lines that `langgraph-memory export` wrote are turns as they stand: export a
conversation and write questions below it.

The same as one document: {"name", "conversations": [{"id", "turns": [...], "questions": [...]}]}, or a single
{"turns": [...], "questions": [...]}; a question's words may there be its "text".

What cannot be read is an error that names the line. A question whose evidence does not exist is left out and reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from langgraph_memory.errors import ImportFormatError
from langgraph_memory.evaluation.datasets import Turn
from langgraph_memory.evaluation.drafts import Draft, whole
from langgraph_memory.evaluation.fields import Item, Malformed
from langgraph_memory.importing.documents import Source

SHAPE = (
    'one JSON object a line: {"conversation", "session", "id", "speaker", "text", "date"} for a turn, {"question", '
    '"evidence": [ids] or "quotes": [words], "category", "asked_at"} for a question; or {"conversations": [{"id", '
    '"turns", "questions"}]}'
)

PLACE = {"conversation", "session", "date"}
TURN = PLACE | {"id", "speaker", "role", "text", "caption", "observed_at", "note"}
QUESTION = {"conversation", "id", "evidence", "quotes", "category", "asked_at", "answer", "note"}
EXPORTED = {"type", "scope", "recorded_at", "content", "extra", "forgotten_at"}
"""The fields that are known; any other is an error, since it may be a misspelt one."""

_REMEMBERED = "memory"
"""Who speaks where a set holds notes instead of turns; the caption of a note is a mood, not a picture."""


def detect(source: Source) -> bool:
    """Say whether `source` is in this format."""
    for data in source.peek:
        if not isinstance(data, Mapping):
            continue
        if isinstance(data.get("conversations"), list) or isinstance(data.get("turns"), list):
            return True
        if "question" in data or isinstance(data.get("text"), str):
            return True
    return False


def read(source: Source) -> Iterator[Draft]:
    """Yield the conversations of a file.

    Raises:
        ImportFormatError: a line or a field cannot be read; the message names the line and what to do.
    """
    reading = _Reading(source)
    try:
        for value in whole(source):
            data = value.data
            if isinstance(data, Mapping) and isinstance(data.get("conversations"), list):
                Item(data, value.line_of).only({"name", "note", "conversations"})
                for place, given in enumerate(data["conversations"]):
                    reading.document(given, partial(value.line_of, "conversations", place))
            elif isinstance(data, Mapping) and isinstance(data.get("turns"), list):
                reading.document(data, value.line_of)
            else:
                reading.line(Item(data, value.line_of))
        yield from reading.finished()
    except Malformed as error:
        raise ImportFormatError(f"{source.path}, line {error.line}: {error}") from None


@dataclass
class _Sitting:
    """What goes on from turn to turn of a conversation."""

    session: str = "1"
    said_at: datetime | None = None
    turns: Counter[str] = field(default_factory=Counter)


@dataclass
class _Reading:
    source: Source
    drafts: dict[str, Draft] = field(default_factory=dict)
    asked: list[tuple[Draft, Item, str]] = field(default_factory=list)
    latest: str | None = None
    begun: dict[str, _Sitting] = field(default_factory=dict)

    def document(self, given: Any, line_of: Any) -> None:
        """Read a conversation that is one object."""
        whole_of = Item(given, line_of)
        whole_of.only({"id", "name", "note", "turns", "questions"})
        self.latest = whole_of.text("id") or whole_of.text("name") or self._numbered()
        if self.latest in self.drafts:
            raise Malformed(
                f"There is a conversation {self.latest!r} before it. Give each an id of its own.", line_of()
            )
        draft = self._draft(self.latest)
        for name, take in (("turns", self.turn), ("questions", self.question)):
            for place, item in enumerate(whole_of.items(name)):
                take(draft, Item(item, partial(line_of, name, place)))

    def line(self, item: Item) -> None:
        """Read a line, which is a turn, a question, or something that an export has besides."""
        item.check()
        kind = item.data.get("type")
        if kind == "header":
            return
        self.latest = item.text("conversation") or item.scope() or self.latest or self.source.stem
        draft = self._draft(self.latest)
        if kind == "memory":
            reason = "It is a memory, and evidence is what was said."
            draft.leave_out("turn", f"line {item.line()}", reason, item.line)
        elif "question" in item.data:
            self.question(draft, item)
        elif "text" in item.data:
            self.turn(draft, item)
        else:
            item.only(PLACE | {"note"})
            if not item.data.keys() & PLACE:
                raise item.wrong('It has neither a "text" nor a "question". Write one of them, or delete the line.')
            self._sitting(draft, item)

    def turn(self, draft: Draft, item: Item) -> None:
        """Read a turn."""
        item.only(TURN | EXPORTED if item.check().get("type") == "entry" else TURN)
        now = self._sitting(draft, item)
        now.turns[now.session] += 1
        turn_id = item.text("id") or f"{now.session}:{now.turns[now.session]}"
        role = item.role()
        speaker = item.text("speaker") or role
        if role != "user" and role != "assistant":
            reason = f"Its role is {role}, and recall searches what users and assistants say."
            return draft.leave_out("turn", f"turn {turn_id}", reason, item.line)
        if item.text("forgotten_at"):
            return draft.leave_out("turn", f"turn {turn_id}", "It was forgotten; recall does not show it.", item.line)
        caption = item.text("caption") if speaker != _REMEMBERED else None
        words = f"{item.words('text')} [image: {caption}]" if caption else item.words("text")
        if reason := draft.add(Turn(turn_id, now.session, speaker, words, role, now.said_at)):
            raise item.wrong(f"{reason} Give each turn of a conversation an id of its own, or leave the ids out.")

    def _sitting(self, draft: Draft, item: Item) -> _Sitting:
        """Return where the conversation is, with what this item says of it."""
        now = self.begun.setdefault(draft.id, _Sitting())
        session = item.text("session")
        if session is not None and session != now.session:
            now.session, now.said_at = session, None
        now.said_at = item.moment("date") or item.moment("observed_at") or now.said_at
        return now

    def question(self, draft: Draft, item: Item) -> None:
        """Take a question down; its evidence may stand below it."""
        item.only(QUESTION | {"question"} if "question" in item.check() else QUESTION | {"text"})
        words = item.words("question" if "question" in item.data else "text")
        if not words.strip():
            raise item.wrong("Its question is empty. Write what is asked, or delete it.")
        if not item.data.keys() & {"evidence", "quotes"}:
            reason = (
                'It has neither "evidence" nor "quotes". Name the turns that answer it, by their ids or their words.'
            )
            raise item.wrong(reason)
        self.asked.append((draft, item, words))

    def finished(self) -> Iterator[Draft]:
        """Find the evidence of every question, and yield the conversations."""
        for draft, item, words in self.asked:
            number = len(draft.questions) + sum(left.what == "question" for left in draft.left_out) + 1
            own = item.text("id")
            draft.ask(
                own or f"q{number}",
                words,
                [*item.texts("evidence"), *self._quoted(draft, item)],
                where=f"question {own or number}",
                line=item.line,
                category=item.text("category") or "",
                asked_at=item.moment("asked_at"),
            )
        yield from self.drafts.values()

    def _quoted(self, draft: Draft, item: Item) -> Iterator[str]:
        for quote in item.texts("quotes"):
            wanted = _folded(quote)
            found = [turn.id for turn in draft.turns.values() if wanted and wanted in _folded(turn.text)]
            if len(found) > 1:
                some = ", ".join(found[:3])
                raise item.wrong(
                    f"The quote {quote[:40]!r} stands in {len(found)} turns ({some}). Quote more of the one that you "
                    'mean, or name it under "evidence".'
                )
            yield found[0] if found else f"the quote {quote[:40]!r}"

    def _draft(self, name: str) -> Draft:
        return self.drafts.setdefault(name, Draft(name))

    def _numbered(self) -> str:
        return f"{self.source.stem}-{len(self.drafts) + 1}" if self.drafts else self.source.stem


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
